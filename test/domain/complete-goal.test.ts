import { expect } from 'chai';
import type { Evidence, GoalRecord, TaskRecord, VerificationSurfaceInput } from '../../src/schema/types.ts';
import { type Completion, completeGoal } from '../../src/domain/plan/complete-goal.ts';
import { createGoal, pauseGoal, reopenGoal } from '../../src/domain/plan/goals.ts';
import { Plan } from './plan.ts';
import { errorOf } from './throws.ts';

const red: Evidence = { kind: 'gate_command', exit_code: 1 };
const green: Evidence = { kind: 'gate_command', exit_code: 0 };

function goalIn(plan: Plan, surface: unknown = { kind: 'gate_command', command: 'npm test' }): GoalRecord {
  return plan.update((tx) =>
    createGoal(tx, { name: 'Ship', objective: 'Ship it', verification_surface: surface as VerificationSurfaceInput }),
  ).goal;
}

const complete = (plan: Plan, goal: GoalRecord, evidence?: Evidence): Completion =>
  plan.update((tx) => completeGoal(tx, goal.id, evidence));
const stateOf = (plan: Plan, goal: GoalRecord): string | undefined => plan.view.get('goal', goal.id)?.status;

function setStatus(plan: Plan, id: string, status: TaskRecord['status']): void {
  plan.update((tx) => tx.put('task', { ...(tx.get('task', id) as TaskRecord), status }));
}

describe('complete_goal', () => {
  it('completes an active goal whose tasks are all done, on green evidence [D4.complete, S.state.complete]', () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    plan.task('done', { goal: goal.id, status: 'done' });
    plan.task('elsewhere');
    const { goal: completed, remediation_task: remedy } = complete(plan, goal, green);
    expect(completed.status).to.equal('complete');
    expect(completed.last_verification).to.deep.equal({
      at: completed.updated_at,
      green: true,
      kind: 'gate_command',
      detail: 'Exit code 0.',
    });
    expect(remedy).to.equal(undefined);
  });

  it('is rejected with open tasks, names them, and changes nothing [D4.open-tasks, D2.blocked_by_incomplete_tasks]', () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    for (const status of ['scope', 'todo', 'in_progress', 'backlog', 'done'] as const)
      plan.task(status, { goal: goal.id, status });
    const error = errorOf(() => complete(plan, goal, green));
    expect(error).to.deep.include({
      error: 'blocked_by_incomplete_tasks',
      incomplete_task_ids: ['scope', 'todo', 'in_progress', 'backlog'],
    });
    expect(plan.view.get('goal', goal.id)).to.equal(goal);
  });

  it('evaluates red evidence first: blocked even with open tasks, with a remediation task in scope [D4.red, S.state.blocked, D3.filed-in-scope]', () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    plan.task('open', { goal: goal.id });
    const { goal: blocked, remediation_task: remedy } = complete(plan, goal, red);
    expect(blocked.status).to.equal('blocked');
    expect(blocked.last_verification).to.include({ green: false, kind: 'gate_command', detail: 'Exit code 1.' });
    expect(remedy?.status).to.equal('scope');
    expect(plan.frontier.belongs(remedy?.id ?? '', goal.id)).to.equal(true);
  });

  it('never files a second remediation task while one is open [D4.red]', () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    const first = complete(plan, goal, red).remediation_task as TaskRecord;
    expect(complete(plan, goal, red).remediation_task?.id).to.equal(first.id);
    setStatus(plan, first.id, 'in_progress');
    expect(complete(plan, goal, red).remediation_task?.id).to.equal(first.id);
    expect(plan.view.count('task')).to.equal(1);
    setStatus(plan, first.id, 'done');
    expect(complete(plan, goal, red).remediation_task?.id).to.not.equal(first.id);
    expect(plan.view.count('task')).to.equal(2);
  });

  it('files another remediation task when the former one was deleted', () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    const first = complete(plan, goal, red).remediation_task as TaskRecord;
    plan.update((tx) => tx.remove('task', first.id));
    expect(complete(plan, goal, red).remediation_task?.id).to.not.equal(first.id);
  });

  it('completes a blocked goal on green evidence, and the remediation task is done with it [D4.complete]', () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    const remedy = complete(plan, goal, red).remediation_task as TaskRecord;
    expect(complete(plan, goal, green).goal.status).to.equal('complete');
    // It is verified with its goal, and a person need not review it.
    expect(plan.view.get('task', remedy.id)).to.include({ status: 'done', verified_ref: 'goal green' });
    expect(plan.view.by('task', 'review', 'yes')).to.deep.equal([]);
  });

  it('is rejected for a blocked goal with open tasks besides the remediation task [D4.open-tasks]', () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    plan.task('open', { goal: goal.id });
    complete(plan, goal, red);
    const error = errorOf(() => complete(plan, goal, green));
    expect(error).to.deep.include({ error: 'blocked_by_incomplete_tasks', incomplete_task_ids: ['open'] });
    expect(stateOf(plan, goal)).to.equal('blocked');
  });

  it('needs no evidence without a surface, only that all tasks are done; the verification has kind null [D4.green]', () => {
    const plan = new Plan();
    const goal = goalIn(plan, null);
    plan.task('open', { goal: goal.id });
    expect(errorOf(() => complete(plan, goal)).error).to.equal('blocked_by_incomplete_tasks');
    setStatus(plan, 'open', 'done');
    const { goal: completed } = complete(plan, goal);
    expect(completed.status).to.equal('complete');
    expect(completed.last_verification).to.deep.equal({ at: completed.updated_at, green: true, kind: null });
  });

  it("requires evidence of the surface's kind before it checks the tasks [D4.evidence]", () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    plan.task('open', { goal: goal.id });
    expect(errorOf(() => complete(plan, goal))).to.include({
      error: 'verification_required',
      required_kind: 'gate_command',
    });
    expect(stateOf(plan, goal)).to.equal('active');
  });

  it('changes nothing for an unknown checklist entry [D4.unmatched]', () => {
    const plan = new Plan();
    const goal = goalIn(plan, { kind: 'acceptance_checklist', items: [{ criterion: 'Fast' }] });
    const error = errorOf(() => complete(plan, goal, { kind: 'acceptance_checklist', checked: ['Slow'] }));
    expect(error).to.deep.include({ error: 'invalid_argument', unmatched: ['Slow'] });
    expect(plan.view.get('goal', goal.id)).to.equal(goal);
    expect(plan.view.count('task')).to.equal(0);
  });

  it('is rejected for a paused and for a complete goal', () => {
    const plan = new Plan();
    const goal = goalIn(plan);
    plan.update((tx) => pauseGoal(tx, goal.id));
    expect(errorOf(() => complete(plan, goal, green))).to.include({ error: 'conflict', status: 'paused' });
    const other = plan.update((tx) => createGoal(tx, { objective: 'Other' })).goal;
    complete(plan, other);
    expect(errorOf(() => complete(plan, other))).to.include({ error: 'conflict', status: 'complete' });
    plan.update((tx) => reopenGoal(tx, other.id));
    expect(complete(plan, other).goal.status).to.equal('complete');
  });
});
