import { idPrefixes } from '../../base/ids.ts';
import { lastOf, shortestEnds } from '../../base/named.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import type { ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import { foundKinds } from './find-record.ts';

/**
 * The shortest end of each id that no other record of its project has, in steps: `findRecord` takes it for the id. For
 * ids of revisions, the end is also unique among revisions. Ids that Planner did not make have no short form.
 */
export function* shortIds(
  view: ReadTransaction<PlannerCollections>,
  ids: readonly string[],
): Steps<Record<string, string>> {
  const near = new Set(ids.map(lastOf));
  const sharing: string[] = [];
  const add = ({ id }: { readonly id: string }): void => {
    if (near.has(lastOf(id))) sharing.push(id);
  };
  for (const kind of foundKinds) yield* eachInSteps(view.list(kind), add);
  for (const end of new Set(ids.filter(isOfRevision).map(lastOf))) yield* eachInSteps(view.historyIds({ end }), add);
  return Object.fromEntries(shortestEnds(ids, sharing));
}

function isOfRevision(id: string): boolean {
  return id.startsWith(`${idPrefixes.revision}_`);
}
