import { counted } from '../terminal/show-text.ts';
import { plainLine } from '../../base/printable.ts';
import { titleOfName } from '../../store/index.ts';

/** A file of a plan that a commit changes. */
export interface ChangedFile {
  /** Relative to `.planner`. */
  readonly path: string;
  /** Its text in the last commit; undefined if it was not there. */
  readonly before: string | undefined;
  /** Undefined if it is deleted. */
  readonly after: string | undefined;
}

/** A record in two commits. A renamed file is the same record. */
interface ChangedRecord {
  readonly kind: string;
  /** The path of its current file; the former path if it is deleted. */
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

const subjectMax = 72;
/** Records that the body names: a message is read, not searched. */
const namedMax = 20;

/** The message of a commit of a plan: `Plan: 3 tasks done, 2 added`, and the labels of these tasks. */
export function messageOf(files: readonly ChangedFile[]): string {
  const records = recordsOf(files);
  const kinds = Map.groupBy(records, ({ kind }) => kind);
  const tasks = kinds.get('task') ?? [];
  kinds.delete('task');
  const others = [...kinds].map(([kind, changed]) => partOf(kind, changed));
  const parts = [taskParts(tasks), ...others].filter((part) => part !== '');
  const body = namesOf(tasks);
  return [subjectOf(parts), ...(body.length === 0 ? [] : ['', ...body])].join('\n');
}

function subjectOf(parts: readonly string[]): string {
  if (parts.length === 0) return 'Plan: settings changed';
  for (let taken = parts.length; taken > 0; taken--) {
    const more = taken < parts.length ? ' and more' : '';
    const subject = `Plan: ${parts.slice(0, taken).join('; ')}${more}`;
    if (subject.length <= subjectMax) return subject;
  }
  return 'Plan: many records changed';
}

/** Records of one id belong together, whatever their files are called. */
function recordsOf(files: readonly ChangedFile[]): readonly ChangedRecord[] {
  const records = new Map<string, ChangedRecord>();
  for (const { path, before, after } of files) {
    const kind = /^projects\/[^/]+\/([a-z]+)s\//.exec(path)?.[1];
    if (kind === undefined) continue;
    const key = memberOf(after ?? before ?? '', 'id') ?? path;
    const sides = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    const former = records.get(`${kind} ${key}`);
    const isHere = after !== undefined || former === undefined;
    records.set(`${kind} ${key}`, { ...former, kind, path: isHere ? path : former.path, ...sides });
  }
  return [...records.values()];
}

/** The change of a task, by the most important difference. */
function changeOf({ before, after }: ChangedRecord): 'done' | 'added' | 'started' | 'changed' | 'deleted' {
  if (after === undefined) return 'deleted';
  const [was, is] = [before, after].map((text) => memberOf(text ?? '', 'status'));
  if (is === 'done' && was !== 'done') return 'done';
  if (before === undefined) return 'added';
  return is === 'in_progress' && was !== 'in_progress' ? 'started' : 'changed';
}

function taskParts(tasks: readonly ChangedRecord[]): string {
  const counts = Map.groupBy(tasks, changeOf);
  const parts = (['done', 'added', 'started', 'changed', 'deleted'] as const).flatMap((what) => {
    const count = counts.get(what)?.length;
    return count === undefined ? [] : [{ count, what }];
  });
  return parts
    .map(({ count, what }, at) => (at === 0 ? `${counted(count, 'task')} ${what}` : `${count} ${what}`))
    .join(', ');
}

function partOf(kind: string, changed: readonly ChangedRecord[]): string {
  const isAll = (side: 'before' | 'after'): boolean => changed.every((record) => record[side] === undefined);
  const what = isAll('before') ? 'added' : isAll('after') ? 'deleted' : 'changed';
  return `${counted(changed.length, kind)} ${what}`;
}

function namesOf(tasks: readonly ChangedRecord[]): readonly string[] {
  const named = (['done', 'added'] as const).flatMap((what) =>
    tasks
      .filter((task) => changeOf(task) === what)
      .map((task) => `${what === 'done' ? 'Done' : 'Added'}: ${plainLine(labelOf(task))}`),
  );
  const more = named.length - namedMax;
  return more > 0 ? [...named.slice(0, namedMax), `and ${more} more`] : named;
}

/** As the service reads it: a task without a label has the title of another tool, else the name of its file. */
function labelOf({ path, after = '' }: ChangedRecord): string {
  const head = /^\uFEFF?---[ \t]*\r?\n([^]*?)\n---[ \t]*\r?(?:\n|$)/.exec(after)?.[1] ?? '';
  const isNamed = (label: string | undefined): boolean => label !== undefined && label !== '';
  return [memberOf(head, 'label'), memberOf(head, 'title')].find(isNamed) ?? titleOfName(path, memberOf(head, 'id'));
}

/** A member of the front matter of a file, or of a JSON file, whose value is on its line. */
function memberOf(text: string, name: string): string | undefined {
  const value = new RegExp(`^[ \\t]*"?${name}"?: *(.+?),?[ \\r]*$`, 'm').exec(text)?.[1];
  return value?.replace(/^(["'])(.*)\1$/, '$2');
}
