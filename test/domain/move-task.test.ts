import { expect } from 'chai';
import { createTask, updateTask } from '../../src/domain/plan/tasks.ts';
import { rankDigitsMax } from '../../src/domain/graph/rank.ts';
import { Random } from '../support/random.ts';
import { agent, Plan } from './plan.ts';
import { errorOf } from './throws.ts';

const order = (plan: Plan): string[] => [...plan.frontier.inOrder('rank').values()].map(({ id }) => id);

function move(plan: Plan, task_id: string, to: { readonly above?: string; readonly below?: string }): void {
  plan.update((tx) => updateTask(tx, { task_id, ...to }, agent));
}

/** The order after a move, by the rules. */
function moved(ids: readonly string[], id: string, to: { readonly above?: string; readonly below?: string }): string[] {
  const others = ids.filter((one) => one !== id);
  if (to.above === '*') return [id, ...others];
  if (to.below === '*') return [...others, id];
  return others.toSpliced(others.indexOf((to.above ?? to.below)!) + (to.below === undefined ? 0 : 1), 0, id);
}

describe('A task that is moved', () => {
  it('is directly above or below another one, or all, whatever ranks they have [A.rank.move, A.rank.bounded]', () => {
    const random = Random.announced('Moves');
    for (let round = 0; round < 8; round++) {
      const plan = new Plan();
      const ids = Array.from({ length: random.integer(2, 14) }, (_, at) => `t${at}`);
      // Of the same time, as those of a whole plan are, and with ranks that files have after merges.
      plan.update((tx) => {
        for (const id of ids) {
          const { id: made } = createTask(tx, { label: id });
          const task = tx.get('task', made)!;
          tx.remove('task', made);
          tx.put('task', { ...task, id, rank: random.pick([null, null, 'a', 'a', 'b']) });
        }
      });
      let expected = order(plan);
      // Pairs of tasks that change places a hundred times leave no room.
      const few = random.integer(0, 1) === 0 ? ids.slice(0, 3) : ids;
      for (let step = 0; step < 300; step++) {
        const [id, near] = [random.pick(few), random.pick([...few, '*'])];
        if (id === near) continue;
        const to = random.integer(0, 1) === 0 ? { above: near } : { below: near };
        move(plan, id, to);
        expected = moved(expected, id, to);
        expect(order(plan), `round ${round}, step ${step}`).to.deep.equal(expected);
      }
      for (const { rank } of plan.view.list('task')) expect((rank ?? '').length).to.be.at.most(rankDigitsMax);
    }
  });

  it('is the only one that changes, and not if it is there already [A.rank.move]', () => {
    const plan = new Plan();
    for (const id of ['a', 'b', 'c', 'd']) plan.task(id);
    const before = new Map([...plan.view.list('task')].map((task) => [task.id, task]));
    move(plan, 'd', { above: 'b' });
    expect(order(plan)).to.deep.equal(['a', 'd', 'b', 'c']);
    for (const id of ['a', 'b', 'c']) expect(plan.view.get('task', id)).to.equal(before.get(id));
    const there = plan.view.get('task', 'd');
    for (const to of [{ above: 'b' }, { below: 'a' }]) move(plan, 'd', to);
    move(plan, 'a', { above: '*' });
    move(plan, 'c', { below: '*' });
    expect(plan.view.get('task', 'd')).to.equal(there);
    expect(plan.view.get('task', 'a')!.rank).to.equal(null);
    // A new task is behind all by its age alone.
    plan.update((tx) => createTask(tx, { label: 'Alone', below: '*' }));
    expect(order(plan).slice(0, 4)).to.deep.equal(['a', 'd', 'b', 'c']);
  });

  it('needs one place, of another task that exists [A.rank.move]', () => {
    const plan = new Plan();
    plan.task('a');
    for (const [to, field] of [
      [{ above: 'a' }, 'above'],
      [{ below: 'none' }, 'below'],
      [{ above: 'b', below: 'b' }, 'below'],
    ] as const)
      expect(errorOf(() => move(plan, 'a', to))).to.include({ error: 'invalid_argument', field });
  });

  it('is refused between hundreds of tasks whose files have the same rank [A.rank.bounded]', () => {
    const plan = new Plan();
    for (let at = 0; at < 1100; at++) plan.task(`t${String(at).padStart(4, '0')}`, { rank: 'V' });
    plan.task('late');
    expect(errorOf(() => move(plan, 'late', { above: 't0550' }))).to.include({ error: 'conflict' });
    move(plan, 'late', { above: 't0003' });
    expect(order(plan).indexOf('late')).to.equal(3);
  });
});
