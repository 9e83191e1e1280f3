import { expect } from 'chai';
import { taskGraph, waitingOn } from '../../src/domain/graph/task-graph.ts';
import { atOnce } from '../../src/base/slices.ts';
import type { TaskRecord } from '../../src/schema/types.ts';
import { createGoal } from '../../src/domain/plan/goals.ts';
import { Plan } from './plan.ts';

function waiting(plan: Plan, id: string): string[] {
  return waitingOn(plan.view, plan.view.get('task', id) as TaskRecord).map((task) => task.id);
}

describe('The prerequisites of a task', () => {
  it('is every open prerequisite, by creation [D3.satisfied]', () => {
    const plan = new Plan();
    plan.task('b-first');
    plan.task('a-second', { status: 'in_progress' });
    plan.task('finished', { status: 'done' });
    plan.task('task', { links: ['a-second', 'finished', 'b-first'].map((to) => ({ to, label: 'depends_on' })) });
    expect(waiting(plan, 'task')).to.deep.equal(['b-first', 'a-second']);
  });

  it('is listed once for several edges', () => {
    const plan = new Plan();
    plan.task('task');
    plan.task('before', { links: [{ to: 'task' }, { to: 'task', label: 'blocks' }] });
    expect(waiting(plan, 'task')).to.deep.equal(['before']);
    expect(plan.frontier.openPrerequisites('task')).to.equal(1);
  });

  it('is not a task that no longer exists [D3.satisfied]', () => {
    const plan = new Plan();
    plan.task('task', { links: [{ to: 'gone', label: 'depends_on' }] });
    expect(waiting(plan, 'task')).to.deep.equal([]);
    expect(plan.frontier.openPrerequisites('task')).to.equal(0);
  });

  for (const status of ['scope', 'todo', 'in_progress', 'backlog'] as const) {
    it(`is a task that is ${status}: only done satisfies [D3.satisfied]`, () => {
      const plan = new Plan();
      plan.task('before', { status });
      plan.task('task', { links: [{ to: 'before', label: 'depends_on' }] });
      expect(waiting(plan, 'task')).to.deep.equal(['before']);
    });
  }
});

describe('The task graph', () => {
  it('has a node for each task with depth and prerequisites, and the roots [D3.graph]', () => {
    const plan = new Plan();
    plan.task('a', { links: [{ to: 'b' }, { to: 'c' }] });
    plan.task('b', { status: 'done' });
    plan.task('c', { links: [{ to: 'b', label: 'depends_on' }] });
    plan.task('d');
    const { nodes, roots, cycles } = atOnce(taskGraph(plan.view, undefined));
    const lines = nodes.map(({ task, depth, prerequisites }) => [task.id, depth, prerequisites.map(({ id }) => id)]);
    expect(lines).to.deep.equal([
      ['a', 0, []],
      ['b', 1, ['a']],
      ['c', 2, ['a', 'b']],
      ['d', 0, []],
    ]);
    expect(roots).to.deep.equal(['a', 'd']);
    expect(cycles).to.deep.equal([]);
  });

  it('names the tasks that would be actionable if scope were released: scope or todo with every prerequisite done [D3.released]', () => {
    const plan = new Plan();
    plan.task('done', { status: 'done' });
    plan.task('scope', { status: 'scope', links: [{ to: 'done', label: 'depends_on' }] });
    plan.task('todo');
    plan.task('blocked', { links: [{ to: 'scope', label: 'depends_on' }] });
    plan.task('running', { status: 'in_progress' });
    plan.task('pile', { status: 'backlog' });
    expect(atOnce(taskGraph(plan.view, undefined)).actionable_if_released).to.deep.equal(['scope', 'todo']);
  });

  it('of a goal shows only its tasks, and counts prerequisites in other goals for actionable tasks [D3.released]', () => {
    const plan = new Plan();
    const { goal } = plan.update((tx) => createGoal(tx, { objective: 'Other' }));
    plan.task('elsewhere');
    plan.task('waits', { goal: goal.id, links: [{ to: 'elsewhere', label: 'depends_on' }] });
    plan.task('free', { goal: goal.id });
    const graph = atOnce(taskGraph(plan.view, goal.id));
    expect(graph.nodes.map(({ task }) => task.id)).to.deep.equal(['waits', 'free']);
    expect(graph.nodes[0]?.prerequisites.map(({ id }) => id)).to.deep.equal(['elsewhere']);
    expect(graph.roots).to.deep.equal(['waits', 'free']);
    expect(graph.actionable_if_released).to.deep.equal(['free']);
  });

  it('names cycles [D3.cycles]', () => {
    const plan = new Plan();
    plan.task('b', { links: [{ to: 'c' }] });
    plan.task('c', { links: [{ to: 'a' }] });
    plan.task('a', { links: [{ to: 'b' }] });
    const { cycles, roots, nodes } = atOnce(taskGraph(plan.view, undefined));
    expect(cycles).to.deep.equal([['a', 'b', 'c']]);
    expect(roots).to.deep.equal([]);
    expect(nodes.map(({ depth }) => depth)).to.deep.equal([0, 0, 0]);
  });
});
