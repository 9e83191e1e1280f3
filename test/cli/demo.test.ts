import { expect } from 'chai';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { workInSample } from '../../src/cli/records/sample-agent.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';
import { shellTestMs } from './planner.ts';

const demos = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('planner-demo-'));

describe('The sample plan', function () {
  this.timeout(shellTestMs);
  let service: TestService;
  let project: string;

  before(async () => {
    service = await TestService.start();
    project = (await service.rest.post('/projects/sample', {})).body.id as string;
  });
  after(() => service.stop());

  it('has something in every view, without problems, and texts that are rendered', async () => {
    const get = async (path: string): Promise<Record<string, object[]>> =>
      (await service.rest.get(`/projects/${project}/${path}`)).body as Record<string, object[]>;
    const { tasks } = await get('tasks');
    expect(tasks).to.have.length(40);
    const statuses = new Set(tasks!.map((task) => (task as { status: string }).status));
    expect([...statuses]).to.have.members(['scope', 'todo', 'in_progress', 'done', 'backlog']);
    for (const name of ['goals', 'notes', 'prototypes', 'artifacts', 'submissions', 'comments', 'edges'])
      expect((await get(name))[name], name).not.to.have.length(0);
    expect((await get('agent-runs'))['runs']).to.have.length(2);
    expect((await get('problems'))['problems']).to.deep.equal([]);
    const { goals } = await get('goals');
    const states = (goals as { name: string; status: string }[]).map(({ name, status }) => [name, status]);
    expect(Object.fromEntries(states)).to.include({ Catalogue: 'complete', Search: 'blocked', Checkout: 'active' });
    const bodies = ((await get('comments'))['comments'] as { body: string }[]).map(({ body }) => body);
    expect(bodies.every((body) => body.startsWith('<p>') && !body.includes('**'))).to.equal(true);
  });

  it('is made under another name, and as often as it is asked for', async () => {
    const made = await service.rest.post('/projects/sample', { name: 'To try' });
    expect([made.status, made.body.name]).to.deep.equal([201, 'To try']);
    expect((await service.rest.delete(`/projects/${made.body.id}`)).status).to.equal(204);
  });

  it('is worked in by an agent until a person has to answer', async () => {
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', name: 'demo', project_id: project });
    const agent = new RestClient(service.url, { Authorization: `Bearer ${key.secret as string}` });
    const call = async (operation: string, input: object): Promise<Record<string, unknown>> => {
      const { status, body } = await agent.post(`/call/${operation}`, input);
      expect(status, `${operation}: ${JSON.stringify(body)}`).to.be.below(300);
      return body as Record<string, unknown>;
    };
    let pauses = 0;
    await workInSample({ call }, project, () => Promise.resolve(void pauses++));
    const { runs } = (await service.rest.get(`/projects/${project}/agent-runs`)).body;
    expect(runs.filter(({ asks }: { asks: boolean }) => asks)).to.have.length(2);
    expect(runs.filter(({ status }: { status: string }) => status === 'completed').length).to.be.above(5);
    expect(pauses).to.be.above(20);
    const { tasks } = (await service.rest.get(`/projects/${project}/tasks?status=todo`)).body;
    expect(tasks.filter(({ blocked }: { blocked: boolean }) => !blocked)).to.deep.equal([]);
  });
});

describe('planner demo', function () {
  this.timeout(shellTestMs);

  it('serves the sample from a directory that is gone when it ends', async () => {
    const before = demos();
    const command = new InProcessCommand(['demo', '--still']);
    const url = /http:\/\/\S+/.exec(await command.firstLine())![0];
    const [made = ''] = demos().filter((name) => !before.includes(name));
    const { projects } = (await new RestClient(url).get('/projects')).body;
    expect(projects.map(({ name }: { name: string }) => name)).to.deep.equal(['Pottery shop']);
    const { code, output } = await command.stop();
    expect([code, output.trim().split('\n').length]).to.deep.equal([0, 2]);
    expect(existsSync(`${tmpdir()}/${made}`)).to.equal(false);
  });
});
