import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

/** Declares one test twice: where a service runs over the root, and without a service. */
function overBoth(title: string, body: (shell: Shell) => Promise<void>): void {
  const scratch = scratchDirectory();
  it(`without a service: ${title}`, async () => {
    await body(new Shell(scratch.path));
  });
  it(`through the running service: ${title}`, async () => {
    const shell = new Shell(scratch.path);
    const service = await TestService.start({ directory: shell.directory });
    try {
      await body(shell);
      // Changes through the service are in its memory immediately.
      expect((await service.rest.get('/projects')).body.projects).to.have.length(1);
    } finally {
      await service.stop();
    }
  });
}

async function project(shell: Shell, name = 'Web shop'): Promise<string> {
  await shell.ok(['init']);
  return (await shell.json(['call', 'create_project', JSON.stringify({ name })])).project.id as string;
}

describe('planner next, claim and done', function () {
  this.timeout(shellTestMs);
  overBoth('complete a plan [D11.catalogue, D11.either]', async (shell) => {
    await project(shell);
    const { task: first } = await shell.json(['task', 'add', 'Take payments', '--priority', 'high']);
    const { task: second } = await shell.json(['task', 'add', 'Send invoices', '--tag', 'mail']);
    expect((await shell.json(['next'])).next.next_task.id).to.equal(first.id);
    expect((await shell.json(['next', '--tag', 'mail'])).next.next_task.id).to.equal(second.id);
    const { claimed, task } = await shell.json(['claim', '--as', 'builder-1', '--lease', '600']);
    expect({ claimed, id: task.id, assignee: task.assignee }).to.deep.equal({
      claimed: true,
      id: first.id,
      assignee: 'builder-1',
    });
    const taken = await shell.run(['claim', first.id, '--as', 'builder-2']);
    expect(taken.code).to.equal(1);
    expect(taken.output).to.equal(`Take payments is not available: builder-1 has it.\n`);
    const commit = 'abcdef0123456789abcdef0123456789abcdef01';
    const done = await shell.json(['done', first.id, '--commit', commit, '--verified', 'run 7', '--as', 'builder-1']);
    expect(done.task).to.include({ status: 'done', verified_ref: 'run 7' });
    expect(done.task.commit_refs).to.deep.equal([commit]);
    expect(await shell.ok(['claim'])).to.match(/^\S{4} {2}in_progress {2}Send invoices/);
    await shell.ok(['done', second.id]);
    const none = await shell.run(['next']);
    expect(none).to.deep.include({ code: 1, output: 'No task has the status todo here.\n', errors: '' });
    expect(JSON.parse((await shell.run(['claim', '--json'])).output)).to.deep.include({ claimed: false });
  });

  overBoth(
    'pass over an active goal without tasks, as General is after an import [D3.next-goal, D11.either]',
    async (shell) => {
      const project_id = await project(shell);
      const goal = JSON.stringify({ project_id, name: 'master', objective: 'Ship' });
      const { goal: made } = await shell.json(['call', 'create_goal', goal]);
      expect(await shell.run(['next'])).to.deep.include({ code: 1, output: 'No task has the status todo here.\n' });
      const { task } = await shell.json(['task', 'add', 'A', '--goal', 'master']);
      expect(task.goal_id).to.equal(made.id);
      expect((await shell.json(['next'])).next.next_task.id).to.equal(task.id);
      expect(await shell.ok(['next'])).not.to.include('Of the goal');
      expect((await shell.run(['next', '--goal', 'General'])).output).to.contain('There is no task to do here.');
      await shell.json(['call', 'create_goal', JSON.stringify({ project_id, name: 'Empty', objective: 'Later' })]);
      expect(await shell.ok(['next'])).not.to.include('Of the goal');
      await shell.json(['task', 'add', 'Sweep', '--goal', 'General']);
      expect(await shell.ok(['claim'])).to.match(/ A .*\nOf the goal "master", one of 2 active ones/);
      expect((await shell.json(['next'])).next.next_task.label).to.equal('Sweep');
    },
  );
});

