import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../../src/cli/program.ts';
import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';
import { leavesOf } from '../../src/reference/commands.ts';
import { Command } from '../support/command.ts';
import type { Finished } from '../support/command.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { freePort } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

/** Writes the clipboard, clears the screen (as C1), reverses the direction, begins lines of its own. */
const hostile = 'x\u001b]52;c;ZXZpbA==\u0007\u009b2J\u202etxt\u2028y\r\nz\0';
const shown = 'x\\u001b]52;c;ZXZpbA==\\u0007\\u009b2J\\u202etxt\\u2028y';
/** The text as a file name or an argument of a process, which cannot contain NUL. */
const name = hostile.slice(0, -1);
/** Characters that act on a terminal. Line feeds, also after a carriage return, and tabs are layout. */
const acting = /\r(?!\n)|[[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]--[\n\r\t]]/v;

/** Every text of the plan is `word`. */
const plan = (word: string): object => ({
  name: word,
  description: word,
  goal: { name: word, objective: word },
  tasks: [
    { key: 'a', label: word, description: word, assignee: word, tags: [word], status: 'todo' },
    { key: 'b', label: word },
  ],
  edges: [{ from: 'a', to: 'b', label: word }],
  documents: [{ title: word, body: word, status_line: word }],
});

/** With --json all commands print alike: some that show the plan, and one that refuses. */
const inJson = new Set(['task list', 'doctor', `doc show ${name}`]);

interface Ids {
  readonly project: string;
  readonly task: string;
  readonly other: string;
  readonly document: string;
  readonly note: string;
  readonly artifact: string;
  readonly goal: string;
  readonly key: string;
  readonly share: string;
}

