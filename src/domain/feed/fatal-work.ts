import { limits } from '../../base/limits.ts';
import type { ProjectWork } from '../../platform/current-work.ts';
import type { Problem, ServiceTx, ServiceReadTransaction, StoredRecord, ReadTransaction } from '../../store/index.ts';
import { version } from '../../base/version.ts';
import type { PlannerCollections } from '../records/collections.ts';

/**
 * Work for one project that ended the process: an exception came from it that nothing caught. Noted while the process ends, so that
 * work that ends well costs nothing.
 */
export interface FatalWork extends StoredRecord, ProjectWork {
  readonly ends: number;
}

/** The service collection of work that ended the process, as declared to the store. */
export const fatalWorkCollection = {
  name: 'fatal_work',
  placement: 'service',
  indexes: { project: ({ project }: FatalWork) => project },
} as const;

/** Everything that does work for one project without a call, with the effect of its suspension. */
export const workers = {
  webhooks: 'Events are not delivered',
  leases: 'Leases that expire are not noted as events',
  problems: 'Problems are not noted as events',
  indexing: 'The search index is built by the first search',
} as const;

export type Worker = keyof typeof workers;

/** The id of the record of work. */
export function workId({ worker, project, of }: ProjectWork): string {
  return `${worker}.${project}.${of}`;
}

export function noteEnd(tx: ServiceTx, { worker, project, of }: ProjectWork, at: string): FatalWork {
  const id = workId({ worker, project, of });
  const before = tx.get<FatalWork>(fatalWorkCollection.name, id);
  return tx.put<FatalWork>(fatalWorkCollection.name, {
    ...{ id, created_at: before?.created_at ?? at, updated_at: at },
    ...{ worker, project, of, ends: (before?.ends ?? 0) + 1 },
  });
}

/** The ids of the work that is suspended. */
export function suspendedWork(service: ServiceReadTransaction): string[] {
  return [...service.list<FatalWork>(fatalWorkCollection.name)].filter(isSuspended).map(({ id }) => id);
}

/** The kind of the problem that is suspended work. */
export const suspendedKind = 'work_suspended';

/** The work for a project that this version of Planner does not do. Webhooks are paused instead. */
export function suspendedProblems({ service, project }: ReadTransaction<PlannerCollections>): Problem[] {
  const found = service.by<FatalWork>(fatalWorkCollection.name, 'project', project);
  return found
    .filter((work) => isSuspended(work) && work.of === version)
    .map(({ worker, updated_at: at }) => ({
      path: '.planner/local',
      kind: suspendedKind,
      reason: `${workers[worker as Worker]}: that ended the service ${limits.workEndsMax} times, last at ${at}.`,
    }));
}

function isSuspended({ ends }: FatalWork): boolean {
  return ends >= limits.workEndsMax;
}
