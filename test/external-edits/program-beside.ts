import { join } from 'node:path';
import { builtProgram } from '../support/build.ts';
import { noTerminal } from '../support/no-terminal.ts';
import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';
import { program } from '../../src/cli/program.ts';
import { processEvents } from '../../src/cli/terminal/process-events.ts';
import { leavesOf } from '../../src/reference/commands.ts';
import { readEnvironment } from '../../src/base/config.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import type { TestService } from '../support/service.ts';

/** The command line next to a running service: it may neither open the root's files nor write one of the plan. */
export interface ProgramBeside {
  readonly parts: ProgramDeps;
  /** Every line that the commands printed. */
  readonly output: string[];
}

/** `directory` contains `.planner`. */
export function programBeside(directory: string): ProgramBeside {
  const output: string[] = [];
  const refuse = (what: string): never => {
    throw new Error(`The command ${what} beside a running service.`);
  };
  const parts: ProgramDeps = {
    version: '0',
    program: { node: process.execPath, main: builtProgram() },
    environment: () => readEnvironment({ XDG_CONFIG_HOME: join(directory, 'home') }),
    workingDirectory: directory,
    homeDirectory: join(directory, 'home'),
    disk: guardedDisk(
      ['projects', 'local'].map((name) => join(directory, '.planner', name)),
      refuse,
    ),
    log: () => undefined,
    print: (line) => output.push(line),
    ...noTerminal,
    printEscaped: (text) => void output.push(text),
    owner: () => Promise.resolve('Ada'),
    input: () => Promise.resolve(''),
    write: (bytes) => Promise.resolve(void output.push(Buffer.from(bytes).toString())),
    mergeForGit: () => refuse('merged for git'),
    mergePlaces: () => refuse('merged for git'),
    planComparer: () => refuse('compared'),
    openStore: () => refuse('opened the files'),
    openStoreReadOnly: () => refuse('opened the files'),
    start: () => refuse('started a service'),
    startNode: () => refuse('started a node'),
    openDatabase: () => refuse('opened a database'),
    migrate: () => refuse('migrated a database'),
    prepare: () => Promise.resolve(),
    preload: () => undefined,
    streams: { input: process.stdin, output: process.stdout },
    events: processEvents,
    exitWith: () => undefined,
  };
  return { parts, output };
}

const pathWriters = ['rename', 'link', 'remove', 'removeDirectoryIfEmpty', 'removeTree', 'setTimes'] as const;

/** The real disk, except that nothing can be changed below these directories. */
function guardedDisk(kept: readonly string[], refuse: (what: string) => never): Disk {
  const check = (path: unknown): void => {
    if (kept.some((top) => path === top || String(path).startsWith(`${top}/`))) refuse(`wrote ${String(path)}`);
  };
  const guarded = Object.fromEntries(
    pathWriters.map((name) => [
      name,
      (...given: unknown[]): unknown => {
        for (const path of given.filter((one) => typeof one === 'string')) check(path);
        return (nodeDisk as unknown as Record<string, (...all: unknown[]) => unknown>)[name]!(...given);
      },
    ]),
  );
  return {
    ...nodeDisk,
    ...guarded,
    makeDirectory: (path, mode) => {
      if (nodeDisk.stat(path) === undefined) check(path);
      nodeDisk.makeDirectory(path, mode);
    },
    open: (path, flags, mode) => {
      // 3: the bits that request writing.
      if (typeof flags === 'string' ? flags !== 'r' : (flags & 3) !== 0) check(path);
      return nodeDisk.open(path, flags, mode);
    },
  };
}

/** One command line, and its standard input. */
export interface Line {
  readonly argv: readonly string[];
  readonly input?: string;
  /** True if the command must succeed; only the writes of others count. */
  readonly succeeds?: boolean;
}

