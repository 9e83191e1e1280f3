import type { PlannerPort } from '../cli/service/planner-port.ts';
import { delay, systemClock } from '../base/clock.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { Elected, electionCollection } from '../background/elected.ts';
import { problemsFor } from '../domain/feed/known-problems.ts';
import { derivedIndexes } from '../domain/derived-indexes.ts';
import { describeEntry } from '../domain/feed/describe-entry.ts';
import { collections } from '../domain/records/collections.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import { BackgroundIndexing } from '../domain/search/background-indexing.ts';
import { titleWords } from '../domain/search/title-candidates.ts';
import { copyFromBucket } from '../base/config.ts';
import type { AccessSettings, DatabaseSettings } from '../base/config.ts';
import { PlannerError } from '../base/errors.ts';
import { workspaceSecret, workspaceSecretCollection } from '../operations/access/workspace-secrets.ts';
import type { Diagnosis } from '../operations/doctor.ts';
import { ownTag } from '../operations/pipeline/entity-tag.ts';
import { showProblem } from '../operations/remedies.ts';
import { serviceCollections } from '../operations/service-collections.ts';
import type { DeriveIndex, Problem, ReadTransaction } from '../store/index.ts';
import { BytesElsewhereError } from '../store/hosted/postgres/pg-blobs.ts';
import { NoServerError } from '../store/hosted/postgres/pg-errors.ts';
import { OutdatedTablesError } from '../store/hosted/postgres/pg-schema.ts';
import { openPgStorage } from '../store/hosted/postgres/pg-storage.ts';
import { collectWithoutHelpers } from '../platform/collect-garbage.ts';
import type { Readiness } from '../rest/service-routes.ts';
import { ownersPort, problemsIn, serveStore, withTime } from './service.ts';
import type { Service, ServingOptions } from './service.ts';
import { slice } from '../base/slices.ts';
import { HostedStore } from '../store/hosted/node/hosted-store.ts';
import type { SharedStorage } from '../store/hosted/storage/shared-storage.ts';
import type { SnapshotSettings } from '../store/hosted/node/snapshot-taker.ts';

export interface HostedServiceOptions extends ServingOptions {
  /** The storage that the nodes of the service share; closed with the node. */
  readonly storage: SharedStorage;
  /** The clock of this machine. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** When snapshots of logs are taken. Default: `snapshotDefaults`. */
  readonly snapshots?: SnapshotSettings | undefined;
  /** The memory that projects may take, in bytes. Default: half of the heap of the process. */
  readonly memoryBytes?: number | undefined;
  /** How long the node still serves once it is closed, while it says that it is not ready. Default: 0. */
  readonly drainMs?: number | undefined;
}

/** One node of a hosted service. */
export interface HostedNode extends Omit<Service, 'store'> {
  readonly store: HostedStore<PlannerCollections>;
}

/**
 * Connects to a database. Throws `conflict` if it is unsuitable or the tables have to be migrated, and `unavailable` if no
 * server takes writes.
 */
export function openStorage(database: DatabaseSettings): Promise<SharedStorage> {
  return openPgStorage(database).catch((error: unknown) => {
    if (error instanceof OutdatedTablesError)
      throw withRemedy(error, 'Run planner migrate: nodes of the former version go on meanwhile.');
    throw error instanceof BytesElsewhereError ? withRemedy(error, copyFromBucket) : error;
  });
}

function withRemedy({ code, message, details }: PlannerError, remedy: string): PlannerError {
  return new PlannerError(code, `${message} ${remedy}`, details);
}

/** Opens the store in a database for one command, as its owner. */
export async function openHostedPlanner({
  database,
  owner,
  log,
  agentShareLinks,
  webhookHosts,
}: { readonly database: DatabaseSettings; readonly owner: string } & Pick<
  ServingOptions,
  'log' | 'agentShareLinks' | 'webhookHosts'
>): Promise<PlannerPort> {
  const { memoryBytes } = database;
  const store = await openHostedStore({ storage: await openStorage(database), log, memoryBytes }, derivedIndexes);
  return ownersPort({
    ...{ store, owner, agentShareLinks, webhookHosts },
    clock: store.clock,
    flush: () => Promise.resolve(),
    doctor: () => diagnoseHosted(store),
    close: () => store.close(),
  });
}

