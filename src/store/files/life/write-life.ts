import type { Problem } from '../../record/read-transaction.ts';
import type { StoredRecord } from '../../record/record.ts';
import { follow, impossible, type Step, type Transitions } from './transitions.ts';

/** A record whose latest value is not in its file. */
interface Unwritten {
  readonly collection: string;
  /** Journal position of the first change that is not in the file: the journal is kept from it. */
  readonly position: number;
  /** Position of the last change: it must be durable before a file may contain it. */
  readonly latest: number;
  /** Write the file although the record is unchanged, to add its id. */
  readonly force: boolean;
}

/** A file written during a git operation: it counts if it still has this content after the operation. */
export interface UnverifiedWrite {
  readonly path: string;
  /** The hash and the value that were written; null and undefined for a removal. */
  readonly sha256: string | null;
  readonly record: StoredRecord | undefined;
}

/** The life of a record's file between a change and the file that contains it. Transitions are in docs/explanation/record-lives.md. */
export type WriteLife =
  /** Index and file have the same value. */
  | { readonly kind: 'clean' }
  | (Unwritten & { readonly kind: 'dirty' })
  /** The change of the record `by` has to be written first. While that one is parked, this one is too. */
  | (Unwritten & { readonly kind: 'blocked'; readonly by: string })
  /** The file cannot be written. A parked change does not block others. */
  | (Unwritten & { readonly kind: 'parked'; readonly problem: Problem })
  /** A value is being written; `later` is the position of the first change since, if any. */
  | (Unwritten & { readonly kind: 'writing'; readonly later: number | undefined })
  /** The value was written while git changed the tree: the file is read again after the git operation. */
  | (Unwritten & { readonly kind: 'unverified'; readonly write: UnverifiedWrite });

/** An event of a record or of its file. */
export type WriteEvent =
  /** The record changed, by the journal entry at this position. */
  | { readonly kind: 'changed'; readonly collection: string; readonly position: number; readonly force: boolean }
  /** A write of the present value was handed to the writer. */
  | { readonly kind: 'planned' }
  /** No write can be planned before that of another record; undefined: it can be again. */
  | { readonly kind: 'blocked'; readonly by: string | undefined }
  /** Index and file were compared and have the same value. */
  | { readonly kind: 'settled' }
  /** `raced`: an editor saved into the file while it was being replaced. */
  | {
      readonly kind: 'wrote';
      /** Whether another job may be needed: for a directory that was moved. */ readonly isChecked: boolean;
      readonly gitChanged: boolean;
      readonly raced: boolean;
    }
  /** Git changed the tree while the file was written. */
  | { readonly kind: 'gitMoved'; readonly write: UnverifiedWrite; readonly raced: boolean }
  /** The file was not as expected, and was not written. */
  | { readonly kind: 'differed' }
  /** Nothing was tried: a git operation is in progress, or the writer has ended. */
  | { readonly kind: 'postponed' }
  | { readonly kind: 'failed'; readonly problem: Problem }
  /** A parked change is tried again. */
  | { readonly kind: 'retried' }
  /** The file at the path of an unverified write was read after the git operation. */
  | { readonly kind: 'seen' }
  /** The journal entries of a change that cannot be written were copied to this position. */
  | { readonly kind: 'carried'; readonly position: number };

/** An effect that the driver carries out after a transition. */
export type WriteEffect =
  /** Schedule a checkpoint. */
  | 'checkpoint'
  /** Mark in the journal that the file contains the value. */
  | 'mark'
  /** Merge a save by an editor while the file was being replaced. */
  | 'mergeSave'
  /** Reconcile the file, now or after the git operation. */
  | 'rescan'
  | 'rescanAfterGit'
  /** Feed `retried` after a while. */
  | 'retryLater';

export type WriteStep = Step<WriteLife, WriteEffect>;

export const clean: WriteLife = { kind: 'clean' };
/** The life of a record that is in a map of dirty ones. */
export type NotClean = Exclude<WriteLife, { readonly kind: 'clean' }>;
type State = WriteLife['kind'];
type In<S extends State> = Extract<WriteLife, { readonly kind: S }>;
type Of<E extends WriteEvent['kind']> = Extract<WriteEvent, { readonly kind: E }>;
function to(life: WriteLife, ...effects: readonly WriteEffect[]): WriteStep {
  return { life, effects };
}

