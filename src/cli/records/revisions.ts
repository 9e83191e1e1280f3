import type { FoundKind, Revision } from '../../schema/types.ts';
import { pageRows, pagesOf } from './all-rows.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { findRecord, isWholeId } from '../call/find-record.ts';
import { meantBy } from '../../base/named.ts';

/**
 * The ids that a text means among the revisions of a project: itself if it is a whole id, or the ids that end with it.
 */
export async function revisionsMeant(target: CliTarget, project_id: string, text: string): Promise<readonly string[]> {
  if (isRevisionId(text)) return [text];
  const found: string[] = [];
  for await (const page of pagesOf(target, 'list_revisions', { project_id, limit: pageRows })) {
    const named = (page['revisions'] as readonly Revision[]).map(({ id }) => ({ id, name: null }));
    found.push(...meantBy(named, text, { parts: true }).map(({ id }) => id));
  }
  return found;
}

export function isRevisionId(text: string): boolean {
  return text.startsWith('rev_') && isWholeId(text);
}

/** The name of a revision's target: its current name, or its name before this change. */
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
