import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Transport, mcpTransport, restTransport } from '../support/both.ts';
import { McpClient } from '../support/mcp-client.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { type ServerProcess, startService } from '../support/server-process.ts';
import { watched, TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

interface Problem {
  readonly path: string;
  readonly kind: string;
  readonly reason: string;
  readonly id: string;
  readonly line?: number;
  readonly remedy?: string;
}

describe('Files of a plan', () => {
  let service: TestService;
  let files: PlanFiles;
  let project_id: string;
  let rest: Transport;
  let transports: readonly Transport[];
  beforeEach(async () => {
    service = await TestService.start(watched);
    project_id = await service.project();
    files = await PlanFiles.of(service);
    rest = restTransport(service);
    transports = [rest, mcpTransport(service, await service.mcp())];
  });
  afterEach(() => service.stop());

  const conflict = '---\n<<<<<<< HEAD\nlabel: a\n=======\nlabel: b\n>>>>>>> other\n---\n';
  const problems = async (): Promise<Problem[]> =>
    (await rest.call('list_problems', { project_id })).problems as Problem[];
  const make = async (operation: string, input: object): Promise<string> =>
    (await rest.call(operation, { project_id, ...input })).id as string;
  const goalOf = async (task_id: string): Promise<string> =>
    (await rest.call('get_task', { task_id })).goal_id as string;

  it('that were never readable return conflict, under the id in the name or the first id line [A.edit.never-good]', async () => {
    const code = project_id.slice(4, 10);
    const named = `tsk_${code}named00000`;
    const innerId = `doc_${code}saidinside`;
    files.write(`tasks/broken.${named}.md`, conflict);
    files.write(
      'documents/broken.md',
      `---\nid: ${innerId}\ntitle: x\n<<<<<<< HEAD\nstatus: a\n=======\n>>>>>>> b\n---\nText\n`,
    );
    await files.until(async () => expect(await problems()).to.have.length(2));
    for (const transport of transports) {
      const task = await transport.refusal('get_task', { task_id: named });
      expect(task).to.include({ error: 'conflict', id: named, path: files.shown(`tasks/broken.${named}.md`) });
      expect(task['line']).to.be.a('number');
      const document = await transport.refusal('get_document', { document_id: innerId });
      expect(document).to.include({
        error: 'conflict',
        id: innerId,
        path: files.shown('documents/broken.md'),
        line: 4,
      });
      expect(await transport.refusal('update_task', { task_id: named, label: 'x' })).to.include({ error: 'conflict' });
      expect(await transport.refusal('get_task', { task_id: 'tsk_none' })).to.include({ error: 'not_found' });
      const moved = await transport.call('move_documents', { project_id, document_ids: [innerId], folder_id: null });
      expect(moved.failed[0]).to.include({ document_id: innerId, error: 'conflict' });
    }
    expect((await service.rest.get(`/tasks/${named}`)).status).to.equal(409);
    expect((await service.rest.delete(`/tasks/${named}`)).status).to.equal(409);
    files.write(`tasks/broken.${named}.md`, '---\nlabel: Repaired\n---\n');
    await files.until(async () =>
      expect(await rest.call('get_task', { task_id: named })).to.include({ label: 'Repaired', status: 'todo' }),
    );
  });

  it('that became pointers of Git LFS are listed, and their records served as they were [A.edit.unreadable]', async () => {
    const { body: task } = await service.rest.post(`/projects/${project_id}/tasks`, { label: 'Dig', status: 'done' });
    const path = await files.pathOf(task.id as string);
    files.write(path, `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`);
    await service.store.rescan();
    expect((await service.rest.get(`/tasks/${task.id}`)).body).to.include({ label: 'Dig', status: 'done' });
    const [problem] = (await service.rest.get(`/projects/${project_id}/problems`)).body.problems;
    expect(problem).to.include({ path: files.shown(path), kind: 'unreadable', id: task.id });
    expect(problem.reason).to.contain('git lfs pull');
  });

  it('keep references to one that was never readable', async () => {
    const code = project_id.slice(4, 10);
    const broken = `tsk_${code}named00000`;
    const other = await make('create_task', { label: 'Other' });
    await files.edit(other, /---\n$/, `links:\n  - {to: ${broken}, label: depends_on}\n---\n`);
    files.write(`tasks/${broken}.md`, conflict);
    await files.until(async () => expect(await problems()).to.have.length(1));
    await rest.call('update_task', { task_id: other, status: 'in_progress' });
    expect(files.read(await files.pathOf(other))).to.include(`to: ${broken}`);
    files.write(`tasks/${broken}.md`, '---\nlabel: First\n---\n');
    await files.until(async () =>
      expect((await rest.call('list_edges', { project_id })).edges[0]).to.include({ from_id: other, to_id: broken }),
    );
  });

  it('of two goals with one name refer to the older one by it, and the younger is a listed problem [A.edit.two-names]', async () => {
    const older = await make('create_goal', { name: 'Grow', objective: 'First' });
    const younger = await make('create_goal', { name: 'Harvest', objective: 'Second' });
    const path = await files.edit(younger, 'name: Harvest', 'name: Grow');
    files.write('tasks/dig.md', '---\nlabel: Dig\ngoal: Grow\n---\n');
    await files.until(async () => expect(await problems()).to.have.length(1));
    const [problem] = await problems();
    expect(problem).to.include({ path: files.shown(path), kind: 'duplicate_name', id: younger });
    expect(problem!.reason).to.include(older).and.include('"Grow"');
    const { tasks } = await rest.call('list_tasks', { project_id });
    expect(tasks[0].goal_id).to.equal(older);
    for (const goal_id of [older, younger])
      expect(await rest.call('get_goal', { goal_id })).to.include({ name: 'Grow' });
    expect((await rest.call('get_project', { project_id })).summary.problems).to.equal(1);
    expect(service.store.check()).to.have.length(1);
    await rest.call('update_goal', { goal_id: younger, name: 'Reap' });
    expect(await problems()).to.deep.equal([]);
  });

  it('of a task whose goal is missing assign it to the default goal until that returns, unchanged [A.edit.goal-gone]', async () => {
    const goal = await make('create_goal', { name: 'Grow', objective: 'Grow' });
    const task_id = await make('create_task', { label: 'Dig', goal_id: goal });
    const general = (await rest.call('get_project', { project_id })).default_goal_id as string;
    const [goalPath, taskPath] = [await files.pathOf(goal), await files.pathOf(task_id)];
    const [goalText, taskText] = [files.read(goalPath), files.read(taskPath)];
    files.remove(goalPath);
    await files.until(async () => expect(await goalOf(task_id)).to.equal(general));
    expect(files.read(taskPath)).to.equal(taskText);
    expect((await problems())[0]).to.include({ kind: 'missing_goal', id: task_id, path: files.shown(taskPath) });
    await service.restart();
    rest = restTransport(service);
    expect(await goalOf(task_id)).to.equal(general);
    expect(await problems()).to.have.length(1);
    files.write(goalPath, goalText);
    await files.until(async () => expect(await goalOf(task_id)).to.equal(goal));
    expect(await problems()).to.deep.equal([]);
    expect(files.read(taskPath)).to.equal(taskText);
  });

  it('reference goals by id or name, tags by name, also by former names [A.format.by-name]', async () => {
    const goal = await make('create_goal', { name: 'Grow', objective: 'Grow' });
    const tag = await make('create_tag', { name: 'Bed', color: '#00ff00' });
    files.write('tasks/a.md', `---\nlabel: A\ngoal: ${goal}\ntags: [bed]\n---\n`);
    files.write('tasks/b.md', '---\nlabel: B\ngoal: Grow\ntags: [Bed]\n---\n');
    const seen = async (): Promise<unknown[]> =>
      ((await rest.call('list_tasks', { project_id })).tasks as { goal_id: string; tags: object[] }[]).map(
        ({ goal_id, tags }) => [goal_id, tags],
      );
    const expected = (name: string): unknown[] => Array(2).fill([goal, [{ id: tag, name, color: '#00ff00' }]]);
    await files.until(async () => expect(await seen()).to.deep.equal(expected('Bed')));
    await rest.call('update_goal', { goal_id: goal, name: 'Harvest' });
    await rest.call('update_tag', { tag_id: tag, name: 'Plot' });
    expect(await seen()).to.deep.equal(expected('Plot'));
    await service.restart();
    rest = restTransport(service);
    expect(await seen()).to.deep.equal(expected('Plot'));
    expect(await problems()).to.deep.equal([]);
  });

  it('change in one file if a goal or tag is renamed: its former name becomes an alias there [A.format.aliases]', async () => {
    const goal = await make('create_goal', { name: 'Grow', objective: 'Grow' });
    const tag = await make('create_tag', { name: 'Bed' });
    for (const label of ['A', 'B']) await make('create_task', { label, goal_id: goal, tags: ['Bed'] });
    await service.store.flush();
    const texts = (): Map<string, string> =>
      new Map(
        files
          .paths()
          .filter((path) => !path.startsWith('history/'))
          .map((path) => [path, files.read(path)]),
      );
    const before = texts();
    await rest.call('update_goal', { goal_id: goal, name: 'Harvest' });
    await rest.call('update_tag', { tag_id: tag, name: 'Plot' });
    await service.store.flush();
    const changed = [...texts()].filter(([path, text]) => before.get(path) !== text);
    expect(changed.map(([path]) => path.split('/')[0])).to.deep.equal(['goals', 'tags']);
    expect(changed[0]![1]).to.match(/\naliases:\n {2}- Grow\n/);
    expect(JSON.parse(changed[1]![1])).to.deep.include({ name: 'Plot', aliases: ['Bed'] });
  });

  it('shared by branches contain no counter, no count and no updated_at [A.format.no-counters]', async () => {
    const task_id = await make('create_task', { label: 'Dig', tags: ['bed'] });
    const folder_id = await make('create_folder', { name: 'Notes' });
    const document_id = await make('create_document', { title: 'Soil', body: '', folder_id, link_to: task_id });
    await service.store.flush();
    const shared = (): Map<string, string> =>
      new Map(
        files
          .paths()
          .filter((path) => !path.startsWith('history/'))
          .map((path) => [path, files.read(path)]),
      );
    const before = shared();
    for (const [path, text] of before) {
      if (path.endsWith('.md') || path.startsWith('tags/') || path.endsWith('.folders.json'))
        expect(text, path).to.not.match(/updated_at|count|total|next_id|sequence|version/i);
    }
    await make('create_task', { label: 'Rake', tags: ['bed'] });
    await make('create_document', { title: 'Beds', body: '', folder_id, link_to: [task_id, document_id] });
    await rest.call('update_task', { task_id, status: 'done' });
    await service.store.flush();
    const after = shared();
    const changed = [...before].filter(([path, text]) => after.get(path) !== text).map(([path]) => path);
    expect(changed, 'only the file of what changed').to.deep.equal([await files.pathOf(task_id)]);
  });

  it('name gate commands that are never run: not when read, invoked, completed or restarted [A.trust.gates, S.state.no-gate]', async () => {
    const trap = join(service.directory, 'trap');
    const command = `touch ${trap}`;
    const surface = { kind: 'gate_command', command };
    const goal_id = await make('create_goal', { name: 'Grow', objective: command, verification_surface: surface });
    const file = `---\nname: Trap\nverification_surface: {kind: gate_command, command: "touch ${trap}"}\n---\n$(touch ${trap})\n`;
    files.write('goals/trap.md', file);
    const read = async (): Promise<{ id: string; name: string; verification_surface: string | null }[]> =>
      (await rest.call('list_goals', { project_id })).goals as never;
    await files.until(async () => expect(await read()).to.have.length(3));
    const trapped = (await read()).find(({ name }) => name === 'Trap')!;
    expect(trapped.verification_surface).to.equal(JSON.stringify(surface));
    const agent = transports[1]!;
    for (const id of [goal_id, trapped.id]) {
      await make('create_task', { label: command, goal_id: id });
      await agent.call('invoke_goal', { goal_id: id });
      const next = await agent.call('get_next_task', { project_id, goal_id: id });
      await agent.call('update_task', { task_id: next.next_task.id, status: 'done' });
      const red = { kind: 'gate_command', exit_code: 1, command };
      expect(await agent.call('complete_goal', { goal_id: id, evidence: red })).to.include({ status: 'blocked' });
      const evidence = { kind: 'gate_command', exit_code: 0, command };
      expect(await agent.call('complete_goal', { goal_id: id, evidence })).to.include({ status: 'complete' });
    }
    await service.restart();
    expect(existsSync(trap)).to.equal(false);
  });

  describe('may name the ends of links', () => {
    const list = async (): Promise<Record<string, { id: string; waiting_on: readonly string[] }>> => {
      const { tasks } = await rest.call('list_tasks', { project_id });
      return Object.fromEntries((tasks as { label: string }[]).map((one) => [one.label, one])) as never;
    };
    /** The labels of the tasks that each task waits for, by its label. */
    const waiting = async (): Promise<Record<string, string[]>> => {
      const tasks = await list();
      const labelOf = new Map(Object.entries(tasks).map(([label, { id }]) => [id, label]));
      const found = Object.entries(tasks).map(([label, one]) => [label, one.waiting_on.map((id) => labelOf.get(id)!)]);
      return Object.fromEntries(found.map(([label, first]) => [label, (first as string[]).sort()])) as never;
    };
    const edges = async (): Promise<{ id: string; from_id: string; to_id: string; label: string | null }[]> =>
      (await service.rest.get(`/projects/${project_id}/edges`)).body.edges;
    const linked =
      '---\nlinks: [{to: public-page, label: depends_on}]\nafter: [Choose fonts]\nbefore:\n  - print # last\n---\n';

    it('by the name of a file or a label, also one that comes later, and stay as written [A.format.links-by-name]', async () => {
      files.write('tasks/share.md', linked);
      await files.until(async () => expect((await problems()).map(({ kind }) => kind)).to.have.length(3));
      files.write('tasks/public-page.md', '---\nlabel: A page for everybody\n---\n');
      files.write('tasks/print.md', '');
      const fonts = await make('create_task', { label: 'Choose fonts' });
      const order = { share: ['A page for everybody', 'Choose fonts'], print: ['share'] };
      await files.until(async () =>
        expect(await waiting())
          .to.include.deep.keys(order)
          .and.to.deep.include(order),
      );
      expect(await problems()).to.deep.equal([]);
      expect(await edges()).to.have.length(3);
      const { share } = await list();
      await rest.call('update_task', { task_id: share!.id, priority: 'high' });
      await service.store.flush();
      for (const line of linked.split('\n')) expect(files.read('tasks/share.md')).to.include(line);
      await rest.call('update_task', { task_id: fonts, status: 'done' });
      expect((await waiting())['share']).to.deep.equal(['A page for everybody']);
      await service.restart();
      expect((await waiting())['share']).to.deep.equal(['A page for everybody']);
      expect(service.store.check()).to.deep.equal([]);
    });

    it('and mean the record after the service renames it; a name that none or several records have is listed [A.format.links-by-name, A.problems]', async () => {
      const page = await make('create_task', { label: 'Public page' });
      await service.store.flush();
      files.write('tasks/share.md', '---\nkind: build\nafter:\n  - public-page\n  - Public page\n---\n');
      await files.until(async () => expect((await waiting())['share']).to.deep.equal(['Public page']));
      await rest.call('update_task', { task_id: page, label: 'Page for all' });
      await service.store.flush();
      expect((await waiting())['share']).to.deep.equal(['Page for all']);
      expect(files.read('tasks/share.md')).to.include('- public-page\n  - Public page');
      await service.restart();
      expect((await waiting())['share']).to.deep.equal(['Page for all']);
      const [edge] = await edges();
      expect(await edges()).to.have.length(1);
      // Names that a person changed are corrected by the person.
      files.write('tasks/print.md', '---\nbefore: [shar]\nlinks:\n  - {to: paper, type: document}\n---\n');
      await files.until(async () => expect(await problems()).to.have.length(2));
      expect(
        (await problems()).map(({ kind, line, reason, remedy }) => ({ kind, line, text: `${reason} ${remedy}` })),
      ).to.deep.equal([
        {
          kind: 'dangling_reference',
          line: 2,
          text: 'A link names "shar"; no task, document, artifact or prototype has a file, a label or title, or an id like that. Write one of these. Did you mean "share"? Until then the link is ignored.',
        },
        {
          kind: 'dangling_reference',
          line: 4,
          text: 'A link names "paper"; no document has a file, a label or title, or an id like that. Write one of these. Until then the link is ignored.',
        },
      ]);
      files.write('documents/A/paper.md', '');
      files.rename('tasks/share.md', 'tasks/shar.md');
      await files.until(async () => expect((await waiting())['shar']).to.deep.equal(['Page for all', 'print']));
      files.write('documents/B/paper.md', '');
      await files.until(async () => expect(await problems()).to.have.length(1));
      expect((await problems())[0]).to.include({
        kind: 'ambiguous_reference',
        line: 4,
        reason: `A link names "paper", which can mean 2 records: ${files.shown('documents/A/paper.md')}, ${files.shown('documents/B/paper.md')}.`,
      });
      expect((await service.rest.get('/doctor')).body.problems).to.deep.equal(await problems());
      // An edge is deleted where it is written, and a task with the links to it.
      expect((await service.rest.delete(`/projects/${project_id}/edges/${edge!.id}`)).status).to.equal(204);
      await service.store.flush();
      expect(files.read('tasks/shar.md')).not.to.match(/public/i);
      const { shar } = await list();
      expect((await service.rest.delete(`/tasks/${shar!.id}`)).status).to.equal(204);
      await service.store.flush();
      expect(files.read('tasks/print.md')).not.to.include('before');
      expect(service.store.check().map(({ kind }) => kind)).to.deep.equal(['ambiguous_reference']);
    });

    it('also in exports, which have the ids [A.format.links-by-name, D9.export]', async () => {
      files.write('tasks/public-page.md', '---\nlabel: A page for everybody\n---\n');
      files.write('tasks/share.md', linked);
      await files.until(async () => expect(await edges()).to.have.length(1));
      const { body } = await service.rest.get(`/projects/${project_id}/export`);
      const { body: copy } = await service.rest.post('/projects/import', body);
      const { tasks } = await rest.call('list_tasks', { project_id: copy.id });
      const blocked = (tasks as { label: string; blocked: boolean }[]).filter((one) => one.blocked);
      expect(blocked.map(({ label }) => label)).to.deep.equal(['share']);
    });
  });
});

describe('A service that is killed', () => {
  const scratch = scratchDirectory();
  let running: ServerProcess | undefined;
  afterEach(() => running?.kill());

  rarely('keeps sessions, current goals, leases and idempotency keys [A.service.durable]', async () => {
    running = await startService(scratch.path);
    let rest = new RestClient(running.url);
    const project_id = (await rest.post('/projects', { name: 'Plan' })).body.id as string;
    const goals: string[] = [];
    for (const name of ['One', 'Two'])
      goals.push((await rest.post(`/projects/${project_id}/goals`, { name, objective: name })).body.id as string);
    const task_id = (await rest.post(`/projects/${project_id}/tasks`, { label: 'Dig', goal_id: goals[1] })).body
      .id as string;
    const second = (await rest.post(`/projects/${project_id}/tasks`, { label: 'Rake', goal_id: goals[1] })).body
      .id as string;
    const agent = await McpClient.connect(running.url, { name: 'codex' });
    await agent.get('set_current_goal', { goal_id: goals[1] });
    const claim = { task_id, agent_ref: 'codex', lease_seconds: 600 };
    const { task } = await agent.get('claim_task', claim);
    const keyed = { project_id, label: 'Once' };
    const first = await agent.call('create_task', keyed, 'key-1');
    const session = agent.session!;
    await running.kill();
    running = await startService(scratch.path);
    rest = new RestClient(running.url);
    // The session's own id without a new initialize, like a client that survived a restart of the service.
    const call = async (name: string, input: object, key?: string): Promise<Record<string, unknown>> => {
      const meta = key === undefined ? {} : { _meta: { 'planner/key': key } };
      const response = await fetch(`${running!.url}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'Mcp-Session-Id': session,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: input, ...meta },
        }),
      });
      const { result } = (await response.json()) as { result: { structuredContent: Record<string, unknown> } };
      return result.structuredContent;
    };
    const { next } = await call('get_next_task', { project_id });
    expect(next, 'the current goal of the session').to.deep.include({ reason: 'ok' });
    expect((next as { next_task: { id: string } }).next_task.id).to.equal(second);
    expect((await rest.get(`/tasks/${task_id}`)).body).to.include({
      assignee: 'codex',
      status: 'in_progress',
      lease_expires_at: task.lease_expires_at,
    });
    const other = await rest.post(`/tasks/${task_id}/claim`, { agent_ref: 'other' });
    expect([other.status, other.body.claimed]).to.deep.equal([409, false]);
    expect(await call('create_task', keyed, 'key-1')).to.deep.equal(first.value);
    const { body } = await rest.get(`/projects/${project_id}/tasks`);
    expect(body.tasks.filter(({ label }: { label: string }) => label === 'Once')).to.have.length(1);
    await call('update_task', { task_id: second, label: 'Rake deep' });
    const [revision] = (await rest.get(`/projects/${project_id}/revisions`)).body.revisions;
    expect(revision.author, "the session's client").to.equal('agent:codex');
    await agent.close().catch(() => undefined);
  });
});
