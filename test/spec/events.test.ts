import { expect } from 'chai';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '../../src/schema/types.ts';
import { eventsSince, Fold } from '../support/feed.ts';
import { git, initRepository } from '../support/git.ts';
import { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

/** A short form of an event: its type and its record. */
const short = ({ type, resource }: Event): string => `${type} ${resource.label}`;

describe('Events', () => {
  let service: TestService;
  let project: string;
  beforeEach(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  afterEach(() => service.stop());

  const at = (path: string): string => `/projects/${project}${path}`;

  async function make(path: string, body: object): Promise<string> {
    const answer = await service.rest.post(at(path), body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id as string;
  }

  async function present(): Promise<string> {
    const { headers } = await service.rest.get(at('/tasks'));
    return headers.get('x-planner-cursor')!;
  }

  async function since(cursor: string, query?: string): Promise<readonly Event[]> {
    return (await eventsSince(service.rest, project, cursor, query)).events;
  }

  const patch = async (path: string, body: object): Promise<void> => {
    const answer = await service.rest.patch(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  };

  function fileOf(kind: string, id: string): string {
    const directory = join(service.root, 'projects', readdirSync(join(service.root, 'projects'))[0]!, kind);
    return join(
      directory,
      readdirSync(directory).find((name) => name.includes(id))!,
    );
  }

  function edit(kind: string, id: string, from: string | RegExp, to: string): void {
    const path = fileOf(kind, id);
    const text = readFileSync(path, 'utf8');
    expect(text).to.match(new RegExp(from));
    writeFileSync(`${path}~`, text.replace(from, to));
    renameSync(`${path}~`, path);
  }

  it('reports each change with its author, source, values and revision [A.feed.order, A.feed.types]', async () => {
    const cursor = await present();
    const id = await make('/tasks', { label: 'Dig', description: 'A bed.' });
    await patch(`/tasks/${id}`, { priority: 'high', description: 'Two beds.' });
    const [created, updated, ...rest] = await since(cursor);
    expect(rest).to.deep.equal([]);
    expect(created).to.include({ type: 'task.created', author: 'human:Ada', source: 'rest', project_id: project });
    expect(created!.resource).to.deep.equal({ type: 'task', id, label: 'Dig' });
    expect(created!.changes).to.deep.include({ field: 'label', to: 'Dig' });
    // Texts of many lines are named only.
    expect(created!.changes).to.deep.include({ field: 'description' });
    expect(updated!.type).to.equal('task.updated');
    expect(updated!.changes).to.have.deep.members([
      { field: 'priority', from: null, to: 'high' },
      { field: 'description' },
    ]);
    const revision = await service.rest.get(`/revisions/${updated!.revision_id}`);
    expect(revision.body).to.include({ target_id: id });
    await service.rest.delete(`/tasks/${id}`);
    expect((await since(updated!.cursor)).map(short)).to.deep.equal(['task.deleted Dig']);
  });

  it('reports the effects of a change after it: claims, tasks that are done or free to begin, goals, runs [A.feed.types]', async () => {
    const [first, second] = [await make('/tasks', { label: 'First' }), await make('/tasks', { label: 'Second' })];
    const cursor = await present();
    const edge = await make('/edges', { from_type: 'task', from_id: first, to_type: 'task', to_id: second });
    await service.rest.post(`/tasks/${first}/claim`, { agent_ref: 'ant' });
    await patch(`/tasks/${first}`, { status: 'todo', assignee: null });
    await patch(`/tasks/${first}`, { status: 'done' });
    const goal = await make('/goals', { name: 'Harvest', objective: 'Plums' });
    await service.store.flush();
    edit('goals', goal, 'status: active', 'status: blocked');
    await service.store.rescan();
    const run = await make('/agent-runs', { label: 'Night' });
    await service.rest.post(`/agent-runs/${run}/progress`, { message: 'Half.' });
    const events = await since(cursor);
    expect(events.map(short)).to.deep.equal([
      'edge.created null',
      ...['task.updated First', 'task.claimed First'],
      ...['task.updated First', 'task.released First'],
      ...['task.updated First', 'task.done First', 'task.unblocked Second'],
      'goal.created Harvest',
      ...['goal.updated Harvest', 'goal.blocked Harvest'],
      'run.created Night',
      ...['run.updated Night', 'run.progress Night'],
    ]);
    expect(events[0]!.resource.id).to.equal(edge);
    expect(events[0]!.changes).to.deep.include.members([
      { field: 'from_id', to: first },
      { field: 'to_id', to: second },
    ]);
  });

  it('reports it once, though a change of service records follows [A.feed.types]', async () => {
    const goal = await make('/goals', { name: 'Harvest', objective: 'Plums' });
    const [first, second] = [await make('/tasks', { label: 'First' }), await make('/tasks', { label: 'Second' })];
    await make('/edges', { from_type: 'task', from_id: first, to_type: 'task', to_id: second });
    const cursor = await present();
    await patch(`/tasks/${first}`, { status: 'done' });
    await service.rest.put(`/projects/${project}/current-goal`, { goal_id: goal });
    expect((await since(cursor)).map(short)).to.deep.equal([
      ...['task.updated First', 'task.done First', 'task.unblocked Second'],
    ]);
  });

  it('continues after any cursor with later events, in pages of whole change sets [A.feed.order, A.feed.durable]', async () => {
    const cursor = await present();
    for (const label of ['a', 'b', 'c']) await make('/tasks', { label });
    const tasks = Array.from({ length: 9 }, (_, n) => ({ id: `t${n}`, label: `bulk ${n}` }));
    await service.rest.post('/projects/import', { format: 'planner-export-v1', project_id: project, tasks });
    const all = await since(cursor, 'limit=1000');
    for (const limit of [1, 2, 4, 5]) expect(await since(cursor, `limit=${limit}`)).to.deep.equal(all);
    for (const [index, event] of all.entries())
      expect(await since(event.cursor), event.cursor).to.deep.equal(all.slice(index + 1));
    await service.restart();
    for (const [index, event] of all.entries())
      expect(await since(event.cursor), event.cursor).to.deep.equal(all.slice(index + 1));
  });

  it('returns the last events before any cursor, one page before the other [A.feed.before]', async () => {
    const cursor = await present();
    for (const label of ['a', 'b']) await make('/tasks', { label });
    const tasks = Array.from({ length: 9 }, (_, n) => ({ id: `t${n}`, label: `bulk ${n}` }));
    await service.rest.post('/projects/import', { format: 'planner-export-v1', project_id: project, tasks });
    const other = await service.project('Other');
    await service.rest.post(`/projects/${other}/tasks`, { label: 'there' });
    await patch(`/tasks/${await make('/tasks', { label: 'last' })}`, { status: 'done' });
    for (const path of [at('/events'), '/feed']) {
      const read = async (query: string): Promise<{ events: Event[]; cursor: string; more: boolean }> =>
        (await service.rest.get(`${path}?${query}`)).body;
      const { events: all } = await read('types=task,goal&limit=1000');
      for (const limit of [1, 4, 1000]) {
        const pages: Event[][] = [];
        for (let [before, more] = ['now', true]; more;) {
          const page = await read(`types=task,goal&limit=${limit}&before=${before}`);
          [before, more] = [page.cursor, page.more];
          pages.unshift(page.events);
        }
        expect(pages.flat().map(short), `${path} ${limit}`).to.deep.equal(all.map(short));
      }
      const [newest] = (await read('before=now&limit=1')).events;
      expect((await read(`since=${newest!.cursor}`)).events).to.deep.equal([]);
      expect((await read(`before=${newest!.cursor}&limit=2`)).events.map(short)).to.deep.equal([
        'task.updated last',
        'task.done last',
      ]);
      for (const beside of ['since=now', 'wait=1']) {
        const refused = await service.rest.get(`${path}?before=now&${beside}`);
        expect([refused.status, refused.body.field]).to.deep.equal([400, 'before']);
      }
      expect((await service.rest.get(`${path}?before=zz-1`)).status).to.equal(410);
    }
    await service.restart();
    const { body } = await service.rest.get(at('/events?before=now&limit=2&types=task'));
    expect(body.events.map(short)).to.deep.equal(['task.updated last', 'task.done last']);
    const earlier = await service.rest.get(at(`/events?before=${cursor}`));
    expect(earlier.body.events.map(short)).to.include('goal.created General');
  });

  it('continues after the process was lost without writing anything back [A.feed.durable]', async () => {
    const cursor = await present();
    await make('/tasks', { label: 'kept' });
    service.store.abandon();
    await service.restart();
    await make('/tasks', { label: 'later' });
    expect((await since(cursor)).map(short)).to.deep.equal(['task.created kept', 'task.created later']);
  });

  it('answers a foreign cursor with 410 and the one to begin at [A.feed.expired]', async () => {
    const other = await service.project('Other');
    const { headers } = await service.rest.get(`/projects/${other}/tasks`);
    for (const cursor of ['zzzz-1', 'nonsense', '0-99', headers.get('x-planner-cursor')!]) {
      const { status, body } = await service.rest.get(at(`/events?since=${cursor}`));
      expect([status, body.error, body.cursor], cursor).to.deep.equal([410, 'cursor_expired', await present()]);
    }
  });

  it('answers 410 to earlier cursors once local/ was lost, and not to later ones [A.feed.expired]', async () => {
    const cursor = await present();
    await make('/tasks', { label: 'lost' });
    await service.restart({}, () => rmSync(join(service.root, 'local'), { recursive: true }));
    const { status, body } = await service.rest.get(at(`/events?since=${cursor}`));
    expect([status, body.error]).to.deep.equal([410, 'cursor_expired']);
    await make('/tasks', { label: 'found' });
    expect((await since(body.cursor as string)).map(short)).to.deep.equal(['task.created found']);
  });

  it('reports edits of files like any change, those of an unserved time included [A.feed.external, A.feed.durable]', async () => {
    const id = await make('/tasks', { label: 'Dig' });
    await service.store.flush();
    const cursor = await present();
    edit('tasks', id, 'status: todo', 'status: done');
    await service.store.rescan();
    const [edited, done, ready] = await since(cursor);
    expect(edited).to.include({ type: 'task.updated', author: 'file', source: 'disk' });
    expect(edited!.changes).to.deep.equal([{ field: 'status', from: 'todo', to: 'done' }]);
    expect([done!.type, ready!.type]).to.deep.equal(['task.done', 'goal.ready']);
    await service.restart({}, () => edit('tasks', id, 'status: done', 'status: backlog'));
    const offline = await since(ready!.cursor);
    expect(offline.map(({ type, source, changes }) => [type, source, changes])).to.deep.equal([
      ['task.updated', 'disk', [{ field: 'status', from: 'done', to: 'backlog' }]],
    ]);
    // Also if the process is lost before it has a cache of the files as they are now.
    service.store.abandon();
    await service.restart();
    expect(await since(ready!.cursor)).to.deep.equal(offline);
  });

  it('reports a file that was made before a killed service had a cache of the files [A.feed.external]', async () => {
    const id = await make('/tasks', { label: 'Dig' });
    await service.store.flush();
    const cursor = await present();
    service.store.abandon();
    await service.restart({}, () => {
      rmSync(join(service.root, 'local/index-cache'), { force: true });
      const path = fileOf('tasks', id);
      writeFileSync(join(path, '..', 'by-hand.md'), '---\nstatus: todo\nlabel: By hand\n---\n');
    });
    const { body } = await service.rest.get(at(`/events?since=${cursor}`));
    if (body.error === undefined) expect((body.events as Event[]).map(short)).to.deep.equal(['task.created By hand']);
    else expect(body.error).to.equal('cursor_expired');
  });

  it('names git as the source of changes by a checkout [A.feed.external]', async () => {
    await service.restart({}, () => initRepository(service.directory));
    const id = await make('/tasks', { label: 'Dig' });
    await service.store.flush();
    git(service.directory, 'add', '-A');
    git(service.directory, 'commit', '-q', '-m', 'one');
    await patch(`/tasks/${id}`, { priority: 'high' });
    await service.store.flush();
    git(service.directory, 'commit', '-q', '-a', '-m', 'two');
    const cursor = await present();
    git(service.directory, 'checkout', '-q', 'HEAD~1');
    await service.store.rescan();
    const [event] = await since(cursor);
    expect(event).to.include({ type: 'task.updated', source: 'git', author: 'file' });
  });

  it('filters by types and by resource, and moves the cursor on [A.feed.filter]', async () => {
    const cursor = await present();
    const id = await make('/tasks', { label: 'Dig' });
    await make('/notes', { title: 'Frost' });
    await patch(`/tasks/${id}`, { status: 'done' });
    expect((await since(cursor, 'types=note,task.done')).map(short)).to.deep.equal([
      'note.created Frost',
      'task.done Dig',
    ]);
    const only = await since(cursor, `resource=${id}&types=task.created,task.updated`);
    expect(only.map(short)).to.deep.equal(['task.created Dig', 'task.updated Dig']);
    const none = await eventsSince(service.rest, project, cursor, 'types=document');
    expect(none).to.deep.equal({ events: [], cursor: await present() });
    expect((await service.rest.get(at('/events?types=Task'))).status).to.equal(400);
    const misspelled = await service.rest.get(at('/events?types=task.finished'));
    expect([misspelled.status, misspelled.body.field]).to.deep.equal([400, 'types']);
    expect(misspelled.body.message).to.include('task (claimed');
  });

  it('answers a call that waits with the next event, or empty [A.feed.wait]', async () => {
    const cursor = await present();
    const waiting = service.rest.get(at(`/events?since=${cursor}&wait=30&types=note`));
    await make('/tasks', { label: 'not waited for' });
    await make('/notes', { title: 'Frost' });
    expect(((await waiting).body.events as Event[]).map(short)).to.deep.equal(['note.created Frost']);
    const empty = await service.rest.get(at(`/events?since=${await present()}&wait=1`));
    expect(empty.body).to.deep.equal({ events: [], cursor: await present(), more: false });
  });

  it('gives one cursor over all projects [A.feed.all]', async () => {
    const other = await service.project('Other');
    const { body } = await service.rest.get('/feed?since=now');
    const waiting = service.rest.get(`/feed?since=${body.cursor}&wait=30`);
    const id = await make('/tasks', { label: 'here' });
    expect(((await waiting).body.events as Event[]).map(short)).to.deep.equal(['task.created here']);
    await service.rest.post(`/projects/${other}/tasks`, { label: 'there' });
    const third = await service.project('Third');
    await patch(`/tasks/${id}`, { priority: 'low' });
    const all = await service.rest.get(`/feed?since=${body.cursor}&types=task,project`);
    const events = all.body.events as Event[];
    expect(events.map((event) => [event.project_id, short(event)])).to.deep.equal([
      [project, 'task.created here'],
      [other, 'task.created there'],
      [third, 'project.created Third'],
      [project, 'task.updated here'],
    ]);
    await service.restart();
    for (const [index, event] of events.entries()) {
      const rest = await service.rest.get(`/feed?types=task,project&since=${event.cursor}`);
      expect((rest.body.events as Event[]).map(short)).to.deep.equal(events.slice(index + 1).map(short));
    }
    expect((await service.rest.get('/feed?since=nonsense')).status).to.equal(410);
  });

  it('shows a key the events of its project and no others [A.feed.access]', async () => {
    const other = await service.project('Other');
    const key = await service.rest.post('/keys', { kind: 'agent', name: 'ant', project_id: project });
    const agent = new RestClient(service.url, { Authorization: `Bearer ${key.body.token ?? key.body.secret}` });
    const cursor = await present();
    await service.rest.post(`/projects/${other}/tasks`, { label: 'there' });
    await make('/tasks', { label: 'here' });
    expect((await eventsSince(agent, project, cursor)).events.map(short)).to.deep.equal(['task.created here']);
    const all = await agent.get('/feed?types=task');
    expect((all.body.events as Event[]).map(short)).to.deep.equal(['task.created here']);
    expect((await agent.get(`/projects/${other}/events`)).status).to.equal(404);
  });

  it('misses nothing after a list that is read next to writers, over REST and MCP [A.feed.lists]', async () => {
    const fields = ['label', 'priority'];
    const mcp = await service.mcp();
    const folds: { fold: Fold; cursor: string }[] = [];
    const state = { isWriting: true };
    const write = async (writer: number): Promise<void> => {
      for (let step = 0; step < 12; step++) {
        const id = await make('/tasks', { label: `${writer} makes ${step}` });
        await patch(`/tasks/${id}`, { priority: 'high' });
        if (step % 3 === 0) await service.rest.delete(`/tasks/${id}`);
      }
    };
    const read = async (): Promise<void> => {
      while (state.isWriting) {
        const { body } = await service.rest.get(at('/tasks'));
        const rows = body.tasks as { id: string }[];
        folds.push({ fold: new Fold('task', fields, rows), cursor: body.events_cursor as string });
        const listed = await mcp.get('list_tasks', { project_id: project });
        expect(listed['events_cursor']).to.be.a('string');
      }
    };
    const reading = read();
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    state.isWriting = false;
    await reading;
    const { body } = await service.rest.get(at('/tasks'));
    expect(folds).to.not.have.length(0);
    for (const { fold, cursor } of folds) {
      fold.apply(await since(cursor, 'limit=1000'));
      fold.expectRows(body.tasks as { id: string }[]);
    }
  });

  it('gives the present state when events are folded over a list that was read at any time [A.feed.fold, A.feed.lists]', async () => {
    const random = Random.announced('fold');
    const fields = ['label', 'status', 'priority', 'assignee'];
    const list = async (): Promise<{ rows: { id: string }[]; cursor: string }> => {
      const { body, headers } = await service.rest.get(at('/tasks'));
      expect(body.events_cursor).to.equal(headers.get('x-planner-cursor'));
      return { rows: body.tasks as { id: string }[], cursor: headers.get('x-planner-cursor')! };
    };
    const folds: { fold: Fold; cursor: string }[] = [];
    for (let step = 0; step < 60; step++) {
      const { rows, cursor } = await list();
      if (step % 6 === 0) folds.push({ fold: new Fold('task', fields, rows), cursor });
      const id = rows.length === 0 ? undefined : random.pick(rows).id;
      const kind = id === undefined ? 0 : random.integer(0, 7);
      if (kind <= 1) await make('/tasks', { label: `Task ${step}` });
      else if (kind === 2) await service.rest.delete(`/tasks/${id}`);
      else if (kind === 3) await patch(`/tasks/${id}`, { priority: random.pick(['low', 'high', null]) });
      else if (kind === 4) await patch(`/tasks/${id}`, { status: random.pick(['todo', 'done', 'in_progress']) });
      else if (kind === 5) await service.rest.post(`/tasks/${id}/claim`, { agent_ref: 'ant' });
      else if (kind === 6) {
        await service.store.flush();
        const relabel = (): void => edit('tasks', id!, /^label: .*$/m, `label: By hand ${step}`);
        if (random.integer(0, 2) === 0) await service.restart({}, relabel);
        else {
          relabel();
          await service.store.rescan();
        }
      } else {
        if (random.integer(0, 1) === 0) service.store.abandon();
        await service.restart();
      }
      if (step % 9 === 0) for (const one of folds) await follow(one);
    }
    const { rows } = await list();
    for (const one of folds) {
      await follow(one);
      one.fold.expectRows(rows, `seed ${random.seed}`);
    }
    async function follow(one: { fold: Fold; cursor: string }): Promise<void> {
      const { events, cursor } = await eventsSince(service.rest, project, one.cursor);
      one.fold.apply(events);
      one.cursor = cursor;
    }
  });
});
