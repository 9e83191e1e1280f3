import { Console } from 'node:console';
import { homedir } from 'node:os';
import { isSea } from 'node:sea';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { linePrompt } from '../cli/terminal/ask-line.ts';
import { secretPrompt } from '../cli/login/ask-secret.ts';
import type { TerminalInput } from '../cli/login/ask-secret.ts';
import { isConfirmed } from '../cli/service/confirmed-services.ts';
import { SavedKeys } from '../cli/machine/saved-keys.ts';
import type { RunningProgram } from '../cli/git/merge-registration.ts';
import { localSigner } from '../cli/machine/local-ownership.ts';
import { ownerName } from '../cli/git/owner-name.ts';
import type { PlannerPort } from '../cli/service/planner-port.ts';
import { processEvents } from '../cli/terminal/process-events.ts';
import type { ProcessEvents } from '../cli/terminal/process-events.ts';
import type { MigrateDatabase } from '../cli/service/migration.ts';
import { runProgram } from '../cli/program.ts';
import { hasColours, rendered, row, span } from '../cli/terminal/style.ts';
import type { Terminal } from '../cli/terminal/terminal.ts';
import { meaningOf } from '../cli/terminal/system-errors.ts';
import { readRootConfig } from '../cli/service/root.ts';
import type { RootConfig } from '../cli/service/root.ts';
import { claimsPlace } from '../cli/worktrees/claims-place.ts';
import type { RunningService, ServeNodeOptions, ServeOptions } from '../cli/service/serve.ts';
import { logLevelDefault, readEnvironment } from '../base/config.ts';
import type { DatabaseSettings, Environment, LogLevel } from '../base/config.ts';
import { boundHeapGrowth } from '../platform/heap.ts';
import { SourcePositions } from '../platform/source-positions.ts';
import { printable, printableLine } from '../base/printable.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { PlannerStoreOptions } from './service.ts';
import { nodeDisk } from '../store/index.ts';
import { version } from '../base/version.ts';

/** The environment of one run of the `planner` command: its process, or a substitute in tests. */
export interface CommandProcess {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly environment: () => Environment;
  readonly workingDirectory: string;
  readonly homeDirectory: string;
  readonly stdin: TerminalInput;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly events: ProcessEvents;
  /** How git starts this program. */
  readonly program: RunningProgram;
  readonly openLog: (level: LogLevel) => Promise<Log>;
  /** Opens standard output for lines that the process does not wait for. */
  readonly openLines: () => Promise<(line: string) => void>;
  /** Called when a service has started. */
  readonly whenServing?: () => void;
  /** The name of the owner; the default asks git in the working directory. */
  readonly owner?: () => Promise<string>;
  /** Options of the store that differ from the defaults. */
  readonly store?: Pick<PlannerStoreOptions, 'writer'>;
}

/** The width of output that is not for a terminal. */
const columnsDefault = 80;

/** Errors of the build name the sources. */
const positions = new SourcePositions((path) => nodeDisk.readIfExists(path));

/** Loaded on demand: a command that calls a running service does not need it and starts in half the time. */
const loadService = (): Promise<typeof import('./service.ts')> => import('./service.ts');

/** Loads the service of a node over a database. */
const loadHostedService = (): Promise<typeof import('./hosted-service.ts')> => import('./hosted-service.ts');

const migrate: MigrateDatabase = async (database, how) =>
  (await import('../store/hosted/postgres/pg-migrate.ts')).migrateDatabase({ ...database, ...how });

/** Runs the command line of this process. Resolves with the exit code. */
export function runHere(): Promise<number> {
  // `planner task list | head` closes the pipe before all output is written; this is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    console.error(`planner: Standard output cannot be written: ${meaningOf(error.code ?? error.message)}.`);
    process.exit(1);
  });
  const workingDirectory = currentDirectory();
  if (workingDirectory === undefined) {
    console.error('planner: The working directory does not exist any more: change to another one.');
    return Promise.resolve(1);
  }
  const { stdin, stdout, stderr } = process;
  return runCommandLine({
    argv: process.argv.slice(2),
    environment: readEnvironment,
    workingDirectory,
    homeDirectory: homedir(),
    ...{ stdin, stdout, stderr },
    events: processEvents,
    program: isSea()
      ? { node: process.execPath }
      : { node: process.execPath, main: process.argv[1] ?? fileURLToPath(import.meta.url) },
    // Loaded by the first entry: most commands log nothing.
    openLog: async (level) => (await import('./log.ts')).openLog(level, stderr.isTTY ? 'lines' : 'json'),
    openLines: async () => (await import('./log.ts')).openLines(stdout.fd),
    // Opening a root allocates lasting objects: a bounded heap would be collected again and again during that.
    whenServing: boundHeapGrowth,
  });
}