const stays = (life: WriteLife): WriteStep => to(life);
const settles = (): WriteStep => to(clean);
const becomesDirty = (life: Unwritten): WriteStep => to(dirty(life), 'checkpoint');

function dirty({ collection, position, latest, force }: Unwritten): In<'dirty'> {
  return { kind: 'dirty', collection, position, latest, force };
}

/** The next state of a changed record; apart, because creating records must not cost more than this. */
export function changed(life: WriteLife, collection: string, position: number, force: boolean): WriteLife {
  if (life.kind === 'clean') return { kind: 'dirty', collection, position, latest: position, force };
  const again = { ...life, latest: Math.max(life.latest, position), force: life.force || force };
  if (again.kind === 'writing') return { ...again, later: Math.min(again.later ?? position, position) };
  return { ...again, position: Math.min(life.position, position) };
}

const changes = (life: WriteLife, { collection, position, force }: Of<'changed'>): WriteStep =>
  to(changed(life, collection, position, force), 'checkpoint');

const waits = (life: Unwritten, { by }: Of<'blocked'>): WriteStep =>
  to(by === undefined ? dirty(life) : { ...dirty(life), kind: 'blocked', by });

function begins({ collection, position, latest, force }: Unwritten): WriteStep {
  return to({ kind: 'writing', collection, position, later: undefined, latest, force });
}

const isCarried = (life: NotClean, { position }: Of<'carried'>): WriteStep =>
  to({ ...life, position: Math.max(life.position, position) });

/** Every change since the first one that was being written is still to be written. */
function unwritten({ collection, position, later, latest, force }: In<'writing'>): Unwritten {
  return { collection, position: Math.min(position, later ?? position), latest, force };
}

function ends(life: In<'writing'>, { isChecked, gitChanged, raced }: Of<'wrote'>): WriteStep {
  const effects: WriteEffect[] = raced ? ['mergeSave'] : [];
  if (!gitChanged) effects.push('mark');
  if (isChecked) return { life: dirty({ ...unwritten(life), force: false }), effects };
  const { later } = life;
  return { life: later === undefined ? clean : dirty({ ...life, position: later, force: false }), effects };
}

const isDoubtful = (life: In<'writing'>, { write, raced }: Of<'gitMoved'>): WriteStep =>
  to({ ...unwritten(life), kind: 'unverified', write }, 'rescanAfterGit', ...(raced ? (['mergeSave'] as const) : []));

/** Results of a write that is not in progress. */
const notWriting = {
  wrote: impossible,
  gitMoved: impossible,
  differed: impossible,
  postponed: impossible,
  failed: impossible,
} as const;

/** Events that may arrive after another event has changed the state. */
const late = { retried: stays, seen: stays } as const;

export const writeTransitions: Transitions<WriteLife, WriteEvent, WriteEffect> = {
  clean: {
    ...{ ...notWriting, ...late, changed: changes, planned: impossible, blocked: impossible },
    ...{ settled: stays, carried: stays },
  },
  dirty: {
    ...{ ...notWriting, ...late, changed: changes, planned: begins, blocked: waits },
    ...{ settled: settles, carried: isCarried },
  },
  blocked: {
    ...{ ...notWriting, ...late, changed: changes, planned: begins, blocked: waits },
    ...{ settled: settles, carried: isCarried },
  },
  parked: {
    ...{ ...notWriting, ...late, changed: changes, planned: impossible, blocked: impossible },
    ...{ settled: settles, carried: isCarried, retried: becomesDirty },
  },
  writing: {
    ...{ ...late, changed: changes, planned: impossible, blocked: impossible },
    // The written value is known when the write ends.
    settled: (life) => to({ ...life, later: undefined }),
    wrote: ends,
    gitMoved: isDoubtful,
    differed: (life) => to(dirty(unwritten(life)), 'rescan'),
    postponed: (life) => to(dirty(unwritten(life))),
    failed: (life, { problem }) => to({ ...unwritten(life), kind: 'parked', problem }, 'retryLater'),
    // The former entries are needed until the write ends.
    carried: stays,
  },
  unverified: {
    ...{ ...notWriting, ...late, changed: changes, planned: impossible, blocked: impossible },
    ...{ settled: settles, carried: isCarried, seen: becomesDirty },
  },
};

/** The state after an event, and its effects. Throws for a pair that is impossible. */
export function next(life: WriteLife, event: WriteEvent): WriteStep {
  return follow(writeTransitions, life, event);
}
