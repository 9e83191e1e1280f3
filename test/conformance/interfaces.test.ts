import { expect } from 'chai';
import { mcpTransport, overBoth, restTransport } from '../support/both.ts';
import type { Transport } from '../support/both.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { TestService } from '../support/service.ts';

/** A project with one task, made over the transport itself. */
async function plan(transport: Transport): Promise<{ project_id: string; task_id: string }> {
  const { id: project_id } = await transport.call('create_project', { name: 'Plan' });
  const { id: task_id } = await transport.call('create_task', { project_id, label: 'First' });
  return { project_id, task_id };
}

describe('both interfaces', () => {
  overBoth('create ids from the prefix, the code of the project and ten characters [D1.ids]', async (transport) => {
    const { project_id, task_id } = await plan(transport);
    const code = /^prj_([0-9a-hjkmnp-tv-z]{6})[0-9a-hjkmnp-tv-z]{10}$/.exec(project_id)?.[1];
    expect(task_id).to.match(new RegExp(`^tsk_${code}[0-9a-hjkmnp-tv-z]{10}$`));
  });

  overBoth('do not let a caller choose an id [D1.no-chosen-ids]', async (transport) => {
    const { project_id } = await plan(transport);
    const error = await transport.refusal('create_task', { project_id, label: 'x', id: 'mine' });
    expect(error).to.include({ error: 'invalid_argument', field: 'id' });
  });

  overBoth('report times in UTC with milliseconds, on every resource [D1.times] [D1.stamps]', async (transport) => {
    const { project_id, task_id } = await plan(transport);
    for (const resource of [
      await transport.call('get_project', { project_id }),
      await transport.call('get_task', { task_id }),
    ]) {
      for (const stamp of [resource.created_at, resource.updated_at]) {
        expect(stamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }
    }
  });

  overBoth('keep a field that is absent, and clear one that is null [D1.null, D13.absent]', async (transport) => {
    const { task_id } = await plan(transport);
    await transport.call('update_task', { task_id, priority: 'high', due_date: '2030-01-31' });
    expect(await transport.call('update_task', { task_id, label: 'Second' })).to.include({
      priority: 'high',
      due_date: '2030-01-31',
    });
    expect(await transport.call('update_task', { task_id, priority: null })).to.include({
      priority: null,
      due_date: '2030-01-31',
    });
    // Models send null for omitted members: over MCP it counts as omitted, where it cannot clear.
    const unnamed = { task_id, label: null };
    if (transport.name === 'MCP') expect(await transport.call('update_task', unnamed)).to.include({ label: 'Second' });
    else
      expect(await transport.refusal('update_task', unnamed)).to.include({ error: 'invalid_argument', field: 'label' });
  });

  overBoth('accept only existing dates as YYYY-MM-DD [D1.due-date]', async (transport) => {
    const { task_id } = await plan(transport);
    for (const due_date of ['2030-02-30', '31.01.2030', '2030-01-31T00:00:00Z']) {
      expect(await transport.refusal('update_task', { task_id, due_date })).to.include({
        error: 'invalid_argument',
        field: 'due_date',
      });
    }
  });

  overBoth('reject names that are blank or over 500 characters [D1.blank] [D1.name-length]', async (transport) => {
    const { project_id } = await plan(transport);
    for (const label of ['', ' \n\t ', 'x'.repeat(501)]) {
      expect(await transport.refusal('create_task', { project_id, label })).to.include({
        error: 'invalid_argument',
        field: 'label',
      });
    }
    expect((await transport.call('create_task', { project_id, label: 'é'.repeat(500) })).label).to.have.length(500);
  });

  overBoth(
    'reject bodies over 2 MiB, more than 50 tags, arrays over 10,000 items [D1.body-length] [D1.tags-max] [D1.array-length]',
    async (transport) => {
      const { project_id } = await plan(transport);
      const create = (input: object): Promise<{ field?: string }> =>
        transport.refusal('create_task', { project_id, label: 'x', ...input });
      expect((await create({ description: 'é'.repeat(1024 * 1024 + 1) })).field).to.equal('description');
      expect((await create({ tags: Array.from({ length: 51 }, (_, at) => `t${at}`) })).field).to.equal('tags');
      const ids = Array.from({ length: 10_001 }, (_, at) => `doc_${at}`);
      expect(
        (await transport.refusal('create_document', { project_id, title: 'x', body: '', link_to: ids })).field,
      ).to.match(/^link_to/);
    },
  );

  overBoth('reject unknown members at every depth, by name [D1.unknown-members]', async (transport) => {
    const { project_id } = await plan(transport);
    const top = await transport.refusal('create_task', { project_id, label: 'x', colour: 'red' });
    expect(top).to.include({ error: 'invalid_argument', field: 'colour' });
    const deep = await transport.refusal('create_task', { project_id, label: 'x', position: { x: 1, y: 2, z: 3 } });
    expect(deep).to.include({ error: 'invalid_argument', field: 'position.z' });
  });

  overBoth(
    'list up to 20 violations, the first one in field, each with the expected value [D2.violations] [D2.message]',
    async (transport) => {
      const { project_id } = await plan(transport);
      const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`member_${at}`, at]));
      const error = await transport.refusal('create_task', { project_id, label: 5, status: 'nearly', ...unknown });
      const details = error['details'] as { field: string; message: string }[];
      expect(details).to.have.length(20);
      expect(details[0]).to.deep.equal({ field: error.field, message: error.message });
      const status = await transport.refusal('create_task', { project_id, label: 'x', status: 'nearly' });
      expect(status.message).to.include('scope, todo, in_progress, done, backlog');
    },
  );

  overBoth('return the kind and the id for an unknown id [D2.not_found]', async (transport) => {
    await plan(transport);
    expect(await transport.refusal('get_task', { task_id: 'tsk_none' })).to.include({
      error: 'not_found',
      resource: 'task',
      id: 'tsk_none',
    });
  });

  overBoth('return not_found for an unknown project [S.errors.unknown-project]', async (transport) => {
    expect(await transport.refusal('get_project', { project_id: 'prj_none' })).to.include({
      error: 'not_found',
      resource: 'project',
    });
  });

  overBoth('return invalid_argument for an invalid status [S.errors.invalid-status]', async (transport) => {
    const { task_id } = await plan(transport);
    expect(await transport.refusal('update_task', { task_id, status: 'finished' })).to.include({
      error: 'invalid_argument',
      field: 'status',
    });
  });

  it('use the same data: a change by one is read by the other [S.rule.3] [S.conformance.4]', async () => {
    const service = await TestService.start();
    try {
      const rest = restTransport(service);
      const mcp = mcpTransport(service, await service.mcp());
      const { task_id, project_id } = await plan(rest);
      for (let turn = 0; turn < 20; turn++) {
        await mcp.call('update_task', { task_id, label: `By MCP ${turn}` });
        expect((await rest.call('get_task', { task_id })).label).to.equal(`By MCP ${turn}`);
        await rest.call('update_task', { task_id, label: `By REST ${turn}` });
        expect((await mcp.call('get_task', { task_id })).label).to.equal(`By REST ${turn}`);
      }
      const [byMcp] = await Promise.all([mcp.call('create_task', { project_id, label: 'New' })]);
      expect((await rest.call('list_tasks', { project_id })).tasks.map((task: { id: string }) => task.id)).to.include(
        byMcp.id,
      );
    } finally {
      await service.stop();
    }
  });

  it('treat a caller without a credential as the owner, on loopback [S.auth.loopback] [D10.owner]', async () => {
    const service = await TestService.start();
    try {
      const { task_id, project_id } = await plan(restTransport(service));
      await service.rest.patch(`/tasks/${task_id}`, { label: 'By the person' });
      await (await service.mcp({ name: 'coder' })).get('update_task', { task_id, label: 'By the agent' });
      const { revisions } = (
        await service.rest.get(`/projects/${project_id}/revisions?target_type=task&target_id=${task_id}`)
      ).body;
      expect(revisions.map(({ author }: { author: string }) => author).slice(0, 2)).to.deep.equal([
        'agent:coder',
        'human:Ada',
      ]);
      expect((await service.rest.delete(`/projects/${project_id}`)).status).to.equal(204);
    } finally {
      await service.stop();
    }
  });

  it('ignore statements of a request about its origin: the bound address decides [D10.bound]', async () => {
    const service = await TestService.start();
    try {
      const port = new URL(service.url).port;
      const spoofed: Record<string, string>[] = [
        { 'X-Forwarded-Host': `127.0.0.1:${port}` },
        { Forwarded: 'for=127.0.0.1;host=localhost' },
      ];
      for (const headers of spoofed) {
        expect((await service.rest.get('/projects', headers)).status).to.equal(403);
        expect((await rawMcp(service.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).to.equal(403);
      }
      for (const name of ['localhost', '127.0.0.1']) {
        expect((await fetch(`http://${name}:${port}/api/v1/health`)).status).to.equal(200);
      }
    } finally {
      await service.stop();
    }
  });

  it('serve REST below a versioned path [S.version.rest]', async () => {
    const service = await TestService.start();
    try {
      expect((await fetch(`${service.url}/api/v1/health`)).status).to.equal(200);
      for (const path of ['/health', '/api/health', '/api/v2/health']) {
        expect((await fetch(service.url + path)).status, path).to.equal(404);
      }
    } finally {
      await service.stop();
    }
  });

  it('return a list as {plural: [...]}, and a resource bare over REST and wrapped in its name over MCP [D2.bare]', async () => {
    const service = await TestService.start();
    try {
      const { project_id, task_id } = await plan(restTransport(service));
      const client = await service.mcp();
      const bare = (await service.rest.get(`/tasks/${task_id}`)).body;
      expect(bare.id).to.equal(task_id);
      expect(await client.get('get_task', { task_id })).to.deep.equal({ task: bare });
      expect((await service.rest.get(`/projects/${project_id}/tasks`)).body).to.have.all.keys('tasks', 'events_cursor');
      expect((await service.rest.get('/projects')).body).to.have.all.keys('projects');
    } finally {
      await service.stop();
    }
  });

  it('reject writes once the journal failed, and continue to read durable records [D2.unavailable] [D2.outcome-unknown]', async () => {
    let failing = false;
    const fail = (): void => {
      if (failing) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    };
    const disk = hookedDisk({ writeAsync: fail, writeAtAsync: fail, dataSyncAsync: fail });
    const service = await TestService.start({ disk });
    try {
      const { project_id, task_id } = await plan(restTransport(service));
      await service.store.flush();
      failing = true;
      const first = await service.rest.patch(`/tasks/${task_id}`, { label: 'Lost' });
      expect([first.status, first.body.error, first.body.outcome]).to.deep.equal([503, 'unavailable', 'unknown']);
      const later = await service.rest.post(`/projects/${project_id}/tasks`, { label: 'x' });
      expect([later.status, later.body.error]).to.deep.equal([503, 'unavailable']);
      const overMcp = await rawMcp(service.url, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'create_task', arguments: { project_id, label: 'x' } },
      });
      expect(await overMcp.json()).to.have.nested.property('result.structuredContent.error', 'unavailable');
      expect((await service.rest.get(`/tasks/${task_id}`)).body.label).to.equal('First');
    } finally {
      failing = false;
      await service.stop();
    }
  });
});
