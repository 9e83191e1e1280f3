import { join } from 'node:path';
import { isoTime, systemClock } from '../../base/clock.ts';
import type { AccessSettings, DatabaseSettings } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import type { Log } from '../../operations/pipeline/failure.ts';
import { randomName } from '../../base/ids.ts';
import { currentWork } from '../../platform/current-work.ts';
import type { ProjectWork } from '../../platform/current-work.ts';
import { removeQuietly, replaceFile } from '../../store/index.ts';
import type { Disk, DurableJson } from '../../store/index.ts';
import type { ProcessEvents } from '../terminal/process-events.ts';
import { portOf, RootPort } from './root-port.ts';
import { serverFile } from './running-service.ts';
import type { ServerFile } from './running-service.ts';
import { printChanges } from './watch-changes.ts';
import type { OwnPort } from './watch-changes.ts';

export interface ServeOptions {
  /** Absolute path of the `.planner` directory. */
  readonly root: string;
  readonly host: string;
  /** The port, or a list of which the first free one is used. */
  readonly port: number | readonly number[];
  readonly access: AccessSettings;
  /** --own: the worktree's own files. */
  readonly own?: boolean | undefined;
  /** Log only warnings and errors unless PLANNER_LOG sets a level. */
  readonly quiet?: boolean;
  /**
   * Called if another service is to take the root over: closes this service. Absent: it does not hand the root over.
   */
  readonly handOver?: () => void;
}

/** How a root is opened that is to keep its address. */
export interface OpenOptions extends Omit<ServeOptions, 'port'> {
  /** Absent: the port of the root. */
  readonly port?: number | undefined;
  /** PLANNER_PORT, in place of the usual port. */
  readonly usualPort?: number | undefined;
}

/** A running service. */
export interface RunningService {
  /** Scheme, host and port, without a trailing slash. */
  readonly url: string;
  readonly own: OwnPort;
  /** Notes that work for a project ended the process. Never rejects. */
  noteEnd(work: ProjectWork): Promise<void>;
  /** Lets requests in progress finish and checkpoints all changes. */
  close(): Promise<void>;
}

/** A running service whose address is published in the root. */
export interface ServedRoot extends RunningService {
  /** The Authorization header of its owner. */
  readonly authorization: string | undefined;
  /** The port that it would have had, if another program uses that. */
  readonly missedPort: number | undefined;
}

export type StartService = (options: ServeOptions) => Promise<RunningService>;

/** A node over a database. */
export interface ServeNodeOptions extends Pick<ServeOptions, 'host' | 'access' | 'quiet'> {
  readonly port: number;
  readonly database: DatabaseSettings;
}

export type StartNode = (options: ServeNodeOptions) => Promise<RunningService>;

/** Dependencies of `openService`. */
export interface ServeDeps {
  readonly start: StartService;
  readonly disk: Disk;
}

/**
 * Starts the service of a root and writes its address to `local/`. Both files are removed when it is closed; which port it was stays there.
 */
export async function openService({ start, disk }: ServeDeps, given: OpenOptions): Promise<ServedRoot> {
  const { port, usualPort: named, ...options } = given;
  const { admin, hosted } = options.access;
  const embedded = options.handOver !== undefined;
  const ofRoot = new RootPort(disk, options.root);
  const ports = port === undefined ? ofRoot.choices({ named, embedded }) : [port];
  const service = await start({ ...options, port: ports });
  if (ports[0] !== 0 || hosted !== undefined) ofRoot.remember(service.url, hosted !== undefined);
  const file = serverFile(options.root, disk);
  // Before the address: callers that find the address send this credential.
  if (admin !== undefined) replaceFile(disk, adminFile(options.root), Buffer.from(`${admin}\n`), { mode: 0o600 });
  const written = randomName();
  await file.write({ url: service.url, pid: process.pid, written });
  return {
    url: service.url,
    own: service.own,
    authorization: admin === undefined ? undefined : `Bearer ${admin}`,
    missedPort: ports[0] === 0 || ports[0] === portOf(service.url) ? undefined : ports[0],
    noteEnd: (work) => service.noteEnd(work),
    close: async () => {
      // Before the lock is released: afterwards the next service writes these files. If another service took the root over, they are its own.
      if (isOwn(file, written)) {
        removeQuietly(disk, adminFile(options.root));
        file.removeNow();
      }
      await service.close();
    },
  };
}

