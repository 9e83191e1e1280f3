import { isoTime } from '../../src/base/clock.ts';
import { collections, newRecord, type PlannerCollections } from '../../src/domain/records/collections.ts';
import type { GoalRecord, TaskRecord } from '../../src/schema/types.ts';
import { currentGoalCollection } from '../../src/domain/plan/current-goal.ts';
import { Frontier } from '../../src/domain/graph/frontier.ts';
import { defaultGoalId } from '../../src/domain/records/goal-reference.ts';
import { leaseCollection } from '../../src/domain/plan/leases.ts';
import { createProject } from '../../src/domain/plan/projects.ts';
import { IdSource } from '../../src/base/ids.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { HistoryIndex } from '../../src/store/files/project/history.ts';
import { ProjectIndex } from '../../src/store/replica/project-index.ts';
import type { Link } from '../../src/store/record/record.ts';
import { ServiceRecords } from '../../src/store/replica/service-records.ts';
import {
  type TransactionContext,
  ProjectReadTransaction,
  Transaction,
  typedTx,
  typedReadTransaction,
} from '../../src/store/replica/transaction.ts';
import type { Tx, ReadTransaction } from '../../src/store/record/read-transaction.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { withoutFiles } from '../support/without-files.ts';

const code = 'abcdef';
const projectId = `prj_${code}0000000000`;

/**
 * A project with the store's own index and transactions but without a disk, created with its default goal unless it is to be empty, for
 * testing rules.
 */
export class Plan {
  readonly clock = new ManualClock();
  readonly view: ReadTransaction<PlannerCollections>;
  readonly touched: string[] = [];
  readonly #ground: TransactionContext;

  constructor({ empty = false } = {}) {
    const index = new ProjectIndex(collections);
    this.#ground = {
      project: projectId,
      code,
      begin: () => 0,
      index,
      collections: new Map(collections.map((collection) => [collection.name, collection])),
      history: new HistoryIndex(nodeDisk),
      service: new ServiceRecords([leaseCollection, currentGoalCollection]),
      ids: new IdSource(this.clock),
      ...withoutFiles,
    };
    const now = (): string => isoTime(this.clock.now());
    this.view = typedReadTransaction<PlannerCollections>(new ProjectReadTransaction(this.#ground, now));
    index.derive(
      'frontier',
      new Frontier(this.view, (collection, id) => {
        this.touched.push(id);
        index.touch(collection, id);
      }),
    );
    if (!empty) this.update((tx) => createProject(tx, { name: 'Plan' }));
  }

  /** The project's default goal. */
  get defaultGoal(): GoalRecord {
    return this.view.get('goal', defaultGoalId(this.view)) as GoalRecord;
  }

  get frontier(): Frontier {
    return this.view.index<Frontier>('frontier');
  }

  /** A second frontier, loaded with the same records in another order. */
  reloaded(): Frontier {
    const index = new Frontier(this.view, () => undefined);
    const tables = [...this.#ground.index.tables()].reverse();
    for (const table of tables)
      for (const record of [...table.values()].reverse()) {
        index.changed(table.name, undefined, record);
        index.linked([], this.view.outgoing(record.id));
      }
    return index;
  }

  /** Runs a transaction, which a throw rolls back. Each takes a millisecond of the clock. */
  update<T>(change: (tx: Tx<PlannerCollections>) => T): T {
    this.clock.advance(1);
    const transaction = new Transaction(this.#ground, isoTime(this.clock.now()), {
      author: 'human:test',
      source: 'rest',
    });
    try {
      return change(typedTx<PlannerCollections>(transaction));
    } catch (thrown) {
      transaction.rollback();
      throw thrown;
    }
  }

  /** Runs a transaction and rolls it back. */
  tryOut(change: (tx: Tx<PlannerCollections>) => void): void {
    const taken = new Error('taken back');
    try {
      this.update((tx) => {
        change(tx);
        throw taken;
      });
    } catch (thrown) {
      if (thrown !== taken) throw thrown;
    }
  }

  /** Puts a task with these fields; the rest is as a new task has it. */
  task(
    id: string,
    fields: Partial<Omit<TaskRecord, 'links'>> & { readonly links?: readonly LooseLink[] } = {},
  ): TaskRecord {
    return this.update((tx) => tx.put('task', taskRecord(tx, id, fields)));
  }
}

type LooseLink = Pick<Link, 'to' | 'label'> & Partial<Link>;

export function taskRecord(
  tx: Tx<PlannerCollections>,
  id: string,
  fields: Partial<Omit<TaskRecord, 'links'>> & { readonly links?: readonly LooseLink[] } = {},
): TaskRecord {
  return {
    ...newRecord('task', { id, created_at: tx.now, label: `Task ${id}` }),
    updated_at: tx.now,
    ...fields,
    links: (fields.links ?? []) as TaskRecord['links'],
  };
}

export const owner = { caller: { id: 'loopback' } } as const;
export const agent = { caller: { id: 'loopback' }, session: 'session-1' } as const;
