import type { Head } from '../record/log.ts';
import { epochOf } from './version.ts';

/** A place in a project's log: an entry, and the part of its id that distinguishes it from one of another history. */
export interface FeedPoint {
  readonly seq: number;
  readonly epoch: number;
}

/** A place in a feed. `index`: how many events of the entry were read; Infinity for all. */
export interface FeedPosition extends FeedPoint {
  readonly index: number;
}

const base36 = 36;

export function pointOf({ seq, id }: Head): FeedPoint {
  return { seq, epoch: epochOf(id ?? '') };
}

/** The position as an opaque text of `[0-9a-z-]`. */
export function formatFeedCursor({ seq, epoch }: FeedPoint, index = Infinity): string {
  const point = `${epoch.toString(base36)}-${seq.toString(base36)}`;
  return index === Infinity ? point : `${point}-${index.toString(base36)}`;
}

/** Undefined for a text that no feed created. */
export function parseFeedCursor(text: string): FeedPosition | undefined {
  const [, epoch, seq, index] = /^([0-9a-z]{1,7})-([0-9a-z]{1,10})(?:-([0-9a-z]{1,6}))?$/.exec(text) ?? [];
  if (epoch === undefined || seq === undefined) return undefined;
  return {
    epoch: Number.parseInt(epoch, base36),
    seq: Number.parseInt(seq, base36),
    index: index === undefined ? Infinity : Number.parseInt(index, base36),
  };
}
