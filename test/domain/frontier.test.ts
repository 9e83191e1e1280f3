import { expect } from 'chai';
import type { PlannerCollections } from '../../src/domain/records/collections.ts';
import type { TaskRecord } from '../../src/schema/types.ts';
import type { Frontier } from '../../src/domain/graph/frontier.ts';
import type { Tx, ReadTransaction } from '../../src/store/record/read-transaction.ts';
import { frontierModel, type FrontierModel, ordersModel } from './frontier-model.ts';
import { Random } from '../support/random.ts';
import { Plan, taskRecord } from './plan.ts';
import { rarely } from '../support/rarely.ts';

const ids = (standings: Iterable<{ readonly id: string }>): string[] => [...standings].map(({ id }) => id);

/** The frontier in the form of the model. */
function shown(view: ReadTransaction<PlannerCollections>, frontier: Frontier): FrontierModel {
  const shape: Record<string, FrontierModel[string]> = {};
  for (const { id } of view.list('goal')) {
    const tasks = frontier.tasksOf(id);
    const counts: Record<string, number> = {};
    for (const status of ['scope', 'todo', 'in_progress', 'done', 'backlog']) {
      if (tasks.count(status) > 0) counts[status] = tasks.count(status);
    }
    shape[id] = {
      ready: ids(tasks.ready.values()),
      blocked: ids(tasks.blocked.values()),
      counts,
      all: ids(tasks.inOrder()),
    };
  }
  return shape;
}

const taskIds = Array.from({ length: 14 }, (_, i) => `t${String(i).padStart(2, '0')}`);
const goalIds = ['g0', 'g1', 'g2'];
const goalNames = ['Alpha', 'Beta', 'Gamma'];
const labels = [undefined, 'depends_on', 'Depends On', 'blocks', 'relates-to', 'REFERENCES', 'supports', 'follows'];
const statuses = ['scope', 'todo', 'todo', 'todo', 'in_progress', 'done', 'done', 'backlog'] as const;

function randomTask(tx: Tx<PlannerCollections>, random: Random, former: TaskRecord | undefined, id: string): void {
  const links = Array.from({ length: random.integer(0, 3) }, () => {
    const label = random.pick(labels);
    const to = random.pick([...taskIds, 'elsewhere']);
    const type = random.integer(0, 7) === 0 ? 'document' : 'task';
    return { to, type, ...(label === undefined ? {} : { label }) };
  });
  const fields = {
    status: random.pick(statuses),
    priority: random.pick(['urgent', 'high', 'medium', 'low', null] as const),
    due_date: random.pick([null, '2026-01-02', '2026-03-04']),
    rank: random.pick([null, null, '1', 'a', '20200101']),
    goal: random.pick([null, null, ...goalIds, ...goalNames]),
  };
  // Often a single field changes, as by calls; sometimes everything, as by an edit on disk.
  if (former === undefined) tx.put('task', taskRecord(tx, id, { ...fields, links }));
  else if (random.integer(0, 2) === 0)
    tx.put('task', { ...former, ...fields, links: links as unknown as TaskRecord['links'] });
  else if (random.integer(0, 3) === 0) tx.put('task', { ...former, links: links as unknown as TaskRecord['links'] });
  else tx.put('task', { ...former, status: fields.status });
}

function randomGoal(tx: Tx<PlannerCollections>, random: Random): void {
  const id = random.pick(goalIds);
  const former = tx.get('goal', id);
  if (former !== undefined && random.integer(0, 2) === 0) return tx.remove('goal', id);
  const base = former ?? { ...(tx.list('goal').next().value as PlannerCollections['goal']), id, created_at: tx.now };
  const aliases = random.integer(0, 1) === 0 ? [] : [random.pick(goalNames)];
  tx.put('goal', { ...base, name: random.pick([null, ...goalNames]), aliases });
}

function randomChange(tx: Tx<PlannerCollections>, random: Random): void {
  const id = random.pick(taskIds);
  const former = tx.get('task', id);
  const kind = random.integer(0, 19);
  if (kind < 3) return randomGoal(tx, random);
  if (kind === 3) {
    const project = tx.get('project', tx.project) as PlannerCollections['project'];
    const goals = [...tx.list('goal')];
    tx.put('project', { ...project, default_goal_id: random.pick(goals).id });
    return;
  }
  if (kind < 7 && former !== undefined) return tx.remove('task', id);
  randomTask(tx, random, former, id);
}

