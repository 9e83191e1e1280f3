import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { fieldsOfWords, taskInWords } from '../../base/task-words.ts';
import type { TaskWord } from '../../base/task-words.ts';
import { soFar } from '../api/cache.ts';
import { choosableGoals, useGoals } from '../api/goals.ts';
import { useTags } from '../api/tags.ts';
import { assigneesOf, priorities, useCreateTask, useTasks } from '../api/tasks.ts';
import { capitalised, fieldName } from '../rest/field-names.ts';
import type { Input } from '../rest/client.ts';
import { X } from './icons.ts';
import styles from './quick-add.module.css';
import { goalName } from './target.tsx';
import { dayText, today } from './time.tsx';

interface QuickAdd {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly isEmpty: boolean;
  readonly add: () => void;
  /** The fields that words of the text set. */
  readonly chips: ReactElement | null;
}

/** A field that adds tasks in words. After an error the text is restored, unless new text was typed. */
export function useQuickAdd(projectId: string, given: Omit<Input<'create_task'>, 'project_id' | 'label'>): QuickAdd {
  const [text, setText] = useState('');
  const { data: goals } = useGoals(projectId);
  const { data: tags } = useTags(projectId);
  const { data: tasks } = useTasks(projectId);
  const create = useCreateTask();
  const known = useMemo(
    () => ({
      priorities,
      goals: choosableGoals(soFar(goals)).map((goal) => ({ id: goal.id, name: goalName(goal) })),
      tags: soFar(tags).map(({ name }) => name),
      people: assigneesOf(soFar(tasks)),
    }),
    [goals, tags, tasks],
  );
  const { label, words } = taskInWords(text, { ...known, today: today() });
  const add = (): void => {
    if (label === '') return;
    setText('');
    create.mutate(
      { ...given, ...fieldsOfWords(words), project_id: projectId, label },
      { onError: () => setText((now) => (now === '' ? text : now)) },
    );
  };
  const nameOf = ({ field, value }: TaskWord): string =>
    field === 'goal_id'
      ? known.goals.find(({ id }) => id === value)!.name
      : field === 'due_date'
        ? dayText(value)
        : field === 'priority'
          ? capitalised(value)
          : value;
  const chips =
    words.length === 0 ? null : (
      <ul className={styles['chips']} aria-label="Understood">
        {words.map((word) => (
          <li key={word.at}>
            {capitalised(fieldName(word.field))}: <b dir="auto">{nameOf(word)}</b>
            <button
              type="button"
              aria-label={`Keep ${word.text} as text`}
              title="Keep it as text"
              onClick={() => setText(`${text.slice(0, word.at)}\\${text.slice(word.at)}`)}
            >
              <X size={12} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
    );
  return { text, setText, isEmpty: label === '', add, chips };
}
