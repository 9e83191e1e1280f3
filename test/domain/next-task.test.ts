import { expect } from 'chai';
import { claimTask } from '../../src/domain/plan/claims.ts';
import { completeGoal } from '../../src/domain/plan/complete-goal.ts';
import { setCurrentGoal } from '../../src/domain/plan/current-goal.ts';
import { archiveGoal, createGoal, pauseGoal } from '../../src/domain/plan/goals.ts';
import { type NextTask, nextTask, type NextTaskQuery } from '../../src/domain/plan/next-task.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { agent, owner, Plan } from './plan.ts';

const next = (plan: Plan, query: NextTaskQuery = {}, by = agent): NextTask => nextTask(plan.view, query, by);
const nextId = (plan: Plan, query?: NextTaskQuery): string | undefined => next(plan, query).next_task?.id;
const blockedIds = ({ blocked }: NextTask): string[] => [...blocked].map(({ task }) => task.id);

describe('get_next_task', () => {
  it('returns the first unblocked todo task and claims nothing [D3.next]', () => {
    const plan = new Plan();
    plan.task('started', { status: 'in_progress' });
    plan.task('waits', { priority: 'urgent', links: [{ to: 'started', label: 'depends_on' }] });
    plan.task('free');
    const answer = next(plan);
    expect(answer.next_task?.id).to.equal('free');
    expect(answer.reason).to.equal('ok');
    expect(plan.view.get('task', 'free')?.status).to.equal('todo');
    expect(nextId(plan)).to.equal('free');
  });

  it('returns no_tasks, no_todo_tasks or all_blocked [D3.next-reasons]', () => {
    const plan = new Plan();
    expect(next(plan)).to.deep.include({ next_task: null, reason: 'no_tasks', blocked_total: 0 });
    expect([...next(plan).blocked]).to.deep.equal([]);
    plan.task('before', { status: 'scope' });
    expect(next(plan)).to.deep.include({ next_task: null, reason: 'no_todo_tasks' });
    plan.task('waits', { links: [{ to: 'before', label: 'depends_on' }] });
    expect(next(plan)).to.deep.include({ next_task: null, reason: 'all_blocked', blocked_total: 1 });
  });

  it('lists blocked tasks with their prerequisites, fewest open prerequisites first [D3.next-blocked]', () => {
    const plan = new Plan();
    plan.task('a', { status: 'scope' });
    plan.task('b', { status: 'scope' });
    plan.task('two', { links: ['a', 'b'].map((to) => ({ to, label: 'depends_on' })) });
    plan.task('one', { links: [{ to: 'b', label: 'depends_on' }] });
    plan.task('one-too', { links: [{ to: 'a', label: 'depends_on' }] });
    const { blocked, blocked_total: total } = next(plan);
    const rows = [...blocked];
    const lines = rows.map(({ task, waiting_on: on }) => [task.id, on.map(({ id }) => id)]);
    expect(lines).to.deep.equal([
      ['one', ['b']],
      ['one-too', ['a']],
      ['two', ['a', 'b']],
    ]);
    expect(total).to.equal(3);
    expect(blockedIds(next(plan, { after: rows[1]?.position }))).to.deep.equal(['two']);
  });

  it('uses the given goal, else the current one while it is active, else the only active one [D3.next-goal]', () => {
    const plan = new Plan();
    const [{ goal: one }, { goal: two }] = plan.update((tx) => [
      createGoal(tx, { name: 'One', objective: 'One' }),
      createGoal(tx, { name: 'Two', objective: 'Two' }),
    ]);
    plan.task('in-general');
    plan.task('in-one', { goal: one.id });
    plan.task('in-two', { goal: 'Two' });
    expect(nextId(plan, { goal_id: two.id })).to.equal('in-two');
    plan.update((tx) => setCurrentGoal(tx, one.id, agent));
    expect(nextId(plan)).to.equal('in-one');
    expect(nextId(plan, { goal_id: two.id })).to.equal('in-two');
    plan.update((tx) => pauseGoal(tx, one.id));
    expect(next(plan).reason).to.equal('multiple_active_goals');
    plan.update((tx) => pauseGoal(tx, plan.defaultGoal.id));
    expect(nextId(plan)).to.equal('in-two');
  });

  it('returns no_active_goal, or multiple_active_goals with their names, if no goal can be chosen [D3.next-reasons, S.errors.no-goal]', () => {
    const plan = new Plan();
    plan.task('task');
    const { goal } = plan.update((tx) => createGoal(tx, { name: 'One', objective: 'Once' }));
    plan.task('in-one', { goal: goal.id });
    const several = next(plan);
    expect(several).to.deep.include({ next_task: null, reason: 'multiple_active_goals', blocked_total: 0 });
    expect(several.active_goals?.map(({ id }) => id)).to.deep.equal([plan.defaultGoal.id, goal.id]);
    plan.update((tx) => [pauseGoal(tx, goal.id), pauseGoal(tx, plan.defaultGoal.id)]);
    expect(next(plan)).to.deep.include({ reason: 'no_active_goal' });
    expect(next(plan).hint).to.include('create_goal').and.include('resume_goal');
  });

  it('returns goal_blocked while red evidence blocks the current goal, also if other goals have tasks [D3.next-inactive]', () => {
    const plan = new Plan();
    plan.task('elsewhere');
    const surface = { verification_surface: { kind: 'gate_command', command: 'npm test' } };
    const { goal } = plan.update((tx) => createGoal(tx, { objective: 'Once', ...surface }));
    plan.update((tx) => setCurrentGoal(tx, goal.id, agent));
    plan.update((tx) => completeGoal(tx, goal.id, { kind: 'gate_command', exit_code: 1 }));
    expect(next(plan).reason).to.equal('goal_blocked');
    expect(nextId(plan, { goal_id: plan.defaultGoal.id })).to.equal('elsewhere');
  });

  describe('with several active goals', () => {
    const withGoals = (): { plan: Plan; first: string; second: string } => {
      const plan = new Plan();
      const [first, second] = plan.update((tx) =>
        ['First', 'Second'].map((name) => createGoal(tx, { name, objective: name }).goal.id),
      );
      return { plan, first: first!, second: second! };
    };

    it('returns no_todo_tasks if they have no task to choose [D3.next-goal]', () => {
      const { plan, first, second } = withGoals();
      expect(next(plan)).to.deep.include({ next_task: null, reason: 'no_todo_tasks', blocked_total: 0 });
      for (const status of ['done', 'backlog', 'scope', 'in_progress'] as const)
        plan.task(status, { status, goal: first });
      plan.task('done-too', { status: 'done', goal: second });
      expect(next(plan)).to.deep.include({ reason: 'no_todo_tasks' }).and.not.to.have.property('active_goals');
      expect(next(plan, { goal_id: plan.defaultGoal.id }).reason).to.equal('no_tasks');
    });

    for (const place of ['default', 'first', 'second'] as const)
      it(`takes the only one with a task in todo, here the ${place} one [D3.next-goal]`, () => {
        const { plan, ...goals } = withGoals();
        const goal = place === 'default' ? {} : { goal: goals[place] };
        plan.task('todo', goal);
        plan.task('done', { status: 'done', goal: place === 'first' ? goals.second : goals.first });
        expect(nextId(plan)).to.equal('todo');
        plan.update((tx) => setCurrentGoal(tx, place === 'first' ? goals.second : goals.first, agent));
        expect(next(plan).reason).to.equal('no_todo_tasks');
      });

    it('counts one whose tasks are blocked, or held by a claim that ran out, and not before [D3.next-goal, D3.lease]', () => {
      const { plan, first, second } = withGoals();
      plan.task('open', { status: 'scope', goal: first });
      plan.task('blocked', { goal: first, links: [{ to: 'open', label: 'depends_on' }] });
      expect(next(plan)).to.deep.include({ reason: 'all_blocked', blocked_total: 1 });
      plan.task('held', { goal: second });
      plan.update((tx) => claimTask(tx, { task_id: 'held', agent_ref: 'one', lease_seconds: 60 }, owner));
      expect(next(plan).reason).to.equal('all_blocked');
      plan.clock.advance(61_000);
      const several = next(plan);
      expect(several.reason).to.equal('multiple_active_goals');
      expect(several.active_goals?.map(({ id }) => id)).to.deep.equal([first, second]);
    });

    it('does not count one that is archived or paused [D3.next-goal]', () => {
      const { plan, first, second } = withGoals();
      for (const goal of [first, second]) plan.task(`in-${goal}`, { goal });
      plan.task('general');
      plan.update((tx) => [pauseGoal(tx, first), archiveGoal(tx, first), pauseGoal(tx, second)]);
      expect(nextId(plan)).to.equal('general');
    });
  });

  it('rejects an unknown goal', () => {
    expect(() => next(new Plan(), { goal_id: 'gol_none' }))
      .to.throw(PlannerError)
      .with.property('code', 'not_found');
  });

  it('chooses among the tasks with one of the tags', () => {
    const plan = new Plan();
    plan.task('plain', { priority: 'urgent' });
    plan.task('api', { tags: ['api'] });
    plan.task('web', { tags: ['web'], priority: 'high' });
    plan.task('both-but-blocked', { tags: ['api', 'web'], links: [{ to: 'plain', label: 'depends_on' }] });
    expect(nextId(plan, { tags: ['api'] })).to.equal('api');
    expect(nextId(plan, { tags: ['api', 'web'] })).to.equal('web');
    expect(next(plan, { tags: ['api', 'web'] }).blocked_total).to.equal(1);
    expect(next(plan, { tags: ['none'] }).reason).to.equal('no_tasks');
  });

  it('counts a task whose lease expired as todo, ordered by priority [D3.lease]', () => {
    const plan = new Plan();
    plan.task('low', { priority: 'low' });
    plan.task('high', { priority: 'high' });
    plan.update((tx) => claimTask(tx, { task_id: 'high', agent_ref: 'one', lease_seconds: 60 }, owner));
    expect(nextId(plan)).to.equal('low');
    plan.clock.advance(61_000);
    expect(nextId(plan)).to.equal('high');
    plan.task('before', { status: 'scope', links: [{ to: 'high' }] });
    expect(nextId(plan)).to.equal('low');
    expect(blockedIds(next(plan))).to.deep.equal(['high']);
    const [high] = next(plan).blocked;
    expect(blockedIds(next(plan, { after: high?.position }))).to.deep.equal([]);
  });
});
