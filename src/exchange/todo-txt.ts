import type { ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { FileFormat } from './plan-format.ts';
import { TaskReferences } from './task-references.ts';

const priorities: Readonly<Record<string, string>> = { A: 'urgent', B: 'high', C: 'medium' };

export const todoTxt: FileFormat = {
  kind: 'file',
  name: 'todo-txt',
  places: ['todo.txt'],
  detects: ({ path, text }) => {
    const isNamed = /(^|[/.])(todo|done)\.txt$/i.test(path);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    // A text of that name may also be prose or Markdown.
    const typical = lines.filter((line) =>
      /^(x |\([A-Z]\) |\d{4}-\d{2}-\d{2} )|(^| )([+@]\S|[a-z]+:[^\s/])/.test(line),
    );
    return isNamed && typical.length > 0 && typical.length * 2 >= lines.length;
  },
  read: ({ text }, { name }) => readTodoTxt(text, name),
};

/**
 * Reads a todo.txt: one task a line, with completion, priority, dates, projects (`+`), contexts (`@`) and `key:value`. The first project is
 * the goal, further ones and contexts are tags. `id:` and `p:` are ids and parents.
 */
export function readTodoTxt(text: string, name: string): ImportedPlan {
  const plan = new PlanBuilder('todo.txt', name);
  const references = new TaskReferences(plan);
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    plan.countSource('task');
    addTask(plan, references, line.trim());
  }
  references.join();
  return plan.finish();
}

function addTask(plan: PlanBuilder, references: TaskReferences, line: string): void {
  const { done, letter, dates, words } = headOf(line);
  const tokens = words.filter((word) => /^[+@]\S+$/.test(word));
  const pairs = words.map((word) => /^([A-Za-z][\w-]*):([^\s/].*)$/.exec(word)).filter((pair) => pair !== null);
  const values = new Map(pairs.map(([, key = '', value = '']) => [key.toLowerCase(), value]));
  const [project, ...further] = tokens.filter((word) => word.startsWith('+')).map((word) => word.slice(1));
  const contexts = tokens.filter((word) => word.startsWith('@')).map((word) => word.slice(1));
  const priority = letter ?? values.get('pri')?.toUpperCase();
  const { completed, created } = timesOf(done, dates);
  const due = values.get('due');
  const id = values.get('id');
  const rest = Object.fromEntries(values);
  for (const key of ['pri', 'p', 'due']) delete rest[key];
  const task = plan.task({
    ...{ label: labelOf(words), status: done ? 'done' : 'todo', description: '' },
    priority: priority === undefined ? null : (priorities[priority] ?? 'low'),
    ...{ due: { name: 'due', text: due }, created: { name: 'created', text: created } },
    tags: [...further, ...contexts],
    goal: plan.goalNamed(project),
    kept: {
      ...rest,
      ...(priority !== undefined && priority > 'D' && { priority }),
      completed,
    },
    foreignId: id ?? labelOf(words),
  });
  if (id !== undefined) references.add(id, task);
  const parents = pairs.filter(([, key]) => key === 'p').map(([, , value = '']) => value);
  if (parents.length === 0) return;
  const child = id ?? line;
  if (id === undefined) references.add(child, task);
  for (const parent of parents) references.refer('part', child, parent, 'p');
}

/** A completed task has the date of its completion first, and a single date is that date. */
function timesOf(
  done: boolean,
  [first, second]: readonly string[],
): { readonly completed?: string | undefined; readonly created: string | undefined } {
  return done ? { completed: first, created: second } : { created: first };
}

/**
 * The parts before the text of a task, and the words after them. The priority of a completed task is after the date of
 * its completion.
 */
function headOf(line: string): {
  readonly done: boolean;
  readonly letter: string | undefined;
  readonly dates: readonly string[];
  readonly words: readonly string[];
} {
  const words = line.split(/\s+/);
  const done = words[0] === 'x';
  if (done) words.shift();
  const dates: string[] = [];
  let letter: string | undefined;
  for (;;) {
    const found: string | undefined = /^\(([A-Z])\)$/.exec(words[0] ?? '')?.[1];
    if (letter === undefined && found !== undefined && (done || dates.length === 0)) letter = found;
    else if (dates.length < 2 && /^\d{4}-\d{2}-\d{2}$/.test(words[0] ?? '')) dates.push(words[0]!);
    else return { done, letter, dates, words };
    words.shift();
  }
}

/** The text without the projects, contexts and values at its end: those inside a sentence are part of it. */
function labelOf(words: readonly string[]): string {
  const isExtra = (word: string): boolean => /^[+@]\S+$/.test(word) || /^[A-Za-z][\w-]*:[^\s/]/.test(word);
  const last = words.findLastIndex((word) => !isExtra(word));
  const label = words.slice(0, last + 1).filter((word) => !/^(due|pri|id|p|t|rec|h):\S/.test(word));
  return (label.length === 0 ? words : label).join(' ');
}
