import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { Sessions } from '../../src/operations/access/sessions.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import type { ModernClientOptions } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';

describe('The state of a client without a session', () => {
  let service: TestService;
  let clients: ModernClient[] = [];
  /** How far the service's clock is ahead of the system's. */
  let aheadMs = 0;

  before(async () => {
    service = await TestService.start({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } });
  });

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  });

  after(() => service.stop());

  async function connect(options: ModernClientOptions): Promise<ModernClient> {
    const client = await ModernClient.connect(service.url, options);
    clients.push(client);
    return client;
  }

  /** A project with two active goals of one task each. */
  async function plan(): Promise<{ project_id: string; goals: string[]; tasks: string[] }> {
    const project_id = await service.project();
    const goals: string[] = [];
    const tasks: string[] = [];
    for (const name of ['First', 'Second']) {
      const goal = await service.rest.post(`/projects/${project_id}/goals`, { name, objective: 'Done.' });
      goals.push(goal.body.id);
      const task = await service.rest.post(`/projects/${project_id}/tasks`, {
        label: `Of ${name}`,
        goal_id: goal.body.id,
      });
      tasks.push(task.body.id);
    }
    return { project_id, goals, tasks };
  }

  const nextOf = async (client: ModernClient, project_id: string): Promise<string | undefined> =>
    (await client.get('get_next_task', { project_id })).next.next_task?.id;

  it('has a current goal by credential and name, over restarts, and an argument takes precedence [D2.modern-state, D4.current]', async () => {
    const { project_id, goals, tasks } = await plan();
    await (await connect({ name: 'one' })).get('set_current_goal', { goal_id: goals[0] });
    await (await connect({ name: 'two' })).get('set_current_goal', { goal_id: goals[1] });
    await service.restart();
    clients = [];
    const [one, two, again] = [
      await connect({ name: 'one' }),
      await connect({ name: 'two' }),
      await connect({ name: 'one' }),
    ];
    expect(await nextOf(one, project_id)).to.equal(tasks[0]);
    expect(await nextOf(again, project_id)).to.equal(tasks[0]);
    expect(await nextOf(two, project_id)).to.equal(tasks[1]);
    const { next } = await one.get('get_next_task', { project_id, goal_id: goals[1] });
    expect(next.next_task.id).to.equal(tasks[1]);
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', project_id });
    const headers = { Authorization: `Bearer ${key.secret}` };
    const other = await connect({ name: 'one', headers });
    await other.get('set_current_goal', { goal_id: goals[1] });
    expect(await nextOf(other, project_id)).to.equal(tasks[1]);
    expect(await nextOf(one, project_id)).to.equal(tasks[0]);
  });

  it('renews a claim by its updates, and no claim of another name [D2.modern-state]', async () => {
    const { tasks } = await plan();
    const [claimer, other] = [await connect({ name: 'claimer' }), await connect({ name: 'other' })];
    const task_id = tasks[0]!;
    const expiry = async (): Promise<string> => (await service.rest.get(`/tasks/${task_id}`)).body.lease_expires_at;
    await claimer.get('claim_task', { task_id, agent_ref: 'me', lease_seconds: 600 });
    const first = await expiry();
    expect(first).to.be.a('string');
    aheadMs += 60_000;
    await other.get('update_task', { task_id, label: 'By another' });
    expect(await expiry()).to.equal(first);
    await claimer.get('update_task', { task_id, label: 'By the claimer' });
    const second = await expiry();
    expect(second > first).to.equal(true);
    aheadMs += 60_000;
    await other.get('update_task', { task_id, label: 'By name', agent_ref: 'me' });
    expect((await expiry()) > second).to.equal(true);
  });

  it('is the author under its name; with a key, the author is both [D2.modern-state, D7.author]', async () => {
    const { project_id, tasks } = await plan();
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', project_id, name: 'robot' });
    await (await connect({ name: 'coder\u0000 one' })).get('update_task', { task_id: tasks[0], label: 'By the coder' });
    const headers = { Authorization: `Bearer ${key.secret}` };
    await (await connect({ headers })).get('update_task', { task_id: tasks[0], label: 'By the key' });
    const { body } = await service.rest.get(
      `/projects/${project_id}/revisions?target_type=task&target_id=${tasks[0]}&limit=2`,
    );
    const authors = body.revisions.map(({ author }: { author: string }) => author);
    expect(authors).to.deep.equal(['agent:modern (robot)', 'agent:coder one']);
  });

  it('cannot be named or ended as a session [D2.modern-state]', async () => {
    const client = await connect({ name: 'kept' });
    await client.get('create_project', { name: 'Stored' });
    const [owner] = await service.store.readService((view) =>
      [
        ...view.list<{ id: string; created_at: string; updated_at: string; credential: string; client: string }>(
          'sessions',
        ),
      ].filter((session) => session.client === 'kept'),
    );
    expect(owner!.id).to.equal(Sessions.idOfClient(owner!.credential, 'kept'));
    const headers = { 'Mcp-Session-Id': owner!.id };
    expect((await rawMcp(service.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)).status).to.equal(404);
    expect((await fetch(`${service.url}/mcp`, { method: 'DELETE', headers })).status).to.equal(404);
    await client.get('create_project', { name: 'Still there' });
  });
});
