import type { ReactElement } from 'react';
import { choosableGoals, useGoals } from '../../api/goals.ts';
import type { Input } from '../../rest/client.ts';
import { priorities, statuses, statusNames, useUpdateTask } from '../../api/tasks.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { SelectField } from '../../ui/field.tsx';
import type { Choice } from '../../ui/field.tsx';
import { goalName } from '../../ui/target.tsx';
import { DueField } from './due-field.tsx';
import { KeptText } from './kept-text.tsx';
import { TagsField } from './tags-field.tsx';
import styles from './task.module.css';
import { capitalised } from '../../rest/field-names.ts';

const none = { value: '', label: 'None' } as const;

function named<V extends string>(values: readonly V[]): Choice<V>[] {
  return values.map((value) => ({ value, label: capitalised(value) }));
}

/** Every field of a task except its texts. */
export function Fields({ task }: { readonly task: TaskDetail }): ReactElement {
  const { data: goals = [] } = useGoals(task.project_id);
  const { mutate } = useUpdateTask();
  const change = (fields: Omit<Input<'update_task'>, 'task_id'>): void =>
    mutate({ task_id: task.id, project_id: task.project_id, ...fields });
  const orNull = <V extends string>(value: V | ''): V | null => (value === '' ? null : value);
  return (
    <div className={styles['fields']}>
      <SelectField
        label="Status"
        value={task.status}
        choices={statuses.map((value) => ({ value, label: statusNames[value] }))}
        onChange={(status) => change({ status })}
      />
      <SelectField
        label="Priority"
        value={task.priority ?? ''}
        choices={[none, ...named(priorities)]}
        onChange={(value) => change({ priority: orNull(value) })}
      />
      <SelectField
        label="Goal"
        value={task.goal_id}
        choices={choosableGoals(goals, task.goal_id).map((goal) => ({ value: goal.id, label: goalName(goal) }))}
        onChange={(goal_id) => change({ goal_id })}
      />
      <KeptText
        label="Assignee"
        kept={task.assignee ?? ''}
        placeholder="Nobody"
        onKeep={(text) => change({ assignee: text === '' ? null : text })}
      />
      <DueField due={task.due_date} onChange={(due_date) => change({ due_date })} />
      <SelectField
        label="Kind"
        value={task.kind}
        choices={named(['build', 'decision'] as const)}
        onChange={(kind) => change({ kind })}
      />
      <SelectField
        label="Lane"
        value={task.lane ?? ''}
        choices={[none, ...named(['auto', 'approve', 'full'] as const)]}
        onChange={(value) => change({ lane: orNull(value) })}
      />
      <SelectField
        label="Severity"
        value={task.severity ?? ''}
        choices={[none, ...named(['low', 'medium', 'high'] as const)]}
        onChange={(value) => change({ severity: orNull(value) })}
      />
      <KeptText
        label="Commits"
        kept={task.commit_refs.join(' ')}
        placeholder="Hashes, with spaces between"
        onKeep={(text) => change({ commit_refs: text.split(/[\s,]+/).filter((ref) => ref !== '') })}
      />
      <div className={styles['whole']}>
        <TagsField projectId={task.project_id} tags={task.tags} onChange={(tags) => change({ tags })} />
      </div>
    </div>
  );
}
