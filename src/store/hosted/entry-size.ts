import type { EntryBody } from '../record/entry.ts';

/** Roughly what an entry takes as JSON: its texts, and as much for each record and revision as their other members take. */
export function charactersOf({ changes, revisions }: EntryBody): number {
  let characters = entryCharacters;
  for (const { to, was, gone } of changes)
    for (const value of [to, was, gone]) if (value !== undefined) characters += textsOf(value);
  for (const { before } of revisions) characters += textsOf(before);
  return characters;
}

const entryCharacters = 200;
const memberCharacters = 24;

function textsOf(value: unknown): number {
  if (typeof value === 'string') return value.length + memberCharacters;
  if (typeof value !== 'object' || value === null) return memberCharacters;
  let characters = 0;
  for (const member of Object.values(value)) characters += textsOf(member);
  return characters;
}
