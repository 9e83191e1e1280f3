import { expect } from 'chai';
import { HostedService, bearer } from '../support/hosted-service.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { answerOf } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';

describe('MCP sessions of two credentials', () => {
  let service: HostedService;
  let project: string;
  let secrets: readonly string[];

  before(async () => {
    service = await HostedService.start();
    project = await service.project();
    secrets = await Promise.all([1, 2].map(async () => (await service.key('agent', { project_id: project })).secret));
  });
  after(() => service.stop());

  const call = async (
    credential: number,
    session: string | undefined,
    name: string,
    input = {},
  ): Promise<RestResponse> => {
    const headers = {
      ...bearer(secrets[credential]!),
      ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
    };
    const params = { name, arguments: input };
    return answerOf(await rawMcp(service.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers));
  };

  it('belong to the caller of the first change: an id used only to read has no owner [A.hostile.mcp-sessions]', async () => {
    expect((await call(0, 'invented', 'list_tasks')).status).to.equal(200);
    const created = await call(1, 'invented', 'create_task', { label: 'Dig' });
    expect(created.body.result.isError).to.equal(undefined);
    for (const name of ['list_tasks', 'create_task']) {
      const refused = await call(0, 'invented', name, name === 'list_tasks' ? {} : { label: 'Dig' });
      expect([refused.status, refused.body.error.data.error]).to.deep.equal([404, 'not_found']);
    }
    const headers = { ...bearer(secrets[0]!), 'Mcp-Session-Id': 'invented' };
    expect((await fetch(`${service.url}/mcp`, { method: 'DELETE', headers })).status).to.equal(404);
    expect((await call(1, 'invented', 'list_tasks')).status).to.equal(200);
  });

  it('have a current goal each, and calls without a session have that of their credential [D4.current]', async () => {
    for (const session of ['one', 'two', undefined]) {
      const goal = await service.owner.post(`/projects/${project}/goals`, { objective: 'O' });
      const goal_id = goal.body.id as string;
      await service.owner.post(`/projects/${project}/tasks`, { label: `Of ${session ?? 'the credential'}`, goal_id });
      expect((await call(0, session, 'set_current_goal', { goal_id })).body.result.isError).to.equal(undefined);
    }
    const next = async (session: string | undefined): Promise<unknown> =>
      (await call(0, session, 'get_next_task')).body.result.structuredContent.next.next_task.label;
    expect([await next('one'), await next('two')]).to.deep.equal(['Of one', 'Of two']);
    expect(await next(undefined)).to.equal('Of the credential');
  });

  it('are not needed for changes, and a header does not take a credential to another project [D2.sessionless]', async () => {
    const other = await service.project();
    for (const credential of [0, 1]) {
      const { body } = await call(credential, undefined, 'create_task', { label: 'Sow' });
      expect(body.result.isError, String(credential)).to.equal(undefined);
    }
    const params = { name: 'create_task', arguments: { label: 'Reap' } };
    const headers = { ...bearer(secrets[0]!), 'Planner-Project': other };
    await rawMcp(service.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
    const labels = async (id: string): Promise<string[]> =>
      ((await service.owner.get(`/projects/${id}/tasks`)).body.tasks as { label: string }[]).map(({ label }) => label);
    expect(await labels(other)).to.deep.equal([]);
    expect(await labels(project)).to.include('Reap');
  });

  it('return rows if REST returns whole records: an agent reads only what it decides by [D2.mcp-answer]', async () => {
    await service.owner.post(`/projects/${project}/documents`, { title: 'Long', body: 'text' });
    const [whole] = (await service.owner.get(`/projects/${project}/documents`)).body.documents as object[];
    expect(whole).to.include({ title: 'Long', body: 'text' });
    const [row] = (await call(0, undefined, 'list_documents')).body.result.structuredContent.documents as object[];
    expect(row).to.include({ title: 'Long' }).and.not.have.property('body');
  });
});
