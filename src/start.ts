import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { KeptKeys } from './cli/kept-keys.ts';
import { ownerName } from './cli/owner-name.ts';
import { runProgram } from './cli/program.ts';
import { readRootConfig } from './cli/root.ts';
import { logLevelDefault, readEnvironment } from './config.ts';
import { openLog } from './log.ts';
import type { Log } from './operations/failure.ts';
import { nodeDisk } from './store/disk.ts';

/** What sync_pull asks other services with. */
const remoteKeys = {
  find: (url: string): Promise<string | undefined> =>
    new KeptKeys({ disk: nodeDisk, homeDirectory: homedir(), configHome: readEnvironment().configHome }).find(url),
};

/** Asked for when there is something to serve or to open: a command that talks to a running service starts in half the time. */
const wiring = (): Promise<typeof import('./service.ts')> => import('./service.ts');

let opened: Log | undefined;
/** Opened with the first line: most commands have nothing to log. */
const log: Log = (entry) => (opened ??= openLog(readEnvironment().logLevel ?? logLevelDefault))(entry);

// `planner task list | head` closes the pipe before everything is written; that is how pipes end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** For a service that a client of MCP started: what it writes beside its answers is shown to somebody as trouble. */
const warnings: Log = (entry) => {
  if (entry.level === 'error' || entry.level === 'warn') log(entry);
};

process.exitCode = await runProgram(
  {
    version: (createRequire(import.meta.url)('../package.json') as { readonly version: string }).version,
    program: { node: process.execPath, main: process.argv[1] ?? fileURLToPath(import.meta.url) },
    mergeForGit: async (given) => (await import('./git-merge.ts')).mergeForGit(given),
    mergePlaces: async () => (await import('./git-merge.ts')).placesForGit,
    environment: readEnvironment,
    workingDirectory: process.cwd(),
    disk: nodeDisk,
    print: (line) => console.log(line),
    homeDirectory: homedir(),
    owner: () => ownerName(process.cwd()),
    remark: (line) => console.error(line),
    input: () => text(process.stdin),
    write: (bytes) => new Promise((resolve) => process.stdout.write(bytes, () => resolve())),
    open: async (root, { project_id: defaultProject }) => {
      const [owner, { openPlanner }] = await Promise.all([ownerName(process.cwd()), wiring()]);
      return openPlanner({ root, owner, defaultProject, log, remoteKeys });
    },
    prepare: async () => (await wiring()).prepareService(),
    start: async ({ root, host, port, access, quiet }) => {
      const [owner, config, { startService }] = await Promise.all([
        ownerName(process.cwd()),
        readRootConfig(root, nodeDisk),
        wiring(),
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
      });
    },
  },
  process.argv.slice(2),
  (line) => console.error(line),
);
