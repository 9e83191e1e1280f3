import { keyWith } from '../domain/people/keys.ts';
import { problemsFor } from '../domain/feed/known-problems.ts';
import type { PlannerCollections, Problem } from '../domain/records/collections.ts';
import { inSlices, slice } from '../base/slices.ts';
import type { FileStore } from '../store/index.ts';
import { showProblem } from './remedies.ts';

/** The problems found, and the repairs made before the check: one sentence each. */
export interface Diagnosis {
  readonly problems: readonly Problem[];
  readonly mended: readonly string[];
  /** Upgrades of the files whose backup still exists, one sentence each; absent without an upgrade. */
  readonly upgraded?: readonly string[];
}

/**
 * `planner doctor`: checks every file, id, reference, lock and setting of a root. With `fix` it first repairs
 * everything that can be repaired safely.
 */
export async function diagnose(store: FileStore<PlannerCollections>, fix: boolean): Promise<Diagnosis> {
  const mended = fix ? await store.repair() : [];
  const checked = await inSlices('doctor', store.checking());
  const ofProjects = await store.readAll((views) =>
    slice('doctor', () => views.flatMap((view) => problemsFor(view, 'people'))),
  );
  const ofRoot = await store.readService((service) =>
    store.checkRoot((secret) => keyWith(service, secret) !== undefined),
  );
  const problems = [...checked, ...ofRoot, ...ofProjects];
  return {
    problems: problems.map(showProblem).sort(bySeverity),
    mended,
    ...upgrades(store),
  };
}

/** Problems before notes, by path, then line. */
function bySeverity(a: Problem, b: Problem): number {
  if (a.severity !== b.severity) return a.severity === 'note' ? 1 : -1;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}

function upgrades(store: FileStore<PlannerCollections>): Pick<Diagnosis, 'upgraded'> {
  const upgraded = store.upgrades();
  return upgraded.length === 0 ? {} : { upgraded };
}
