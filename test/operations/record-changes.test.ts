import { expect } from 'chai';
import { hash } from 'node:crypto';
import { recordFingerprint } from '../../src/domain/exchange/record-fingerprint.ts';
import type { ChangedRecord, ChangesHead } from '../../src/domain/exchange/list-changes.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

interface Listed {
  readonly head: ChangesHead;
  readonly records: readonly ChangedRecord[];
}

describe('Changes of a copy of a project', () => {
  let service: TestService;
  let project: string;

  beforeEach(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  afterEach(() => service.stop());

  async function listed(since?: string): Promise<Listed> {
    const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
    const { status, body } = await service.rest.get(`/projects/${project}/changes${query}`);
    expect(status).to.equal(200);
    const [head, ...rest] = (body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rest.pop()).to.deep.equal({ listed: rest.length });
    return { head, records: rest };
  }

  const apply = (changes: readonly object[], more: object = {}): ReturnType<RestClient['post']> =>
    service.rest.post(`/projects/${project}/changes`, { changes, ...more });

  /** A task as it is listed, and the start of a change of it. */
  async function task(fields: object): Promise<{ id: string; record: Record<string, unknown>; was: string }> {
    const { body } = await service.rest.post(`/projects/${project}/tasks`, fields);
    const { record } = (await listed()).records.find(({ id }) => id === body.id)!;
    return { id: body.id, record: record!, was: recordFingerprint(record!) };
  }

  it('are listed since a token: changed and removed records, with the ids of all revisions [A.nodes.changes]', async () => {
    const [one, other] = [await task({ label: 'Dig' }), await task({ label: 'Burn' })];
    const { head, records } = await listed();
    expect(head.complete).to.include.members(['project', 'task', 'canvas', 'note']);
    expect(records.map(({ collection }) => collection).sort()).to.deep.equal(['goal', 'project', 'task', 'task']);
    expect((await listed(head.token)).records).to.deep.equal([]);
    await service.rest.patch(`/tasks/${one.id}`, { label: 'Dig deep' });
    await service.rest.delete(`/tasks/${other.id}`);
    const changed = await listed(head.token);
    expect(changed.head.complete).to.deep.equal([]);
    expect(
      changed.records.map(({ id, record, revisions }) => [id, record?.['label'] ?? null, revisions.length]),
    ).to.have.deep.members([
      [one.id, 'Dig deep', 1],
      [other.id, null, 1],
    ]);
    const ids = changed.records.flatMap(({ revisions }) => revisions).join(',');
    const { body } = await service.rest.get(`/projects/${project}/changes/revisions?ids=${ids}`);
    expect(body.revisions.map(({ target }: { target: string }) => target)).to.have.members([one.id, other.id]);
    expect(body.revisions.every(({ after }: { after: unknown }) => typeof after === 'string')).to.equal(true);
    const unknown = await listed('nothing');
    expect(unknown.head.complete).to.deep.equal(head.complete);
    expect((await service.rest.get(`/projects/${project}/changes/revisions?ids=rev_x`)).status).to.equal(404);
  });

  it('are applied together, with ids, times and authors, or not at all [A.nodes.changes]', async () => {
    const { id, record, was } = await task({ label: 'Dig' });
    const note = {
      id: `not_${project.slice(4, 10)}0000000001`,
      title: 'Idea',
      created_at: '2020-01-02T03:04:05.000Z',
      body: 'Old.',
    };
    const revision = {
      ...{
        at: '2030-01-02T03:04:05.000Z',
        id: `rev_${project.slice(4, 10)}0000000001`,
        target: id,
        target_type: 'task',
      },
      ...{ author: 'human:Grace', fields: ['label'], before: { label: 'Dig' }, after: 'x' },
    };
    const changes = [
      { collection: 'task', id, was, to: { ...record, label: 'Dig deep' } },
      { collection: 'note', id: note.id, was: null, to: note },
    ];
    const stale = await apply([
      ...changes,
      { collection: 'goal', id: 'gol_x', was, to: null },
      { ...changes[0], id: 'tsk_x', to: { ...record, id: 'tsk_x' } },
    ]);
    expect(stale.status).to.equal(409);
    expect(stale.body.records).to.deep.equal([{ collection: 'task', id: 'tsk_x' }]);
    expect((await service.rest.get(`/tasks/${id}`)).body.label).to.equal('Dig');
    expect((await apply(changes, { revisions: [revision] })).body).to.deep.equal({ changed: 2, revisions: 1 });
    const { body: changed } = await service.rest.get(`/tasks/${id}`);
    expect(changed).to.deep.include({ label: 'Dig deep', updated_at: revision.at });
    expect((await service.rest.get(`/notes/${note.id}`)).body.created_at).to.equal(note.created_at);
    const history = await service.rest.get(`/projects/${project}/revisions?target_id=${id}&target_type=task`);
    expect(history.body.revisions.map(({ id: own, author }: Record<string, string>) => [own, author])).to.deep.equal([
      [revision.id, 'human:Grace'],
    ]);
    // A repetition is no conflict, and changes nothing.
    expect((await apply(changes, { revisions: [revision] })).body).to.deep.equal({ changed: 0, revisions: 0 });
    expect(
      (await apply([{ collection: 'note', id: note.id, was: recordFingerprint(note), to: null }])).body.changed,
    ).to.equal(1);
    expect((await service.rest.get(`/notes/${note.id}`)).status).to.equal(404);
  });

  it('have a revision of overridden values, once [A.nodes.changes]', async () => {
    const { id, record, was } = await task({ label: 'Dig' });
    const change = { collection: 'task', id, was, to: record, overridden: { label: 'Lost' } };
    for (let time = 0; time < 2; time++) expect((await apply([change])).status).to.equal(200);
    const { revisions } = (await service.rest.get(`/projects/${project}/revisions?target_id=${id}&target_type=task`))
      .body;
    expect(revisions).to.have.length(1);
    expect((await service.rest.post(`/revisions/${revisions[0].id}/restore`)).status).to.equal(200);
    expect((await service.rest.get(`/tasks/${id}`)).body.label).to.equal('Lost');
  });

  it('are refused with the place of the invalid member [A.nodes.changes]', async () => {
    const { id, record, was } = await task({ label: 'Dig' });
    const { body: folder } = await service.rest.post(`/projects/${project}/folders`, { name: 'Plans' });
    await service.rest.post(`/projects/${project}/documents`, { title: 'Guide', body: '', folder_id: folder.id });
    const { records } = await listed();
    const recordOf = (collection: string): ChangedRecord => records.find((one) => one.collection === collection)!;
    const changeOf = (collection: string, to: (fields: object) => object | null): object => {
      const { id: own, record: present } = recordOf(collection);
      return { collection, id: own, was: recordFingerprint(present!), to: to(present!) };
    };
    const twin = `fld_${project.slice(4, 10)}0000000001`;
    for (const [change, field] of [
      [{ collection: 'bed', id, was, to: record }, 'changes[0].collection'],
      [{ collection: 'task', id, was, to: { ...record, id: 'tsk_x' } }, 'changes[0].to.id'],
      [{ collection: 'task', id, was, to: { ...record, status: 'dug' } }, 'changes[0].to.status'],
      [{ collection: 'task', id, was, to: { ...record, created_at: 'today' } }, 'changes[0].to.created_at'],
      [{ ...changeOf('project', (fields) => fields), overridden: { name: 'Lost' } }, 'changes[0].overridden'],
    ] as const) {
      const { status, body } = await apply([change]);
      expect([status, body.field], JSON.stringify(body)).to.deep.equal([400, field]);
    }
    for (const [change, reason] of [
      [changeOf('folder', () => null), 'is not empty'],
      [
        { collection: 'folder', id: twin, was: null, to: { id: twin, name: 'plans', parent_folder_id: null } },
        'must be unique',
      ],
      [changeOf('document', (fields) => ({ ...fields, folder_id: 'fld_x' })), 'does not exist'],
      [changeOf('goal', () => null), 'The default goal'],
    ] as const) {
      const { status, body } = await apply([change]);
      expect([status, body.records?.length], JSON.stringify(body)).to.deep.equal([409, 1]);
      expect(body.message).to.include(reason);
    }
    const revision = {
      at: '2030-01-02T03:04:05.000Z',
      id: 'rev_x',
      target: id,
      author: 'human:Grace',
      before: {},
      after: 'x',
    };
    for (const [more, field] of [
      [{ target_type: 'view', fields: [] }, 'revisions[0].target_type'],
      [{ target_type: 'task', fields: ['deleted'] }, 'revisions[0].before.id'],
    ] as const) {
      const { status, body } = await apply([], { revisions: [{ ...revision, ...more }] });
      expect([status, body.field]).to.deep.equal([400, field]);
    }
    expect((await listed()).records).to.deep.equal(records);
  });

  it('have bytes of files, which match their hash [A.nodes.changes]', async () => {
    const bytes = Buffer.from('A bed.');
    const sha256 = hash('sha256', bytes, 'hex');
    const id = `fil_${project.slice(4, 10)}0000000001`;
    const to = {
      id,
      filename: 'bed.txt',
      mime: 'text/plain',
      size: bytes.length,
      sha256,
      created_at: '2020-01-02T03:04:05.000Z',
    };
    const change = (more: object): object => ({ collection: 'file', id, was: null, to: { ...to, ...more } });
    expect((await apply([change({})])).status).to.equal(400);
    expect((await apply([change({ content_base64: bytes.toString('base64'), size: 1 })])).body.field).to.equal(
      'changes[0].to.size',
    );
    expect((await apply([change({ content_base64: bytes.toString('base64') })])).body).to.deep.equal({
      changed: 1,
      revisions: 0,
    });
    expect((await service.rest.get(`/files/${id}`)).body).to.equal('A bed.');
  });

  it('are for people, since they name their authors [A.nodes.changes]', async () => {
    const hosted = await HostedService.start();
    try {
      const of = await hosted.project();
      const { secret } = await hosted.key('agent', { project_id: of });
      const agent = new RestClient(hosted.url, bearer(secret));
      expect((await agent.post(`/projects/${of}/changes`, { changes: [] })).status).to.equal(403);
      expect((await agent.get(`/projects/${of}/changes`)).status).to.equal(200);
    } finally {
      await hosted.stop();
    }
  });
});
