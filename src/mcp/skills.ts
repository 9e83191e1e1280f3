import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { listTtlMs } from './discover.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';
import { skillTextAt, skillTexts } from './skill-texts.ts';

type Params = Readonly<Record<string, unknown>>;

/** They change with the version of the service only. */
const common = { resultType: 'complete', ttlMs: listTtlMs, cacheScope: 'public' } as const;

let entries: Promise<readonly Skill[]> | undefined;

/** The entries of all skills, with the digests of their files. */
function all(): Promise<readonly Skill[]> {
  return (entries ??= Promise.all(skillTexts.map(({ path, text }) => skillEntry(path, { 'SKILL.md': text }))));
}

/** `skills/list`: one page. */
export async function listSkills(): Promise<Params> {
  return { ...common, skills: await all() };
}

/** `skills/get`. Rejects with `RpcError`. */
export async function getSkill({ uri }: Params): Promise<Params> {
  const at = skillTexts.findIndex((skill) => skill === skillTextAt(uri));
  const skill = (await all())[at];
  if (skill !== undefined) return { ...common, skill };
  const message = `There is no skill ${JSON.stringify(uri) ?? 'undefined'}: skills/list names all.`;
  throw new RpcError(rpcCodes.invalidParams, message, { field: 'params.uri', uri });
}
