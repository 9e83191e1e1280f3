import { danglingReferences } from '../domain/dangling-references.ts';
import type { PlannerCollections, Problem } from '../domain/records/collections.ts';
import { inSlices, slice } from '../slices.ts';
import type { Store } from '../store/index.ts';
import { showProblem } from './remedies.ts';

/** The problems found, and the repairs made before the check: one sentence each. */
export interface Diagnosis {
  readonly problems: readonly Problem[];
  readonly mended: readonly string[];
  /** Upgrades of the files whose backup still exists, one sentence each; absent if there was none. */
  readonly upgraded?: readonly string[];
}

/**
 * `planner doctor`: checks every file, id, reference, lock and setting of a root. With `fix` it first repairs what can be repaired safely.
 */
export async function diagnose(store: Store<PlannerCollections>, fix: boolean): Promise<Diagnosis> {
  const mended = fix ? await store.repair() : [];
  const dangling = await store.readAll((views) =>
    slice('doctor', () => views.flatMap((view) => store.withPaths(view.project, danglingReferences(view)))),
  );
  const problems = [...(await inSlices('doctor', store.checking())), ...store.checkRoot(), ...dangling];
  return {
    problems: problems.map(showProblem).sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1)),
    mended,
    ...upgrades(store),
  };
}

function upgrades(store: Store<PlannerCollections>): Pick<Diagnosis, 'upgraded'> {
  const upgraded = store.upgrades();
  return upgraded.length === 0 ? {} : { upgraded };
}