describe('planner task and doc', function () {
  this.timeout(shellTestMs);
  overBoth('list, show, create and change [D11.catalogue, D11.either]', async (shell) => {
    const id = await project(shell);
    const added = await shell.ok(
      ['task', 'add', 'Take payments', '--tag', 'api', '--tag', 'web', '--description', '-'],
      {
        input: 'Cards first.\n\nInvoices later.\n',
      },
    );
    expect(added).to.match(/^\S{4} {2}todo {9}Take payments {2}\(#api #web\)\n$/);
    const task = added.slice(0, 4);
    expect(await shell.ok(['task', task])).to.include('Cards first.\n\nInvoices later.\n');
    expect(await shell.ok(['task', 'show', task])).to.equal(await shell.ok(['task', task]));
    const set = await shell.json(['task', 'set', task, '--due', '2027-01-31', '--priority', 'urgent', '--tag', 'api']);
    expect(set.task).to.include({ due_date: '2027-01-31', priority: 'urgent' });
    expect(set.task.tags.map(({ name }: { name: string }) => name)).to.deep.equal(['api']);
    expect((await shell.json(['task', 'set', task, '--due', ''])).task.due_date).to.equal(null);
    expect((await shell.json(['task', 'list', '--tag', 'api', '--status', 'todo'])).tasks).to.have.length(1);
    expect(await shell.ok(['task', 'list', '--tag', 'web'])).to.equal('No tasks.\n');

    const made = await shell.json([
      'doc',
      'add',
      'Checkout',
      '--body',
      '# Checkout',
      '--link',
      task,
      '--project',
      'web shop',
    ]);
    const document = made.document.id as string;
    expect(made.document.project_id).to.equal(id);
    await shell.ok(['doc', 'set', document, '--body', '-', '--status', 'draft'], { input: '# Checkout\n\nNew.\n' });
    expect(await shell.ok(['doc', document])).to.equal('# Checkout\n\nNew.\n');
    expect(await shell.ok(['doc', 'list'])).to.equal(`${document.slice(-4)}  Checkout  (draft)\n`);
  });

  overBoth(
    'list prints 100 tasks and reports if there are more, and prints all with --all or a --limit [D11.catalogue, D11.either]',
    async (shell) => {
      const project_id = await project(shell);
      const tasks = Array.from({ length: 101 }, (_, at) => ({ key: `t${at}`, label: `Plant ${at}` }));
      await shell.ok(['call', 'scaffold_project_from_plan', JSON.stringify({ project_id, tasks })]);
      const lines = async (...options: string[]): Promise<string[]> =>
        (await shell.ok(['task', 'list', ...options])).trimEnd().split('\n');
      const listed = await lines();
      expect(listed).to.have.length(101);
      expect(listed.at(-1)).to.equal('1 more: --limit <number> or --all lists them.');
      for (const options of [['--all'], ['--limit', '101']]) {
        const all = await lines(...options);
        expect(all).to.have.length(101);
        expect(all.at(-1)).to.include('Plant 100');
      }
      const first = await shell.json(['task', 'list']);
      expect([first.tasks.length, first.more]).to.deep.equal([100, 1]);
    },
  );
});

describe('planner call', function () {
  this.timeout(shellTestMs);
  overBoth(
    'takes its input as an argument, from a file and from standard input [D11.catalogue, D11.either]',
    async (shell) => {
      const id = await project(shell);
      const plan = {
        project_id: id,
        tasks: [
          { key: 'a', label: 'First' },
          { key: 'b', label: 'Second' },
        ],
        edges: [{ from: 'a', to: 'b' }],
      };
      const text = JSON.stringify(plan);
      writeFileSync(join(shell.directory, 'plan.json'), text);
      const input = { project_id: id };
      expect((await shell.json(['call', 'scaffold_project_from_plan', '@plan.json'])).scaffold.counts.tasks).to.equal(
        2,
      );
      await shell.ok(['call', 'scaffold_project_from_plan', '-'], { input: text });
      const { tasks } = JSON.parse(await shell.ok(['call', 'list_tasks', JSON.stringify(input)]));
      expect(tasks).to.have.length(4);
      const graph = await shell.json(['call', 'get_task_graph', JSON.stringify(input)]);
      expect(graph.nodes[1].prerequisites).to.deep.equal([graph.nodes[0].id]);
      const refused = await shell.run(['call', 'update_task', '{"task_id": "tsk_x", "status": "later"}', '--json']);
      expect(refused.code).to.equal(1);
      expect(JSON.parse(refused.errors)).to.include({ error: 'invalid_argument', field: 'status' });
      expect(JSON.parse((await shell.run(['call', 'get_task', '{"task_id": "tsk_x"}', '--json'])).errors)).to.include({
        error: 'not_found',
        resource: 'task',
        id: 'tsk_x',
      });
    },
  );

  describe('on its own', () => {
    const scratch = scratchDirectory();

    it('lists the tools, and reports an invalid name or input [D11.catalogue]', async () => {
      const shell = new Shell(scratch.path);
      await shell.ok(['init']);
      const { tools } = await shell.json(['call']);
      expect(tools.map(({ name }: { name: string }) => name)).to.include.members(['get_next_task', 'claim_task']);
      expect(await shell.ok(['call'])).to.match(/^create_task +Create a task$/m);
      expect(await shell.refused(2, ['call', 'delete_task', '{}'])).to.include('There is no tool "delete_task"');
      expect(await shell.refused(2, ['call', 'list_tasks', '[1]'])).to.include('not a JSON object');
      expect(await shell.refused(2, ['call', 'list_tasks', '{'])).to.include('not JSON (');
      expect(await shell.refused(2, ['call', 'list_tasks', '@none.json'])).to.include('none.json does not exist');
    });

    it('uses the project that config.json binds', async () => {
      const shell = new Shell(scratch.path);
      const id = await project(shell);
      await project(shell, 'Warehouse');
      writeFileSync(join(shell.directory, '.planner/config.json'), JSON.stringify({ format: 1, project_id: id }));
      expect((await shell.json(['call', 'list_goals'])).goals[0].project_id).to.equal(id);
      expect((await shell.json(['task', 'add', 'Here'])).task.project_id).to.equal(id);
    });

    it('waits for another command that has the files open [D11.either]', async () => {
      const shell = new Shell(scratch.path);
      await project(shell);
      const labels = ['one', 'two', 'three', 'four'];
      await Promise.all(labels.map((label) => shell.ok(['task', 'add', label])));
      expect((await shell.json(['task', 'list'])).tasks).to.have.length(labels.length);
    });
  });
});

describe('Changes through the command line', function () {
  this.timeout(shellTestMs);
  overBoth('have the person configured in git as author [D7.author]', async (shell) => {
    await project(shell);
    const { task } = await shell.json(['task', 'add', 'Mine']);
    await shell.ok(['task', 'set', task.id, '--label', 'Still mine']);
    const input = { project_id: task.project_id, target_type: 'task', target_id: task.id };
    const { revisions } = await shell.json(['call', 'list_revisions', JSON.stringify(input)]);
    expect(revisions[0].author).to.match(/^human:/);
  });
});

describe('An id in an argument', function () {
  this.timeout(shellTestMs);
  overBoth(
    'is also its beginning or the label, title or name, if only one record is meant [D11.names, D11.either]',
    async (shell) => {
      const project_id = await project(shell);
      const { task } = await shell.json(['task', 'add', 'Take payments']);
      const { task: other } = await shell.json(['task', 'add', 'Send invoices']);
      const begun = [...(task.id as string)].findIndex((letter, at) => letter !== other.id[at]) + 1;
      const prefix = task.id.slice(0, begun);
      for (const text of [task.id, prefix, 'Take payments', 'take PAYMENTS'])
        expect((await shell.json(['task', 'show', text])).task.id, text).to.equal(task.id);
      expect((await shell.json(['task', prefix])).task.id).to.equal(task.id);
      expect((await shell.json(['task', 'set', 'Send invoices', '--priority', 'high'])).task.id).to.equal(other.id);
      expect((await shell.json(['claim', 'Send invoices', '--as', 'me'])).task.id).to.equal(other.id);
      expect(await shell.ok(['done', prefix])).to.equal(`${task.id} is done: Take payments\n`);

      const { goal } = await shell.json(['call', 'create_goal', '{"name": "Opening", "objective": "Open."}']);
      const { task: later } = await shell.json(['task', 'add', 'Later', '--goal', 'opening']);
      expect(later.goal_id).to.equal(goal.id);
      expect((await shell.json(['task', 'list', '--goal', 'Opening'])).tasks).to.have.length(1);
      expect((await shell.json(['task', 'set', 'Later', '--goal', 'General'])).task.goal_id).not.to.equal(goal.id);
      expect((await shell.json(['next', '--goal', 'General'])).next.next_task.id).to.equal(later.id);

      const { folder } = await shell.json(['call', 'create_folder', '{"name": "Guides"}']);
      const { document } = await shell.json(['doc', 'add', 'Checkout', '--folder', 'guides', '--link', 'Later']);
      expect(document.folder_id).to.equal(folder.id);
      expect((await shell.json(['doc', 'Checkout'])).document.id).to.equal(document.id);
      expect((await shell.json(['doc', 'set', 'checkout', '--folder', ''])).document.folder_id).to.equal(null);
      expect((await shell.json(['task', 'list', '--project', project_id.slice(0, 8)])).tasks).to.have.length(3);
    },
  );

  overBoth('that several records match lists them, and one that none matches says what is right', async (shell) => {
    await project(shell);
    const ids = [];
    for (const label of ['Twice', 'twice']) ids.push((await shell.json(['task', 'add', label])).task.id);
    expect((await shell.json(['task', 'show', 'twice'])).task.id).to.equal(ids[1]);
    const listed = await shell.run(['done', 'TWICE', '--json']);
    expect(listed.code).to.equal(1);
    const error = JSON.parse(listed.errors);
    expect(error.error).to.equal('conflict');
    expect(error.message).to.include(`"TWICE" can mean 2 records`).and.include(`${ids[0]} (Twice)`);
    expect(error.matches.map(({ id }: { id: string }) => id)).to.have.members(ids);
    expect(await shell.refused(1, ['done', ids[0].slice(0, 8)])).to.include('can mean 2 records');
    const none = await shell.refused(1, ['done', ids[0].slice(0, 7)]);
    expect(none).to.include('There is no task').and.include('at least 4 characters').and.include('label');
  });

  it('names its project, and the bound project precedes the others', async () => {
    const shell = new Shell(scratchOfThis.path);
    const web = await project(shell, 'Web shop');
    const warehouse = await project(shell, 'Warehouse');
    writeFileSync(join(shell.directory, '.planner/config.json'), JSON.stringify({ format: 1, project_id: web }));
    const inWarehouse = ['--project', 'warehouse'];
    const { task: shelf } = await shell.json(['task', 'add', 'Shelf', ...inWarehouse]);
    const { goal } = await shell.json(['call', 'create_goal', '{"name": "Stock", "objective": "."}', ...inWarehouse]);
    expect((await shell.json(['task', 'show', 'Shelf'])).task.id).to.equal(shelf.id);
    for (const text of ['Stock', goal.id])
      expect((await shell.json(['task', 'add', 'Box', '--goal', text])).task.project_id).to.equal(warehouse);
    const called = await shell.json(['call', 'create_task', JSON.stringify({ label: 'Crate', goal_id: goal.id })]);
    expect(called.task.project_id).to.equal(warehouse);
    const { task: ours } = await shell.json(['task', 'add', 'Shelf']);
    expect(ours.project_id).to.equal(web);
    expect((await shell.json(['task', 'show', 'Shelf'])).task.id).to.equal(ours.id);
    expect((await shell.json(['call', 'list_goals'])).goals[0].project_id).to.equal(web);
  });
  const scratchOfThis = scratchDirectory();
});

describe('planner call without project_id', function () {
  this.timeout(shellTestMs);
  overBoth('uses the only project, and --project takes a name', async (shell) => {
    const id = await project(shell);
    expect((await shell.json(['call', 'list_goals'])).goals[0].project_id).to.equal(id);
    const named = await shell.json(['call', 'create_task', '{"label": "Here", "project_id": "web shop"}']);
    expect(named.task.project_id).to.equal(id);
    expect((await shell.json(['call', 'list_tasks', '--project', 'WEB SHOP'])).tasks).to.have.length(1);
    const got = await shell.json(['call', 'get_task', JSON.stringify({ task_id: 'Here' })]);
    expect(got.task.id).to.equal(named.task.id);
    const general = await shell.json(['call', 'create_task', '{"label": "There", "goal_id": "general"}']);
    expect(general.task.goal_id).to.equal(named.task.goal_id);
  });

  const scratch = scratchDirectory();
  it('or with a whole id makes no further request', async () => {
    const shell = new Shell(scratch.path);
    const service = await TestService.start({ directory: shell.directory });
    try {
      const project_id = await service.project();
      const { task } = await shell.json(['task', 'add', 'One']);
      writeFileSync(join(shell.directory, '.planner/config.json'), JSON.stringify({ format: 1, project_id }));
      const calls = async (...argv: string[]): Promise<string[]> => {
        service.log.length = 0;
        await shell.ok(argv);
        return (service.log as { route?: string; path?: string }[]).flatMap(({ route = '' }) =>
          route.includes('/call/') ? [route] : [],
        );
      };
      expect(await calls('call', 'get_task', JSON.stringify({ task_id: task.id }))).to.have.length(1);
      const input = JSON.stringify({ label: 'Two', goal_id: task.goal_id });
      expect(await calls('call', 'create_task', input)).to.have.length(1);
    } finally {
      await service.stop();
    }
  });
});
