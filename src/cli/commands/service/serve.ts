import { basename } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { hostDefault, parsePort, portDefault } from '../../../base/config.ts';
import type { AccessSettings, DatabaseSettings } from '../../../base/config.ts';
import { accessOf } from '../../service/access.ts';
import { addCommand } from '../../call/command-line.ts';
import type { CommandOutput, CommonOptions } from '../../call/command-line.ts';
import { databaseName, databaseOf } from '../../call/database.ts';
import { waitSecondsMax, whenFree } from '../../terminal/held-briefly.ts';
import { requireOwnLocal } from '../../machine/local-ownership.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { openService, serve } from '../../service/serve.ts';
import type { OpenOptions, ServedRoot } from '../../service/serve.ts';
import { openTakingOver } from '../../call/take-over.ts';
import { watcherOf } from '../../service/watch-changes.ts';
import type { Watch } from '../../service/watch-changes.ts';
import { rootToCreate } from '../../worktrees/command-root.ts';

interface ServeCommandOptions extends CommonOptions {
  readonly host: string;
  readonly hosted?: boolean;
  readonly baseUrl?: string;
  readonly port?: string;
  readonly log?: 'requests';
}

function serveOptions(command: Command): Command {
  return command
    .option('--host <host>', 'the address to listen on', hostDefault)
    .option(
      '--port <number>',
      `the port to listen on; 0 lets the system choose (default: PLANNER_PORT, else the one of the last time, else ${portDefault}; if that is in use, the next free one)`,
    )
    .option('--hosted', 'require a credential from every caller, as on any --host but loopback; for use behind a proxy')
    .option('--base-url <url>', 'the public URL of a hosted service (default: PLANNER_BASE_URL)')
    .addOption(
      new Option('--log <what>', 'on a terminal, also log requests; elsewhere they are always logged').choices([
        'requests',
      ]),
    );
}

/** `serve`: serves a root, or as a node over a database. */
export function addServeCommand(deps: ProgramDeps, parent: Command): void {
  addCommand(
    deps,
    parent,
    {
      usage: 'serve',
      isChange: true,
      description:
        'serve REST at /api/v1 and MCP at /mcp for the nearest .planner; creates one here if there is none. If planner mcp serves it, that goes on as a client',
      examples: ['serve', 'serve --root ../my-repository --port 4748'],
      options: serveOptions,
    },
    async (_, options: ServeCommandOptions, out) => {
      const named = options.port === undefined ? undefined : parsePort(options.port, '--port');
      const access = accessOf(deps.environment().access, options);
      // While git is asked about the root.
      deps.preload();
      const given = { host: options.host, named, access, quiet: deps.isTerminal && options.log === undefined };
      const watch = await watcherOf(deps, options);
      const database = databaseOf(deps, options);
      return database === undefined
        ? serveRoot(deps, options, { ...given, watch }, out)
        : serveDatabase(deps, database, { ...given, watch }, out);
    },
  );
}

interface Given {
  /** --host. */
  readonly host: string;
  /** --port. */
  readonly named: number | undefined;
  readonly access: AccessSettings;
  /** Without requests in the log. */
  readonly quiet: boolean;
  readonly watch: Watch | undefined;
}

/** The port of a hosted service, and of a node, is fixed, because a proxy in front of it knows the port. */
function fixedPort({ environment }: ProgramDeps, { named }: Given): number {
  return named ?? environment().port ?? portDefault;
}

function serveDatabase(deps: ProgramDeps, database: DatabaseSettings, given: Given, out: CommandOutput): Promise<void> {
  const { log, events, startNode } = deps;
  const { host, access } = given;
  const name = databaseName(database);
  const port = fixedPort(deps, given);
  return serve({
    ...{ log, events, hosted: access.hosted, watch: given.watch },
    open: () => startNode({ database, host, port, access: { ...access, admin: undefined }, quiet: given.quiet }),
    ready: (url, listening) =>
      out.printLive({ database: name, ...shown(url, listening) }, [
        readyLine(`the database ${name}`, url, listening),
        keysLine,
      ]),
  });
}

async function serveRoot(
  deps: ProgramDeps,
  options: ServeCommandOptions,
  given: Given,
  out: CommandOutput,
): Promise<void> {
  const { log, events, environment, isTerminal } = deps;
  const { host, access, named, quiet } = given;
  const root = await rootToCreate(deps, options, () => '.');
  await requireOwnLocal(deps, root);
  const opened = {
    ...{ root, host, access, own: options.own, quiet },
    ...{ port: access.hosted === undefined ? named : fixedPort(deps, given), usualPort: environment().port },
  };
  return serve({
    ...{ log, events, hosted: access.hosted, watch: given.watch },
    open: (isEnding) => openRoot(deps, opened, isEnding),
    ready: (url, listening) =>
      out.printLive(
        { root, ...shown(url, listening) },
        access.hosted === undefined && isTerminal
          ? forPerson(deps, root, url)
          : [readyLine(root, url, listening), ...(access.hosted === undefined ? [] : [keysLine])],
      ),
  });
}

/** Opens the service of a root, which a command may have open, or a window of `planner mcp` serve. */
async function openRoot(deps: ProgramDeps, options: OpenOptions, isEnding: () => boolean): Promise<ServedRoot> {
  const { start, disk, remark } = deps;
  const open = (): Promise<ServedRoot> =>
    whenFree(() => openService({ start, disk }, options), {
      isEnding,
      onHeld: ({ message }) => remark(`${message} Waiting until it has ended, for ${waitSecondsMax} s.`),
    });
  const service = await openTakingOver(deps, options.root, open, isEnding);
  const { missedPort: missed, url } = service;
  if (missed !== undefined) remark(`Port ${missed} is in use by another program: the address is ${url} instead.`);
  return service;
}

function shown(url: string, listening: string | undefined): object {
  return { url, pid: process.pid, ...(listening === undefined ? {} : { listening }) };
}

function readyLine(served: string, url: string, listening: string | undefined): string {
  const where = listening === undefined ? '' : `, listening at ${listening}`;
  return `Planner serves ${served} at ${url} (REST ${url}/api/v1, MCP ${url}/mcp)${where}`;
}

/** How callers of a hosted service get in: it begins without a key. */
const keysLine = 'Every caller needs a key or a sign-in: planner keys create, with the same settings, makes a key.';

/** Lines for a person who has just started a service, with one address, since terminals make links of all. */
function forPerson({ program: { main } }: ProgramDeps, root: string, url: string): readonly string[] {
  // Started by its file, as npm start in a clone does: the command may not be on the path.
  const name = main !== undefined && basename(main) === 'main.js' ? 'npx planner' : 'planner';
  return [
    `Planner serves ${root}.`,
    `Open ${url} in a browser. Changes are shown here. Ctrl-C ends the service.`,
    `${name} demo shows a sample plan with an agent at work.`,
  ];
}
