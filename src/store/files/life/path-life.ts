import { follow, type Step, type Transitions } from './transitions.ts';

/** Grace period of an empty file before it counts as emptied: editors truncate before they write. */
export const emptyFileGraceMs = 2000;
/** Grace period of a missing file before it counts as deleted: editors and git delete before they write. */
export const deletionGraceMs = 60;

/** The life of a known file's path while its content is undecided. Times are from the monotonic clock. */
export type PathLife =
  /** The file is as it was last read or written. */
  | { readonly kind: 'known' }
  /** There is no file, since this time. */
  | { readonly kind: 'vanished'; readonly since: number }
  /** The file is empty, since it was first seen so: its own time is that of a wall clock, which may be set. */
  | { readonly kind: 'emptied'; readonly since: number }
  /**
   * The file contains the id of a record that is being written: it is read again when the outcome is known. Until then
   * no other file of this record counts as deleted.
   */
  | { readonly kind: 'deferred'; readonly id: string }
  /**
   * The file contains this id, and the record that was in it is in no other one: it may be there when the grace period is
   * over. Until then no other file of the record with this id counts as deleted.
   */
  | { readonly kind: 'replaced'; readonly id: string; readonly since: number };

/** A finding at the path of a known file. `isImmediate`: without a grace period. */
export type PathEvent =
  /** The file is as it was known, or is read now. */
  | { readonly kind: 'seen' }
  | { readonly kind: 'seenEmpty'; readonly at: number; readonly isImmediate: boolean }
  /** `isHeld`: the record may be in another file by now. */
  | { readonly kind: 'gone'; readonly at: number; readonly isImmediate: boolean; readonly isHeld: boolean }
  /** A record with this id is being written. */
  | { readonly kind: 'held'; readonly id: string }
  /** `isHeld`: the record that was in it is in another file, which is not read yet. */
  | {
      readonly kind: 'seenReplaced';
      readonly id: string;
      readonly at: number;
      readonly isImmediate: boolean;
      readonly isHeld: boolean;
    }
  /** Its file does not count as known any more. */
  | { readonly kind: 'removed' };

/** Read the file; count it as deleted; look again after the grace period. */
export type PathEffect = 'read' | 'remove' | 'lookAgain';

export type PathStep = Step<PathLife, PathEffect>;

export const known: PathLife = { kind: 'known' };
type Of<E extends PathEvent['kind']> = Extract<PathEvent, { readonly kind: E }>;

const step = (life: PathLife, ...effects: readonly PathEffect[]): PathStep => ({ life, effects });
const isDecided = (): PathStep => step(known);
const isHeld = (_: PathLife, { id }: Of<'held'>): PathStep => step({ kind: 'deferred', id }, 'lookAgain');

function isEmpty(life: PathLife, { at, isImmediate }: Of<'seenEmpty'>): PathStep {
  const since = life.kind === 'emptied' ? life.since : at;
  const isOver = isImmediate || at - since >= emptyFileGraceMs;
  return isOver ? step(known, 'read') : step({ kind: 'emptied', since }, 'lookAgain');
}

function isGone(life: PathLife, { at, isImmediate, isHeld: waits }: Of<'gone'>): PathStep {
  const since = life.kind === 'vanished' ? life.since : at;
  const isOver = !waits && (isImmediate || at - since >= deletionGraceMs);
  return step({ kind: 'vanished', since }, isOver ? 'remove' : 'lookAgain');
}

function isReplaced(life: PathLife, { id, at, isImmediate, isHeld: waits }: Of<'seenReplaced'>): PathStep {
  const since = life.kind === 'replaced' ? life.since : at;
  const isOver = isImmediate || (!waits && at - since >= deletionGraceMs);
  return isOver ? step(known, 'read') : step({ kind: 'replaced', id, since }, 'lookAgain');
}

const row = {
  seen: isDecided,
  seenEmpty: isEmpty,
  gone: isGone,
  held: isHeld,
  seenReplaced: isReplaced,
  removed: isDecided,
} as const;

export const pathTransitions: Transitions<PathLife, PathEvent, PathEffect> = {
  known: row,
  vanished: row,
  emptied: row,
  deferred: row,
  replaced: row,
};

/** The state after an event, and its effects. */
export function nextOfPath(life: PathLife, event: PathEvent): PathStep {
  return follow(pathTransitions, life, event);
}
