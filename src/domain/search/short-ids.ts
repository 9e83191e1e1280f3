import { projectCodeOf } from '../../ids.ts';
import { idEndMin } from '../../named.ts';
import { eachInSteps, type Steps } from '../../slices.ts';
import type { View } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import { foundKinds } from './find-record.ts';

/**
 * The shortest end of each id, of at least `idEndMin` characters, that no other record of its project has, in steps: `findRecord` takes it for
 * the id. Ids that Planner did not make have none.
 */
export function* shortIds(view: View<PlannerCollections>, ids: readonly string[]): Steps<Record<string, string>> {
  const made = ids.filter((id) => projectCodeOf(id) !== undefined);
  /** All ids of the project by their last characters, which few of them share. */
  const sharing = new Map<string, string[]>(made.map((id) => [id.slice(-idEndMin), []]));
  for (const kind of foundKinds)
    yield* eachInSteps(view.list(kind), ({ id }) => void sharing.get(id.slice(-idEndMin))?.push(id));
  return Object.fromEntries(
    made.map((id) => {
      const others = sharing.get(id.slice(-idEndMin))!.filter((other) => other !== id);
      let length = idEndMin;
      while (others.some((other) => other.endsWith(id.slice(-length)))) length++;
      return [id, id.slice(-length)];
    }),
  );
}
