import type { FoundKind, Revision } from '../schema/types.ts';
import type { CliTarget } from './cli-target.ts';
import { findRecord, isWholeId } from './find-record.ts';
import { meantBy } from '../named.ts';

/** Revisions that one request asks for. */
const pageRows = 1000;

/** The ids that a text means among the revisions of a project: itself if it is a whole id, or those that end with it. */
export async function revisionsMeant(
  { planner }: CliTarget,
  project_id: string,
  text: string,
): Promise<readonly string[]> {
  if (isRevisionId(text)) return [text];
  const found: string[] = [];
  for (let cursor: unknown, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const input = { project_id, limit: pageRows, ...(cursor === undefined ? {} : { cursor }) };
    const page = await planner.call('list_revisions', input);
    const named = (page['revisions'] as readonly Revision[]).map(({ id }) => ({ id, name: null }));
    found.push(...meantBy(named, text, { parts: true }).map(({ id }) => id));
    cursor = page['next_cursor'];
  }
  return found;
}

export function isRevisionId(text: string): boolean {
  return text.startsWith('rev_') && isWholeId(text);
}

/** What a revision changed is called: its name now, or what it was called before this change. */
export async function nameOfTarget(
  target: CliTarget,
  { id, target_type: type, target_id }: Pick<Revision, 'id' | 'target_type' | 'target_id'>,
): Promise<string> {
  try {
    return (await findRecord(target, [type as FoundKind], target_id)).name ?? '';
  } catch {
    const { revision } = await target.planner.call('get_revision', { revision_id: id });
    const { label, title, name } = (revision as { readonly snapshot: Readonly<Record<string, unknown>> }).snapshot;
    return [label, title, name].find((text) => typeof text === 'string') ?? '';
  }
}
