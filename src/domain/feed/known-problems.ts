import { hash } from 'node:crypto';
import type {
  Problem,
  ServiceReadTransaction,
  StoredEvent,
  StoredRecord,
  Tx,
  ReadTransaction,
} from '../../store/index.ts';
import { suspendedProblems } from './fatal-work.ts';
import { pausedKind, webhookProblems } from './webhooks.ts';
import type { PlannerCollections } from '../records/collections.ts';

/**
 * A problem whose event is in the feed. The record is changed in the entry that has the event, so that a problem that
 * is found or cleared while no service runs is noted at the next start, and no problem is noted twice.
 */
export interface KnownProblem extends StoredRecord {
  readonly project: string;
  readonly problem: Pick<Problem, 'path' | 'kind' | 'reason' | 'line'>;
  /** The record that has the problem. */
  readonly record: string | null;
}

/** The service collection of known problems, as declared to the store. */
export const knownProblemCollection = {
  name: 'known_problems',
  placement: 'project',
  hasEvents: true,
  indexes: { project: ({ project }: KnownProblem) => project },
} as const;

/** Callers for whom an answer is made: people, or agents, for which webhooks do not exist. */
export type Audience = 'people' | 'agents';

/** The problems of a project that an audience may see: of its files and of the work for it, and for people of its webhooks. */
export function problemsFor(view: ReadTransaction<PlannerCollections>, audience: Audience): Problem[] {
  const ofWebhooks = audience === 'people' ? webhookProblems(view) : [];
  return [...view.problems, ...suspendedProblems(view), ...ofWebhooks];
}

/** Returns whether an event is of a problem that only people may see. */
export function isForPeople({ resource, changes }: StoredEvent): boolean {
  if (resource.type !== 'problem') return false;
  return changes.some(({ field, from, to }) => field === 'kind' && (to ?? from) === pausedKind);
}

/** Further problems of a project have no events until others are cleared. */
const knownProblemsMax = 1000;

/** The differences between the problems of a project and the known ones. */
interface Difference {
  readonly found: readonly (readonly [id: string, problem: Problem])[];
  readonly cleared: readonly KnownProblem[];
}

/** Notes the problems that were found or cleared since the last call: the feed derives its events from these records. */
export function noteProblems(tx: Tx<PlannerCollections>): void {
  const { found, cleared } = differenceOf(tx);
  for (const { id } of cleared) tx.service.remove(knownProblemCollection.name, id);
  for (const [id, { path, kind, reason, line, id: record }] of found)
    tx.service.put<KnownProblem>(knownProblemCollection.name, {
      ...{ id, created_at: tx.now, updated_at: tx.now, project: tx.project, record: record ?? null },
      problem: { path, kind, reason, ...(line !== undefined && { line }) },
    });
}

/** Returns whether problems were found or cleared that are not noted. */
export function hasUnknownProblems(view: ReadTransaction<PlannerCollections>): boolean {
  const { found, cleared } = differenceOf(view);
  return found.length + cleared.length > 0;
}

function differenceOf(view: ReadTransaction<PlannerCollections>): Difference {
  const present = presentProblems(view);
  const known = knownIn(view.service, view.project);
  const cleared = known.filter(({ id }) => !present.has(id));
  const left = knownProblemsMax - known.length + cleared.length;
  if (present.size === known.length - cleared.length || left <= 0) return { found: [], cleared };
  const ids = new Set(known.map(({ id }) => id));
  return { found: [...present].filter(([id]) => !ids.has(id)).slice(0, left), cleared };
}

/**
 * The problems by the id of their record. A file has one problem of a kind for each of its records, whatever its line
 * and reason.
 */
function presentProblems(view: ReadTransaction<PlannerCollections>): ReadonlyMap<string, Problem> {
  const present = new Map<string, Problem>();
  for (const problem of problemsFor(view, 'people')) {
    // Notes need no action, and a notice of an overridden value has the event of its change.
    if (problem.severity === 'note' || problem.kind === 'overridden') continue;
    const key = hash('sha256', JSON.stringify([problem.path, problem.kind, problem.id]), 'hex').slice(0, idCharacters);
    const id = `${view.project}.${key}`;
    if (!present.has(id)) present.set(id, problem);
  }
  return present;
}

const idCharacters = 16;

function knownIn(service: ServiceReadTransaction, project: string): KnownProblem[] {
  return service.by<KnownProblem>(knownProblemCollection.name, 'project', project);
}
