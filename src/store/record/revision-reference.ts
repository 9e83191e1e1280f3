import { lazyText } from './lazy-text.ts';
import type { Revision, RevisionSummary } from './record.ts';

/** The reference in an entry to a revision whose value is stored with it. */
export interface RevisionReference extends RevisionSummary {
  /** The size of the former values, in characters: see `charactersIn`. */
  readonly size: number;
}

export function referenceTo(revision: Revision): RevisionReference {
  const { before, after: _, ...summary } = revision;
  return { ...summary, size: charactersIn(before) };
}

/** Returns whether a revision has its value with it. */
export function hasValue(revision: Revision | RevisionSummary): revision is Revision {
  return 'before' in revision;
}

const memberCharacters = 24;

/** The approximate size of a value as JSON: its texts, and as much for each member as its name and punctuation take. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length + memberCharacters;
  if (typeof value !== 'object' || value === null) return memberCharacters;
  let characters = 0;
  for (const name of Object.keys(value)) {
    const { characters: known } = lazyText(value, name) ?? {};
    characters += known === undefined ? charactersIn(value[name as keyof object]) : known + memberCharacters;
  }
  return characters;
}