/** Opens the store of a node, which begins its projects in the background. If it rejects, the storage is closed. */
async function openHostedStore(
  {
    storage,
    clock = systemClock,
    log,
    snapshots,
    memoryBytes,
  }: Pick<HostedServiceOptions, 'storage' | 'clock' | 'log' | 'snapshots' | 'memoryBytes'>,
  derived: Readonly<Record<string, DeriveIndex>>,
): Promise<HostedStore<PlannerCollections>> {
  const report = withTime(log, clock);
  try {
    return await HostedStore.begin<PlannerCollections>({
      ...{ storage, collections, clock, derived },
      serviceCollections: [...serviceCollections, electionCollection, workspaceSecretCollection],
      describe: describeEntry,
      titles: titleWords,
      tagOf: ownTag,
      ...(snapshots && { snapshots }),
      ...(memoryBytes !== undefined && { memoryBytes }),
      report: (message) => report({ level: 'error', message }),
    });
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Starts one node over a log that several share. Resolves when requests are served. If it rejects, the storage is closed. */
export async function startHostedService({
  storage,
  clock: own = systemClock,
  snapshots,
  memoryBytes,
  drainMs = 0,
  ...options
}: HostedServiceOptions): Promise<HostedNode> {
  collectWithoutHelpers();
  const indexing = new BackgroundIndexing();
  const derived = { ...derivedIndexes, ...indexing.derived };
  const store = await openHostedStore({ storage, clock: own, log: options.log, snapshots, memoryBytes }, derived);
  const { clock } = store;
  const log = withTime(options.log, clock);
  const shared = await sharedSecrets(options.access, store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const standby = new StandbyWatch(storage, own);
  const end = new NodeEnd(own, drainMs, storage);
  const readiness = new NodeReadiness(store, log);
  const serving = await serveStore({
    ...options,
    ...shared,
    isShared: true,
    limiters: storage.limiters,
    ...{ store, indexing, clock, log, remotes: undefined, localFiles: undefined, claims: undefined, space: undefined },
    // Projects that are not in memory are not loaded for it.
    storeMetrics: () =>
      Promise.resolve({
        ...stateOf(store),
        problems: problemsIn(store.viewsInMemory()),
        node: { ...store.measures(), hasStandby: standby.isThere, connections: storage.connections?.() },
      }),
    operated: {
      instance: store.instance,
      flush: () =>
        Promise.reject(new PlannerError('conflict', 'This service keeps no files: there is nothing to flush.')),
      readiness: () => (end.isBegun ? Promise.resolve(endingReadiness) : readiness.get()),
      // A balancer asks it, which has no credential.
      isReadinessOpen: true,
    },
    doctor: () => diagnoseHosted(store),
    background: (start) => {
      const elected = new Elected({
        store,
        clock,
        log,
        node: store.instance,
        start: () => withTrimming(store, log, start),
      });
      return () => elected.close();
    },
    close: async () => {
      standby.close();
      await store.close();
    },
  });
  store.warm();
  return { ...serving, store, close: () => end.run(serving) };
}

function stateOf(store: HostedStore<PlannerCollections>): { readonly projects: number; readonly writable: boolean } {
  const { projects, writable, isSafe } = store.status();
  return { projects, writable: writable && isSafe };
}

/** The end of a node, which still serves for a while. */
class NodeEnd {
  isBegun = false;
  readonly #clock: Clock;
  readonly #drainMs: number;
  readonly #storage: Pick<SharedStorage, 'hasten'>;

  constructor(clock: Clock, drainMs: number, storage: Pick<SharedStorage, 'hasten'>) {
    this.#clock = clock;
    this.#drainMs = drainMs;
    this.#storage = storage;
  }

  async run(node: Pick<Service, 'close'>): Promise<void> {
    this.isBegun = true;
    if (this.#drainMs > 0) await delay(this.#clock, this.#drainMs);
    // A process that does not end in time is killed, and its work for all nodes pauses until its term is over.
    this.#storage.hasten?.();
    await node.close();
  }
}

/**
 * A sign-in, and a question to a person, may begin at one node and end at another, so their state is sealed with
 * secrets that all nodes share.
 */
async function sharedSecrets(
  access: AccessSettings | undefined,
  store: HostedStore<PlannerCollections>,
): Promise<{ readonly access: AccessSettings | undefined; readonly questionSecret: string }> {
  const questionSecret = await workspaceSecret(store, store.clock, 'questions');
  const openId = access?.hosted?.openId;
  if (access?.hosted === undefined || openId === undefined || openId.stateSecret !== undefined)
    return { access, questionSecret };
  const stateSecret = await workspaceSecret(store, store.clock, 'sign_in_state');
  return { access: { ...access, hosted: { ...access.hosted, openId: { ...openId, stateSecret } } }, questionSecret };
}

const trimmedMs = 3_600_000;

/** Starts what one node does for all, and removes entries of logs that are no longer needed, every hour. */
async function withTrimming(
  store: HostedStore<PlannerCollections>,
  log: ServingOptions['log'],
  start: () => Promise<() => Promise<void>>,
): Promise<() => Promise<void>> {
  await store.whenKnown();
  const end = await start();
  let isEnded = false;
  const timer = store.clock
    .every(trimmedMs, () => {
      store.trim().catch((error: unknown) => {
        // The end of the node ends it.
        if (!isEnded) log({ level: 'error', message: `The logs were not trimmed: ${(error as Error).message}` });
      });
    })
    .unref();
  return async () => {
    isEnded = true;
    timer.cancel();
    await end();
  };
}

const standbyMs = 30_000;

/** Looks from time to time whether the database has a synchronous standby, where one is required. */
class StandbyWatch {
  /** Undefined if it is not known. */
  isThere: boolean | undefined;
  readonly #timer: Timer | undefined;

  constructor({ hasStandby }: Pick<SharedStorage, 'hasStandby'>, clock: Clock) {
    if (hasStandby === undefined) return;
    // Without one the node would not have started.
    this.isThere = true;
    const look = async (): Promise<void> => {
      this.isThere = await hasStandby().catch(() => undefined);
    };
    this.#timer = clock.every(standbyMs, () => void look()).unref();
  }

  close(): void {
    this.#timer?.cancel();
  }
}

/** Balancers find it, and send their requests elsewhere, before the node refuses connections. */
const endingReadiness: Readiness = { failure: 'The node is ending.', state: {} };

/** A balancer does not wait for as long as a call does. */
const readinessMs = 2000;

/**
 * True if the database serves the node. Anybody may ask, as often as they like: simultaneous callers share an answer.
 */
class NodeReadiness {
  readonly #store: HostedStore<PlannerCollections>;
  readonly #log: ServingOptions['log'];
  /** Why it does not; undefined if it does. */
  #asked: Promise<string | undefined> | undefined;
  #answer: Promise<Readiness> | undefined;
  #failure: string | undefined;

  constructor(store: HostedStore<PlannerCollections>, log: ServingOptions['log']) {
    this.#store = store;
    this.#log = log;
  }

  get(): Promise<Readiness> {
    return (this.#answer ??= this.#get().finally(() => (this.#answer = undefined)));
  }

  async #get(): Promise<Readiness> {
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const timer = this.#store.clock.after(readinessMs, () =>
      resolve(`The database has not answered for ${readinessMs / 1000} seconds.`),
    );
    // The question goes on for as long as a call does, and is not repeated during that time.
    this.#asked ??= this.#ask().finally(() => (this.#asked = undefined));
    const failure = await Promise.race([this.#asked, late]).finally(() => timer.cancel());
    if (failure === undefined && this.#failure !== undefined) this.#log({ level: 'info', message: 'ready again' });
    this.#failure = failure;
    return { ...(failure !== undefined && { failure }), state: {} };
  }

  async #ask(): Promise<string | undefined> {
    try {
      await this.#store.ready();
      return undefined;
    } catch (error) {
      const failure = error instanceof PlannerError ? error.message : 'The database cannot be read.';
      const reason = error instanceof NoServerError ? error.reasons : (error as Error).message;
      // The log is for the operator alone, because it names servers.
      if (this.#failure !== failure) this.#log({ level: 'error', message: `not ready: ${failure}`, reason });
      return failure;
    }
  }
}

/** Nothing is repaired: there are no files. */
async function diagnoseHosted(store: HostedStore<PlannerCollections>): Promise<Diagnosis> {
  const problems: Problem[] = [];
  await store.whenKnown();
  const diagnose = (view: ReadTransaction<PlannerCollections>): readonly Problem[] =>
    slice('doctor', () => problemsFor(view, 'people'), view.project);
  for (const project of store.projects())
    try {
      problems.push(...(await store.read(project, diagnose)));
    } catch (error) {
      // The project was deleted in between.
      if (!(error instanceof PlannerError && error.code === 'not_found')) throw error;
    }
  return { problems: problems.map(showProblem), mended: [] };
}
