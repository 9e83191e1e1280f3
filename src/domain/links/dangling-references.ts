import { isOwnId } from '../../base/ids.ts';
import { LikeNames, proposal } from '../../base/named.ts';
import type { DerivedIndex, Incoming, Link, RecordProblem, StoredRecord } from '../../store/index.ts';
import { endTypes, titleOf } from './edges.ts';
import type { ArtifactRecord, CommentRecord, PlanReadTransaction, SubmissionRecord } from '../records/collections.ts';
import { guestMarks } from '../records/guest-texts.ts';
import { declared } from '../records/record-collections.ts';

/** A reference to another record outside the edges. */
interface Reference {
  readonly target: string;
  /** The referrer and the target: the beginning of a sentence. */
  readonly what: string;
}

/** Any record may be the end of a reference. */
const fields = {
  ...Object.fromEntries(declared.map(({ name }) => [name, []])),
  comment: ['target_type', 'target_id'],
  artifact: ['prototype_id'],
  submission: ['linked_task_id'],
};

/** With more records than this, names are not compared with a reference that means nothing. */
const comparedMax = 5000;

/**
 * References to records that do not exist: ends of links (a missing prerequisite does not block), targets of comments, the prototype of a
 * screen, the task of a submission; and names in links that mean no record, or several ones. Caused by files that were removed, are not
 * merged yet, or were written by hand, never by a call. Derived index `dangling_references`; a change costs the references of its record.
 */
export class DanglingReferences implements DerivedIndex {
  readonly fields = fields;
  readonly #view: PlanReadTransaction;
  /** The records that refer to each record, edges aside. */
  readonly #references = new Map<string, Set<string>>();
  readonly #missing = new Set<string>();

  constructor(view: PlanReadTransaction) {
    this.#view = view;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    const [before, after] = [referenceOf(collection, from)?.target, referenceOf(collection, to)?.target];
    const id = (to ?? from)?.id ?? '';
    if (before !== after) this.#refer(id, before, after);
    if (from === undefined) this.#missing.delete(id);
    else if (to === undefined && this.#references.has(id)) this.#missing.add(id);
  }

  *problems(): Iterable<RecordProblem> {
    const view = this.#view;
    for (const edge of view.dangling()) {
      // The record of an unreadable file exists, and has its own problem.
      if (view.problemOf(edge.link.to) === undefined) yield problemOf(view, edge);
    }
    for (const target of this.#missing) {
      if (view.problemOf(target) !== undefined) continue;
      for (const id of this.#references.get(target) ?? []) {
        const found = view.find(id);
        const reference = found && referenceOf(found.collection, found.record);
        if (reference !== undefined) yield dangling(id, reference.what);
      }
    }
  }

  #refer(id: string, before: string | undefined, after: string | undefined): void {
    if (before !== undefined) {
      const referring = this.#references.get(before);
      referring?.delete(id);
      if (referring?.size === 0) {
        this.#references.delete(before);
        this.#missing.delete(before);
      }
    }
    if (after === undefined) return;
    const referring = this.#references.get(after);
    if (referring === undefined) this.#references.set(after, new Set([id]));
    else referring.add(id);
    if (this.#view.find(after) === undefined) this.#missing.add(after);
  }
}

function referenceOf(collection: string, record: StoredRecord | undefined): Reference | undefined {
  if (record === undefined) return undefined;
  if (collection === 'comment') {
    const { target_type: type, target_id: target } = record as CommentRecord;
    // An annotated file need not be in the project.
    return type === 'artifact' ? undefined : { target, what: `The comment is about the ${type} ${target}` };
  }
  const [target, what] =
    collection === 'artifact'
      ? [(record as ArtifactRecord).prototype_id, 'The screen belongs to the prototype']
      : collection === 'submission'
        ? [(record as SubmissionRecord).linked_task_id, 'The submission is linked to the task']
        : [null, ''];
  return target === null ? undefined : { target, what: `${what} ${target}` };
}

function dangling(id: string, what: string): RecordProblem {
  return {
    id,
    kind: 'dangling_reference',
    reason: `${what}, which does not exist.`,
    remedy: 'Restore its file or remove the reference; until then the reference is ignored.',
  };
}

/** The problem of an edge whose end does not exist, or is not the only one with its name. */
function problemOf(view: PlanReadTransaction, { from, link }: Incoming): RecordProblem {
  const { to, type, label } = link;
  const subject = `A link${label === undefined ? '' : ` labelled ${JSON.stringify(label)}`}`;
  const at = { id: from, name: to };
  if (isOwnId(to)) return { ...dangling(from, `${subject} refers to the ${type} ${to}`), ...at };
  const candidates = view.candidates(from, link);
  const named = `${subject} names ${JSON.stringify(to)}`;
  if (candidates.length > 1)
    return {
      ...at,
      kind: 'ambiguous_reference',
      reason: `${named}, which can mean ${candidates.length} records: ${candidates.map((id) => view.pathOf(id) ?? id).join(', ')}.`,
      remedy: 'Write the whole name of its file, or its id; until then the link is ignored.',
    };
  const kinds = type === 'task' ? 'task, document, artifact or prototype' : type;
  return {
    ...at,
    kind: 'dangling_reference',
    reason: `${named}; no ${kinds} has a file, a label or title, or an id like that.`,
    remedy: `Write one of these.${proposal(likeNames(view, from, link))} Until then the link is ignored.`,
  };
}

/** Names that are like one that means nothing; without words of guests, which a sentence cannot mark as theirs. */
function likeNames(view: PlanReadTransaction, from: string, { to, type: stated }: Link): readonly string[] {
  if (endTypes.reduce((sum, type) => sum + view.count(type), 0) > comparedMax) return [];
  const like = new LikeNames(to);
  const marks = guestMarks(view);
  for (const type of endTypes.filter((one) => stated === 'task' || one === stated))
    for (const end of view.list(type)) if (end.id !== from && marks(end.id) === undefined) like.add(titleOf(end));
  return like.found;
}
