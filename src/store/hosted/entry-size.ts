import type { EntryBody } from '../record/entry.ts';
import { charactersIn, hasValue } from '../record/revision-reference.ts';

/**
 * Roughly what an entry takes as JSON, with the revisions beside it: its texts, and as much for each record and revision
 * as their other members take.
 */
export function charactersOf({ changes, revisions }: EntryBody): number {
  let characters = entryCharacters;
  for (const { to, was, gone } of changes)
    for (const value of [to, was, gone]) if (value !== undefined) characters += charactersIn(value);
  for (const revision of revisions) characters += hasValue(revision) ? charactersIn(revision.before) : revision.size;
  return characters;
}

/** What memory has of such an entry: summaries of the revisions beside it. */
export function heldCharactersOf({ revisions }: EntryBody, characters: number): number {
  let held = characters;
  for (const revision of revisions) if (!hasValue(revision)) held += summaryCharacters - revision.size;
  return held;
}

const entryCharacters = 200;
const summaryCharacters = 200;
