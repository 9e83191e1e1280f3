import { expect } from 'chai';
import { completeGoal } from '../../src/domain/plan/complete-goal.ts';
import { setCurrentGoal } from '../../src/domain/plan/current-goal.ts';
import {
  activeGoals,
  archiveGoal,
  createGoal,
  pauseGoal,
  reopenGoal,
  resumeGoal,
  showGoal,
  unarchiveGoal,
  updateGoal,
} from '../../src/domain/plan/goals.ts';
import { invokeGoal } from '../../src/domain/plan/invoke-goal.ts';
import { nextTask } from '../../src/domain/plan/next-task.ts';
import type { GoalRecord } from '../../src/schema/types.ts';
import { agent, Plan } from './plan.ts';
import { errorOf } from './throws.ts';

const make = (plan: Plan, input: Partial<Parameters<typeof createGoal>[1]> = {}): GoalRecord =>
  plan.update((tx) => createGoal(tx, { objective: 'Reach it', ...input })).goal;

describe('A goal', () => {
  it('is created active, with every field of its contract, and shown with its project [D4.goal]', () => {
    const plan = new Plan();
    const goal = make(plan, { name: 'Ship', constraints: 'No downtime', budget: '3 days' });
    expect(showGoal(plan.view, goal)).to.deep.equal({
      id: goal.id,
      project_id: plan.view.project,
      name: 'Ship',
      objective: 'Reach it',
      status: 'active',
      verification_surface: null,
      constraints: 'No downtime',
      boundaries: null,
      iteration_policy: null,
      stop_condition: null,
      budget: '3 days',
      last_verification: null,
      verification_state: null,
      pause_reason: null,
      covers: [],
      archived_at: null,
      created_at: goal.created_at,
      updated_at: goal.updated_at,
    });
  });

  it('may be created in another status [D4.status]', () => {
    expect(make(new Plan(), { status: 'paused' }).status).to.equal('paused');
  });

  it('has a name that is unique in its project [D4.name]', () => {
    const plan = new Plan();
    const first = make(plan, { name: 'Ship' });
    expect(errorOf(() => make(plan, { name: 'Ship' }))).to.include({ error: 'conflict', field: 'name', id: first.id });
    const other = make(plan, { name: 'Sail' });
    const rename = (): unknown => plan.update((tx) => updateGoal(tx, { goal_id: other.id, name: 'Ship' }));
    expect(errorOf(rename)).to.include({ error: 'conflict', field: 'name' });
    expect(make(plan).name).to.equal(null);
    expect(make(plan).name).to.equal(null);
  });

  it('returns a warning without a verification surface, and none with one [D4.warnings]', () => {
    const plan = new Plan();
    const bare = plan.update((tx) => createGoal(tx, { objective: 'Reach it' }));
    expect(bare.warnings).to.have.length(1);
    const surface = { kind: 'human_sign_off' };
    const updated = plan.update((tx) => updateGoal(tx, { goal_id: bare.goal.id, verification_surface: surface }));
    expect(updated.warnings).to.deep.equal([]);
    expect(updated.goal.verification_surface).to.deep.equal(surface);
    const cleared = plan.update((tx) => updateGoal(tx, { goal_id: bare.goal.id, verification_surface: null }));
    expect(cleared.warnings).to.have.length(1);
  });

  it('keeps fields that an update omits and clears fields that it sets to null', () => {
    const plan = new Plan();
    const goal = make(plan, { name: 'Ship', constraints: 'None', budget: 'Small' });
    const { goal: updated } = plan.update((tx) =>
      updateGoal(tx, { goal_id: goal.id, objective: 'Reach more', budget: null }),
    );
    expect(updated).to.include({ name: 'Ship', objective: 'Reach more', constraints: 'None', budget: null });
  });

  it('keeps its former names, so that tasks that use them in their files still belong to it [A.format.aliases]', () => {
    const plan = new Plan();
    const goal = make(plan, { name: 'Ship' });
    plan.task('task', { goal: 'Ship' });
    const { goal: renamed } = plan.update((tx) => updateGoal(tx, { goal_id: goal.id, name: 'Sail' }));
    expect(renamed.aliases).to.deep.equal(['Ship']);
    expect(plan.view.get('task', 'task')?.goal).to.equal('Ship');
    expect(plan.frontier.belongs('task', goal.id)).to.equal(true);
    const { goal: back } = plan.update((tx) => updateGoal(tx, { goal_id: goal.id, name: 'Ship' }));
    expect(back.aliases).to.deep.equal(['Sail']);
  });

  it('may take a former name of another goal: tasks stay with the goal that they referenced', () => {
    const plan = new Plan();
    const first = make(plan, { name: 'Ship' });
    plan.task('task', { goal: 'Ship' });
    plan.update((tx) => updateGoal(tx, { goal_id: first.id, name: 'Sail' }));
    const second = make(plan, { name: 'Ship' });
    expect(plan.frontier.belongs('task', first.id)).to.equal(true);
    expect(plan.frontier.tasksOf(second.id).size).to.equal(0);
    expect(plan.view.get('goal', first.id)?.aliases).to.deep.equal([]);
  });

  it('is paused only from active, with a reason until it is resumed [D4.pause, S.state.pause, A.run.budget]', () => {
    const plan = new Plan();
    const goal = make(plan);
    expect(plan.update((tx) => pauseGoal(tx, goal.id, 'Enough'))).to.include({
      status: 'paused',
      pause_reason: 'Enough',
    });
    plan.update((tx) => resumeGoal(tx, goal.id));
    expect(plan.update((tx) => pauseGoal(tx, goal.id))).to.include({ status: 'paused', pause_reason: null });
    expect(errorOf(() => plan.update((tx) => pauseGoal(tx, goal.id)))).to.include({
      error: 'conflict',
      status: 'paused',
    });
  });

  it('is resumed only from paused or blocked [D4.resume, S.state.resume]', () => {
    const plan = new Plan();
    for (const status of ['paused', 'blocked'] as const) {
      const goal = make(plan, { status });
      expect(plan.update((tx) => resumeGoal(tx, goal.id)).status, status).to.equal('active');
    }
    for (const status of ['active', 'complete'] as const) {
      const goal = make(plan, { status });
      const error = errorOf(() => plan.update((tx) => resumeGoal(tx, goal.id)));
      expect(error).to.include({ error: 'conflict', status });
      expect(error).to.have.property('message').that.includes('paused or blocked');
    }
  });

  it('that was seen red is worked on again once it is resumed; its remediation task stays [D4.resume, D3.next-inactive]', () => {
    const plan = new Plan();
    const goal = make(plan, { name: 'Ship', verification_surface: { kind: 'gate_command', command: 'npm test' } });
    plan.task('build', { goal: goal.id });
    const red = { kind: 'gate_command', exit_code: 1 } as const;
    const remedy = plan.update((tx) => completeGoal(tx, goal.id, red)).remediation_task!;
    const nextOf = (): string => nextTask(plan.view, { goal_id: goal.id }, agent).reason;
    const invoke = (): unknown => plan.update((tx) => invokeGoal(tx, goal.id, agent));
    expect(nextOf(), 'blocked').to.equal('goal_blocked');
    const hint = (): string => nextTask(plan.view, { goal_id: goal.id }, agent).hint ?? '';
    expect(hint()).to.match(/a person has to release .+ call resume_goal and do it, then call complete_goal/);
    plan.update((tx) => tx.put('task', { ...remedy, status: 'todo' }));
    expect(hint()).to.include(`call resume_goal and do the task ${JSON.stringify(remedy.label)}`);
    plan.update((tx) => tx.put('task', { ...remedy, status: 'done' }));
    expect(hint()).to.include('verify it again, then call complete_goal');
    plan.update((tx) => tx.put('task', remedy));
    expect(errorOf(invoke), 'blocked').to.include({ reason: 'not_active', status: 'blocked' });
    plan.update((tx) => resumeGoal(tx, goal.id));
    expect(nextOf()).to.equal('ok');
    expect(invoke()).to.have.nested.property('first_task.id', 'build');
    expect(plan.view.get('task', remedy.id)).to.include({ status: 'scope', goal: goal.id });
    // Red once more: no second remediation task. Green: the remediation task is done.
    expect(plan.update((tx) => completeGoal(tx, goal.id, red)).remediation_task?.id).to.equal(remedy.id);
    plan.update((tx) => [
      resumeGoal(tx, goal.id),
      tx.put('task', { ...tx.get('task', 'build')!, status: 'done' }),
      completeGoal(tx, goal.id, { kind: 'gate_command', exit_code: 0 }),
    ]);
    expect(plan.view.get('task', remedy.id)?.status).to.equal('done');
  });

  it('is archived unless it is active or the default goal, and unarchived with its status [D4.archive]', () => {
    const plan = new Plan();
    for (const status of ['paused', 'blocked', 'complete'] as const) {
      const goal = make(plan, { status });
      const archived = plan.update((tx) => archiveGoal(tx, goal.id));
      expect(archived, status).to.include({ status, archived_at: archived.updated_at });
      const again = errorOf(() => plan.update((tx) => archiveGoal(tx, goal.id)));
      expect(again).to.include({ error: 'conflict', archived_at: archived.archived_at });
      expect(
        plan.update((tx) => unarchiveGoal(tx, goal.id)),
        status,
      ).to.include({ status, archived_at: null });
      expect(errorOf(() => plan.update((tx) => unarchiveGoal(tx, goal.id)))).to.include({ error: 'conflict' });
    }
    const active = make(plan);
    expect(errorOf(() => plan.update((tx) => archiveGoal(tx, active.id)))).to.include({
      error: 'conflict',
      status: 'active',
    });
    plan.update((tx) => pauseGoal(tx, plan.defaultGoal.id));
    const error = errorOf(() => plan.update((tx) => archiveGoal(tx, plan.defaultGoal.id)));
    expect(error).to.include({ error: 'conflict' }).and.property('message').that.includes('default goal');
  });

  it('that is archived offers no tasks, whatever its file says, and keeps its status until it is unarchived [D4.archived, D3.next-inactive]', () => {
    const plan = new Plan();
    const paused = make(plan, { status: 'paused' });
    const complete = make(plan, { status: 'complete' });
    plan.update((tx) => [archiveGoal(tx, paused.id), archiveGoal(tx, complete.id)]);
    const refused = [
      () => plan.update((tx) => resumeGoal(tx, paused.id)),
      () => plan.update((tx) => reopenGoal(tx, complete.id)),
      () => plan.update((tx) => completeGoal(tx, paused.id, undefined)),
    ];
    for (const attempt of refused)
      expect(errorOf(attempt)).to.include({ error: 'conflict' }).and.have.property('archived_at');
    // Only a person's edit of the file makes such a goal.
    plan.task('build', { goal: paused.id });
    plan.update((tx) => tx.put('goal', { ...tx.get('goal', paused.id)!, status: 'active' }));
    expect(nextTask(plan.view, { goal_id: paused.id }, agent)).to.include({
      next_task: null,
      reason: 'no_active_goal',
    });
    expect(activeGoals(plan.view).map(({ id }) => id)).to.deep.equal([plan.defaultGoal.id]);
    expect(errorOf(() => plan.update((tx) => invokeGoal(tx, paused.id, agent)))).to.include({ reason: 'not_active' });
    expect(errorOf(() => plan.update((tx) => setCurrentGoal(tx, paused.id, agent)))).to.include({
      reason: 'not_active',
    });
  });

  it('is reopened only from complete [D4.reopen]', () => {
    const plan = new Plan();
    const goal = make(plan, { status: 'complete' });
    expect(plan.update((tx) => reopenGoal(tx, goal.id)).status).to.equal('active');
    expect(errorOf(() => plan.update((tx) => reopenGoal(tx, goal.id)))).to.include({
      error: 'conflict',
      status: 'active',
    });
  });

  it('that does not exist is not_found', () => {
    expect(errorOf(() => new Plan().update((tx) => pauseGoal(tx, 'gol_none')))).to.include({
      error: 'not_found',
      resource: 'goal',
    });
  });
});

describe('The default goal', () => {
  it('is called General, is active, and may be renamed [D4.general]', () => {
    const plan = new Plan();
    expect(plan.defaultGoal).to.include({ name: 'General', status: 'active' });
    const { goal } = plan.update((tx) => updateGoal(tx, { goal_id: plan.defaultGoal.id, name: 'Everything' }));
    expect(goal.name).to.equal('Everything');
  });
});
