import type { EntryBody } from '../../record/entry.ts';
import { lazyTexts } from '../../record/lazy-text.ts';
import { charactersIn, hasValue } from '../../record/revision-reference.ts';

/**
 * Roughly what an entry takes as JSON, with its revisions: its texts, and as much for each record and revision as their
 * other members take.
 */
export function charactersOf({ changes, revisions }: EntryBody): number {
  let characters = entryCharacters;
  for (const { to, was, gone } of changes)
    for (const value of [to, was, gone]) if (value !== undefined) characters += charactersIn(value);
  for (const revision of revisions) characters += hasValue(revision) ? charactersIn(revision.before) : revision.size;
  return characters;
}

/** The size of such an entry in memory: summaries of its revisions, and references to its large texts. */
export function heldCharactersOf(body: EntryBody, characters: number): number {
  const { revisions } = body;
  let held = characters - unreadCharactersIn(body);
  for (const revision of revisions) if (!hasValue(revision)) held += summaryCharacters - revision.size;
  return held;
}

/** The length of the texts stored with an entry that its changes reference, less the part that the entry has. */
export function unreadCharactersIn({ changes }: Pick<EntryBody, 'changes'>): number {
  let characters = 0;
  for (const { to, was, gone } of changes)
    for (const value of [to, was, gone])
      for (const { characters: known = 0 } of value === undefined ? [] : lazyTexts(value))
        characters += known - referenceCharacters;
  return characters;
}

const entryCharacters = 200;
/** A hash, and the beginning of a text. */
const referenceCharacters = 300;
const summaryCharacters = 200;
