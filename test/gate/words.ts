/** Words that the code base does not use, with the terms of docs/reference/glossary.md and of common manuals in their place. */
interface PrivateWord {
  readonly pattern: RegExp;
  /** The terms to write instead. */
  readonly instead: string;
}

export const privateWords: readonly PrivateWord[] = [
  { pattern: /\b(?:tells?|told|telling)\b/i, instead: 'report, return, notify, log; distinguish' },
  { pattern: /\b(?:hears?|heard|hearing|deaf)\b/i, instead: 'receive, notice; the watch is lost' },
  { pattern: /\b(?:bears?|bearing|bore|borne)\b/i, instead: 'have, carry, contain' },
  { pattern: /\b(?:stands?|stood|standing)\b(?!-)/i, instead: 'be, remain, appear' },
  { pattern: /\b(?:lies|lay|lying|lain)\b/i, instead: 'be' },
  { pattern: /\b(?:who|what)soever\b|\bwhoever\b/i, instead: 'anyone who, or name the caller' },
  { pattern: /\b(?:somebody|nobody)\b/i, instead: 'another user, no caller, nothing' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\blook(?:s|ed|ing)? (?:back|after)\b/i, instead: 'verify; maintain' },
  { pattern: /\bdoors?\b/i, instead: 'transport' },
  { pattern: /\b(?:a|of|the|no|any|many|people's|person's|people’s) hands?\b(?! side)/i, instead: 'external edit' },
  { pattern: /\bhand(?:s|ed|ing)? on\b/i, instead: 'forward, pass' },
  { pattern: /\bdoubt(?:s|ed|ful)?\b/i, instead: 'unsynced, unverified' },
  { pattern: /\bbeliev(?:e|es|ed|ing)\b/i, instead: 'accept, trust' },
  { pattern: /\bpatien(?:ce|t|tly)\b/i, instead: 'timeout' },
  { pattern: /\bdebris\b/i, instead: 'torn write' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: 'repair' },
  { pattern: /\bupon\b/i, instead: 'on' },
  { pattern: /\b(?:ado|thence|whence|wont)\b/i, instead: 'plain English' },
  { pattern: /\bown accord\b|\bin peace\b|\b(?:its|their) own word\b/i, instead: 'plain English' },
  { pattern: /(?:^|[.:;] )Who (?!is who\b)[^?.]*(?:[.;]|$)/, instead: 'a subject: "The caller …", "Anyone who …"' },
  {
    pattern: /\b(?:to|for|by|of|from|with|and|but) who (?:is|are|has|can|may|comes|came|made|once|\w+s)\b/,
    instead: 'a noun: "callers who …", "the caller"',
  },
];

/** Words of names, for identifiers and paths. */
export const privateNames: ReadonlySet<string> = new Set([
  ...[
    'tell',
    'tells',
    'told',
    'hear',
    'hears',
    'heard',
    'deaf',
    'bears',
    'borne',
    'stands',
    'lies',
    'anew',
    'door',
    'doors',
  ],
  ...[
    'doubt',
    'doubts',
    'believe',
    'believed',
    'patience',
    'debris',
    'mend',
    'mends',
    'hasty',
    'nobody',
    'somebody',
    'whoever',
  ],
]);

/** Texts in which such a word is plain English, by a part of the text, each with its reason. */
export const allowedTexts: ReadonlyMap<string, string> = new Map();
