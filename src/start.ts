import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { SavedKeys } from './cli/saved-keys.ts';
import { localSigner } from './cli/local-ownership.ts';
import { ownerName } from './cli/owner-name.ts';
import { runProgram } from './cli/program.ts';
import { readRootConfig } from './cli/root.ts';
import type { RootConfig } from './cli/root.ts';
import { logLevelDefault, readEnvironment } from './config.ts';
import { boundHeapGrowth } from './platform/heap.ts';
import { openLog } from './log.ts';
import { printable } from './printable.ts';
import type { Log } from './operations/pipeline/failure.ts';
import { nodeDisk } from './store/index.ts';

/** The keys that sync_pull uses for other services. */
const remoteKeys = {
  find: (url: string): Promise<string | undefined> =>
    new SavedKeys({ disk: nodeDisk, homeDirectory: homedir(), configHome: readEnvironment().configHome }).find(url),
};

/** Loaded on demand: a command that calls a running service does not need it and starts in half the time. */
const loadService = (): Promise<typeof import('./service.ts')> => import('./service.ts');

const signerOf = (root: string): (() => void) =>
  localSigner({ disk: nodeDisk, homeDirectory: homedir(), environment: readEnvironment }, root);

let opened: Log | undefined;
/** Opened by the first entry: most commands log nothing. */
const log: Log = (entry) => (opened ??= openLog(readEnvironment().logLevel ?? logLevelDefault))(entry);

// `planner task list | head` closes the pipe before all output is written; this is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** For a service that an MCP client started: clients show everything on standard error as a problem. */
const warnings: Log = (entry) => {
  if (entry.level === 'error' || entry.level === 'warn') log(entry);
};

/** Both config.json and the environment must allow it: config.json is committed, so other people can change it. */
const agentShareLinksAllowed = ({ agent_share_links: allowed = true }: RootConfig): boolean =>
  allowed && readEnvironment().agentShareLinks;

const decoder = new TextDecoder();
/** An export is written byte for byte to files and pipes; on a terminal it is escaped like any other text. */
const toStandardOutput = (bytes: Uint8Array): Uint8Array | string =>
  process.stdout.isTTY ? printable(decoder.decode(bytes, { stream: true })) : bytes;

/** All terminal output but exports and MCP messages. */
const printToStdout = (shown: string): void => console.log(printable(shown));
const printToStderr = (shown: string): void => console.error(printable(shown));

const run = runProgram(
  {
    version: (createRequire(import.meta.url)('../package.json') as { readonly version: string }).version,
    program: { node: process.execPath, main: process.argv[1] ?? fileURLToPath(import.meta.url) },
    mergeForGit: async (given) => (await import('./git-merge.ts')).mergeForGit(given),
    mergePlaces: async () => (await import('./git-merge.ts')).mergePlacesForGit,
    environment: readEnvironment,
    workingDirectory: process.cwd(),
    disk: nodeDisk,
    log,
    print: printToStdout,
    homeDirectory: homedir(),
    owner: () => ownerName(process.cwd()),
    remark: printToStderr,
    input: () => text(process.stdin),
    write: (bytes) => new Promise((resolve) => process.stdout.write(toStandardOutput(bytes), () => resolve())),
    openStore: async (root, config) => {
      const [owner, { openPlanner }] = await Promise.all([ownerName(process.cwd()), loadService()]);
      return openPlanner({
        root,
        owner,
        defaultProject: config.project_id,
        log,
        remoteKeys,
        signLocal: signerOf(root),
        agentShareLinks: agentShareLinksAllowed(config),
      });
    },
    openStoreReadOnly: async (root, config) => {
      const { openPlannerToRead } = await loadService();
      return openPlannerToRead({
        root,
        owner: 'owner',
        defaultProject: config.project_id,
        log,
        remoteKeys,
        agentShareLinks: agentShareLinksAllowed(config),
      });
    },
    prepare: async () => (await loadService()).prepareService(),
    start: async ({ root, host, port, access, quiet }) => {
      boundHeapGrowth();
      const [owner, config, { startService }] = await Promise.all([
        ownerName(process.cwd()),
        readRootConfig(root, nodeDisk),
        loadService(),
      ]);
      const kept = quiet === true && readEnvironment().logLevel === undefined ? warnings : log;
      return startService({
        root,
        host,
        port,
        access,
        owner,
        defaultProject: config.project_id,
        log: kept,
        remoteKeys,
        signLocal: signerOf(root),
        agentShareLinks: agentShareLinksAllowed(config),
        agentBytesPerDay: readEnvironment().agentBytesPerDay,
        projectBytes: readEnvironment().projectBytes,
      });
    },
  },
  process.argv.slice(2),
  printToStderr,
);

try {
  process.exitCode = await run;
} catch (thrown) {
  // A bug: print the stack for the report.
  printToStderr(inspect(thrown));
  process.exitCode = 1;
}
