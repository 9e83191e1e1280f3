import { expect } from 'chai';
import { type Transport, overBoth, restTransport } from '../support/both.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

interface Undone {
  readonly cursor: string;
  readonly author: string;
  readonly redo: string;
  readonly changes: readonly { readonly change: string; readonly type: string; readonly fields: readonly string[] }[];
  readonly left_out: readonly object[];
}

/** The cursor of the last change set of a project. */
async function lastCursor({ rest }: TestService, project: string): Promise<string> {
  const { events } = (await rest.get(`/projects/${project}/events?before=now&limit=1`)).body as {
    events: { cursor: string }[];
  };
  return events[0]!.cursor;
}

function undo({ rest }: TestService, project: string, cursor?: string): Promise<RestResponse> {
  return rest.post(`/projects/${project}/undo`, cursor === undefined ? {} : { cursor });
}

async function undone(service: TestService, project: string, cursor?: string): Promise<Undone> {
  const { status, body } = await undo(service, project, cursor);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body as Undone;
}

async function refused(service: TestService, project: string, cursor?: string): Promise<Record<string, unknown>> {
  const { status, body } = await undo(service, project, cursor);
  expect(status, JSON.stringify(body)).to.be.oneOf([409, 410]);
  return body as Record<string, unknown>;
}