/** Containers have the same pids, and the same addresses of their own. */
function isOwn(file: DurableJson<ServerFile>, written: string): boolean {
  try {
    return file.readNow()?.written === written;
  } catch {
    return false;
  }
}

/** A failed service may checkpoint for this long; then the process exits. The journal has every acknowledged change. */
const failedCloseMs = 20_000;

/**
 * Serves until SIGTERM or SIGINT, then drains; a second signal exits immediately. An uncaught exception is logged and
 * shuts the service down in the same way; then it rejects with `internal`.
 */
export async function serve({
  open,
  ready,
  watch,
  hosted,
  log,
  events,
}: {
  /** Starts the service. `isEnding`: whether it is to end before it has begun. */
  readonly open: (isEnding: () => boolean) => Promise<RunningService>;
  /** Called when the service is ready. `listening`: its local URL, if the public URL differs. */
  readonly ready: (url: string, listening?: string) => void;
  /** Prints a line for a person who watches the service, and must not wait for it. Absent if no person watches. */
  readonly watch?: ((line: string) => void) | undefined;
  readonly hosted: AccessSettings['hosted'];
  readonly log: Log;
  readonly events: ProcessEvents;
}): Promise<void> {
  // Registered before the service opens, so that a signal or an exception during the start shuts the service down as well.
  let isEnding = false;
  const ended = endSignal(events).finally(() => (isEnding = true));
  const failed = uncaughtException(events, log);
  const service = await open(() => isEnding).catch((thrown: unknown) => {
    if (!isEnding) throw thrown;
  });
  if (service === undefined) return;
  const watching = new AbortController();
  if (watch !== undefined) await printChanges(service.own, { watch, log, signal: watching.signal });
  if (hosted === undefined) ready(service.url);
  else ready(hosted.baseUrl, service.url);
  const uncaught = await Promise.race([ended, failed]);
  watching.abort();
  if (uncaught === undefined) return service.close();
  await closeAfter(uncaught, service);
  throw new PlannerError(
    'internal',
    `The service exited after an internal error (${uncaught.error.message}); its log has the details. All acknowledged changes are durable: start it again.`,
  );
}

/** An exception that nothing caught, and the work for a project that it came from, if it did. */
export interface Uncaught {
  readonly error: Error;
  readonly work: ProjectWork | undefined;
}

/**
 * Resolves with the first uncaught exception or unhandled rejection. Logs each of them; they no longer terminate the
 * process, which exits after a while instead.
 */
export function uncaughtException(events: ProcessEvents, log: Log): Promise<Uncaught> {
  return new Promise((resolve) => {
    events.onUncaughtException((thrown, origin) => {
      const work = currentWork();
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const entry = { message: 'uncaught exception', origin, text: error.stack, ...work };
      log({ level: 'error', at: isoTime(systemClock.now()), ...entry });
      setTimeout(() => events.exit(1), failedCloseMs).unref();
      resolve({ error, work });
    });
  });
}

/** Closes a service that an exception ends. The next one does not begin the same work again and again. */
export async function closeAfter(
  { work }: Uncaught,
  service: Pick<RunningService, 'noteEnd' | 'close'>,
): Promise<void> {
  if (work !== undefined) await service.noteEnd(work);
  await service.close();
}

/**
 * `local/admin`: an owner credential for callers that can read the root, new at each start. The command line sends it to the service as
 * `Authorization: Bearer <content of local/admin>`.
 */
function adminFile(root: string): string {
  return join(root, 'local', 'admin');
}

function endSignal(events: ProcessEvents): Promise<undefined> {
  return new Promise((resolve) => events.onEndSignal(() => resolve(undefined)));
}
