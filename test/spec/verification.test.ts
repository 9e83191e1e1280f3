import { expect } from 'chai';
import { overBoth, restTransport } from '../support/both.ts';
import { eventsSince } from '../support/feed.ts';
import { TestService } from '../support/service.ts';

const proof = {
  commit: '4f2c9d1e0b7a68f5c3d2e1f0a9b8c7d6e5f40312',
  tree: '1b6d3c0f9e8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c',
  dirty: false,
  started_at: '2026-11-01T10:00:00.000Z',
  seconds: 12.5,
  ran_by: 'Ada',
  log_sha256: 'ab'.repeat(32),
};

describe('What is verified', () => {
  overBoth(
    'is what a goal or task covers, and a task may have a gate [A.verify.covers, A.verify.gate]',
    async (transport) => {
      const project_id = await transport.service.project();
      const covers = ['src/**/*.ts', 'docs'];
      const goal = await transport.call('create_goal', { project_id, objective: 'Pay', covers });
      const fields = { label: 'Take payments', goal_id: goal.id, covers: ['src/pay'], gate: 'npm test\nnpm run lint' };
      const task = await transport.call('create_task', { project_id, ...fields });
      expect(await transport.call('get_task', { task_id: task.id })).to.deep.include(fields);
      expect((await transport.call('get_goal', { goal_id: goal.id })).covers).to.have.members(covers);
      await transport.call('update_task', { task_id: task.id, covers: ['lib'] });
      await transport.call('update_goal', { goal_id: goal.id, covers: [] });
      expect((await transport.call('get_task', { task_id: task.id })).covers).to.deep.equal(['lib']);
      expect((await transport.call('get_goal', { goal_id: goal.id })).covers).to.deep.equal([]);
      for (const outside of ['/etc', '../other', 'src/../..', ':(top)src', 'src\\pay']) {
        const refused = await transport.refusal('update_task', { task_id: task.id, covers: [outside] });
        expect(refused, outside).to.include({ error: 'invalid_argument', field: 'covers' });
      }
      await transport.service.restart();
      const kept = await restTransport(transport.service).call('get_task', { task_id: task.id });
      expect(kept).to.deep.include({ ...fields, covers: ['lib'] });
    },
  );

  describe('with a proof', () => {
    let service: TestService;
    let project: string;
    beforeEach(async () => {
      service = await TestService.start();
      project = await service.project();
    });
    afterEach(() => service.stop());

    const made = async (path: string, body: object): Promise<string> =>
      (await service.rest.post(`/projects/${project}${path}`, body)).body.id as string;

    /** The types of events from the present until after a change. */
    async function typesOf(change: () => Promise<unknown>): Promise<string[]> {
      const cursor = (await service.rest.get(`/projects/${project}/tasks`)).headers.get('x-planner-cursor')!;
      await change();
      const { events } = await eventsSince(service.rest, project, cursor);
      return events.map(({ type }) => type);
    }

    const goalWithGate = (): Promise<string> =>
      made('/goals', { objective: 'Pay', verification_surface: { kind: 'gate_command', command: 'npm test' } });

    const complete = (goal: string, exit_code: number, given: object): Promise<{ status: number; body: object }> =>
      service.rest.post(`/goals/${goal}/complete`, { evidence: { kind: 'gate_command', exit_code, proof: given } });

    it('is current until it is said to have changed; red evidence and a dirty tree have no state [A.verify.proof, A.verify.state, A.verify.stale]', async () => {
      const goal = await goalWithGate();
      const early = await service.rest.patch(`/goals/${goal}`, { verification_state: 'stale' });
      expect([early.status, early.body.field]).to.deep.equal([400, 'verification_state']);
      const red = await complete(goal, 1, proof);
      expect(red.body).to.include({ status: 'blocked', verification_state: null });
      const green = await complete(goal, 0, proof);
      expect(green.body).to.include({ status: 'complete', verification_state: 'current' });
      expect(green.body).to.have.deep.nested.property('last_verification.proof', proof);
      const mark = (verification_state: string) => (): Promise<unknown> =>
        service.rest.patch(`/goals/${goal}`, { verification_state });
      expect(await typesOf(mark('stale'))).to.deep.equal(['goal.updated', 'goal.stale']);
      expect(await typesOf(mark('stale'))).to.deep.equal([]);
      const verification_behind = { commits: 3, touching: 2 };
      const fall = (): Promise<unknown> => service.rest.patch(`/goals/${goal}`, { verification_behind });
      expect(await typesOf(fall)).to.deep.equal(['goal.updated']);
      await service.restart();
      const stale = { verification_state: 'stale', verification_behind };
      expect((await service.rest.get(`/goals/${goal}`)).body).to.deep.include(stale);
      expect(await typesOf(mark('current'))).to.deep.equal(['goal.updated']);
      expect((await service.rest.get(`/goals/${goal}`)).body).to.not.have.property('verification_behind');
      const ahead = await service.rest.patch(`/goals/${goal}`, { verification_behind });
      expect([ahead.status, ahead.body.field]).to.deep.equal([400, 'verification_behind']);
      const other = await goalWithGate();
      const dirty = await complete(other, 0, { ...proof, dirty: true });
      expect(dirty.body).to.include({ status: 'complete', verification_state: null });
    });

    it('is kept by a task likewise, and gone with its proof [A.verify.proof, A.verify.state, A.verify.stale]', async () => {
      const task = await made('/tasks', { label: 'Dig' });
      const patch = async (body: object): Promise<{ status: number; body: { verification_state: unknown } }> =>
        service.rest.patch(`/tasks/${task}`, body);
      expect((await patch({ verification_state: 'stale' })).status).to.equal(400);
      expect((await patch({ proof })).body).to.deep.include({ proof, verification_state: 'current' });
      expect(await typesOf(() => patch({ verification_state: 'stale' }))).to.deep.equal(['task.updated', 'task.stale']);
      const stale = { verification_state: 'stale', verification_behind: { commits: 3, touching: 2 } };
      expect((await patch(stale)).body).to.deep.include(stale);
      const renewed = (await patch({ proof: { ...proof, seconds: 3 } })).body;
      expect(renewed).to.include({ verification_state: 'current' }).and.to.not.have.property('verification_behind');
      expect((await patch({ proof: null })).body).to.include({ proof: null, verification_state: null });
    });

    it('can begin once the last open task of the goal is done, but for its own remediation task [A.verify.ready]', async () => {
      const goal_id = await goalWithGate();
      const [first, second] = [
        await made('/tasks', { label: 'a', goal_id }),
        await made('/tasks', { label: 'b', goal_id }),
      ];
      const done = (task: string) => (): Promise<unknown> => service.rest.patch(`/tasks/${task}`, { status: 'done' });
      expect(await typesOf(done(first))).to.not.include('goal.ready');
      await complete(goal_id, 1, proof);
      expect(await typesOf(done(second))).to.deep.equal(['task.updated', 'task.done', 'goal.ready']);
      expect(await typesOf(() => complete(goal_id, 0, proof))).to.not.include('goal.ready');
    });

    it('is in the list of goals that need a person while it is red, stale or to verify [A.verify.waits]', async () => {
      const goal_id = await goalWithGate();
      const path = `/projects/${project}/goals?needs_person=true`;
      const waits = async (): Promise<boolean> =>
        (await service.rest.get(path)).body.goals.some(({ id }: { id: string }) => id === goal_id);
      const task = await made('/tasks', { label: 'a', goal_id });
      expect(await waits(), 'a task is open').to.equal(false);
      const { headers } = await service.rest.get(path);
      await service.rest.patch(`/tasks/${task}`, { status: 'done' });
      // The tag of the list changes with the tasks.
      expect((await service.rest.get(path, { 'if-none-match': headers.get('etag') ?? '' })).status).to.equal(200);
      expect(await waits(), 'ready').to.equal(true);
      await complete(goal_id, 0, proof);
      expect(await waits(), 'complete').to.equal(false);
      await service.rest.patch(`/goals/${goal_id}`, { verification_state: 'stale' });
      expect(await waits(), 'stale').to.equal(true);
      await complete(goal_id, 1, proof);
      expect(await waits(), 'red').to.equal(true);
    });
  });
});
