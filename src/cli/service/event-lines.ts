import type { Event } from '../../schema/types.ts';
import type { CallPort } from './planner-port.ts';

/** Longer labels and values are shortened: a line is read at a glance. */
const labelMax = 50;
const valueMax = 30;
/** The changed fields that a line names. */
const fieldsMax = 3;

const verbs: Readonly<Record<string, string>> = {
  created: 'created',
  updated: 'changed',
  deleted: 'deleted',
  claimed: 'claimed',
  released: 'released',
  unblocked: 'unblocked',
  done: 'finished',
  completed: 'completed',
  blocked: 'blocked',
  progress: 'reported progress of',
  asks: 'asks in',
};

/** The names of records that events name by id alone. Names are looked up once each. */
export class EventNames {
  readonly #port: CallPort;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(port: CallPort) {
    this.#port = port;
  }

  /** Where an event happened, ` in web-shop`; nothing if the project itself changed, or is gone. */
  async place({ type, project_id }: Event): Promise<string> {
    if (/^(?:project|problem)\./.test(type)) return '';
    const name = await this.#once(project_id, async () => {
      const { project } = await this.#port.call('get_project', { project_id });
      return (project as { readonly name: string }).name;
    });
    return name === undefined ? '' : ` in ${name}`;
  }

  /** The current name of a record. */
  record(id: string): Promise<string | undefined> {
    return this.#once(id, async () => {
      const { record } = await this.#port.call('find_record', { text: id });
      return (record as { readonly name: string | null }).name ?? undefined;
    });
  }

  /** The remedy for a problem that still exists. */
  remedy({ project_id, resource, changes }: Event): Promise<string | undefined> {
    return this.#once(resource.id, async () => {
      const { problems } = await this.#port.call('list_problems', { project_id, limit: 1000 });
      const kind: unknown = changes.find(({ field }) => field === 'kind')?.to;
      const listed = problems as readonly { readonly path: string; readonly kind: string; readonly remedy?: string }[];
      return listed.find((problem) => problem.path === resource.label && problem.kind === kind)?.remedy;
    });
  }

  /** A record that no longer exists has no name. */
  #once(id: string, find: () => Promise<string | undefined>): Promise<string | undefined> {
    let found = this.#known.get(id);
    if (found === undefined) this.#known.set(id, (found = find().catch(() => undefined)));
    return found;
  }
}

/** The events without an event whose successor says more: a task that is done was changed. */
export function withoutRepeats(events: readonly Event[]): readonly Event[] {
  return events.filter((event, at) => {
    const next = events[at + 1];
    const isSaid =
      next !== undefined && next.at === event.at && next.resource.id === event.resource.id && next.type !== event.type;
    return !isSaid || !(event.type.endsWith('.updated') || event.reason === 'reassigned');
  });
}

/** An event as a sentence: by whom, what, and where, with a blank before it: ` in web-shop`. */
export async function sentenceOf(event: Event, names: EventNames, where = ''): Promise<string> {
  const { type, changes, untrusted } = event;
  const detail = type.endsWith('.updated') && !isMove(event) ? fieldsText(changes) : '';
  return `${await factOf(event, names)}${where}${detail}${untrusted === true ? ' (untrusted)' : ''}`;
}

/** A change of its place alone: on the canvas, or in the order by hand. */
function isMove({ changes }: Event): boolean {
  return changes.length > 0 && changes.every(({ field }) => field === 'position' || field === 'rank');
}

