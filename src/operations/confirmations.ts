import { approverIn } from '../domain/plan/goal-evidence.ts';
import type { GoalRecord, TaskRecord } from '../schema/types.ts';
import { printableLine } from '../base/printable.ts';
import type { Change, StoredRecord } from '../store/index.ts';
import { hashOf, ownTag } from './pipeline/entity-tag.ts';

/** The question to a person before a call is carried out. */
export interface Question {
  readonly text: string;
  /** Identifies the changes and the states of their records: a different question has a different tag. */
  readonly tag: string;
}

/** Thrown inside a transaction to roll it back: a person has to confirm its changes. */
export class Unconfirmed extends Error {
  readonly question: Question;

  constructor(question: Question) {
    super('A person has to confirm this call.');
    this.question = question;
  }
}

/**
 * Throws `Unconfirmed` if the changes of a call need a confirmation by a person, unless exactly these were confirmed.
 */
export function requireConfirmed(changes: readonly Change[], confirmed: string | undefined): void {
  const question = questionOf(changes);
  if (question !== undefined && question.tag !== confirmed) throw new Unconfirmed(question);
}

/** The questions about a change. `removed`: the ids of the records that the call removes. */
type Effect = (change: Change, removed: ReadonlySet<string>) => readonly string[];

/**
 * The changes that a person confirms, by their effect on a record: independent of the tool and of its other effects.
 * They apply to added tools, too.
 */
export const effects: Readonly<Record<'released' | 'signed_off' | 'sign_off_replaced' | 'removed', Effect>> = {
  /** A task leaves scope: whatever its status becomes, no further step is asked for. */
  released: ({ collection, from, to }) => {
    if (collection !== 'task' || from === undefined || to === undefined) return [];
    const { label, status } = from as TaskRecord;
    const isReleased = status === 'scope' && (to as TaskRecord).status !== 'scope';
    return isReleased ? [`Release the task ${quoted(label)} from scope?`] : [];
  },
  /** A goal is completed by an approval. */
  signed_off: ({ collection, from, to }) => {
    if (collection !== 'goal' || from === undefined || to === undefined) return [];
    const { status, last_verification: verification } = to as GoalRecord;
    if (status !== 'complete' || (from as GoalRecord).status === 'complete') return [];
    const by = verification === null ? undefined : approverIn(verification);
    if (by === undefined) return [];
    const { objective } = from as GoalRecord;
    return [`Sign off the goal${nameOf(from as GoalRecord)} as ${quoted(by)}? It is to be: ${quoted(objective)}`];
  },
  /** A goal that a person has to sign off is to be completed on other evidence, or without evidence. */
  sign_off_replaced: ({ collection, from, to }) => {
    if (collection !== 'goal' || from === undefined || to === undefined) return [];
    const [former, surface] = [from, to].map((goal) => (goal as GoalRecord).verification_surface?.kind);
    if (former !== 'human_sign_off' || surface === former) return [];
    const instead = surface === undefined ? 'without evidence' : `on ${surface.replace('_', ' ')}`;
    return [`Let the goal${nameOf(from as GoalRecord)} be completed ${instead}, instead of by a person's sign-off?`];
  },
  /** A record or an edge is removed. Edges of a record are removed with it. */
  removed: ({ collection, from, to }, removed) => {
    if (from === undefined) return [];
    if (to !== undefined)
      return edgesLeftOut(from, to)
        .filter((edge) => !removed.has(edge.to))
        .map(({ id }) => `Delete the edge ${quoted(id)}? What it connects is kept.`);
    const kept = collection === 'folder' ? ' Its documents and folders are kept.' : '';
    return [`Delete the ${collection} ${quoted(titleOf(from))}?${kept}`];
  },
};

/** The questions that one call asks; more are counted. */
const askedMax = 5;

/** The question that a person has to confirm about changes; undefined if there is no such change. */
export function questionOf(changes: readonly Change[]): Question | undefined {
  const removed = new Set(changes.filter(({ to }) => to === undefined).map(({ id }) => id));
  const asked = changes.flatMap((change) =>
    Object.values(effects).flatMap((effect) =>
      effect(change, removed).map((text) => ({ text, about: [change.id, ownTag(change.from!)] })),
    ),
  );
  if (asked.length === 0) return undefined;
  const texts = asked.slice(0, askedMax).map(({ text }) => text);
  const more = asked.length - texts.length;
  if (more > 0) texts.push(`And ${more} more of these?`);
  return { text: texts.join('\n'), tag: hashOf(asked) };
}

function edgesLeftOut(from: StoredRecord, to: StoredRecord): NonNullable<StoredRecord['links']> {
  const { links = [] } = from;
  if (links.length === 0 || links === to.links) return [];
  const endOf = ({ to: end, label = '' }: (typeof links)[number]): string => `${end}\0${label}`;
  const kept = new Set((to.links ?? []).map(endOf));
  return links.filter((link) => !kept.has(endOf(link)));
}

function nameOf({ name }: GoalRecord): string {
  return name === null ? '' : ` ${quoted(name)}`;
}

function titleOf(record: StoredRecord): string {
  const { title, label, name, id } = record as StoredRecord &
    Readonly<Partial<Record<'title' | 'label' | 'name', string>>>;
  return title ?? label ?? name ?? id;
}

/** The beginning of a text's first line. */
const beginning = /^[^\r\n]{0,200}/u;

/**
 * A text of the plan or the call in a question: cut to one line, quoted, without characters that affect the display.
 */
function quoted(text: string): string {
  const whole = text.trim();
  const line = beginning.exec(whole)![0];
  return printableLine(JSON.stringify(line === whole ? line : `${line}…`));
}
