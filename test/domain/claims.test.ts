import { expect } from 'chai';
import { claimTask, type Claim } from '../../src/domain/plan/claims.ts';
import type { TaskRecord } from '../../src/schema/types.ts';
import { endLease, leaseOf, renewLease } from '../../src/domain/plan/leases.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { agent, owner, Plan } from './plan.ts';

function claim(plan: Plan, agentRef: string, seconds?: number, by: typeof agent | typeof owner = owner): Claim {
  const lease = seconds === undefined ? {} : { lease_seconds: seconds };
  return plan.update((tx) => claimTask(tx, { task_id: 'task', agent_ref: agentRef, ...lease }, by));
}

const task = (plan: Plan): TaskRecord => plan.view.get('task', 'task') as TaskRecord;

describe('claim_task', () => {
  it('sets a todo task whose prerequisites are done to in progress, and the agent as its assignee [D3.claim]', () => {
    const plan = new Plan();
    plan.task('before', { status: 'done' });
    plan.task('task', { links: [{ to: 'before', label: 'depends_on' }] });
    const answer = claim(plan, 'one');
    expect(answer).to.deep.equal({ claimed: true, task: task(plan) });
    expect(task(plan)).to.include({ status: 'in_progress', assignee: 'one' });
  });

  it('succeeds for one of two agents, and names the agent to the other [D3.claim-refused]', () => {
    const plan = new Plan();
    plan.task('task');
    claim(plan, 'one');
    expect(claim(plan, 'two')).to.deep.equal({ claimed: false, reason: 'taken_or_not_actionable', assignee: 'one' });
    expect(task(plan).assignee).to.equal('one');
  });

  it('is claimed again by the same agent [D3.claim-repeat]', () => {
    const plan = new Plan();
    plan.task('task');
    claim(plan, 'one');
    expect(claim(plan, 'one')).to.include({ claimed: true });
  });

  it('rejects a task with an open prerequisite, and changes nothing [D3.claim-refused]', () => {
    const plan = new Plan();
    plan.task('before', { status: 'in_progress' });
    const former = plan.task('task', { links: [{ to: 'before', label: 'depends_on' }] });
    expect(claim(plan, 'one')).to.deep.equal({ claimed: false, reason: 'taken_or_not_actionable' });
    expect(task(plan)).to.equal(former);
  });

  for (const status of ['scope', 'done', 'backlog', 'in_progress'] as const) {
    it(`rejects a task that is ${status} [D3.claim-refused]`, () => {
      const plan = new Plan();
      plan.task('task', { status });
      expect(claim(plan, 'one')).to.include({ claimed: false, reason: 'taken_or_not_actionable' });
      expect(task(plan).status).to.equal(status);
    });
  }

  it('rejects an unknown task with not_found', () => {
    expect(() => claim(new Plan(), 'one'))
      .to.throw(PlannerError)
      .with.property('code', 'not_found');
  });
});

describe('A lease', () => {
  it('lets another agent claim once it has expired [D3.lease]', () => {
    const plan = new Plan();
    plan.task('task');
    claim(plan, 'one', 60);
    plan.clock.advance(59_000);
    expect(claim(plan, 'two')).to.include({ claimed: false });
    plan.clock.advance(2_000);
    expect(claim(plan, 'two')).to.include({ claimed: true });
    expect(task(plan).assignee).to.equal('two');
    // The second agent asked for no lease: its claim has no end.
    expect(leaseOf(plan.view, 'task')).to.equal(undefined);
    plan.clock.advance(1_000_000_000);
    expect(claim(plan, 'three')).to.include({ claimed: false, assignee: 'two' });
  });

  it('is renewed by a repeated claim, with the former length unless another is given [D3.lease-renewal]', () => {
    const plan = new Plan();
    plan.task('task');
    claim(plan, 'one', 60);
    plan.clock.advance(50_000);
    claim(plan, 'one');
    plan.clock.advance(50_000);
    expect(claim(plan, 'two')).to.include({ claimed: false });
    claim(plan, 'one', 600);
    plan.clock.advance(500_000);
    expect(claim(plan, 'two')).to.include({ claimed: false });
  });

  it('is renewed by an update that names the agent, not by another agent [D3.lease-renewal]', () => {
    const plan = new Plan();
    plan.task('task');
    claim(plan, 'one', 60);
    const until = leaseOf(plan.view, 'task')?.expires_at;
    plan.clock.advance(30_000);
    plan.update((tx) => renewLease(tx, task(plan), 'two', owner));
    plan.update((tx) => renewLease(tx, task(plan), undefined, owner));
    expect(leaseOf(plan.view, 'task')?.expires_at).to.equal(until);
    plan.update((tx) => renewLease(tx, task(plan), 'one', owner));
    expect(Date.parse(leaseOf(plan.view, 'task')?.expires_at ?? '')).to.be.greaterThan(Date.parse(until ?? ''));
  });

  it("is renewed by an update of the claimer's session without agent_ref [D3.lease-renewal]", () => {
    const plan = new Plan();
    plan.task('task');
    claim(plan, 'one', 60, agent);
    const until = leaseOf(plan.view, 'task')?.expires_at;
    plan.clock.advance(30_000);
    plan.update((tx) => renewLease(tx, task(plan), undefined, { ...agent, session: 'session-2' }));
    expect(leaseOf(plan.view, 'task')?.expires_at).to.equal(until);
    plan.update((tx) => renewLease(tx, task(plan), undefined, agent));
    expect(leaseOf(plan.view, 'task')?.expires_at).to.not.equal(until);
  });

  it('ends when the task is done, put back or assigned to another agent', () => {
    for (const change of [{ status: 'done' }, { status: 'todo' }, { assignee: 'two' }] as const) {
      const plan = new Plan();
      plan.task('task');
      claim(plan, 'one', 60);
      plan.update((tx) => {
        const changed = tx.put('task', { ...task(plan), ...change });
        renewLease(tx, changed, 'one', owner);
      });
      expect(leaseOf(plan.view, 'task'), JSON.stringify(change)).to.equal(undefined);
      expect([...plan.view.service.list('leases')], JSON.stringify(change)).to.deep.equal([]);
    }
  });

  it('does not apply to a task that was reassigned on disk', () => {
    const plan = new Plan();
    plan.task('task');
    claim(plan, 'one', 60);
    plan.update((tx) => tx.put('task', { ...task(plan), assignee: 'ann' }));
    plan.clock.advance(61_000);
    expect(leaseOf(plan.view, 'task')).to.equal(undefined);
    expect(claim(plan, 'two')).to.deep.include({ claimed: false, assignee: 'ann' });
  });

  it('is removed with the task', () => {
    const plan = new Plan();
    plan.task('task');
    claim(plan, 'one', 60);
    plan.update((tx) => {
      tx.remove('task', 'task');
      endLease(tx, 'task');
    });
    expect([...plan.view.service.list('leases')]).to.deep.equal([]);
  });
});