/** How each command is called over the hostile project; `!` in front: it has to show the hostile text. */
const calls = ({
  project,
  task,
  other,
  document,
  note,
  artifact,
  goal,
  key,
  share,
}: Ids): Readonly<Record<string, readonly string[][]>> => ({
  init: [
    ['init', '--root', name],
    ['!init', `--${name}`],
  ],
  login: [['!login', `http://${name}`]],
  connect: [
    ['!connect', '--project', project],
    ['!connect', '--project', name],
  ],
  mcp: [['mcp', '--root', name]],
  'keys list': [['keys', 'list']],
  'keys create': [['keys', 'create', '--project', name]],
  'keys revoke': [
    ['keys', 'revoke', key],
    ['!keys', 'revoke', name],
  ],
  'share list': [['!share', 'list', '--project', project]],
  'share revoke': [
    ['share', 'revoke', share],
    ['!share', 'revoke', name],
  ],
  'webhooks list': [['webhooks', 'list', '--project', project]],
  'webhooks create': [
    ['webhooks', 'create', `https://example.com/${name}`, '--project', project],
    ['webhooks', 'create', name, '--project', project],
  ],
  'webhooks pause': [['!webhooks', 'pause', name, '--project', project]],
  'webhooks resume': [['!webhooks', 'resume', name, '--project', project]],
  'webhooks delete': [['!webhooks', 'delete', name, '--project', project]],
  'webhooks deliveries': [['!webhooks', 'deliveries', name, '--project', project]],
  'webhooks redeliver': [['!webhooks', 'redeliver', name, name, '--project', project]],
  events: [
    ['!events', '--project', project],
    ['events', '--project', project, '--since', name],
    ['events', '--project', project, '--types', name],
  ],
  export: [
    ['!export', project, '-o', name],
    ['!export', name],
  ],
  import: [
    ['!import', 'plan.json'],
    ['!import', name],
  ],
  push: [['!push', `http://${name}`]],
  pull: [['!pull', `http://${name}`, '--into', name]],
  sync: [['sync'], ['!sync', name]],
  flush: [['flush']],
  migrate: [['migrate'], ['migrate', '--database', name]],
  doctor: [['!doctor'], ['!doctor', '--fix']],
  adopt: [['adopt'], ['adopt', '--yes']],
  next: [['!next', '--project', project]],
  claim: [
    ['!claim', task, '--as', 'me'],
    ['!claim', name],
  ],
  done: [
    ['!done', task],
    ['!done', name],
  ],
  'task list': [['!task', 'list', '--project', project]],
  'task show': [
    ['!task', 'show', task],
    ['!task', 'show', name],
  ],
  'task add': [['task', 'add', name, '--project', project]],
  'task move': [['!task', 'move', other, '--above', task]],
  'task set': [
    ['!task', 'set', other, '--status', 'todo'],
    ['task', 'set', other, '--label', name],
  ],
  'goal list': [['!goal', 'list', '--project', project]],
  'goal show': [
    ['!goal', 'show', goal],
    ['!goal', 'show', name],
  ],
  'goal add': [['goal', 'add', name, '--gate', name, '--project', project]],
  'goal use': [['!goal', 'use', goal]],
  'goal pause': [['!goal', 'pause', goal]],
  'goal resume': [['!goal', 'resume', goal]],
  'goal done': [
    ['!goal', 'done', goal, '--exit-code', '1', '--detail', name],
    ['!goal', 'done', goal, '--check', name],
  ],
  verify: [
    ['!verify', name],
    ['!verify', name, '--dry-run', '--at', name],
    ['verify', '--check', '--project', project],
  ],
  run: [
    ['run', '--dry-run', '--project', project],
    ['!run', '--tries', name],
  ],
  merge: [
    ['!merge', other],
    ['!merge', name],
  ],
  diff: [['!diff'], ['!diff', name, name]],
  status: [['!status', '--project', project]],
  inbox: [['inbox', '--project', project]],
  start: [['!start', task]],
  release: [['!release', task, '--force']],
  review: [['review', '--project', project]],
  approve: [['!approve', other]],
  'send-back': [['!send-back', other, '--because', name]],
  answer: [['!answer', name, name, '--project', project]],
  'dep add': [['!dep', 'add', task, '--after', other]],
  'dep list': [['!dep', 'list', '--project', project]],
  'dep tree': [['!dep', 'tree', task]],
  'dep cycles': [['!dep', 'cycles', '--project', project]],
  'dep rm': [
    ['!dep', 'rm', task, '--after', other],
    ['!dep', 'rm', task, '--before', name],
  ],
  'doc list': [['!doc', 'list', '--project', project]],
  'doc show': [
    ['!doc', 'show', document],
    ['!doc', 'show', name],
  ],
  'doc add': [['doc', 'add', name, '--project', project]],
  'doc set': [
    ['!doc', 'set', document, '--body', 'b'],
    ['doc', 'set', document, '--status', name],
  ],
  'doc rm': [['!doc', 'rm', name]],
  'note list': [['!note', 'list', '--project', project]],
  'note show': [
    ['!note', 'show', note],
    ['!note', 'show', name],
  ],
  'note add': [['note', 'add', name, '--project', project]],
  'note set': [
    ['!note', 'set', note, '--body', name],
    ['note', 'set', note, '--title', name],
  ],
  'note rm': [['!note', 'rm', note]],
  'artifact list': [['!artifact', 'list', '--project', project]],
  'artifact show': [['!artifact', 'show', artifact]],
  'artifact add': [['artifact', 'add', name, '--project', project]],
  'artifact rm': [['!artifact', 'rm', artifact]],
  'tag list': [['!tag', 'list', '--project', project]],
  'tag add': [['tag', 'add', name, '--project', project]],
  'tag rename': [['!tag', 'rename', name, 'renamed', '--project', name]],
  'tag rm': [['!tag', 'rm', name, '--project', project]],
  attach: [
    ['!attach', name, '--project', project],
    ['!attach', 'plan.json', '--to', name],
  ],
  comment: [
    ['!comment', task, name],
    ['!comment', task],
    ['!comment', name],
  ],
  log: [
    ['!log', '--project', project],
    ['!log', name],
  ],
  show: [
    ['!show', task],
    ['!show', name],
  ],
  trash: [['!trash', '--project', project]],
  restore: [['!restore', name, '--project', project]],
  undo: [['undo', name, '--project', project]],
  search: [['!search', name, '--project', project]],
  'share create': [
    ['share', 'create', task],
    ['!share', 'create', name],
  ],
  call: [
    ['!call', 'list_tasks', JSON.stringify({ project_id: project })],
    ['!call', name],
    ['call', 'get_task', '{'],
  ],
  'merge-driver': [['!merge-driver', 'base', 'ours', 'theirs', name]],
  resolve: [['!resolve']],
  worktree: [['!worktree']],
  'task edit': [['!task', 'edit', name]],
  disconnect: [['!disconnect', '--root', name]],
  completion: [['!completion', name]],
  board: [['!board', '--project', project]],
  commit: [['commit', '-m', name]],
  open: [['open', '--no-browser']],
  stop: [['!stop', '--root', name]],
  projects: [['!projects']],
  'task rm': [['task', 'rm', other]],
});

