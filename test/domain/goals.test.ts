import { expect } from 'chai';
import { createGoal, pauseGoal, reopenGoal, resumeGoal, showGoal, updateGoal } from '../../src/domain/goals.ts';
import type { GoalRecord } from '../../src/schema/types.ts';
import { Plan } from './plan.ts';
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

  it('is paused only from active [D4.pause, S.state.pause]', () => {
    const plan = new Plan();
    const goal = make(plan);
    expect(plan.update((tx) => pauseGoal(tx, goal.id)).status).to.equal('paused');
    expect(errorOf(() => plan.update((tx) => pauseGoal(tx, goal.id)))).to.include({
      error: 'conflict',
      status: 'paused',
    });
  });

  it('is resumed only from paused [D4.resume, S.state.resume]', () => {
    const plan = new Plan();
    const goal = make(plan, { status: 'paused' });
    expect(plan.update((tx) => resumeGoal(tx, goal.id)).status).to.equal('active');
    expect(errorOf(() => plan.update((tx) => resumeGoal(tx, goal.id)))).to.include({
      error: 'conflict',
      status: 'active',
    });
    const blocked = make(plan, { status: 'blocked' });
    expect(errorOf(() => plan.update((tx) => resumeGoal(tx, blocked.id)))).to.include({ error: 'conflict' });
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
