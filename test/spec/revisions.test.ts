import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { type Transport, overBoth, restTransport } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { Random } from '../support/random.ts';
import { TestService } from '../support/service.ts';

interface Revision {
  readonly id: string;
  readonly author: string;
  readonly changed_fields: readonly string[];
  readonly created_at: string;
}

async function revisions(transport: Transport, project_id: string, filter: object = {}): Promise<Revision[]> {
  return (await transport.call('list_revisions', { project_id, ...filter })).revisions as Revision[];
}

async function snapshot(transport: Transport, { id }: Revision): Promise<Record<string, unknown>> {
  return (await transport.call('get_revision', { revision_id: id })).snapshot as Record<string, unknown>;
}

/** A document with two changes: its ids. */
async function changedDocument(transport: Transport): Promise<{ project_id: string; document_id: string }> {
  const project_id = await transport.service.project();
  const { id: document_id } = await transport.call('create_document', { project_id, title: 'One', body: 'first' });
  await transport.call('update_document', { document_id, body: 'second', status_line: 'draft' });
  await transport.call('update_document', { document_id, title: 'Two' });
  return { project_id, document_id };
}

describe('Revisions', () => {
  overBoth(
    'of a task or document show author, changed fields and time, newest first [S.revision.list, S.mcp.list_revisions]',
    async (transport) => {
      const { project_id, document_id } = await changedDocument(transport);
      const { id: task_id } = await transport.call('create_task', { project_id, label: 'Dig' });
      await transport.call('update_task', { task_id, status: 'done', goal_id: await goal(transport, project_id) });
      const author = transport.name === 'REST' ? 'human:Ada' : 'agent:tester';
      const [title, body, ...none] = await revisions(transport, project_id, { target_id: document_id });
      expect(none).to.deep.equal([]);
      expect(title).to.have.all.keys(
        ...['id', 'project_id', 'target_type', 'target_id', 'author', 'changed_fields', 'created_at'],
      );
      expect(title).to.deep.include({ target_type: 'document', target_id: document_id, author, project_id });
      expect(title!.changed_fields).to.deep.equal(['title']);
      expect(body!.changed_fields).to.have.members(['body', 'status']);
      expect(title!.created_at >= body!.created_at).to.equal(true);
      const [task, ...others] = await revisions(transport, project_id, { target_type: 'task' });
      expect(others).to.deep.equal([]);
      expect(task).to.deep.include({ target_id: task_id, author });
      expect(task!.changed_fields).to.have.members(['status', 'goal_id']);
      const all = await revisions(transport, project_id);
      expect(all.map(({ id }) => id)).to.deep.equal([task!.id, title!.id, body!.id]);
      expect(await revisions(transport, project_id, { target_id: 'tsk_none' })).to.deep.equal([]);
    },
  );

  overBoth('show the state before the change [S.revision.snapshot, S.mcp.get_revision]', async (transport) => {
    const { project_id, document_id } = await changedDocument(transport);
    const [title, body] = await revisions(transport, project_id);
    const first = { title: 'One', body: 'first', status: null, folder_id: null };
    expect(await snapshot(transport, body!)).to.deep.equal(first);
    expect(await snapshot(transport, title!)).to.deep.equal({ ...first, body: 'second', status: 'draft' });
    await transport.call('update_document', { document_id, body: 'third' });
    expect(await snapshot(transport, title!), 'whatever came after').to.deep.equal({
      ...first,
      body: 'second',
      status: 'draft',
    });
    expect(await transport.call('get_revision', { revision_id: title!.id })).to.deep.include(title!);
    expect(await transport.refusal('get_revision', { revision_id: 'rev_none' })).to.include({
      error: 'not_found',
      resource: 'revision',
      id: 'rev_none',
    });
  });

  overBoth(
    'are not created by a change of position or links, nor by a change without effect [D7.unversioned]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { id: task_id } = await transport.call('create_task', { project_id, label: 'Dig' });
      const { id: document_id, updated_at } = await transport.call('create_document', {
        project_id,
        title: 'One',
        body: 'x',
      });
      for (const change of [{ position: { x: 1, y: 2 } }, { link_to: task_id }, { title: 'One', body: 'x' }, {}])
        await transport.call('update_document', { document_id, ...change });
      expect(await transport.call('get_document', { document_id })).to.include({ updated_at });
      expect(await revisions(transport, project_id)).to.deep.equal([]);
      const { id: folder_id } = await transport.call('create_folder', { project_id, name: 'Notes' });
      await transport.call('move_documents', { project_id, document_ids: [document_id], folder_id });
      const [moved, ...others] = await revisions(transport, project_id);
      expect([moved!.changed_fields, others]).to.deep.equal([['folder_id'], []]);
      expect((await transport.call('get_document', { document_id })).updated_at).to.equal(moved!.created_at);
    },
  );

  overBoth('are listed page by page', async (transport) => {
    const project_id = await transport.service.project();
    const { id: task_id } = await transport.call('create_task', { project_id, label: '0' });
    for (let at = 1; at <= 5; at++) await transport.call('update_task', { task_id, label: String(at) });
    const all = await revisions(transport, project_id);
    const seen: Revision[] = [];
    let cursor: string | undefined;
    do {
      const page = { project_id, limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const answer = await transport.call('list_revisions', page);
      expect(answer.revisions.length).to.be.at.most(2);
      seen.push(...(answer.revisions as Revision[]));
      cursor = answer.next_cursor as string | undefined;
    } while (cursor !== undefined);
    expect([seen.length, seen]).to.deep.equal([5, all]);
  });

  overBoth('survive restarts, with small and large texts', async (transport) => {
    const project_id = await transport.service.project();
    const texts = ['a', 'b'.repeat(5000), `${'c'.repeat(4999)}d`, 'e'.repeat(200_000), ''];
    const { id: document_id } = await transport.call('create_document', { project_id, title: 'T', body: texts[0] });
    for (const body of texts.slice(1)) await transport.call('update_document', { document_id, body });
    await transport.service.restart();
    const again = restTransport(transport.service);
    const seen = [];
    for (const revision of await revisions(again, project_id)) seen.push((await snapshot(again, revision))['body']);
    expect(seen.reverse()).to.deep.equal(texts.slice(0, -1));
  });
});

