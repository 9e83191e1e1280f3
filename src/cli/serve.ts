import { join } from 'node:path';
import { isoTime, systemClock } from '../clock.ts';
import type { AccessSettings } from '../config.ts';
import { PlannerError } from '../errors.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { removeQuietly, replaceFile } from '../store/index.ts';
import type { Disk, DurableJson } from '../store/index.ts';
import type { ProcessEvents } from './process-events.ts';
import { serverFile } from './running-service.ts';
import type { ServerFile } from './running-service.ts';

export interface ServeOptions {
  /** Absolute path of the `.planner` directory. */
  readonly root: string;
  readonly host: string;
  readonly port: number;
  /** Who may call, and with what. */
  readonly access: AccessSettings;
  /** Nothing below a warning is logged unless PLANNER_LOG asks for it. */
  readonly quiet?: boolean;
}

/** A service that is ready. */
export interface RunningService {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Lets requests under way finish and writes everything to its file. */
  close(): Promise<void>;
}

/** One whose address lies in the root while it runs, for whoever looks for it. */
export interface ServedRoot extends RunningService {
  /** The Authorization header with which its owner calls it. */
  readonly authorization: string | undefined;
}

export type StartService = (options: ServeOptions) => Promise<RunningService>;

/** What serving a root takes. */
export interface ServeDeps {
  readonly start: StartService;
  readonly disk: Disk;
}

/** Starts the service of a root and leaves word of it in `local/`, which goes with it. */
export async function openService({ start, disk }: ServeDeps, options: ServeOptions): Promise<ServedRoot> {
  const service = await start(options);
  const { admin } = options.access;
  const file = serverFile(options.root, disk);
  // Before the address: who finds that is going to show it.
  if (admin !== undefined) replaceFile(disk, adminFile(options.root), Buffer.from(`${admin}\n`), { mode: 0o600 });
  await file.write({ url: service.url, pid: process.pid });
  return {
    url: service.url,
    authorization: admin === undefined ? undefined : `Bearer ${admin}`,
    close: async () => {
      // Before the root is let go of: afterwards the files are the next service's. A service that took the root over has its own there.
      if (isOwn(file, service.url)) {
        removeQuietly(disk, adminFile(options.root));
        file.removeNow();
      }
      await service.close();
    },
  };
}

function isOwn(file: DurableJson<ServerFile>, url: string): boolean {
  try {
    const note = file.readNow();
    return note?.pid === process.pid && note.url === url;
  } catch {
    return false;
  }
}

/** So long a service that failed may take to write its files; then the process ends all the same. The journal has what was acknowledged. */
const failedCloseMs = 20_000;

/**
 * Serves until SIGTERM or SIGINT, then drains; a second signal ends the process at once. An uncaught exception is logged and ends the
 * service in the same order. Throws `internal` then.
 */
export async function serve(
  {
    ready,
    log,
    events,
    ...deps
  }: ServeDeps & {
    readonly log: Log;
    readonly events: ProcessEvents;
    /** Says that it serves, and where; `listening` is what it listens on where it is found elsewhere. */
    readonly ready: (url: string, root: string, listening?: string) => void;
  },
  options: ServeOptions,
): Promise<void> {
  const { hosted } = options.access;
  const service = await openService(deps, options);
  if (hosted === undefined) ready(service.url, options.root);
  else ready(hosted.baseUrl, options.root, service.url);
  const uncaught = await Promise.race([endSignal(events), uncaughtException(events, log)]);
  if (uncaught !== undefined) setTimeout(() => process.exit(1), failedCloseMs).unref();
  await service.close();
  if (uncaught === undefined) return;
  throw new PlannerError(
    'internal',
    `The service ended by an error of its own (${uncaught.message}), which its log has in full. Everything that it acknowledged is kept: start it again.`,
  );
}

/** Resolves with the first exception that nothing caught, rejections included. Each is logged; none ends the process by itself any more. */
function uncaughtException(events: ProcessEvents, log: Log): Promise<Error> {
  return new Promise((resolve) => {
    events.onUncaughtException((thrown, origin) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      log({ level: 'error', at: isoTime(systemClock.now()), message: 'uncaught exception', origin, text: error.stack });
      resolve(error);
    });
  });
}

/**
 * `local/admin`: a credential for whoever can read the root, new at each start. The command line sends it to its own service as
 * `Authorization: Bearer <content of local/admin>` and is the owner there, where a credential is needed too.
 */
function adminFile(root: string): string {
  return join(root, 'local', 'admin');
}

function endSignal(events: ProcessEvents): Promise<undefined> {
  return new Promise((resolve) => events.onEndSignal(() => resolve(undefined)));
}
