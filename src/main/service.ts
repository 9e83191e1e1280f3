import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { isoTime, systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { EmbeddedPlanner } from '../cli/service/embedded-planner.ts';
import type { PlannerPort } from '../cli/service/planner-port.ts';
import { hostDefault, portDefault } from '../base/config.ts';
import type { AccessSettings } from '../base/config.ts';
import { randomToken } from '../base/ids.ts';
import type { ClaimsPlace } from '../cli/worktrees/claims-place.ts';
import { WorktreeClaims } from '../domain/plan/worktree-claims.ts';
import type { ClaimsFile } from '../domain/plan/worktree-claims.ts';
import { collections } from '../domain/records/collections.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import type { WebhookHosts } from '../domain/feed/webhook-addresses.ts';
import { describeEntry } from '../domain/feed/describe-entry.ts';
import { derivedIndexes } from '../domain/derived-indexes.ts';
import { LeaseExpiry } from '../background/lease-expiry.ts';
import type { LeaseExpiryOptions } from '../background/lease-expiry.ts';
import { ProblemWatch } from '../background/problem-watch.ts';
import type { ProblemWatchOptions } from '../background/problem-watch.ts';
import { ProjectWatch } from '../background/project-watch.ts';
import { Supervisor } from '../background/supervisor.ts';
import type { SupervisorOptions } from '../background/supervisor.ts';
import type { ProjectWatchOptions } from '../background/project-watch.ts';
import { BackgroundIndexing } from '../domain/search/background-indexing.ts';
import { catalogue } from '../operations/catalogue.ts';
import { Dispatcher } from '../operations/pipeline/dispatch.ts';
import type { DispatcherOptions } from '../operations/pipeline/dispatch.ts';
import { diagnose } from '../operations/doctor.ts';
import type { Diagnosis } from '../operations/doctor.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { keyScheme } from '../operations/access/schemes.ts';
import type { ServerTimeouts } from '../http/http-server.ts';
import { serviceCollections } from '../operations/service-collections.ts';
import type { BuiltFiles } from '../pages/app-page.ts';
import { Remotes } from '../remote/remote.ts';
import type { KeyLookup } from '../remote/remote.ts';
import { Rendering } from '../rendering/rendering.ts';
import { openApi } from '../rest/openapi.ts';
import { referenceRoutes } from '../rest/reference.ts';
import type { ReferenceAsset } from '../rest/reference.ts';
import type { StoreMetrics } from '../http/metrics.ts';
import { serviceRoutes } from '../rest/service-routes.ts';
import type { Operated, Readiness } from '../rest/service-routes.ts';
import type { ServiceRoute } from '../rest/rest-transport.ts';
import { component } from '../schema/component.ts';
import { inlined, toolSchema } from '../schema/inline.ts';
import { validator } from '../schema/validators.ts';
import { LocalFiles, RootLayout, SharedJson, copyLocal, nodeDisk, readOnlyBelow, refuseLinks } from '../store/index.ts';
import type { DeriveIndex, StoreOptions, ReadTransaction } from '../store/index.ts';
import { collectWithoutHelpers } from '../platform/collect-garbage.ts';
import type { ProjectWork } from '../platform/current-work.ts';
import { FileStore } from '../store/file-store.ts';
import type { OwnPort, TransportsOptions } from './transports.ts';
import { version } from '../base/version.ts';
import type { Resolve } from '../webhooks/post.ts';
import type { WebhooksOptions } from '../webhooks/webhooks.ts';

/**
 * Swagger UI: the build compresses it into the folder of the compiled service; run from source, the service reads the
 * package.
 */
const referenceAsset: ReferenceAsset = (name) => {
  const built = nodeDisk.readIfExists(fileURLToPath(new URL(`./swagger-ui/${name}.br`, import.meta.url)));
  if (built !== undefined) return brotliDecompressSync(built);
  return nodeDisk.read(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
};

/** The built web page: in the folder of the compiled service in dist/, or in `dist/web` if run from source. */
function readBuiltPage(): (() => BuiltFiles) | undefined {
  const places = ['./web', '../../dist/web'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  // Only the built page has assets; `src/web`, which the first path names if run from source, has no assets.
  const directory = places.find((place) => nodeDisk.stat(`${place}/assets`) !== undefined);
  return directory === undefined ? undefined : () => new Map(filesBelow(directory, ''));
}

/** All files below a directory by relative path. */
function* filesBelow(directory: string, path: string): Iterable<[path: string, content: Uint8Array]> {
  for (const { name, kind } of nodeDisk.list(directory + path)) {
    const at = `${path}/${name}`;
    const content = kind === 'file' ? nodeDisk.readIfExists(directory + at) : undefined;
    if (content !== undefined) yield [at, content];
    else if (kind === 'directory') yield* filesBelow(directory, at);
  }
}

/** Options of Planner's store. Defaults are the store's. */
export interface PlannerStoreOptions extends Partial<
  Pick<
    StoreOptions,
    'clock' | 'disk' | 'writer' | 'watch' | 'rescanIntervalMs' | 'segmentBytes' | 'migrations' | 'signLocal' | 'local'
  >
> {
  /** Absolute path of the `.planner` directory; created if it does not exist. */
  readonly root: string;
  readonly log: Log;
}

export interface ServiceOptions extends PlannerStoreOptions {
  readonly host: string;
  /** 0 lets the system choose. Of several, the first one that is free. */
  readonly port: number | readonly number[];
  /** Name of the owner of a loopback service. */
  readonly owner: string;
  /** The project that the root's config.json binds. */
  readonly defaultProject: string | undefined;
  /** Default: a loopback service without a password. */
  readonly access?: AccessSettings | undefined;
  /** Defaults are the server's. */
  readonly timeouts?: Partial<ServerTimeouts> | undefined;
  /** True if agents may create share links. Default: true. */
  readonly agentShareLinks?: boolean | undefined;
  /** The hosts that webhooks may call though their addresses are not public. Default: no hosts. */
  readonly webhookHosts?: WebhookHosts | undefined;
  /** All addresses of a webhook's host. Default: the system's resolver. */
  readonly resolveHost?: Resolve | undefined;
  /** Bytes that one agent key may write in 24 hours. Default: `limits.agentBytesPerDayMax`. */
  readonly agentBytesPerDay?: number | undefined;
  /** Size to which agents and guests may grow a project. Default: `limits.projectBytesMax`. */
  readonly projectBytes?: number | undefined;
  /** The user's keys for other services, which sync_pull uses. */
  readonly remoteKeys?: KeyLookup | undefined;
  /** The place where claims meet the claims of the repository's other worktrees. Absent: the root is in no worktree. */
  readonly claims?: ClaimsPlace | undefined;
  /**
   * Called if another service is to take the root over: closes this service. Absent: it does not hand the root over.
   */
  readonly handOver?: (() => void) | undefined;
}

/** A running service. */
export interface Service {
  /** Scheme, host and port, without a trailing slash. */
  readonly url: string;
  readonly own: OwnPort;
  readonly store: FileStore<PlannerCollections>;
  /** Notes that work for a project ended the process: what did so twice is suspended. Never rejects. */
  noteEnd(work: ProjectWork): Promise<void>;
  /** Lets requests in progress finish, checkpoints all changes and releases the root's lock. */
  close(): Promise<void>;
}

/** Opens the files of a root as Planner's store. */
function openPlannerStore(
  { log, ...options }: PlannerStoreOptions,
  derived: Readonly<Record<string, DeriveIndex>> = derivedIndexes,
): Promise<FileStore<PlannerCollections>> {
  const clock: Clock = options.clock ?? systemClock;
  return FileStore.open<PlannerCollections>({
    ...options,
    collections,
    serviceCollections,
    derived,
    describe: describeEntry,
    log: (message) => log({ level: 'info', at: isoTime(clock.now()), message }),
  });
}

function remotesOf(root: string, keys: KeyLookup = { find: () => Promise.resolve(undefined) }): Remotes {
  return new Remotes({ disk: nodeDisk, root, keys });
}

function claimsAt(place: ClaimsPlace | undefined): WorktreeClaims | undefined {
  return (
    place &&
    new WorktreeClaims({ ...place, file: new SharedJson<ClaimsFile>(nodeDisk, place.commonDirectory, place.path) })
  );
}

/** Files in the directory that contains the `.planner`. */
function localFilesOf(root: string): LocalFiles {
  return new LocalFiles(nodeDisk, dirname(root));
}

type OpenOptions = Pick<
  ServiceOptions,
  | 'root'
  | 'owner'
  | 'defaultProject'
  | 'log'
  | 'remoteKeys'
  | 'signLocal'
  | 'agentShareLinks'
  | 'webhookHosts'
  | 'writer'
  | 'claims'
>;

/** Opens the store of a root for one command, if no service runs over it. */
export async function openPlanner({
  root,
  owner,
  defaultProject,
  log,
  remoteKeys,
  agentShareLinks,
  webhookHosts,
  claims,
  ...storeOptions
}: OpenOptions): Promise<PlannerPort> {
  // A thread for the few files of one command takes longer to start than they to write.
  const store = await openPlannerStore({ root, watch: false, writer: 'inline', log, ...storeOptions });
  const options = { root, owner, defaultProject, remoteKeys, agentShareLinks, webhookHosts, claims };
  return embedded(store, options, () => store.close());
}

/**
 * Opens the store of a root on a read-only file system. Opening writes the lock and the end of the journal, so `local/` is copied to the
 * system's temporary directory.
 */
export async function openPlannerToRead(options: Omit<OpenOptions, 'signLocal' | 'writer'>): Promise<PlannerPort> {
  const { root, log } = options;
  const local = join(tmpdir(), `planner-${randomToken(16)}`);
  const done = (): void => nodeDisk.removeTree(local);
  try {
    refuseLinks(nodeDisk, new RootLayout(root));
    copyLocal(nodeDisk, `${root}/local`, local);
    const disk = readOnlyBelow(nodeDisk, root);
    const store = await openPlannerStore({ root, local, disk, writer: 'inline', watch: false, log });
    return embedded(store, options, async () => (store.abandon(), done()));
  } catch (error) {
    done();
    throw error;
  }
}

/** Wraps a store that this process opened, as the port that commands use. */
function embedded(
  store: FileStore<PlannerCollections>,
  { root, remoteKeys, claims, ...options }: Omit<OpenOptions, 'log' | 'signLocal' | 'writer'>,
  close: () => Promise<void>,
): PlannerPort {
  return ownersPort({
    ...options,
    ...{ store, clock: systemClock, close },
    ...{ remotes: remotesOf(root, remoteKeys), localFiles: localFilesOf(root), claims: claimsAt(claims) },
    flush: () => store.flush(),
    doctor: (fix) => diagnose(store, fix),
  });
}

/** A store that this process opened, and the other objects that its commands need. */
interface OpenedStore
  extends
    Pick<OpenOptions, 'owner' | 'agentShareLinks' | 'webhookHosts'>,
    Pick<DispatcherOptions<PlannerCollections>, 'store' | 'clock' | 'remotes' | 'localFiles' | 'claims'> {
  readonly defaultProject?: string | undefined;
  readonly flush: () => Promise<void>;
  readonly doctor: (fix: boolean) => Promise<Diagnosis>;
  /** Closes the store. */
  readonly close: () => Promise<void>;
}

/** The port that commands use, as the owner of its target. */
export function ownersPort({ owner, defaultProject, flush, doctor, close, ...options }: OpenedStore): PlannerPort {
  const { store, clock } = options;
  const rendering = new Rendering(clock);
  const bound = defaultProject === undefined ? {} : { defaultProject };
  return new EmbeddedPlanner({
    dispatcher: new Dispatcher({ ...options, catalogue, validator, rendering }),
    caller: { kind: 'owner', id: 'loopback', author: `human:${owner}`, ...bound },
    baseUrl: `http://${hostDefault}:${portDefault}`,
    flush,
    doctor,
    callerWith: (secret) => keyScheme(store).callerOf({ authorization: `Bearer ${secret}` }, { transport: 'cli' }),
    close: async () => {
      await rendering.close();
      await close();
    },
  });
}

/** Compiles every schema of the catalogue in small steps, so that a later start does not compile them during the first calls. */
export async function prepareService(): Promise<void> {
  for (const { input } of catalogue) {
    validator(input)({});
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Commands that open the files themselves have no use for Express and its dependencies. */
export const loadTransports = (): Promise<typeof import('./transports.ts')> => import('./transports.ts');

/** Opens the store and starts its transports. Resolves when requests are served. If it rejects, everything opened is closed again. */
export async function startService({
  root,
  remoteKeys,
  claims,
  clock = systemClock,
  disk = nodeDisk,
  ...options
}: ServiceOptions): Promise<Service> {
  collectWithoutHelpers();
  const log = withTime(options.log, clock);
  const indexing = new BackgroundIndexing();
  const derived = { ...derivedIndexes, ...indexing.derived };
  const store = await openPlannerStore({ ...options, root, clock, disk }, derived);
  const serving = await serveStore({
    ...options,
    ...{ store, indexing, clock, log, claims: claimsAt(claims) },
    remotes: remotesOf(root, remoteKeys),
    localFiles: localFilesOf(root),
    space: () => disk.space(root),
    storeMetrics: () => metricsOf(store),
    operated: { instance: store.instance, flush: () => store.flush(), readiness: () => readinessOf(store) },
    doctor: (fix) => diagnose(store, fix),
    onListening: (url) => store.setAddress(url),
    close: () => store.close(),
  });
  return { ...serving, store };
}

/** The options of every kind of service. */
export type ServingOptions = Pick<
  ServiceOptions,
  | 'host'
  | 'port'
  | 'owner'
  | 'defaultProject'
  | 'access'
  | 'timeouts'
  | 'agentShareLinks'
  | 'webhookHosts'
  | 'resolveHost'
  | 'agentBytesPerDay'
  | 'projectBytes'
  | 'handOver'
  | 'log'
>;

/** A store that is open, and how a service over it is operated. */
interface StoreToServe
  extends
    ServingOptions,
    Pick<
      TransportsOptions<PlannerCollections>,
      | 'remotes'
      | 'localFiles'
      | 'claims'
      | 'space'
      | 'limiters'
      | 'storeMetrics'
      | 'clock'
      | 'isShared'
      | 'questionSecret'
    > {
  readonly store: TransportsOptions<PlannerCollections>['store'] &
    BackgroundOptions['store'] &
    SupervisorOptions['store'];
  readonly indexing: BackgroundIndexing;
  readonly operated: Operated;
  readonly doctor: (fix: boolean) => Promise<Diagnosis>;
  /**
   * Runs the work without a call: `start` starts it, and the function that it returns ends it. Default: from the start
   * of the service to its end.
   */
  readonly background?: (start: () => Promise<() => Promise<void>>) => () => Promise<void>;
  /** Called with the service's address. */
  readonly onListening?: (url: string) => void;
  /** Closes the store. */
  readonly close: () => Promise<void>;
}

/** Starts the transports over a store. If it rejects, the store is closed. */
export async function serveStore({
  store,
  indexing,
  operated,
  doctor,
  handOver,
  background,
  webhookHosts = { allowed: new Set() },
  resolveHost,
  onListening,
  close,
  ...options
}: StoreToServe): Promise<Omit<Service, 'store'>> {
  const { clock, log } = options;
  const rendering = new Rendering(clock);
  const supervisor = new Supervisor({ store, clock, log });
  try {
    await supervisor.load();
    const transports = await (
      await loadTransports()
    ).openTransports({
      ...options,
      ...{ store, rendering, catalogue, webhookHosts, version },
      schemas: { validator, schema: inlined, toolSchema },
      page: readBuiltPage(),
      serviceRoutes: routesOver(operated, doctor, handOver),
    });
    onListening?.(transports.url);
    indexing.start((project, build) => supervisor.run('indexing', project, build));
    const start = (): Promise<() => Promise<void>> =>
      startBackground({ store, clock, log, supervisor, hosts: webhookHosts, resolve: resolveHost });
    const end = background === undefined ? await start() : background(start);
    return {
      url: transports.url,
      own: transports.own,
      noteEnd: (work) => supervisor.noteEnd(work),
      close: async () => {
        indexing.stop();
        await transports.close();
        await end();
        await rendering.close();
        await close();
      },
    };
  } catch (error) {
    await rendering.close();
    await close();
    throw error;
  }
}

type BackgroundOptions = LeaseExpiryOptions & ProblemWatchOptions & ProjectWatchOptions & WebhooksOptions;

/**
 * Starts the work without a call: deliveries to webhooks, and notes in the feeds. Returns the function that ends it.
 */
async function startBackground(
  options: BackgroundOptions & { readonly supervisor: Supervisor },
): Promise<() => Promise<void>> {
  // The node that did it before may have ended by it.
  await options.supervisor.load();
  // Commands that open the files themselves do nothing of it.
  const { Webhooks } = await import('../webhooks/webhooks.ts');
  const [leases, problems, webhooks] = [new LeaseExpiry(options), new ProblemWatch(options), new Webhooks(options)];
  const projects = new ProjectWatch(options);
  await leases.start();
  await projects.start();
  problems.start();
  webhooks.start();
  return async () => {
    for (const part of [webhooks, leases, problems, projects]) await part.close();
  };
}

function routesOver(
  store: Operated,
  doctor: StoreToServe['doctor'],
  handOver: StoreToServe['handOver'],
): readonly ServiceRoute[] {
  return [
    ...serviceRoutes({ store, version, doctor, handOver, describe: () => described() }),
    ...referenceRoutes(referenceAsset),
  ];
}

/** `problems` counts the problems of the root and of every project. */
async function metricsOf(store: FileStore<PlannerCollections>): Promise<StoreMetrics> {
  const { projects, pending, journalBytes, problems, writable } = store.status();
  const ofProjects = await store.readAll((views) => problemsIn(views));
  return { projects, writable, problems: problems.length + ofProjects, files: { pending, journalBytes } };
}

/** Listed problems of projects, without notes. */
export function problemsIn(views: readonly Pick<ReadTransaction<PlannerCollections>, 'problems'>[]): number {
  return views.reduce((sum, view) => sum + view.problems.filter(({ severity }) => severity !== 'note').length, 0);
}

function readinessOf(store: FileStore<PlannerCollections>): Promise<Readiness> {
  const { writable, projects, pending, journalBytes, git, watch, problems } = store.status();
  const state = { projects, pending, journal_bytes: journalBytes, git, watch, problems: problems.length };
  if (writable) return Promise.resolve({ state });
  const failure =
    'The journal could not be written, and changes are rejected: see the log for the reason, fix the cause and restart the service. Reads continue.';
  return Promise.resolve({ failure, state });
}

const described = (): object => openApi({ catalogue, version, component });

/** Adds the time to log entries. Its text is cached, since many entries have the same millisecond. */
export function withTime(log: Log, clock: Clock): Log {
  let now = 0;
  let at = '';
  return (entry) => {
    const time = clock.now();
    if (time !== now) at = isoTime((now = time));
    log({ at, ...entry });
  };
}