/** Undefined if it was removed. */
function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Runs one command line. Resolves with the exit code. */
export async function runCommandLine(around: CommandProcess): Promise<number> {
  const { argv, environment, workingDirectory, homeDirectory, stdin, stdout, events, program } = around;
  // All terminal output but exports and MCP messages.
  const console = new Console(stdout, around.stderr);
  const print = (line: string): void => console.log(printable(line));
  const remark = (line: string): void => console.error(printable(line));
  const services = new Services(around);
  const deps = {
    version,
    mergeForGit: async (given: readonly string[]) =>
      (await import('./git-merge.ts')).mergeForGit(given, workingDirectory, remark),
    mergePlaces: async () => (await import('./git-merge.ts')).mergePlacesForGit,
    planComparer: async () => (await import('./plan-diff.ts')).planComparer(),
    ...{ environment, workingDirectory, homeDirectory, events, program, print, remark },
    ...terminalOf(around),
    disk: nodeDisk,
    log: services.log,
    owner: services.owner,
    input: () => text(stdin),
    askSecret: secretPrompt(stdin, around.stderr),
    ask: linePrompt(stdin, around.stderr),
    streams: { input: stdin, output: stdout },
    write: bytesWriter(stdout),
    openStore: services.openStore,
    openStoreReadOnly: services.openStoreReadOnly,
    // A failure is reported by the caller that needs the module.
    preload: () =>
      void loadService()
        .then((service) => service.loadTransports())
        .catch(() => undefined),
    prepare: async () => (await loadService()).prepareService(),
    openDatabase: services.openDatabase,
    migrate,
    start: services.start,
    startNode: services.startNode,
  };
  // Colour distinguishes an error from the output of other programs.
  const printError = (message: string): void => {
    const name = message.startsWith(errorName) ? errorName : '';
    const marked = rendered(row(span('red', name)), coloursOf(around, around.stderr));
    console.error(marked + printable(message.slice(name.length)));
  };
  try {
    return await runProgram(deps, argv, printError);
  } catch (thrown) {
    // A bug: print the stack for the report.
    remark(positions.translate(inspect(thrown)));
    return 1;
  }
}

/** Returns whether a stream has colours. An invalid variable is reported by its reader. */
function coloursOf({ argv, environment }: CommandProcess, { isTTY = false }: { readonly isTTY?: boolean }): boolean {
  let byEnvironment: boolean | undefined;
  try {
    byEnvironment = environment().colours;
  } catch {
    byEnvironment = false;
  }
  return hasColours({ isTerminal: isTTY, refused: argv.includes('--no-color'), byEnvironment });
}

/** How errors begin. */
const errorName = 'planner: ';
const eraseLine = '\r\u001b[K';

function terminalOf(around: CommandProcess): Omit<Terminal, 'json'> {
  const { stdout, stderr, environment, workingDirectory, events } = around;
  return {
    isTerminal: stdout.isTTY === true,
    // A terminal that does not know its size says 0.
    columns: () => stdout.columns || columnsDefault,
    rows: () => (stdout.isTTY === true && stdout.rows) || Infinity,
    colours: () => coloursOf(around, stdout),
    printEscaped: (lines) => void stdout.write(`${lines}\n`),
    page: async (lines) => {
      const { showPaged } = await import('../cli/terminal/pager.ts');
      return showPaged(lines, { pager: environment().pager, directory: workingDirectory, events });
    },
    progress: (line) => {
      if (stderr.isTTY === true) stderr.write(eraseLine + printableLine(line ?? ''));
    },
    openLines: around.openLines,
  };
}

/** An export is written byte for byte to files and pipes; on a terminal it is escaped like any other text. */
function bytesWriter(stdout: CommandProcess['stdout']): (bytes: Uint8Array) => Promise<void> {
  const decoder = new TextDecoder();
  const shown = (bytes: Uint8Array): Uint8Array | string =>
    stdout.isTTY === true ? printable(decoder.decode(bytes, { stream: true })) : bytes;
  return (bytes) => new Promise((resolve) => stdout.write(shown(bytes), () => resolve()));
}

/** Opens the files of a root, and starts services over them. */
class Services {
  readonly #around: CommandProcess;
  #log: Promise<Log> | undefined;
  /** The log after it was opened. */
  #openedLog: Log | undefined;

  constructor(around: CommandProcess) {
    this.#around = around;
  }

