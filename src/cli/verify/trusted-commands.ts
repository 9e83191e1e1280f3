import { hash } from 'node:crypto';
import { PlannerError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { errorCode } from '../../store/index.ts';
import type { openJson } from '../../store/index.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { unwritableCodes } from '../machine/machine-secret.ts';
import { openUserJson } from '../machine/user-json.ts';

/** A command of a plan, and where the plan is. */
interface PlanCommand {
  /** The `.planner` directory or the address of the service: the same plan elsewhere is not trusted. */
  readonly place: string;
  readonly project: string;
  /** Its role in messages: `gate` or `set-up command`. */
  readonly role: string;
  readonly command: string;
}

/** `{place: [digest, …]}` in the user's configuration directory. */
type DigestsByPlace = Record<string, readonly string[]>;

type TrustDeps = Pick<ProgramDeps, 'disk' | 'homeDirectory' | 'environment' | 'remark' | 'ask'>;

/** The commands of a plan that a verification runs. */
export interface PlanCommands extends Pick<PlanCommand, 'place' | 'project'> {
  readonly setup: string | undefined;
  readonly gate: string | undefined;
}

/** Throws unless the user allowed the commands. */
export async function requireAllTrusted(
  deps: TrustDeps,
  { setup, gate, ...where }: PlanCommands,
  isTrusted: boolean,
): Promise<void> {
  if (setup !== undefined) await requireTrusted(deps, { ...where, role: 'set-up command', command: setup }, isTrusted);
  if (gate !== undefined) await requireTrusted(deps, { ...where, role: 'gate', command: gate }, isTrusted);
}

/**
 * Throws unless the user allowed exactly this command for exactly this project. A command comes with the repository or
 * from an agent, so its author may be anyone. It is allowed by the answer at a terminal or by
 * --trust, and remembered as a digest that a repository cannot reach.
 */
async function requireTrusted(deps: TrustDeps, given: PlanCommand, isTrusted: boolean): Promise<void> {
  const { place, project, role, command } = given;
  const digest = hash('sha256', JSON.stringify([project, command]), 'hex');
  const file = await open(deps);
  const known = Object.hasOwn(file.data, place) ? file.data[place]! : [];
  if (known.includes(digest)) return;
  if (!isTrusted) await askFor(deps, role, command);
  file.data = { ...file.data, [place]: [...known, digest] };
  try {
    await file.write();
  } catch (error) {
    // It is asked again the next time.
    if (!unwritableCodes.includes(errorCode(error) ?? '')) throw error;
  }
}

async function askFor({ ask, remark }: TrustDeps, role: string, command: string): Promise<void> {
  const notRun = (why: string): PlannerError =>
    new PlannerError('forbidden', `The ${role} was not run: ${why}`, { command, exit: 2 });
  if (ask === undefined)
    throw notRun(
      `it comes from the plan, and you have not allowed it on this machine. Read it, and allow it with --trust: ${command}`,
    );
  remark(`The ${role} comes from the plan, and would run as you on this machine:\n${printable(command)}`);
  if (!isYes(await ask('Run it, now and whenever it is the same? [y/N] '))) throw notRun('you did not allow it.');
}

/** Returns whether a typed line is a yes. */
export function isYes(line: string | undefined): boolean {
  return /^\s*y(?:es)?\s*$/i.test(line ?? '');
}

function open({ disk, homeDirectory, environment }: TrustDeps): ReturnType<typeof openJson<DigestsByPlace>> {
  return openUserJson({
    ...{ disk, place: { homeDirectory, configHome: environment().configHome }, name: 'trusted-commands.json' },
    isMember: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((digest) => typeof digest === 'string'),
    contents: 'with a list of digests by directory',
  });
}
