import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { localSigner } from '../../src/cli/machine/local-ownership.ts';
import { ownerName } from '../../src/cli/git/owner-name.ts';
import { processEvents } from '../../src/cli/terminal/process-events.ts';
import { program } from '../../src/cli/program.ts';
import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';
import { readEnvironment } from '../../src/base/config.ts';
import { mergeForGit, mergePlacesForGit } from '../../src/main/git-merge.ts';
import { planComparer } from '../../src/main/plan-diff.ts';
import { leavesOf } from '../../src/reference/commands.ts';
import { openPlanner, startService } from '../../src/main/service.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { builtProgram } from '../support/build.ts';
import { noTerminal } from '../support/no-terminal.ts';

/** The program in this process, in a directory: like `planner`, but without a terminal. */
export function planner(directory: string): ProgramDeps {
  const environment = (): ReturnType<typeof readEnvironment> =>
    readEnvironment({ XDG_CONFIG_HOME: join(directory, '../home/.config') });
  const owner = { disk: nodeDisk, homeDirectory: homedir(), environment };
  const log = (): void => undefined;
  return {
    ...{ version: '0', program: { node: process.execPath, main: builtProgram() } },
    ...owner,
    workingDirectory: directory,
    owner: () => ownerName(directory),
    mergeForGit: async (given) => mergeForGit(given),
    mergePlaces: async () => mergePlacesForGit,
    planComparer: async () => planComparer(),
    ...noTerminal,
    ...{
      log,
      print: log,
      printEscaped: log,
      input: async () => 'Text\n',
      write: async () => undefined,
    },
    openStore: async (root, { project_id: defaultProject }) =>
      openPlanner({ root, owner: 'Ada', defaultProject, log, signLocal: localSigner(owner, root) }),
    start: async ({ root, host, port }) =>
      startService({ root, host, port, owner: 'Ada', defaultProject: undefined, log }),
    openStoreReadOnly: async () => expect.fail('opened a read-only root'),
    startNode: async () => expect.fail('started a node'),
    openDatabase: async () => expect.fail('opened a database'),
    migrate: async () => expect.fail('migrated a database'),
    prepare: async () => undefined,
    preload: () => undefined,
    ...{ streams: { input: process.stdin, output: process.stdout }, events: processEvents, exitWith: log },
  };
}

/** Commands that run until they are stopped, or show something to a person. */
const waiting = new Set(['mcp', 'serve', 'demo', 'open', 'task edit']);

export interface Ids {
  readonly project: string;
  readonly task: string;
  readonly document: string;
}

export const unknown: Ids = { project: 'prj_x', task: 'tsk_x', document: 'doc_x' };

/** Command lines of every command except waiting ones. Commands that take only records are called with a task. */
export async function linesOf(
  parts: ProgramDeps,
  { project, task, document }: Ids,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const scratch = dirname(parts.workingDirectory);
  const lines: Readonly<Record<string, readonly string[]>> = {
    ...{ init: ['init'], login: ['login'], flush: ['flush'], doctor: ['doctor', '--fix'], resolve: ['resolve'] },
    ...{ migrate: ['migrate'] },
    ...{ worktree: ['worktree'], projects: ['projects'] },
    ...{ push: ['push', 'http://127.0.0.1:9'], pull: ['pull', 'http://127.0.0.1:9', '--into', join(scratch, 'copy')] },
    ...{ sync: ['sync'] },
    ...{ adopt: ['adopt', '--yes'], connect: ['connect', '--project', 'Other', '--create'] },
    ...{ 'keys list': ['keys'], 'keys create': ['keys', 'create'], 'keys revoke': ['keys', 'revoke', 'key_x'] },
    ...{ 'share list': ['share', 'list', '--project', project], 'share revoke': ['share', 'revoke', 'shr_x'] },
    ...{ export: ['export', project, '-o', join(scratch, 'out.json')], import: ['import', join(scratch, 'out.json')] },
    ...{
      next: ['next', '--project', project],
      claim: ['claim', task, '--as', 'Ada'],
      done: ['done', task, '--as', 'Ada'],
    },
    ...{
      'task list': ['task', 'list', '--project', project],
      'task show': ['task', task],
      'doc show': ['doc', document],
    },
    ...{ 'task add': ['task', 'add', 'A', '--project', project], 'task set': ['task', 'set', task, '--label', 'B'] },
    ...{ 'doc add': ['doc', 'add', 'A', '--project', project], 'doc set': ['doc', 'set', document, '--body', '-'] },
    ...{ events: ['events', '--project', project], 'webhooks list': ['webhooks', '--project', project] },
    ...{ 'webhooks create': ['webhooks', 'create', 'https://example.com/', '--project', project] },
    ...{ 'webhooks pause': ['webhooks', 'pause', 'whk_x'], 'webhooks resume': ['webhooks', 'resume', 'whk_x'] },
    ...{
      'webhooks delete': ['webhooks', 'delete', 'whk_x'],
      'webhooks deliveries': ['webhooks', 'deliveries', 'whk_x'],
    },
    ...{ 'webhooks redeliver': ['webhooks', 'redeliver', 'whk_x', 'dlv_x'] },
    ...{ call: ['call', 'list_projects'], 'merge-driver': ['merge-driver', ...threeFiles(scratch), 'notes.txt'] },
  };
  const declared = leavesOf(await program(parts)).filter(({ name }) => !waiting.has(name));
  expect(declared.map(({ name }) => name)).to.include.members(Object.keys(lines));
  const derived = declared
    .filter(({ name }) => lines[name] === undefined)
    .map(({ name, command }) => {
      const takesProject = command.options.some(({ long }) => long === '--project');
      const given = command.registeredArguments.filter(({ required }) => required).map(() => task);
      return [name, [...name.split(' '), ...given, ...(takesProject ? ['--project', project] : [])]];
    });
  // Some of these delete the task.
  return { ...lines, ...Object.fromEntries(derived) };
}

/** The arguments of a merge driver: a text that is not a record, which git itself has to merge. */
function threeFiles(scratch: string): readonly string[] {
  return ['base', 'ours', 'theirs'].map((name) => {
    writeFileSync(join(scratch, name), `${name}\n`);
    return join(scratch, name);
  });
}
