import { call, ServiceError } from '../api/client.ts';
import type { Answer, Input } from '../api/client.ts';
import { isReadKind, madeWays, requireUntouched } from './created.ts';
import { lastAuthor, nameOr, same } from './field-rules.ts';
import { findCached } from './find-cached.ts';
import type { Members } from './find-cached.ts';
import type { Ways } from './history.ts';
import type { UndoRule } from './undo-rule.ts';

type Revision = Answer<'list_revisions'>['revisions'][number];
type RevisedKind = 'task' | 'document' | 'note' | 'artifact' | 'goal';

/** The revisions of one record among which the revision of a change is searched. */
const revisionsMax = 100;

async function revisionsOf(project_id: string, target_id: string, limit: number): Promise<readonly Revision[]> {
  return (await call('list_revisions', { project_id, target_id, limit })).revisions;
}

/**
 * A change that is undone by restoring the fields of its revision; the restoration is a change with a revision itself,
 * and is redone in the same way. Impossible if one of the fields was changed since.
 */
class RevisedRecord {
  readonly #projectId: string;
  readonly #kind: RevisedKind;
  /** The record as the last change left it. Its revision has the time of the record. */
  #after: Members;

  constructor(projectId: string, kind: RevisedKind, after: object) {
    [this.#projectId, this.#kind, this.#after] = [projectId, kind, after as Members];
  }

  /** The change's revision. Throws `precondition_failed` if one of its fields was changed since. */
  async revision(): Promise<Revision> {
    const id = String(this.#after['id']);
    const at = this.#after['updated_at'];
    const own = (await revisionsOf(this.#projectId, id, revisionsMax)).find(({ created_at: time }) => time === at);
    const input = { project_id: this.#projectId, [`${this.#kind}_id`]: id };
    const now = (await call(
      `get_${this.#kind}`,
      input as unknown as Input<`get_${RevisedKind}`>,
    )) as unknown as Members;
    if (own?.changed_fields.every((field) => same(now[field], this.#after[field])) === true) return own;
    throw new ServiceError('precondition_failed', `${await lastAuthor(this.#projectId, id)} changed it since.`);
  }

  /** Restores the state before the change. */
  async flip(): Promise<void> {
    const { id: revision_id } = await this.revision();
    const input = { project_id: this.#projectId, revision_id, changed_fields_only: true };
    this.#after = await call('restore_revision', input);
  }

  get ways(): Ways {
    return { undo: () => this.flip(), redo: () => this.flip() };
  }
}

type GoalTransition = 'pause_goal' | 'resume_goal' | 'reopen_goal' | 'archive_goal' | 'unarchive_goal';

/** A change of a goal's status, or its archiving. */
export function goalChange<N extends GoalTransition>(what: string, done: string): UndoRule<N> {
  return (client, { goal_id }: Input<GoalTransition>, projectId) => {
    const label = nameOr(client, goal_id, 'the goal');
    return {
      what: `${what} of ${label}`,
      notice: `${label} ${done}.`,
      ways: (answer) => new RevisedRecord(projectId, 'goal', answer).ways,
    };
  };
}

/** Evidence is taken back: the former status and verification, without the task that it filed, or with the task open that it finished. */
export const completeGoal: UndoRule<'complete_goal'> = (client, { goal_id }, projectId) => {
  const label = nameOr(client, goal_id, 'the goal');
  return {
    what: `evidence for ${label}`,
    notice: ({ status, remediation_task: remedy }) =>
      `${label} is ${status}${remedy === undefined ? '' : ': a remediation task waits in Scope'}.`,
    ways: (goal) => {
      const revised = new RevisedRecord(projectId, 'goal', goal);
      const remedy = remedyWays(projectId, goal);
      const go = (way: keyof Ways) => async (): Promise<void> => {
        // Before the task is changed.
        await revised.revision();
        await (await remedy)?.[way]();
        await revised.flip();
      };
      return { undo: go('undo'), redo: go('redo') };
    },
  };
};

/** The remediation task: filed by red evidence, or finished by green evidence, at the same time as the goal was changed. */
async function remedyWays(project_id: string, goal: Answer<'complete_goal'>): Promise<Ways | undefined> {
  const { remediation_task: filed, last_verification: last } = goal;
  if (filed !== undefined) {
    if (filed.created_at !== last?.at) return undefined;
    return madeWays('task', project_id, filed.id, () => requireUntouched('task', project_id, filed));
  }
  try {
    const { revisions } = await call('list_revisions', { project_id, target_type: 'task', limit: 20 });
    for (const { target_id: id, created_at, changed_fields: fields } of revisions) {
      if (created_at !== goal.updated_at || fields.join() !== 'status') continue;
      const task = await call('get_task', { project_id, task_id: id });
      if (task.goal_id === goal.id) return new RevisedRecord(project_id, 'task', task).ways;
    }
  } catch {
    // The goal alone is restored.
  }
  return undefined;
}

/** A former state is left again; a record that was deleted is deleted again. */
export const restoreRevision: UndoRule<'restore_revision'> = (_, __, projectId) => ({
  what: 'return of a former state',
  notice: 'The former state is restored.',
  ways: (answer) => {
    const record = answer as { readonly id: string; readonly updated_at: string };
    let ways: Ways | undefined;
    return {
      undo: async () => {
        const [newest] = await revisionsOf(projectId, record.id, 1);
        const kind = newest?.target_type;
        if (newest?.changed_fields[0] === 'deleted' && isReadKind(kind))
          ways = madeWays(kind, projectId, record.id, () => requireUntouched(kind, projectId, record));
        else ways ??= new RevisedRecord(projectId, kind as RevisedKind, record).ways;
        await ways.undo();
      },
      redo: () => ways?.redo(),
    };
  },
});

/** A closed run is opened again. */
export const completeRun: UndoRule<'complete_agent_run'> = (client, input, project_id) => {
  const { run_id } = input;
  const label = findCached(client, run_id, 'list_agent_runs', 'get_agent_run')?.['label'];
  const name = typeof label === 'string' ? `“${label}”` : 'the run';
  return {
    what: `closing of ${name}`,
    notice: ({ status }) => `${name} is closed as ${status}.`,
    ways: (answer) => {
      let closed: { readonly status: string; readonly completed_at: string | null } = answer;
      return {
        undo: async () => {
          const { status, completed_at: at } = await call('get_agent_run', { project_id, run_id });
          if (status !== closed.status || at !== closed.completed_at)
            throw new ServiceError('precondition_failed', `${name} was changed since.`);
          await call('reopen_agent_run', { project_id, run_id });
        },
        redo: async () => void (closed = await call('complete_agent_run', input)),
      };
    },
  };
};