  /** Opened by the first entry, or before a service starts: most commands log nothing. */
  readonly log: Log = (entry) => {
    if (this.#openedLog !== undefined) this.#openedLog(entry);
    else void this.#openLog().then((log) => log(entry));
  };

  #openLog(): Promise<Log> {
    const { environment, openLog } = this.#around;
    return (this.#log ??= openLog(environment().logLevel ?? logLevelDefault).then((log) => {
      this.#openedLog = (entry) => {
        const trace = entry['text'];
        log(typeof trace === 'string' ? { ...entry, text: positions.translate(trace) } : entry);
      };
      return this.#openedLog;
    }));
  }

  /**
   * The log of a service at a terminal, and of a service that an MCP client started: clients show everything on
   * standard error as a problem. A slow slice needs no action.
   */
  readonly #warnings: Log = (entry) => {
    if (entry.level === 'error' || (entry.level === 'warn' && entry['message'] !== 'slow slice')) this.log(entry);
  };

  readonly owner = (): Promise<string> => this.#around.owner?.() ?? ownerName(this.#around.workingDirectory);

  readonly openStore = async (root: string, config: RootConfig): Promise<PlannerPort> => {
    const [owner, claims, { openPlanner }] = await Promise.all([
      this.owner(),
      claimsPlace(nodeDisk, root, config),
      loadService(),
    ]);
    return openPlanner({
      ...this.#optionsFor(root, config),
      claims,
      owner,
      signLocal: this.#signerOf(root),
      log: this.log,
    });
  };

  readonly openStoreReadOnly = async (root: string, config: RootConfig): Promise<PlannerPort> => {
    const { openPlannerToRead } = await loadService();
    return openPlannerToRead({ ...this.#optionsFor(root, config), owner: 'owner', log: this.log });
  };

  readonly start = async (options: ServeOptions): Promise<RunningService> => {
    const { root, host, port, access, quiet, own, handOver } = options;
    const { whenServing, environment } = this.#around;
    const [owner, config, { startService }] = await Promise.all([
      this.owner(),
      readRootConfig(root, nodeDisk),
      loadService(),
      this.#openLog(),
    ]);
    const claims = await claimsPlace(nodeDisk, root, own === true ? { ...config, worktrees: 'own' } : config);
    const { agentBytesPerDay, projectBytes } = environment();
    const service = await startService({
      ...this.#optionsFor(root, config),
      ...(config.watch === undefined ? {} : { watch: config.watch }),
      ...{ host, port, access, owner, agentBytesPerDay, projectBytes, claims, handOver },
      log: this.#logOf(quiet),
      signLocal: this.#signerOf(root),
    });
    whenServing?.();
    return service;
  };

  readonly openDatabase = async (database: DatabaseSettings): Promise<PlannerPort> => {
    const [owner, { openHostedPlanner }] = await Promise.all([this.owner(), loadHostedService()]);
    const { agentShareLinks, webhookHosts } = this.#around.environment();
    return openHostedPlanner({
      database,
      owner,
      log: this.log,
      agentShareLinks,
      webhookHosts: { allowed: webhookHosts },
    });
  };

  readonly startNode = async ({ database, host, port, access, quiet }: ServeNodeOptions): Promise<RunningService> => {
    const { whenServing, environment } = this.#around;
    const [owner, { openStorage, startHostedService }] = await Promise.all([
      this.owner(),
      loadHostedService(),
      this.#openLog(),
    ]);
    const { agentBytesPerDay, projectBytes, agentShareLinks, webhookHosts } = environment();
    const service = await startHostedService({
      ...{ host, port, access, owner, agentBytesPerDay, projectBytes, agentShareLinks, log: this.#logOf(quiet) },
      ...{ webhookHosts: { allowed: webhookHosts }, defaultProject: undefined, memoryBytes: database.memoryBytes },
      drainMs: database.drainMs,
      storage: await openStorage(database),
    });
    whenServing?.();
    return service;
  };

  #logOf(quiet = false): Log {
    return quiet && this.#around.environment().logLevel === undefined ? this.#warnings : this.log;
  }

  #optionsFor(root: string, { project_id, agent_share_links: allowed = true }: RootConfig) {
    const { environment, store, homeDirectory } = this.#around;
    return {
      ...store,
      root,
      defaultProject: project_id,
      // The keys that sync_pull uses for other services.
      remoteKeys: {
        find: async (url: string): Promise<string | undefined> =>
          (await isConfirmed({ disk: nodeDisk, homeDirectory, environment }, root, url))
            ? new SavedKeys({ disk: nodeDisk, homeDirectory, configHome: environment().configHome }).find(url)
            : undefined,
      },
      // Both config.json and the environment must allow it: config.json is committed, so other people can change it.
      agentShareLinks: allowed && environment().agentShareLinks,
      // Read from the environment alone, for the same reason.
      webhookHosts: { allowed: environment().webhookHosts },
    };
  }

  #signerOf(root: string): () => void {
    const { environment, homeDirectory } = this.#around;
    return localSigner({ disk: nodeDisk, homeDirectory, environment }, root);
  }
}