async function factOf(event: Event, names: EventNames): Promise<string> {
  const { type, resource, changes, reason } = event;
  const valueOf = (field: string): unknown => changes.find((change) => change.field === field)?.to;
  const named = async (field: string): Promise<string> =>
    quotedOr(await names.record(String(valueOf(field))), 'a record');
  const who = authorOf(event);
  switch (type) {
    case 'problem.found': {
      const line = valueOf('line');
      const remedy = await names.remedy(event);
      const place = `${resource.label}${typeof line === 'number' ? `:${line}` : ''}`;
      return `Problem: ${place}: ${String(valueOf('reason'))}${remedy === undefined ? '' : ` ${remedy}`}`;
    }
    case 'problem.cleared':
      return `Solved: ${resource.label}`;
    case 'comment.created':
      return `${who} commented on ${await named('target_id')}`;
    case 'edge.created': {
      const label = resource.label === null ? '' : ` (${resource.label})`;
      return `${who} linked ${await named('from_id')} to ${await named('to_id')}${label}`;
    }
    case 'task.claimed': {
      const holder = valueOf('assignee');
      const isOther = typeof holder === 'string' && !who.startsWith(holder);
      return isOther ? `${who} gave ${thingOf(event)} to ${holder}` : `${who} claimed ${thingOf(event)}`;
    }
    case 'task.released':
      if (reason === 'lease_expired') return `The claim of ${thingOf(event)} expired`;
      break;
  }
  const ofRun = runSentence(event, who);
  if (ofRun !== undefined) return ofRun;
  const [, happened = ''] = type.split('.');
  return `${who} ${isMove(event) ? 'moved' : (verbs[happened] ?? happened)} ${thingOf(event)}`;
}

/** The sentence of progress, a question or an answer of a run. */
function runSentence(event: Event, who: string): string | undefined {
  const valueOf = (field: string): unknown => event.changes.find((change) => change.field === field)?.to;
  if (event.type === 'run.progress')
    return `${who} reported ${progressIn(valueOf('events')) ?? `progress in ${thingOf(event)}`}`;
  if (event.type === 'run.answered') return `${who} answered ${thingOf(event)}: ${saidIn(valueOf('answer'))}`;
  if (event.type !== 'run.asks') return undefined;
  const choices = valueOf('choices');
  const among = Array.isArray(choices) ? ` (${choices.join(' / ')})` : '';
  return `${who} asks in ${thingOf(event)}: ${saidIn(valueOf('question'))}${among}`;
}

/** Events of one type and one author as one sentence. */
export function countedSentence(event: Event, count: number): string {
  const [noun = '', happened = ''] = event.type.split('.');
  const several = `${count.toLocaleString('en')} ${noun}s`;
  if (noun === 'problem') return happened === 'found' ? `${several}: planner doctor lists them` : `${several} solved`;
  return `${authorOf(event)} ${verbs[happened] ?? happened} ${several}`;
}

/** Who: by name, without what kind of author it is. */
function authorOf({ author, source }: Event): string {
  if (author === 'system') return 'Planner';
  if (author === 'file') return source === 'git' ? 'git' : 'a file edit';
  const [, kind, name] = /^(human|agent|guest):(.*)$/.exec(author) ?? [];
  return kind === 'guest' || author === 'guest' ? 'a guest' : (name ?? author);
}

/** Most events are of tasks, which need no noun. */
function thingOf({ type, resource: { label } }: Event): string {
  const [noun = ''] = type.split('.');
  if (label === null) return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
  return noun === 'task' ? quoted(label) : `the ${noun} ${quoted(label)}`;
}

function fieldsText(changes: Event['changes']): string {
  const shown = changes.slice(0, fieldsMax).map(({ field, to }) => `${field.replaceAll('_', ' ')}${valueText(to)}`);
  if (changes.length > fieldsMax) shown.push('…');
  return shown.length === 0 ? '' : `: ${shown.join(', ')}`;
}

/** A value with a blank before it; empty for one that says nothing to a person. */
function valueText(value: unknown): string {
  if (value === null) return ' none';
  if (typeof value === 'number' || typeof value === 'boolean') return ` ${value}`;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return ` ${shortened(value.join(', ') || 'none', valueMax)}`;
  if (typeof value !== 'string' || /^[a-z]{3}_[0-9a-z]{16}$/.test(value)) return '';
  return value.includes(' ') ? ` ${quoted(value, valueMax)}` : ` ${shortened(value, valueMax)}`;
}

/** The last message of a run; undefined if it is long. */
function progressIn(events: unknown): string | undefined {
  const last: unknown = Array.isArray(events) ? events.at(-1) : undefined;
  const message = (last as { readonly message?: unknown } | undefined)?.message;
  return typeof message === 'string' ? quoted(message) : undefined;
}

/** A question or an answer; a long one is not in the event. */
function saidIn(text: unknown): string {
  return typeof text === 'string' ? quoted(text) : 'at length';
}

function quotedOr(name: string | undefined, other: string): string {
  return name === undefined ? other : quoted(name);
}

function quoted(text: string, max = labelMax): string {
  return `"${shortened(text, max)}"`;
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