async function goal(transport: Transport, project_id: string): Promise<string> {
  return (await transport.call('create_goal', { project_id, objective: 'Grow' })).id as string;
}

describe('Revisions of one millisecond', () => {
  it('are in the order of creation, wherever the next millisecond begins [D1.id-order, A.format.revision-order]', async () => {
    const random = Random.announced('milliseconds');
    let now = Date.parse('2030-01-01T00:00:00Z');
    const clock = { ...systemClock, now: () => (now += random.chance(0.3) ? 1 : 0) };
    const service = await TestService.start({ clock });
    try {
      const transport = restTransport(service);
      const project_id = await service.project();
      const { id: task_id } = await transport.call('create_task', { project_id, label: '0' });
      for (let at = 1; at <= 60; at++) await transport.call('update_task', { task_id, label: String(at) });
      const all = await revisions(transport, project_id);
      expect(new Set(all.map(({ created_at }) => created_at)).size).to.be.below(60);
      const labels = await Promise.all(all.map(async (revision) => (await snapshot(transport, revision))['label']));
      expect(labels).to.deep.equal(Array.from({ length: 60 }, (_, at) => String(59 - at)));
    } finally {
      await service.stop();
    }
  });
});

describe('Revisions and their authors', () => {
  let service: TestService;
  let project_id: string;
  let transport: Transport;
  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
    transport = restTransport(service);
  });
  afterEach(() => service.stop());

  it('name a person, an agent by its client, or the file that was edited [D7.author]', async () => {
    const { id: task_id } = await transport.call('create_task', { project_id, label: 'One' });
    await transport.call('update_task', { task_id, label: 'Two' });
    await (await service.mcp({ name: 'codex' })).get('update_task', { task_id, label: 'Three' });
    const files = await PlanFiles.of(service);
    await files.edit(task_id, 'label: Three', 'label: Four');
    await files.until(async () => expect(await transport.call('get_task', { task_id })).to.include({ label: 'Four' }));
    const all = await revisions(transport, project_id);
    expect(all.map(({ author }) => author)).to.deep.equal(['file', 'agent:codex', 'human:Ada']);
    expect(await snapshot(transport, all[0]!)).to.include({ label: 'Three' });
  });

  it('have their own routes [D7.revision-rest]', async () => {
    const { id: task_id } = await transport.call('create_task', { project_id, label: 'One' });
    await transport.call('update_task', { task_id, label: 'Two' });
    const path = `/projects/${project_id}/revisions`;
    const list = await service.rest.get(`${path}?target_type=task&target_id=${task_id}`);
    const [{ id }] = list.body.revisions;
    expect(
      (await service.rest.get(path, { 'If-None-Match': (await service.rest.get(path)).headers.get('etag')! })).status,
    ).to.equal(304);
    const one = await service.rest.get(`/revisions/${id}`);
    expect([one.status, one.body.snapshot.label]).to.deep.equal([200, 'One']);
    const restored = await service.rest.post(`/revisions/${id}/restore`);
    expect([restored.status, restored.body.id, restored.body.label]).to.deep.equal([200, task_id, 'One']);
    expect((await service.rest.post('/revisions/rev_none/restore')).status).to.equal(404);
    expect((await service.rest.get(`${path}?target_type=folder`)).body).to.include({ field: 'target_type' });
  });

  it('of one editing session are one, until another user changes the record [S.web.session]', async () => {
    const { id } = await transport.call('create_document', {
      project_id,
      title: 'Soil',
      body: '0',
      status_line: 'draft',
    });
    const { id: other } = await transport.call('create_document', { project_id, title: 'Water', body: '0' });
    const save = async (fields: object, session: string, document = id): Promise<void> => {
      const { status } = await service.rest.patch(`/documents/${document}`, fields, { 'Editing-Session': session });
      expect(status).to.equal(200);
    };
    await save({ body: '1' }, 'morning');
    await save({ body: 'w1' }, 'morning', other);
    await save({ title: 'Earth' }, 'morning');
    await save({ body: '2' }, 'morning');
    const [one, ...none] = await revisions(transport, project_id, { target_id: id });
    expect(none).to.deep.equal([]);
    expect(one!.changed_fields).to.have.members(['body', 'title']);
    expect(await snapshot(transport, one!)).to.include({ title: 'Soil', body: '0', status: 'draft' });
    expect(await revisions(transport, project_id)).to.have.length(2);
    await (await service.mcp({ name: 'codex' })).get('update_document', { document_id: id, body: 'agent' });
    await save({ body: '3' }, 'morning');
    await save({ body: '4' }, 'morning');
    await save({ body: '5' }, 'evening');
    const all = await revisions(transport, project_id, { target_id: id });
    const bodies = await Promise.all(all.map(async (each) => (await snapshot(transport, each))['body']));
    expect(bodies).to.deep.equal(['4', 'agent', '2', '0']);
    const mine = await service.rest.get(`/projects/${project_id}/revisions?target_id=${id}&author=human`);
    expect(mine.body.revisions.map((each: Revision) => each.id)).to.deep.equal([all[0]!.id, all[1]!.id, all[3]!.id]);
    const pages: string[] = [];
    for (let cursor = ''; ;) {
      const page = await service.rest.get(`/projects/${project_id}/revisions?target_id=${id}&limit=1${cursor}`);
      pages.push(...page.body.revisions.map((each: Revision) => each.id));
      if (page.body.next_cursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.body.next_cursor as string)}`;
    }
    expect(pages).to.deep.equal(all.map((each) => each.id));
    // Also after a restart, and in a copy of the project.
    await service.restart();
    const again = (await service.rest.get(`/projects/${project_id}/revisions?target_id=${id}`)).body.revisions;
    expect(again).to.deep.equal(all);
    const plan = (await service.rest.get(`/projects/${project_id}/export`)).body;
    const copy = (await service.rest.post('/projects/import', plan)).body;
    const copied = (await service.rest.get(`/projects/${copy.id ?? copy.project.id}/revisions`)).body.revisions;
    expect(copied).to.have.length(all.length + 1);
    const restored = await service.rest.post(`/revisions/${all[3]!.id}/restore`);
    expect(restored.body).to.include({ title: 'Soil', body: '0' });
    const refused = await service.rest.patch(`/documents/${id}`, { body: 'x' }, { 'Editing-Session': 'a b' });
    expect([refused.status, refused.body.field]).to.deep.equal([400, 'Editing-Session']);
  });

  it('are restored only by people: there is no tool [S.revision.no-restore]', async () => {
    const { tools } = await (await service.mcp()).sdk.listTools();
    expect(tools.map(({ name }) => name).filter((name) => /restore|revert|undo|rollback/.test(name))).to.deep.equal([]);
    for (const { name } of tools.filter(({ name: one }) => one.includes('revision')))
      expect(name).to.be.oneOf(['list_revisions', 'get_revision']);
  });

  it('restore a deleted document into its folder, with its edges in both directions [D7.restore]', async () => {
    const { id: folder_id } = await transport.call('create_folder', { project_id, name: 'Notes' });
    const { id: task_id } = await transport.call('create_task', { project_id, label: 'Dig' });
    const input = { project_id, title: 'Soil', body: '# Soil\n', status_line: 'draft', folder_id, link_to: task_id };
    const { id: document_id } = await transport.call('create_document', input);
    await transport.call('create_document', { project_id, title: 'Beds', body: '', link_to: document_id });
    const { updated_at: _, ...before } = await transport.call('get_document', { document_id });
    await service.rest.delete(`/documents/${document_id}`);
    const [deletion] = await revisions(transport, project_id);
    expect(deletion!.changed_fields).to.deep.equal(['deleted']);
    expect(await snapshot(transport, deletion!)).to.include({ title: 'Soil', body: '# Soil\n', folder_id });
    expect((await snapshot(transport, deletion!))['edges']).to.have.length(2);
    await service.restart();
    const { status, body } = await service.rest.post(`/revisions/${deletion!.id}/restore`);
    expect(status).to.equal(200);
    expect(body).to.deep.include(before);
    const { updated_at: __, ...after } = await transport.call('get_document', { document_id });
    expect(after).to.deep.equal(before);
    await service.restart();
    expect(await transport.call('get_document', { document_id })).to.deep.include(before);
    expect(service.store.check()).to.deep.equal([]);
  });

  it('restored twice change nothing the second time', async () => {
    const { id: task_id } = await transport.call('create_task', { project_id, label: 'One', tags: ['bed'] });
    await transport.call('update_task', { task_id, label: 'Two', tags: [] });
    const [first] = await revisions(transport, project_id);
    for (let times = 0; times < 2; times++) {
      const { body } = await service.rest.post(`/revisions/${first!.id}/restore`);
      expect([body.label, body.tags.length]).to.deep.equal(['One', 1]);
    }
    const [restoring, ...others] = await revisions(transport, project_id);
    expect(others).to.deep.equal([first]);
    expect(restoring!.changed_fields).to.have.members(['label', 'tags']);
    await service.rest.post(`/revisions/${restoring!.id}/restore`);
    expect(
      await transport.call('get_task', { task_id }),
      'restoring is a change that can be taken back',
    ).to.deep.include({
      label: 'Two',
      tags: [],
    });
  });
});
