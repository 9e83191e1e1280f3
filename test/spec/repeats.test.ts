import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import type { McpClient, ToolOutcome } from '../support/mcp-client.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

const hourMs = 3_600_000;

describe('Retrying a write', () => {
  /** How far the service's clock is ahead of the system's. */
  let aheadMs = 0;
  let service: TestService;
  let agent: McpClient;
  let project_id: string;
  let keys = 0;
  const newKey = (): string => `key-${keys++}`;

  before(async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    service = await TestService.start({ clock });
    agent = await service.mcp();
  });
  beforeEach(async () => {
    project_id = await service.project();
  });
  after(() => service.stop());

  const send = (method: string, path: string, body: unknown, key: string): Promise<RestResponse> =>
    service.rest.send(method, path, body, { 'Idempotency-Key': key });
  const create = (key: string, label = 'Once'): Promise<RestResponse> =>
    send('POST', `/projects/${project_id}/tasks`, { label }, key);
  const call = (key: string, label = 'Once'): Promise<ToolOutcome> =>
    agent.call('create_task', { project_id, label }, key);
  const labels = async (): Promise<string[]> =>
    (await service.rest.get(`/projects/${project_id}/tasks`)).body.tasks.map(
      ({ label }: { label: string }) => label,
    ) as string[];

  it('with its key returns the first response, over both interfaces, also if the resource has changed since [D1.idempotency]', async () => {
    const [key, other] = [newKey(), newKey()];
    const [first, called] = [await create(key), await call(other)];
    expect([first.status, called.isError]).to.deep.equal([201, false]);
    await service.rest.patch(`/tasks/${first.body.id}`, { label: 'Changed' });
    await service.rest.delete(`/tasks/${called.value.task.id}`);
    const [again, calledAgain] = [await create(key), await call(other)];
    expect([again.status, again.body]).to.deep.equal([201, first.body]);
    expect(calledAgain).to.deep.equal(called);
    expect(await labels()).to.deep.equal(['Changed']);
    await create(newKey());
    await call(newKey());
    expect(await labels(), 'another key is another call').to.deep.equal(['Changed', 'Once', 'Once']);
  });

  it('works for each method: a deleted resource is not an error, a later change is not reverted [D1.idempotency]', async () => {
    const { body: task } = await create(newKey());
    const [patching, putting, deleting, making, dropping] = Array.from({ length: 5 }, newKey) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const path = `/tasks/${task.id}`;
    const canvas = `/projects/${project_id}/canvas`;
    const node = { nodes: [{ id: task.id, x: 1, y: 1 }] };
    const patched = await send('PATCH', path, { label: 'By the key' }, patching);
    const put = await send('PUT', canvas, node, putting);
    await service.rest.patch(path, { label: 'Later', position: { x: 2, y: 2 } });
    const patchedAgain = await send('PATCH', path, { label: 'By the key' }, patching);
    expect([patchedAgain.status, patchedAgain.body]).to.deep.equal([200, patched.body]);
    expect(patchedAgain.headers.get('etag')).to.equal(patched.headers.get('etag'));
    expect((await send('PUT', canvas, node, putting)).body).to.deep.equal(put.body);
    expect((await service.rest.get(path)).body).to.deep.include({ label: 'Later', position: { x: 2, y: 2 } });
    for (let turn = 0; turn < 2; turn++) expect((await send('DELETE', path, undefined, deleting)).status).to.equal(204);
    expect((await service.rest.delete(path)).status, 'without a key').to.equal(404);
    const made = await send('POST', '/projects', { name: 'Made once' }, making);
    expect((await send('POST', '/projects', { name: 'Made once' }, making)).body).to.deep.equal(made.body);
    const projects = (await service.rest.get('/projects')).body.projects as { name: string }[];
    expect(projects.filter(({ name }) => name === 'Made once')).to.have.length(1);
    for (let turn = 0; turn < 2; turn++)
      expect((await send('DELETE', `/projects/${made.body.id}`, undefined, dropping)).status).to.equal(204);
  });

  it('while the first one is in flight creates nothing twice [D1.idempotency]', async () => {
    const [key, other, project] = [newKey(), newKey(), newKey()];
    const many = <T>(run: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 8 }, run));
    const [over, called, made] = await Promise.all([
      many(() => create(key, 'REST')),
      many(() => call(other, 'MCP')),
      many(() => send('POST', '/projects', { name: 'At once' }, project)),
    ]);
    expect(new Set(over.map(({ body }) => body.id as string)).size).to.equal(1);
    expect(new Set(called.map(({ value }) => value.task.id as string)).size).to.equal(1);
    expect(new Set(made.map(({ body }) => body.id as string)).size).to.equal(1);
    expect(await labels()).to.have.members(['REST', 'MCP']);
    const projects = (await service.rest.get('/projects')).body.projects as { name: string }[];
    expect(projects.filter(({ name }) => name === 'At once')).to.have.length(1);
  });

  it('with the key of another call is a conflict, and with an invalid key invalid_argument [D1.idempotency]', async () => {
    const [key, other] = [newKey(), newKey()];
    await create(key);
    await call(other);
    const wrong = await create(key, 'Another');
    expect([wrong.status, wrong.body.error]).to.deep.equal([409, 'conflict']);
    expect((await send('POST', `/projects/${project_id}/tags`, { name: 'Once' }, key)).status).to.equal(409);
    expect((await call(other, 'Another')).value).to.include({ error: 'conflict' });
    for (const none of ['a b', 'x'.repeat(256)]) {
      expect((await create(none)).body, none).to.include({ error: 'invalid_argument', field: 'Idempotency-Key' });
      expect((await call(none)).value, none).to.include({ error: 'invalid_argument' });
    }
    expect(await labels()).to.deep.equal(['Once', 'Once']);
  });

  it('that failed executes it again [D1.idempotency]', async () => {
    const [key, other] = [newKey(), newKey()];
    expect((await send('PATCH', '/tasks/later', { label: 'x' }, key)).status).to.equal(404);
    expect((await agent.call('update_task', { task_id: 'later', label: 'y' }, other)).isError).to.equal(true);
    await service.rest.put(`/projects/${project_id}/canvas`, { nodes: [{ id: 'later', label: 'Later' }] });
    expect((await send('PATCH', '/tasks/later', { label: 'x' }, key)).status).to.equal(200);
    expect((await agent.call('update_task', { task_id: 'later', label: 'y' }, other)).isError).to.equal(false);
  });

  it('returns the first response for 24 hours, also after a restart, and then is a new call [D1.idempotency-restart]', async () => {
    const [key, other] = [newKey(), newKey()];
    const [first, called] = [await create(key), await call(other)];
    aheadMs += 23 * hourMs;
    await service.restart();
    agent = await service.mcp();
    expect((await create(key)).body).to.deep.equal(first.body);
    expect(await call(other)).to.deep.equal(called);
    aheadMs += 2 * hourMs;
    const later = await create(key);
    expect(later.status).to.equal(201);
    expect(later.body.id).not.to.equal(first.body.id);
    expect((await call(other)).value.task.id).not.to.equal(called.value.task.id);
    expect(await labels()).to.have.length(4);
  });

  describe('with a response too large to be stored', () => {
    const body = 'Long. '.repeat(20_000);
    const documentOf = async (key: string): Promise<RestResponse> =>
      send('POST', `/projects/${project_id}/documents`, { title: 'Long', body }, key);

    it('returns the rebuilt response while it is the same, also after a restart [A.hostile.repeats-changed, D1.idempotency-restart]', async () => {
      const [making, renaming, calling] = [newKey(), newKey(), newKey()];
      const made = await documentOf(making);
      expect((await documentOf(making)).body, 'created').to.deep.equal(made.body);
      const path = `/documents/${made.body.id}`;
      const renamed = await send('PATCH', path, { title: 'Longest' }, renaming);
      const input = { project_id, title: 'Called', body };
      const called = await agent.call('create_document', input, calling);
      for (let turn = 0; turn < 2; turn++) {
        const again = await send('PATCH', path, { title: 'Longest' }, renaming);
        expect([again.status, again.body]).to.deep.equal([200, renamed.body]);
        expect(again.headers.get('etag')).to.equal(renamed.headers.get('etag'));
        expect(await agent.call('create_document', input, calling)).to.deep.equal(called);
        await service.restart();
        agent = await service.mcp();
      }
    });

    it('is redirected to the current resource once that has changed, and changes nothing [A.hostile.repeats-changed]', async () => {
      const [making, patching, calling, drawing] = [newKey(), newKey(), newKey(), newKey()];
      const made = await documentOf(making);
      const path = `/documents/${made.body.id}`;
      await send('PATCH', path, { title: 'By the key' }, patching);
      const input = { document_id: made.body.id as string, title: 'By the tool' };
      await agent.call('update_document', input, calling);
      const nodes = Array.from({ length: 400 }, (_, at) => ({ id: `n${at}`, label: 'x'.repeat(200), x: at, y: 0 }));
      await send('PUT', `/projects/${project_id}/canvas`, { nodes }, drawing);
      await service.rest.patch(path, { title: 'Later' });
      await service.rest.patch('/tasks/n1', { label: 'Later' });

      const raw = (method: string, at: string, json: unknown, key: string): Promise<Response> =>
        fetch(`${service.url}/api/v1${at}`, {
          method,
          redirect: 'manual',
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
          body: JSON.stringify(json),
        });
      const documents = `/projects/${project_id}/documents`;
      for (const [method, at, json, key, to] of [
        ['POST', documents, { title: 'Long', body }, making, `${path}?project_id=${project_id}`],
        ['PATCH', path, { title: 'By the key' }, patching, `${path}?project_id=${project_id}`],
        ['PUT', `/projects/${project_id}/canvas`, { nodes }, drawing, `/projects/${project_id}/canvas`],
      ] as const) {
        const answer = await raw(method, at, json, key);
        expect([answer.status, answer.headers.get('location')], at).to.deep.equal([303, `/api/v1${to}`]);
        expect(Object.keys((await answer.json()) as object), 'no resource').to.deep.equal(['repeated']);
      }
      // A client that follows redirects gets the current resource.
      const followed = await send('PATCH', path, { title: 'By the key' }, patching);
      expect([followed.status, followed.body.title, followed.body.body]).to.deep.equal([200, 'Later', body]);
      const repeated = await agent.call('update_document', input, calling);
      expect(repeated.isError).to.equal(false);
      expect(repeated.value.repeated.read).to.deep.equal({
        operation: 'get_document',
        input: { document_id: made.body.id, project_id },
      });
      const rows = (await service.rest.get(documents)).body.documents as { title: string }[];
      expect(rows.map(({ title }) => title)).to.deep.equal(['Later']);
    });

    it('reports that the call was executed if no single operation reads its result [A.hostile.repeats-changed]', async () => {
      const [planning, calling] = [newKey(), newKey()];
      const plan = { tasks: Array.from({ length: 100 }, (_, at) => ({ key: `k${at}`, label: 'x'.repeat(400) })) };
      const path = `/projects/${project_id}/scaffold`;
      expect((await send('POST', path, plan, planning)).status).to.equal(201);
      const again = await send('POST', path, plan, planning);
      expect([again.status, again.body]).to.deep.equal([204, undefined]);
      const input = { project_id, ...plan };
      const callPath = '/call/scaffold_project_from_plan';
      expect((await send('POST', callPath, input, calling)).body).to.include.keys('scaffold');
      const { repeated } = (await send('POST', callPath, input, calling)).body as { repeated: { read: unknown } };
      expect(repeated.read).to.deep.equal({ operation: 'get_project', input: { project_id } });
      expect(await labels()).to.have.length(200);
    });

    it('reports that the call was executed if the resource was deleted [A.hostile.repeats-changed]', async () => {
      const [making, calling] = [newKey(), newKey()];
      const made = await documentOf(making);
      const called = await agent.call('create_document', { project_id, title: 'Called', body }, calling);
      await service.rest.delete(`/documents/${made.body.id}`);
      await service.rest.delete(`/documents/${called.value.document.id}`);
      expect((await documentOf(making)).body).to.deep.include({ error: 'not_found', id: made.body.id });
      const repeated = await agent.call('create_document', { project_id, title: 'Called', body }, calling);
      expect([repeated.isError, repeated.value.repeated.message]).to.satisfy(
        ([isError, message]: [boolean, string]) => {
          return !isError && message.includes('executed');
        },
      );
      expect((await service.rest.get(`/projects/${project_id}/documents`)).body.documents).to.deep.equal([]);
    });
  });
});