/** Commands that are not called here. */
const others: Readonly<Record<string, string>> = {
  adopt: 'signs local/, which is no file of the plan',
  serve: 'is the service; a second one is refused',
  mcp: 'forwards messages to the running service',
  'merge-driver': 'merges the three files that git names',
  migrate: 'is about a database, and refused without one',
  resolve: 'settles a merge for git, while git holds the files',
  push: 'reads, and writes to another service',
  pull: 'writes to another directory',
  sync: 'changes records as any other caller, and needs another service',
  worktree: 'reads',
  diff: 'reads files and commits',
  run: 'starts coding agents, and calls the service as other commands do',
  demo: 'serves a directory of its own',
  open: 'shows the running service',
  stop: 'ends the running service',
  'task edit': 'waits for an editor',
};

/** Command lines of every other command: commands without a line here are called with the task for each argument. */
export async function writersOf(
  parts: ProgramDeps,
  { service, project }: { readonly service: TestService; readonly project: string },
): Promise<readonly Line[]> {
  const fixed = (...argv: readonly string[]): Line => ({ argv, succeeds: true });
  const task = await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
  const document = await service.rest.post(`/projects/${project}/documents`, { title: 'Guide', body: '' });
  const share = await service.rest.post(`/tasks/${task.body.id}/share`, {});
  const key = await service.rest.post('/keys', { kind: 'owner', name: 'laptop' });
  const hooks: string[] = [];
  for (const path of ['a', 'b']) {
    const made = await service.rest.post(`/projects/${project}/webhooks`, { url: `https://example.invalid/${path}` });
    hooks.push(made.body.id);
  }
  const [hook = '', ended = ''] = hooks;
  // There is no such host: the delivery fails, and is kept.
  const deliveries = async (): Promise<readonly { readonly id: string }[]> =>
    (await service.rest.get(`/webhooks/${hook}/deliveries`)).body.deliveries;
  await service.rest.post(`/projects/${project}/notes`, { title: 'Frost' });
  while ((await deliveries()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const [{ id: delivery = '' } = {}] = await deliveries();
  const exported = join(service.directory, 'plan.json');
  const lines: Readonly<Record<string, Line>> = {
    init: fixed('init'),
    connect: fixed('connect', '--project', project),
    login: fixed('login'),
    flush: fixed('flush'),
    doctor: fixed('doctor', '--fix'),
    'task add': fixed('task', 'add', 'Water'),
    'task set': fixed('task', 'set', task.body.id, '--label', 'Dug'),
    'task move': fixed('task', 'move', task.body.id, '--last'),
    claim: fixed('claim', task.body.id, '--as', 'ada'),
    done: fixed('done', task.body.id, '--as', 'ada'),
    'doc add': fixed('doc', 'add', 'Plan'),
    'doc set': { ...fixed('doc', 'set', document.body.id, '--body', '-'), input: 'Text\n' },
    'keys create': fixed('keys', 'create', '--name', 'ci'),
    'keys revoke': fixed('keys', 'revoke', key.body.id),
    'share revoke': fixed('share', 'revoke', share.body.id),
    'webhooks create': fixed('webhooks', 'create', 'https://example.invalid/c'),
    'webhooks pause': fixed('webhooks', 'pause', hook),
    'webhooks resume': fixed('webhooks', 'resume', hook),
    'webhooks delete': fixed('webhooks', 'delete', ended),
    'webhooks redeliver': fixed('webhooks', 'redeliver', hook, delivery),
    export: fixed('export', project, '-o', exported),
    import: fixed('import', exported),
    call: fixed('call', 'create_note', JSON.stringify({ project_id: project, title: 'Seen', body: '' })),
  };
  const derived = leavesOf(await program(parts))
    .filter(({ name }) => !Object.hasOwn(lines, name) && !Object.hasOwn(others, name))
    .map(({ name, command }): Line => {
      const given = command.registeredArguments.filter(({ required }) => required).map(() => task.body.id as string);
      const takesProject = command.options.some(({ long }) => long === '--project');
      return { argv: [...name.split(' '), ...given, ...(takesProject ? ['--project', project] : [])] };
    });
  // Some of these delete the task.
  return [...Object.values(lines), ...derived];
}
