import { dayOf } from './day-words.ts';

/** The names that words of a new task can mean. */
export interface KnownNames {
  /** The current day, in the format of due dates. */
  readonly today: string;
  readonly priorities: readonly string[];
  /** Tags and people may also be new. */
  readonly tags: readonly string[];
  readonly people: readonly string[];
  readonly goals: readonly { readonly id: string; readonly name: string }[];
}

/** A word that was understood: its place in the text, and the field that it sets. */
export interface TaskWord {
  readonly text: string;
  readonly at: number;
  readonly field: 'tags' | 'priority' | 'assignee' | 'due_date' | 'goal_id';
  readonly value: string;
}

/** The label and the fields of a task in words: `Dig #garden !high @ada due:fri goal:Pond`. */
export interface TaskInWords {
  readonly label: string;
  readonly words: readonly TaskWord[];
}

/** A value with spaces is in quotes. A backslash ahead of a word makes it text. */
const wordPattern = /(?<=^|\s)(\\)?(?:([#!@])|(due|goal):)(?:"([^"]+)"|(\S+))(?=\s|$)/gi;

/** Reads the words of a new task. A word that names nothing stays text; of two values of a field that has one, the last counts. */
export function taskInWords(text: string, known: KnownNames): TaskInWords {
  const words: TaskWord[] = [];
  let label = '';
  let from = 0;
  for (const found of text.matchAll(wordPattern)) {
    const [whole, escape, sign, name, quoted, plain] = found;
    const end = found.index + whole.length;
    const meant = escape === undefined ? meaning(sign ?? name!.toLowerCase(), quoted ?? plain!, known) : undefined;
    if (escape === undefined && meant === undefined) continue;
    label += text.slice(from, found.index) + (meant === undefined ? whole.slice(1) : '');
    from = end;
    if (meant !== undefined) words.push({ text: whole, at: found.index, ...meant });
  }
  const last = (word: TaskWord): boolean =>
    word.field === 'tags' || words.findLast(({ field }) => field === word.field) === word;
  return { label: (label + text.slice(from)).replaceAll(/\s+/g, ' ').trim(), words: words.filter(last) };
}

function meaning(sign: string, value: string, known: KnownNames): Pick<TaskWord, 'field' | 'value'> | undefined {
  switch (sign) {
    case '#':
      return { field: 'tags', value: spelled(known.tags, value) };
    case '@':
      return { field: 'assignee', value: spelled(known.people, value) };
    case '!': {
      const priority = beginning(known.priorities, value, (each) => each);
      return priority === undefined ? undefined : { field: 'priority', value: priority };
    }
    case 'due': {
      const day = dayOf(value.replaceAll(/[-_](?!\d)/g, ' '), known.today);
      return day === undefined ? undefined : { field: 'due_date', value: day };
    }
    default: {
      const goal = beginning(known.goals, value, ({ name }) => name);
      return goal && { field: 'goal_id', value: goal.id };
    }
  }
}

/** A name as it is known. */
function spelled(names: readonly string[], name: string): string {
  return names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
}

/** The only one that has this name or, if none has, begins with it. */
function beginning<T>(all: readonly T[], start: string, nameOf: (one: T) => string): T | undefined {
  const wanted = start.toLowerCase();
  const matching = (is: (name: string) => boolean): readonly T[] => all.filter((one) => is(nameOf(one).toLowerCase()));
  const same = matching((name) => name === wanted);
  const found = same.length > 0 ? same : matching((name) => name.startsWith(wanted));
  return found.length === 1 ? found[0] : undefined;
}

/** The fields that words set, as an operation takes them. */
export function fieldsOfWords(words: readonly TaskWord[]): Readonly<Record<string, string | readonly string[]>> {
  const tags = [...new Set(words.filter(({ field }) => field === 'tags').map(({ value }) => value))];
  const others = words.filter(({ field }) => field !== 'tags').map(({ field, value }) => [field, value] as const);
  return { ...(Object.fromEntries(others) as Record<string, string>), ...(tags.length === 0 ? {} : { tags }) };
}