/** A project without its history and the times of its last changes. */
async function contents({ rest }: TestService, project: string): Promise<unknown> {
  const { body } = await rest.get(`/projects/${project}/export`);
  const { exported_at: _, revisions: __, ...plan } = body as Record<string, unknown>;
  const text = JSON.stringify(plan, (key, value: unknown) => {
    if (key === 'updated_at' || key === 'aliases') return undefined;
    return Array.isArray(value) ? value.toSorted(byText) : value;
  });
  return JSON.parse(text);
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const long = 'Two metres, and no further. '.repeat(40);

/** The ids of a plan with a record of each kind. */
interface Plan {
  readonly project_id: string;
  readonly a: string;
  readonly b: string;
  readonly document: string;
  readonly folder: string;
  readonly note: string;
  readonly artifact: string;
  readonly prototype: string;
  readonly comment: string;
  readonly view: string;
  readonly tag: string;
  readonly edge: string;
  readonly goal: string;
  readonly run: string;
  readonly submission: string;
  /** A former state of another note. */
  readonly revision: string;
  /** An entry of the trash. */
  readonly trash: string;
}

async function plan({ service }: Pick<Transport, 'service'>): Promise<Plan> {
  const rest = restTransport(service);
  const project_id = await service.project();
  const made = async (operation: string, input: object): Promise<string> =>
    (await rest.call(operation, { project_id, ...input })).id as string;
  const a = await made('create_task', { label: 'Dig', description: long, tags: ['soil'], position: { x: 1, y: 2 } });
  const b = await made('create_task', { label: 'Sow' });
  const folder = await made('create_folder', { name: 'Guides' });
  const document = await made('create_document', { title: 'How', body: long, folder_id: folder });
  const prototype = await made('create_prototype', { name: 'Shed' });
  const { tags } = await rest.call('list_tags', { project_id });
  const edited = await made('create_note', { title: 'Plans', body: long });
  await rest.call('update_note', { project_id, note_id: edited, body: 'One' });
  const { revisions } = await rest.call('list_revisions', { project_id, target_id: edited });
  await rest.call('delete_task', { project_id, task_id: await made('create_task', { label: 'Weed' }) });
  const { trash } = await rest.call('list_trash', { project_id });
  return {
    ...{ project_id, a, b, document, folder, prototype },
    tag: tags[0].id as string,
    edge: await made('create_edge', { from_type: 'task', from_id: a, to_type: 'task', to_id: b, label: 'before' }),
    ...{ revision: revisions[0].id as string, trash: trash[0].id as string },
    note: await made('create_note', { title: 'Ideas', body: long }),
    run: await made('start_agent_run', { label: 'The pond' }),
    submission: await made('create_submission', { participant_name: 'Grace', title: 'More light' }),
    artifact: await made('create_artifact', {
      ...{ title: 'Door', kind: 'html', content: `<p>${long}</p>`, prototype_id: prototype },
    }),
    comment: await made('add_task_comment', { task_id: a, body: long }),
    view: await made('create_view', { name: 'Mine', config: { columns: long.split(' ') } }),
    goal: await made('create_goal', {
      name: 'Bed',
      objective: 'A bed',
      verification_surface: { kind: 'human_sign_off' },
    }),
  };
}

/** Changes that both transports offer, with their operations. */
const shared: readonly (readonly [string, (of: Plan) => object])[] = [
  [
    'update_task',
    ({ a }) => ({ task_id: a, status: 'done', description: 'Deep', tags: ['bed'], due_date: '2027-01-02' }),
  ],
  ['update_document', ({ document }) => ({ document_id: document, title: 'So', body: 'Slowly', folder_id: null })],
  ['update_note', ({ note }) => ({ note_id: note, body: 'Two' })],
  ['update_artifact', ({ artifact }) => ({ artifact_id: artifact, content: '<p>Two</p>' })],
  ['update_goal', ({ goal }) => ({ goal_id: goal, objective: long, name: 'Border' })],
  ['update_folder', ({ folder }) => ({ folder_id: folder, name: 'Manuals' })],
  ['move_documents', ({ document }) => ({ document_ids: [document], folder_id: null })],
  ['create_task', () => ({ label: 'Reap', tags: ['new'] })],
  ['create_document', ({ folder, a }) => ({ title: 'Why', body: long, folder_id: folder, link_to: a })],
  ['create_folder', ({ folder }) => ({ name: 'Old', parent_folder_id: folder })],
  ['create_note', () => ({ title: 'More' })],
  ['create_edge', ({ b, document }) => ({ from_type: 'document', from_id: document, to_type: 'task', to_id: b })],
  ['delete_edge', ({ edge }) => ({ edge_id: edge })],
  ['claim_task', ({ a }) => ({ task_id: a, agent_ref: 'builder', lease_seconds: 600 })],
];

/** Changes of people, over REST. */
const ofPeople: readonly (readonly [string, (of: Plan) => object])[] = [
  ['delete_task', ({ a }) => ({ task_id: a })],
  ['delete_document', ({ document }) => ({ document_id: document })],
  ['delete_note', ({ note }) => ({ note_id: note })],
  ['delete_artifact', ({ artifact }) => ({ artifact_id: artifact })],
  ['delete_prototype', ({ prototype }) => ({ prototype_id: prototype })],
  ['delete_folder', ({ folder }) => ({ folder_id: folder })],
  ['delete_tag', ({ tag }) => ({ tag_id: tag })],
  ['delete_comment', ({ comment }) => ({ comment_id: comment })],
  ['delete_view', ({ view }) => ({ view_id: view })],
  ['update_view', ({ view }) => ({ view_id: view, config: { columns: [] }, name: 'Ours' })],
  ['update_tag', ({ tag }) => ({ tag_id: tag, color: '#112233' })],
  ['update_prototype', ({ prototype }) => ({ prototype_id: prototype, viewport: { width: 100, height: 200 } })],
  ['update_project', () => ({ name: 'Garden', description: long })],
  ['create_view', () => ({ name: 'Other' })],
  ['create_tag', () => ({ name: 'late' })],
  ['create_prototype', () => ({ name: 'Hut' })],
  ['copy_screen', ({ artifact, prototype }) => ({ artifact_id: artifact, prototype_id: prototype, title: 'Gate' })],
  ['add_document_comment', ({ document }) => ({ document_id: document, body: 'Good' })],
  ['pause_goal', ({ goal }) => ({ goal_id: goal })],
  ['complete_goal', ({ goal }) => ({ goal_id: goal, evidence: { kind: 'human_sign_off', approved_by: 'Grace' } })],
  ['complete_goal', ({ goal }) => ({ goal_id: goal, evidence: { kind: 'human_sign_off', approved_by: '' } })],
  ['complete_agent_run', ({ run }) => ({ run_id: run, status: 'failed' })],
  ['triage_submission', ({ submission }) => ({ submission_id: submission, action: 'accept' })],
  ['triage_submission', ({ submission }) => ({ submission_id: submission, action: 'reject' })],
  ['restore_revision', ({ revision }) => ({ revision_id: revision })],
  ['restore_from_trash', ({ trash }) => ({ trash_id: trash })],
  ['update_comment', ({ comment }) => ({ comment_id: comment, body: 'Short', resolved: true })],
  [
    'put_canvas',
    ({ a, b, document, edge }) => ({
      nodes: [
        { id: a, x: 50, y: 60 },
        { id: b, x: 70, y: 80 },
        { id: document, x: 9, y: 9 },
        { id: 'node-1', label: 'New', x: 1, y: 1 },
      ],
      edges: [
        { id: edge, label: 'blocks', style: 'dashed' },
        { from_id: b, to_id: document, label: 'reads' },
      ],
    }),
  ],
];

describe('Taking a change back', () => {
  overBoth('restores what it changed, and taking that back does it again [D13.undo]', async (transport) => {
    const { service } = transport;
    const changes = transport.name === 'REST' ? [...shared, ...ofPeople] : shared;
    for (const [operation, inputOf] of changes) {
      const of = await plan(transport);
      const { project_id: project } = of;
      const before = await contents(service, project);
      await transport.call(operation, { project_id: project, ...inputOf(of) });
      const after = await contents(service, project);
      expect(after, operation).not.to.deep.equal(before);
      const cursor = await lastCursor(service, project);
      const first = await undone(service, project, cursor);
      expect(await contents(service, project), `${operation} taken back`).to.deep.equal(before);
      expect(first).to.deep.include({ cursor, left_out: [] });
      expect(first.redo).to.equal(await lastCursor(service, project));
      const second = await undone(service, project, first.redo);
      expect(await contents(service, project), `${operation} again`).to.deep.equal(after);
      await undone(service, project, second.redo);
      expect(await contents(service, project), `${operation} taken back again`).to.deep.equal(before);
    }
  });
});

describe('A change that was changed since', () => {
  let service: TestService;
  let of: Plan;

  beforeEach(async () => {
    service = await TestService.start();
    of = await plan({ service });
  });
  afterEach(() => service.stop());

  /** Makes a change; returns the cursor that its response has. */
  const changed = async (method: string, path: string, body?: object): Promise<string> => {
    const { status, body: answer, headers } = await service.rest.send(method, path, body);
    expect(status, JSON.stringify(answer)).to.be.lessThan(300);
    const cursor = headers.get('X-Planner-Cursor')!;
    expect(cursor).to.equal(await lastCursor(service, of.project_id));
    return cursor;
  };
  const byAgent = async (operation: string, input: object): Promise<void> => {
    const { isError, value } = await (await service.mcp()).call(operation, { project_id: of.project_id, ...input });
    expect(isError, JSON.stringify(value)).to.equal(false);
  };
  const task = async (id: string): Promise<Record<string, unknown>> =>
    (await service.rest.get(`/tasks/${id}`)).body as Record<string, unknown>;

  it('is not overwritten: the answer says who changed which field of what [D13.undo-conflict]', async () => {
    const { a, project_id } = of;
    const cursor = await changed('PATCH', `/tasks/${a}`, { status: 'in_progress', priority: 'high' });
    await byAgent('update_task', { task_id: a, status: 'done' });
    const { at } = (await service.rest.get(`/projects/${project_id}/events?before=now&limit=1`)).body.events[0];
    const answer = await refused(service, project_id, cursor);
    expect(answer).to.deep.include({ error: 'conflict', reason: 'changed_since', changed_total: 1 });
    expect(answer['changed']).to.deep.equal([
      { what: 'changed', type: 'task', id: a, label: 'Dig', fields: ['status'], author: 'agent:tester', at },
    ]);
    expect(answer['message']).to.equal('agent:tester changed status of task "Dig" since: nothing was taken back.');
    expect(await task(a)).to.include({ status: 'done', priority: 'high' });
  });

  it('is taken back if another field, tag or edge was changed, which stays so [D13.undo]', async () => {
    const { a, b, document, project_id } = of;
    const cursor = await changed('PATCH', `/tasks/${a}`, {
      status: 'in_progress',
      description: 'x',
      tags: ['soil', 'x'],
    });
    await byAgent('update_task', { task_id: a, priority: 'high', add_tags: ['y'], remove_tags: ['soil'] });
    await byAgent('create_edge', { from_type: 'task', from_id: a, to_type: 'document', to_id: document });
    await undone(service, project_id, cursor);
    const { tags, ...now } = await task(a);
    expect(now).to.include({ status: 'todo', description: long, priority: 'high' });
    expect((tags as { name: string }[]).map(({ name }) => name)).to.deep.equal(['y']);
    const linked = await changed('POST', `/projects/${project_id}/edges`, {
      ...{ from_type: 'task', from_id: b, to_type: 'document', to_id: document },
    });
    await byAgent('create_edge', { from_type: 'task', from_id: b, to_type: 'task', to_id: a, label: 'relates' });
    await undone(service, project_id, linked);
    const { edges } = (await service.rest.get(`/projects/${project_id}/edges?from_id=${b}`)).body;
    expect(edges.map(({ label }: { label: string }) => label)).to.deep.equal(['relates']);
  });

  it('is taken back if it was changed and changed back [D13.undo]', async () => {
    const { note, project_id } = of;
    const cursor = await changed('PATCH', `/notes/${note}`, { body: 'Two' });
    await byAgent('update_note', { note_id: note, body: 'Three' });
    const { message } = await refused(service, project_id, cursor);
    expect(message).to.match(/^agent:tester changed body of note "Ideas" since/);
    await byAgent('update_note', { note_id: note, body: 'Two' });
    await undone(service, project_id, cursor);
    expect((await service.rest.get(`/notes/${note}`)).body).to.include({ body: long });
  });

  it('is not deleted with what another user added to it or changed in it [D13.undo-conflict]', async () => {
    const { project_id } = of;
    const made = `/projects/${project_id}/tasks`;
    const first = await changed('POST', made, { label: 'Reap' });
    const { tasks } = (await service.rest.get(made)).body;
    const id = tasks.at(-1).id as string;
    await service.rest.post(`/tasks/${id}/comments`, { body: 'Good' });
    expect(await refused(service, project_id, first)).to.deep.include({
      message: 'human:Ada added a comment to "Reap" since: nothing was taken back.',
    });
    const second = await changed('POST', made, { label: 'Eat' });
    const { id: other } = (await service.rest.get(made)).body.tasks.at(-1);
    await byAgent('update_task', { task_id: other, description: 'All of it' });
    expect((await refused(service, project_id, second))['message']).to.match(/^agent:tester changed task "Eat" since/);
    const third = await changed('POST', `/projects/${project_id}/folders`, { name: 'New' });
    const { folders } = (await service.rest.get(`/projects/${project_id}/folders`)).body;
    const { id: folder } = folders.find(({ name }: { name: string }) => name === 'New');
    await byAgent('move_documents', { document_ids: [of.document], folder_id: folder });
    expect((await refused(service, project_id, third))['changed']).to.have.length(1);
  });

  it('is not taken back once its record is deleted, or restored by other means [D13.undo-conflict]', async () => {
    const { a, project_id } = of;
    const edit = await changed('PATCH', `/tasks/${a}`, { status: 'done' });
    const removal = await changed('DELETE', `/tasks/${a}`);
    expect((await refused(service, project_id, edit))['message']).to.match(/^human:Ada deleted task "Dig" since/);
    const { trash } = (await service.rest.get(`/projects/${project_id}/trash`)).body;
    await changed('POST', `/projects/${project_id}/trash/${trash[0].id}/restore`);
    expect((await refused(service, project_id, removal))['message']).to.match(/^human:Ada restored task "Dig" since/);
    await undone(service, project_id, edit);
    expect(await task(a)).to.include({ status: 'todo' });
  });
});

describe('Changes that can be taken back', () => {
  let service: TestService;
  let of: Plan;

  beforeEach(async () => {
    service = await TestService.start();
    of = await plan({ service });
  });
  afterEach(() => service.stop());

  it("is the caller's own last change without a cursor, and once more does it again [D13.undo]", async () => {
    const { a, b, project_id } = of;
    await service.rest.patch(`/tasks/${a}`, { status: 'done' });
    const agent = await service.mcp();
    await agent.call('update_task', { project_id, task_id: b, status: 'done' });
    const status = async (): Promise<unknown> => (await service.rest.get(`/tasks/${a}`)).body.status;
    const { changes, author } = await undone(service, project_id);
    expect(author).to.equal('human:Ada');
    expect(changes).to.deep.equal([{ change: 'updated', type: 'task', id: a, label: 'Dig', fields: ['status'] }]);
    expect(await status()).to.equal('todo');
    await undone(service, project_id);
    expect(await status()).to.equal('done');
  });

  it('gives a task back to its agent for the rest of its time, and takes a claim away [D13.undo]', async () => {
    const { a, project_id } = of;
    const agent = await service.mcp();
    await agent.call('claim_task', { project_id, task_id: a, agent_ref: 'builder', lease_seconds: 3000 });
    const claimed = (await service.rest.get(`/tasks/${a}`)).body;
    await service.rest.patch(`/tasks/${a}`, { status: 'todo', assignee: null });
    await undone(service, project_id);
    const held = (await service.rest.get(`/tasks/${a}`)).body;
    expect(held).to.include({ status: 'in_progress', assignee: 'builder' });
    expect(Math.abs(Date.parse(held.lease_expires_at) - Date.parse(claimed.lease_expires_at))).to.be.below(600_000);
    await undone(service, project_id);
    expect((await service.rest.get(`/tasks/${a}`)).body).to.include({ status: 'todo', lease_expires_at: null });
  });

  it('takes tags away that the change made, except those that other tasks have since [D13.undo]', async () => {
    const { a, b, project_id } = of;
    const tags = async (): Promise<string[]> =>
      (await service.rest.get(`/projects/${project_id}/tags`)).body.tags.map(({ name }: { name: string }) => name);
    await service.rest.patch(`/tasks/${a}`, { tags: ['soil', 'x', 'y'] });
    const cursor = await lastCursor(service, project_id);
    await service.rest.patch(`/tasks/${b}`, { tags: ['y'] });
    const { left_out: left } = await undone(service, project_id, cursor);
    expect(left).to.have.length(1);
    expect(await tags()).to.deep.equal(['soil', 'y']);
  });

  it('is what the feed still keeps: other cursors are refused with the reason [D13.undo-kept]', async () => {
    const { project_id, a } = of;
    await service.rest.patch(`/tasks/${a}`, { status: 'done' });
    const cursor = await lastCursor(service, project_id);
    const other = await plan({ service });
    expect(await refused(service, other.project_id, cursor)).to.include({ error: 'cursor_expired' });
    expect(await refused(service, project_id, 'zzz')).to.include({ error: 'cursor_expired' });
    const { cursor: all } = (await service.rest.get('/feed?before=now&limit=1')).body.events?.[0] ?? {};
    expect(all, 'a cursor over all projects').to.be.a('string');
    expect((await undo(service, other.project_id, all)).status).to.equal(409);
  });

  it('is no new goal, no new project, and no field that was changed back [D13.undo-kept]', async () => {
    const { project_id, a } = of;
    expect(await refused(service, project_id)).to.include({ error: 'conflict', reason: 'not_deletable', type: 'goal' });
    await service.rest.patch(`/tasks/${a}`, { status: 'done' });
    const cursor = await lastCursor(service, project_id);
    await service.rest.patch(`/tasks/${a}`, { status: 'todo' });
    expect(await refused(service, project_id, cursor)).to.include({ error: 'conflict', reason: 'changed_since' });
  });

  it('is asked for by people: an agent key is refused, and there is no tool [D13.undo-people]', async () => {
    const { project_id, a } = of;
    await service.rest.patch(`/tasks/${a}`, { status: 'done' });
    const { secret: key } = (await service.rest.post('/keys', { kind: 'agent', name: 'builder', project_id })).body;
    const { status, body } = await service.rest.post(
      `/projects/${project_id}/undo`,
      {},
      { Authorization: `Bearer ${key}` },
    );
    expect([status, body.error]).to.deep.equal([403, 'forbidden']);
    const agent = await service.mcp();
    expect((await agent.sdk.listTools()).tools.map(({ name }) => name)).not.to.include('undo_change');
    expect((await service.rest.get(`/tasks/${a}`)).body).to.include({ status: 'done' });
  });

  it('is a change from before a restart, too [D13.undo-kept]', async () => {
    const { project_id, document, comment } = of;
    await service.rest.patch(`/documents/${document}`, { body: 'Two' });
    const first = await lastCursor(service, project_id);
    await service.rest.patch(`/comments/${comment}`, { body: 'Two' });
    const second = await lastCursor(service, project_id);
    await service.restart();
    await undone(service, project_id, second);
    await undone(service, project_id, first);
    expect((await service.rest.get(`/comments/${comment}`)).body).to.include({ source: long });
    expect((await service.rest.get(`/documents/${document}`)).body).to.include({ body: long });
  });
});