describe('The frontier', () => {
  rarely('equals the model after each of many random changes, undone ones included', () => {
    const fresh = Random.announced('The frontier').seed;
    const known = Array.from({ length: 12 }, (_, i) => 1 + i);
    for (const seed of [...known, fresh]) {
      const random = new Random(seed);
      const plan = new Plan();
      for (let step = 0; step < 150; step++) {
        const where = `seed ${seed}, step ${step}`;
        const changes = 1 + random.integer(0, 2);
        const change = (tx: Tx<PlannerCollections>): void => {
          for (let i = 0; i < changes; i++) randomChange(tx, random);
        };
        if (random.integer(0, 3) === 0) plan.tryOut(change);
        else plan.update(change);
        const model = frontierModel(plan.view);
        expect(shown(plan.view, plan.frontier), where).to.deep.equal(model);
        if (step % 5 !== 0) continue;
        const orders = {
          rank: ids(plan.frontier.inOrder('rank').values()),
          work: ids(plan.frontier.inOrder('work').values()),
        };
        expect(orders, where).to.deep.equal(ordersModel(plan.view));
        if (step % 10 === 0) expect(shown(plan.view, plan.reloaded()), `${where}, loaded`).to.deep.equal(model);
      }
    }
  });

  it('orders ready tasks by priority, due date, rank, age, without a priority or date last [D3.next-order, A.rank.next]', () => {
    const plan = new Plan();
    plan.task('none');
    plan.task('moved-up', { rank: '20' });
    plan.task('moved-up-dated', { rank: '10', due_date: '2026-04-01' });
    plan.task('low', { priority: 'low' });
    plan.task('undated', { priority: 'high' });
    plan.task('later', { priority: 'high', due_date: '2026-05-01' });
    plan.task('sooner', { priority: 'high', due_date: '2026-04-01' });
    plan.task('none-dated', { due_date: '2026-04-01' });
    plan.task('urgent', { priority: 'urgent' });
    plan.task('medium', { priority: 'medium' });
    plan.task('none-2');
    const { ready } = plan.frontier.tasksOf(plan.defaultGoal.id);
    expect(ids(ready.values())).to.deep.equal([
      'urgent',
      'sooner',
      'later',
      'undated',
      'medium',
      'low',
      'moved-up-dated',
      'none-dated',
      'moved-up',
      'none',
      'none-2',
    ]);
  });

  it('marks exactly the dependents of a task as changed when it is done', () => {
    const plan = new Plan();
    plan.task('first');
    plan.task('waits', { links: [{ to: 'first', label: 'depends_on' }] });
    plan.task('related', { links: [{ to: 'first', label: 'relates' }] });
    plan.touched.length = 0;
    const first = plan.view.get('task', 'first') as TaskRecord;
    plan.update((tx) => tx.put('task', { ...first, status: 'in_progress' }));
    expect(plan.touched).to.deep.equal([]);
    plan.update((tx) => tx.put('task', { ...first, status: 'done' }));
    expect(plan.touched).to.deep.equal(['waits']);
    plan.touched.length = 0;
    plan.update((tx) => tx.remove('task', 'related'));
    expect(plan.touched).to.deep.equal([]);
  });

  it('reassigns tasks that name a goal when the goal appears, and marks them as changed [A.edit.goal-gone]', () => {
    const plan = new Plan();
    plan.task('named', { goal: 'Later' });
    plan.task('unnamed');
    expect(ids(plan.frontier.tasksOf(plan.defaultGoal.id).inOrder())).to.deep.equal(['named', 'unnamed']);
    plan.touched.length = 0;
    const goal = plan.update((tx) => tx.put('goal', { ...plan.defaultGoal, id: 'gol_later', name: 'Later' }));
    expect(ids(plan.frontier.tasksOf(goal.id).inOrder())).to.deep.equal(['named']);
    expect(ids(plan.frontier.tasksOf(plan.defaultGoal.id).inOrder())).to.deep.equal(['unnamed']);
    expect(plan.touched).to.deep.equal(['named']);
  });

  it('moves tasks to a goal with a former name when another goal loses that name', () => {
    const plan = new Plan();
    const { defaultGoal: base } = plan;
    const had = plan.update((tx) =>
      tx.put('goal', { ...base, id: 'gol_had', created_at: tx.now, name: 'Sail', aliases: ['Ship'] }),
    );
    const hasName = plan.update((tx) => tx.put('goal', { ...base, id: 'gol_bears', created_at: tx.now, name: 'Ship' }));
    plan.task('task', { goal: 'Ship' });
    expect(plan.frontier.belongs('task', hasName.id)).to.equal(true);
    plan.update((tx) => tx.put('goal', { ...hasName, name: null, aliases: ['Ship'] }));
    expect(plan.frontier.belongs('task', had.id)).to.equal(true);
  });
});
