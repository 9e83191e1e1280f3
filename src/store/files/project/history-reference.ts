import { epochOf } from '../../replica/version.ts';
import type { Revision } from '../../record/record.ts';

/** The location of a written revision: a line of a segment file. */
export interface LineLocation {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** A revision without its values, and its location, or the revision itself until it is written. */
export interface Reference {
  readonly at: string;
  readonly id: string;
  readonly target: string;
  readonly type: string;
  readonly author: string;
  readonly session: string | undefined;
  readonly fields: readonly string[];
  /** 32 bits of its outcome: a revision with another one need not be read to be compared. */
  readonly outcome: number;
  location: LineLocation | Revision;
}

export function outcomeOf(after: string): number {
  return epochOf(after) | 0;
}

export function referenceOf(revision: Revision, location: LineLocation | Revision): Reference {
  const { at, id, target, target_type: type, author, session, fields, after } = revision;
  return { at, id, target, type, author, session, fields, outcome: outcomeOf(after), location };
}

/** Parses a line of a segment; undefined if it is not a revision: a file in a repository is untrusted input. */
export function parseRevision(line: string): Revision | undefined {
  try {
    const value = JSON.parse(line) as Partial<Revision> | null;
    if (value === null || typeof value !== 'object') return undefined;
    const { at, id, target, target_type, author, fields, before, after } = value;
    const texts = [at, id, target, target_type, author, after];
    if (!texts.every((text) => typeof text === 'string')) return undefined;
    if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string')) return undefined;
    if (typeof before !== 'object' || before === null) return undefined;
    return value as Revision;
  } catch {
    return undefined;
  }
}