describe('Control characters at the command line', function () {
  this.timeout(5 * shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  /**
   * A project in which every text is hostile, and the ids that name it: imported, since callers may not send such
   * names.
   */
  async function hostileProject(): Promise<Ids> {
    initRepository(shell.directory);
    await shell.ok(['init']);
    const word = 'Q7word';
    await shell.ok(['call', 'scaffold_project_from_plan', JSON.stringify(plan(word))]);
    await shell.ok(['note', 'add', word, '--body', word]);
    await shell.ok(['artifact', 'add', word, '--content', word]);
    const exported = await shell.ok(['export', word]);
    const escaped = JSON.stringify(hostile).slice(1, -1);
    writeFileSync(join(shell.directory, 'plan.json'), exported.replaceAll(word, escaped));
    const { project } = await shell.json(['import', 'plan.json']);
    expect(project.name).to.equal(hostile);
    const { tasks } = await shell.json(['task', 'list', '--project', project.id]);
    expect(tasks.map(({ label }: { label: string }) => label)).to.deep.equal([hostile, hostile]);
    const { documents } = await shell.json(['doc', 'list', '--project', project.id]);
    const { notes } = await shell.json(['note', 'list', '--project', project.id]);
    const { artifacts } = await shell.json(['artifact', 'list', '--project', project.id]);
    const { key } = await shell.json(['keys', 'create', '--agent', '--project', project.id]);
    const input = JSON.stringify({ task_id: tasks[0].id });
    const share = await shell.json(['call', 'create_share_link', input]);
    const id = Object.values(share as Record<string, { id: string }>)[0]!.id;
    return {
      project: project.id,
      task: tasks[0].id,
      other: tasks[1].id,
      document: documents[0].id,
      note: notes[0].id,
      artifact: artifacts[0].id,
      goal: tasks[0].goal_id,
      key: key.id,
      share: id,
    };
  }

  /** Files that doctor, projects and resolve name: one that is no record, one that git left unmerged, a directory without a project. */
  function hostileFiles(): void {
    const [project = ''] = readdirSync(join(shell.directory, '.planner/projects'));
    const tasks = `.planner/projects/${project}/tasks`;
    writeFileSync(join(shell.directory, tasks, `${name}.md`), '---\nid: [\n---\n');
    const blob = git(shell.directory, 'hash-object', '-w', 'plan.json');
    const path = `${tasks}/${name}-u.md`;
    const stages = [1, 2, 3].map((stage) => `100644 ${blob.trim()} ${stage}\t${path}\0`).join('');
    execFileSync('git', ['update-index', '-z', '--index-info'], { cwd: shell.directory, input: stages });
    mkdirSync(join(shell.directory, name), { recursive: true });
    const unserved = join(shell.directory, '.planner/projects', name, 'tasks');
    mkdirSync(unserved, { recursive: true });
    writeFileSync(join(unserved, 'a.md'), 'Text\n');
  }

  function requireClean({ output, errors }: Finished, what: string): void {
    for (const [stream, text] of Object.entries({ output, errors })) {
      const at = text.search(acting);
      expect(at === -1 ? '' : JSON.stringify(text.slice(at - 20, at + 20)), `${what}: ${stream}`).to.equal('');
    }
  }

  it('are escaped in the output of every command, from a plan and from its own arguments [A.hostile.terminal]', async () => {
    shell = new Shell(scratch.path);
    const ids = await hostileProject();
    hostileFiles();
    const called = calls(ids);
    const declared = leavesOf(await program({ version: '0' } as ProgramDeps))
      .map((leaf) => leaf.name)
      .filter((leaf) => leaf !== 'serve' && leaf !== 'demo');
    expect(Object.keys(called)).to.have.members(declared);
    // Commands talk to it: opening the files takes longer.
    const service = await TestService.start({ directory: shell.directory });
    const silent: unknown[] = [];
    try {
      for (const argv of Object.values(called).flat()) {
        const [first = '', ...rest] = argv;
        const words = [first.replace('!', ''), ...rest];
        for (const given of inJson.has(words.join(' ').split(' --')[0]!) ? [words, [...words, '--json']] : [words]) {
          const finished = await shell.run(given);
          requireClean(finished, JSON.stringify(given));
          const text = finished.output + finished.errors;
          if (first.startsWith('!') && given === words && !text.includes(shown.slice(0, 20)))
            silent.push([given, finished]);
        }
      }
    } finally {
      await service.stop();
    }
    expect(silent, 'what should have shown the text').to.deep.equal([]);
  });

  rarely('are escaped in the output and the log of the service [A.hostile.terminal]', async () => {
    shell = new Shell(scratch.path);
    const root = join(shell.directory, name);
    mkdirSync(root);
    const port = await freePort();
    const service = new Command(['serve', '--root', root, '--port', String(port)], {
      cwd: shell.directory,
      environment: { HOME: shell.home, PLANNER_LOG: 'debug' },
    });
    try {
      await service.firstLine();
      await fetch(`http://127.0.0.1:${port}/api/v1/projects/%1b%5d52%c2%9b/tasks`);
    } finally {
      service.signal('SIGTERM');
    }
    const finished = await service.finished;
    requireClean(finished, 'serve');
    expect(finished.output).to.include(shown);
  });
});
