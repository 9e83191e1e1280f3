import { isoTime } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { EventListAnswer } from '../../schema/types.ts';
import type {
  ServiceReader,
  ServiceTx,
  ServiceReadTransaction,
  StoredRecord,
  ReadTransaction,
} from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';

type Source = EventListAnswer['events'][number]['source'];

/** How a project was deleted. */
export interface Deletion {
  readonly at: string;
  readonly author: string;
  readonly source: Source;
}

/** The properties of a project that cursors over all projects, and the event of its deletion, need. */
export interface ProjectIdentity {
  readonly id: string;
  /** Cursors name the project by it. */
  readonly code: string;
  readonly name: string | null;
  /** The name of its directory. */
  readonly directory: string;
}

/**
 * A project that is, or was, served. It stays for a time after the project was deleted: cursors that name the project lead to
 * the event of its deletion.
 */
export interface KnownProject extends StoredRecord, ProjectIdentity {
  readonly deleted: Deletion | null;
  /** The end of that time. */
  readonly drop_at?: string;
}

const isDeleted = 'yes';

/**
 * The service collection of known projects, as declared to the store. A deletion is in the last entry of its project, so that no
 * other project has to wait for it; all else is in the service's log.
 */
export const knownProjectCollection = {
  name: 'known_projects',
  placement: 'call',
  hasEvents: true,
  indexes: {
    code: ({ code }: KnownProject) => code,
    deleted: ({ deleted }: KnownProject) => (deleted === null ? undefined : isDeleted),
  },
} as const;

const { name: collection } = knownProjectCollection;

export function identityOf(view: ReadTransaction<PlannerCollections>, directory: string): ProjectIdentity {
  const { project: id, code } = view;
  return { id, code, name: view.get('project', id)?.name ?? null, directory };
}

/** Notes that a project is served. One that was deleted is back. */
export function noteProject(tx: ServiceTx, identity: ProjectIdentity, now: string): void {
  const known = tx.get<KnownProject>(collection, identity.id);
  if (known !== undefined && !isOther(known, identity)) return;
  const created_at = known?.created_at ?? now;
  tx.put<KnownProject>(collection, { ...identity, created_at, updated_at: now, deleted: null });
}

function isOther(known: KnownProject, { code, name, directory }: ProjectIdentity): boolean {
  return known.deleted !== null || known.code !== code || known.name !== name || known.directory !== directory;
}

/** Notes that a project was deleted. The oldest deletions are forgotten if there are too many. */
export function noteDeletion(tx: ServiceTx, identity: ProjectIdentity, deletion: Deletion): void {
  const created_at = tx.get<KnownProject>(collection, identity.id)?.created_at ?? deletion.at;
  const drop_at = isoTime(Date.parse(deletion.at) + limits.deletedProjectDays * 86_400_000);
  const dates = { created_at, updated_at: deletion.at, drop_at };
  tx.put<KnownProject>(collection, { ...identity, ...dates, deleted: deletion });
  const deleted = tx.by<KnownProject>(collection, 'deleted', isDeleted);
  const surplus = deleted.length - limits.deletedProjectsMax;
  if (surplus <= 0) return;
  const oldest = deleted.sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1)).slice(0, surplus);
  for (const { id } of oldest) tx.remove(collection, id);
}

/** Notes the deletion of a project by a caller, with its identity at the time. */
export function noteDeletionBy(
  { author, source }: Pick<Deletion, 'author' | 'source'>,
  tx: ServiceTx,
  view: ReadTransaction<PlannerCollections>,
  at: string,
): void {
  noteDeletion(tx, identityOf(view, ''), { at, author, source });
}

/** The project if it is known and was not deleted. */
export function undeleted(service: ServiceReadTransaction, id: string): KnownProject | undefined {
  const known = service.get<KnownProject>(collection, id);
  return known?.deleted === null ? known : undefined;
}

/** The projects that are known and were not deleted. */
export function undeletedProjects(service: ServiceReadTransaction): KnownProject[] {
  return [...service.list<KnownProject>(collection)].filter(({ deleted }) => deleted === null);
}

/** A project that was deleted. */
export type DeletedProject = KnownProject & { readonly deleted: Deletion };

/**
 * The state of the project with a code that is not served: deleted, or `away` if it may be served again; undefined if
 * it never was served, or was deleted too long ago. A deletion that is not durable is not known yet.
 */
export function unservedProject(
  { records, isDurable }: ServiceReader,
  code: string,
): DeletedProject | 'away' | undefined {
  let found: DeletedProject | undefined;
  for (const known of records.by<KnownProject>(collection, 'code', code)) {
    if (!hasDeletion(known) || !isDurable(collection, known.id)) return 'away';
    if (found === undefined || found.deleted.at < known.deleted.at) found = known;
  }
  return found;
}

function hasDeletion(known: KnownProject): known is DeletedProject {
  return known.deleted !== null;
}
