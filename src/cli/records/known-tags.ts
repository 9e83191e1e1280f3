import { LikeNames, proposal } from '../../base/named.ts';
import { PlannerError } from '../../base/errors.ts';
import type { CliTarget } from '../call/cli-target.ts';

/** Throws if a filter by tags chose nothing because a tag does not exist: a misspelled one looks like an empty list. */
export async function requireTags(
  { planner }: CliTarget,
  project_id: string,
  given: readonly string[] = [],
): Promise<void> {
  if (given.length === 0) return;
  const tags = (await planner.call('list_tags', { project_id }))['tags'] as readonly { readonly name: string }[];
  const fold = (name: string): string => name.normalize('NFC').trim().toLowerCase();
  const known = new Set(tags.map(({ name }) => fold(name)));
  const unknown = given.find((name) => !known.has(fold(name)));
  if (unknown === undefined) return;
  const like = new LikeNames(unknown);
  for (const { name } of tags) like.add(name);
  const message = `There is no tag ${JSON.stringify(unknown)}: planner tag lists them.${proposal(like.found)}`;
  throw new PlannerError('not_found', message, { resource: 'tag', id: unknown });
}
