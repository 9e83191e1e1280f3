import type { GoalRecord, TaskRecord } from '../../schema/types.ts';
import type { DerivedIndex, RecordProblem, StoredRecord, ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import { resolveGoal } from '../records/goal-reference.ts';

/**
 * Conflicts between files about goals: several goals with one name, and tasks whose goal does not exist. Each has one defined meaning (see
 * `resolveGoal`); a change costs the goals of the names that it affects. Derived index `goal_problems`.
 */
export class GoalProblems implements DerivedIndex {
  readonly fields = { goal: ['name', 'aliases', 'created_at'], task: ['goal'] };
  readonly #view: ReadTransaction<PlannerCollections>;
  /** Names of several goals. */
  readonly #shared = new Set<string>();
  /** Goal references of tasks that no goal's id, name or former name matches. */
  readonly #unmet = new Set<string>();

  constructor(view: ReadTransaction<PlannerCollections>) {
    this.#view = view;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    if (collection === 'goal') {
      for (const called of new Set([...callings(from), ...callings(to)])) this.#look(called);
    } else if (collection === 'task') {
      const [before, after] = [(from as TaskRecord | undefined)?.goal, (to as TaskRecord | undefined)?.goal];
      if (before === after) return;
      for (const called of [before, after]) if (typeof called === 'string') this.#look(called);
    }
  }

  *problems(): Iterable<RecordProblem> {
    for (const name of this.#shared) yield* this.#sharing(name);
    for (const called of this.#unmet) {
      const [first, ...others] = this.#view.by('task', 'goal', called).sort((a, b) => (a.id < b.id ? -1 : 1));
      if (first === undefined) continue;
      const who =
        others.length === 0
          ? 'the task that refers to it belongs'
          : `${others.length + 1} tasks that refer to it belong`;
      yield {
        id: first.id,
        kind: 'missing_goal',
        reason: `The goal ${JSON.stringify(called)} does not exist: until it does, ${who} to the default goal.`,
        remedy: 'Restore the file of the goal, or refer to another goal.',
      };
    }
  }

  *#sharing(name: string): Iterable<RecordProblem> {
    const resolved = resolveGoal(this.#view, name);
    for (const { id } of this.#goalsNamed(name)) {
      if (resolved === undefined || id === resolved.id) continue;
      yield {
        id,
        kind: 'duplicate_name',
        reason: `The goal ${resolved.id}, which is older, is also named ${JSON.stringify(name)}: in files the name refers to that goal.`,
        remedy: 'Rename one of the two.',
      };
    }
  }

  #look(called: string): void {
    keep(this.#shared, called, this.#goalsNamed(called).length > 1);
    const named = this.#view.countBy('task', 'goal', called) > 0;
    keep(this.#unmet, called, named && resolveGoal(this.#view, called) === undefined);
  }

  #goalsNamed(name: string): GoalRecord[] {
    return this.#view.by('goal', 'name', name).filter((goal) => goal.name === name);
  }
}

/** All references that a task's file may use for a goal: id, name and former names. */
function callings(record: StoredRecord | undefined): string[] {
  if (record === undefined) return [];
  const { id, name, aliases } = record as GoalRecord;
  return name === null ? [id, ...aliases] : [id, name, ...aliases];
}

function keep(set: Set<string>, key: string, whether: boolean): void {
  if (whether) set.add(key);
  else set.delete(key);
}
