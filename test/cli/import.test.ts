import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

const issue = (id: string, title: string, more: object = {}): string =>
  `${JSON.stringify({ id, title, status: 'open', priority: 2, issue_type: 'task', ...more })}\n`;
const page = (front: string, body = ''): string => `---\n${front}\n---\n\n${body}\n`;

/** A shell whose root has files of other tools. */
class Workshop {
  readonly shell: Shell;

  constructor(directory: string) {
    this.shell = new Shell(directory);
  }

  put(path: string, text: string): this {
    const whole = join(this.shell.directory, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return this;
  }
}

/** Declares one test twice: where a service runs over the root, and without a service. */
function overBoth(title: string, body: (workshop: Workshop) => Promise<void>): void {
  const scratch = scratchDirectory();
  it(`without a service: ${title}`, async () => {
    const workshop = new Workshop(scratch.path);
    await workshop.shell.ok(['init']);
    await body(workshop);
  });
  it(`through the running service: ${title}`, async () => {
    const workshop = new Workshop(scratch.path);
    await workshop.shell.ok(['init']);
    const service = await TestService.start({ directory: workshop.shell.directory });
    try {
      await body(workshop);
    } finally {
      await service.stop();
    }
  });
}

describe('planner import', function () {
  this.timeout(shellTestMs);

  overBoth('names a path at which there is nothing [D9.moving.found]', async ({ shell }) => {
    const refused = await shell.run(['import', '/nowhere/plan.json']);
    expect(refused.code).to.equal(1);
    expect(refused.errors).to.equal('planner: There is no file or directory /nowhere/plan.json.\n');
  });

  overBoth('says how many of how many were left out, and exits with 3 [D9.moving.left-out]', async (workshop) => {
    const { shell } = workshop
      .put('plan/backlog/tasks/epics/task-2 - N.md', page('id: task-2\ntitle: Nail\nstatus: To Do'))
      .put('plan/backlog/tasks/task-1 - Hammer.md', 'No front matter.\n')
      .put('plan/backlog/model.blend', 'x')
      .put('plan/backlog/readme.md', '# Backlog\n');
    const partial = await shell.run(['import', 'plan']);
    expect(partial.code).to.equal(3);
    expect(partial.output).to.match(/^plan is the project prj_\S+\. From Backlog\.md: 2 tasks\.\n/);
    expect(partial.output).to.include(
      'Left out: 1 of 4 files: it is neither Markdown nor of a known type (1: model.blend)\n',
    );
    expect((await shell.run(['import', 'plan', '--allow-partial'])).code).to.equal(0);
    const { report } = JSON.parse((await shell.run(['import', 'plan', '--json'])).output);
    expect(report.left_out[0]).to.deep.include({ of: 'file', count: 1, total: 4, places: ['model.blend'] });
  });

  overBoth(
    'leaves out deleted issues, which is no failure, unless --with-deleted is given [D9.moving.left-out]',
    async (workshop) => {
      const { shell } = workshop.put(
        '.beads/issues.jsonl',
        issue('a-1', 'Dig') + issue('a-2', 'Sow', { status: 'tombstone' }),
      );
      expect(await shell.ok(['import', '.'])).to.include(
        'Left out: 1 of 2 issues: it is deleted (--with-deleted imports it) (1: a-2)',
      );
      expect((await shell.json(['import', '.', '--with-deleted'])).report).to.deep.include({
        counts: { tasks: 2, tags: 1 },
        left_out: [],
      });
    },
  );

  overBoth('lists several plans, and imports the one that --from names [D9.moving.found]', async (workshop) => {
    const { shell } = workshop
      .put('plan/.beads/issues.jsonl', issue('a-1', 'Dig'))
      .put('plan/tasks/tasks.json', '{"master":{"tasks":[{"id":1,"title":"Sow","status":"pending"}]}}');
    const { errors } = await shell.run(['import', 'plan']);
    expect(errors).to.include('There are several plans: beads (.beads/issues.jsonl), taskmaster (tasks/tasks.json).');
    expect((await shell.json(['import', 'plan', '--from', 'taskmaster'])).report.from).to.equal('Taskmaster');
    expect((await shell.run(['import', 'plan', '--from', 'jira'])).code).to.equal(1);
  });

  overBoth(
    'prints the effects of an import with --dry-run, and changes nothing [D9.moving.dry-run]',
    async (workshop) => {
      const { shell } = workshop.put('plan/.beads/issues.jsonl', issue('a-1', 'Dig'));
      expect(await shell.ok(['import', 'plan', '--dry-run'])).to.equal(
        'Nothing was changed. plan would be a new project. From beads: 1 task.\n',
      );
      expect((await shell.json(['call', 'list_projects'])).projects).to.deep.equal([]);
    },
  );

  overBoth('merges a plan into a project; a second time changes nothing [D9.moving.into]', async (workshop) => {
    const { shell } = workshop.put('plan/.beads/issues.jsonl', issue('a-1', 'Dig'));
    await shell.ok(['import', 'plan']);
    const before = await shell.ok(['export']);
    expect(await shell.ok(['import', 'plan', '--into', 'plan'])).to.equal(
      'plan: nothing was added, 1 task was there already. From beads: 1 task.\n',
    );
    expect(await shell.ok(['export'])).to.equal(before);
    // The id of the other tool is a name of the task.
    expect(await shell.ok(['task', 'show', 'A-1'])).to.include('Dig');
    workshop.put('plan/.beads/issues.jsonl', issue('a-1', 'Dig deeper') + issue('a-2', 'Sow'));
    const added = await shell.ok(['import', 'plan', '--into', 'plan']);
    expect(added).to.match(/^plan: 1 task was added, 1 task was there already\./);
    expect(added).to.match(/\nDiffers from the plan and was left as it is: 1: tsk_\S+ label\n$/);
    const { tasks } = await shell.json(['task', 'list']);
    expect(tasks.map(({ label }: { label: string }) => label)).to.deep.equal(['Dig', 'Sow']);
  });

  overBoth(
    'takes an export of Planner from a file and from a directory of another tool [D9.moving.one-path]',
    async (workshop) => {
      const { shell } = workshop.put(
        'garden/backlog/tasks/task-1 - Dig.md',
        page('id: task-1\ntitle: Dig\nstatus: To Do'),
      );
      await shell.ok(['import', 'garden']);
      await shell.ok(['export', '-o', 'garden.planner.json']);
      const { project, report } = await shell.json(['import', 'garden.planner.json']);
      expect(project).to.include({ name: 'garden' });
      expect(report).to.deep.include({ from: 'Planner', left_out: [] });
    },
  );
});

describe('planner import into a connected repository', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  it('takes a table that planner export wrote, names the project, and says which one commands go on with [D9.moving.found]', async () => {
    const { shell } = new Workshop(scratch.path);
    await shell.ok(['connect']);
    await shell.ok(['task', 'add', '=Dig', '--priority', 'high']);
    await shell.ok(['task', 'add', 'Sow', '--after', '=Dig']);
    await shell.ok(['export', '--format', 'csv', '-o', 'tasks.csv']);
    const said = await shell.ok(['import', 'tasks.csv', '--name', 'Beds']);
    expect(said).to.include('Beds is the project').and.include('Commands here go on with repository: planner connect');
    const { tasks } = await shell.json(['task', 'list', '--project', 'Beds']);
    expect(tasks.map(({ label, priority }: Record<string, unknown>) => [label, priority])).to.have.deep.members([
      ['=Dig', 'high'],
      ['Sow', null],
    ]);
    expect(await shell.ok(['task', 'list', '--blocked', '--project', 'Beds'])).to.include('Sow');
    // The bound project, whatever it is called.
    const merged = await shell.ok(['import', 'tasks.csv', '--into', '.']);
    expect(merged)
      .to.match(/^repository: /)
      .and.not.include('Commands here');
  });
});
