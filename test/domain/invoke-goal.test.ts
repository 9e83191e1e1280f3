import { expect } from 'chai';
import { chosenGoal, setCurrentGoal } from '../../src/domain/plan/current-goal.ts';
import { createGoal, pauseGoal } from '../../src/domain/plan/goals.ts';
import type { GoalRecord } from '../../src/schema/types.ts';
import { type Invocation, invokeGoal } from '../../src/domain/plan/invoke-goal.ts';
import { agent, owner, Plan } from './plan.ts';
import { errorOf } from './throws.ts';

const goalIn = (plan: Plan, name: string): GoalRecord =>
  plan.update((tx) => createGoal(tx, { name, objective: name })).goal;
const invoke = (plan: Plan, goal: GoalRecord): Invocation => plan.update((tx) => invokeGoal(tx, goal.id, agent));

describe('The current goal', () => {
  it('belongs to the session; without one, to the credential and project [D4.current, S.goal.current]', () => {
    const plan = new Plan();
    const [one, two, three] = [goalIn(plan, 'One'), goalIn(plan, 'Two'), goalIn(plan, 'Three')];
    plan.update((tx) => setCurrentGoal(tx, one.id, agent));
    plan.update((tx) => setCurrentGoal(tx, two.id, { ...agent, session: 'session-2' }));
    plan.update((tx) => setCurrentGoal(tx, three.id, owner));
    expect(chosenGoal(plan.view, agent)?.id).to.equal(one.id);
    expect(chosenGoal(plan.view, { ...agent, session: 'session-2' })?.id).to.equal(two.id);
    expect(chosenGoal(plan.view, owner)?.id).to.equal(three.id);
    expect(chosenGoal(plan.view, { ...owner, caller: { id: 'key_other' } })).to.equal(undefined);
  });

  it('can only be an active goal; an error leaves it unchanged [D4.set-current]', () => {
    const plan = new Plan();
    const [one, two] = [goalIn(plan, 'One'), goalIn(plan, 'Two')];
    plan.update((tx) => setCurrentGoal(tx, one.id, agent));
    plan.update((tx) => pauseGoal(tx, two.id));
    const error = errorOf(() => plan.update((tx) => setCurrentGoal(tx, two.id, agent)));
    expect(error).to.include({ error: 'conflict', reason: 'not_active', status: 'paused' });
    expect(chosenGoal(plan.view, agent)?.id).to.equal(one.id);
  });
});

describe('invoke_goal', () => {
  it('makes the goal the current one and returns its first task [D4.invoke]', () => {
    const plan = new Plan();
    const goal = goalIn(plan, 'One');
    plan.task('low', { goal: goal.id, priority: 'low' });
    plan.task('high', { goal: goal.id, priority: 'high' });
    const answer = invoke(plan, goal);
    expect(answer.goal.id).to.equal(goal.id);
    expect(answer.first_task?.id).to.equal('high');
    expect(answer.warnings).to.deep.equal([]);
    expect(chosenGoal(plan.view, agent)?.id).to.equal(goal.id);
  });

  it('returns no task, and a warning, while every todo task is blocked [D4.invoke]', () => {
    const plan = new Plan();
    const goal = goalIn(plan, 'One');
    plan.task('running', { status: 'in_progress' });
    plan.task('waits', { goal: goal.id, links: [{ to: 'running', label: 'depends_on' }] });
    const answer = invoke(plan, goal);
    expect(answer.first_task).to.equal(null);
    expect(answer.warnings).to.have.length(1);
    expect(chosenGoal(plan.view, agent)?.id).to.equal(goal.id);
  });

  function refused(prepare: (plan: Plan, goal: GoalRecord) => void): ReturnType<typeof errorOf> {
    const plan = new Plan();
    const [former, goal] = [goalIn(plan, 'Former'), goalIn(plan, 'One')];
    plan.update((tx) => setCurrentGoal(tx, former.id, agent));
    prepare(plan, goal);
    const error = errorOf(() => invoke(plan, goal));
    expect(error).to.include({ ok: false, error: 'conflict' });
    expect(chosenGoal(plan.view, agent)?.id).to.equal(former.id);
    return error;
  }

  it('rejects a goal that is not active [D4.invoke-refused]', () => {
    const error = refused((plan, goal) => {
      plan.task('task', { goal: goal.id });
      plan.update((tx) => pauseGoal(tx, goal.id));
    });
    expect(error['reason']).to.equal('not_active');
  });

  it('rejects a goal whose tasks form cycles, and names them [D4.invoke-refused]', () => {
    const error = refused((plan, goal) => {
      plan.task('free', { goal: goal.id });
      plan.task('b', { goal: goal.id, links: [{ to: 'a', label: 'depends_on' }] });
      plan.task('a', { goal: goal.id, links: [{ to: 'b', label: 'depends_on' }] });
    });
    expect(error).to.deep.include({ reason: 'has_cycle', cycles: [['a', 'b']] });
    expect(error.message).to.match(/^The goal "One" has tasks that wait for each other, .*: ".+" → ".+" → ".+"\. /);
  });

  it('detects a cycle through another goal', () => {
    const error = refused((plan, goal) => {
      plan.task('inside', { goal: goal.id, links: [{ to: 'outside', label: 'depends_on' }] });
      plan.task('outside', { links: [{ to: 'inside', label: 'depends_on' }] });
    });
    expect(error).to.deep.include({ reason: 'has_cycle', cycles: [['inside', 'outside']] });
  });

  it('ignores a cycle with a done task', () => {
    const plan = new Plan();
    const goal = goalIn(plan, 'One');
    plan.task('a', { goal: goal.id, status: 'done', links: [{ to: 'b' }] });
    plan.task('b', { goal: goal.id, links: [{ to: 'a' }] });
    expect(invoke(plan, goal).first_task?.id).to.equal('b');
  });

  it('rejects a goal without a todo task, and names the tasks that await release [D4.invoke-refused]', () => {
    const error = refused((plan, goal) => {
      plan.task('done', { goal: goal.id, status: 'done' });
      plan.task('scope', { goal: goal.id, status: 'scope' });
    });
    expect(error).to.deep.include({
      reason: 'no_todo_tasks',
      scope_awaiting_release: [{ id: 'scope', label: 'Task scope' }],
    });
    const empty = refused(() => undefined);
    expect(empty['reason']).to.equal('no_todo_tasks');
    expect(empty).to.not.have.property('scope_awaiting_release');
  });
});
