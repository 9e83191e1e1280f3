import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Text, textFiles, textsOf } from './texts.ts';

/** A habit that makes a text need a second reading, and the number per 1,000 texts that plain English needs. */
interface Habit {
  readonly name: string;
  readonly pattern: RegExp;
}

export const habits: readonly Habit[] = [
  { name: 'opens with What, Those, That, It or Whether', pattern: /^(?:What|Those|That|It|Whether)\b/ },
  {
    name: '"what is, was, they, …" as a noun',
    pattern:
      /\bwhat (?:is|are|was|were|it|they|he|she|we|you|an?|the|its|their|this|that|has|have|had|can|may|would|could|\w+(?:s|ed))\b/i,
  },
  {
    name: 'that of, those of, that one, another one',
    // "That one side" is no such pronoun: a verb, a preposition or the end follows it.
    pattern:
      /\b(?:(?:that|those) of|(?:another|the other) ones?|those (?:that|whose|with|in)|(?:that|this) ones?(?=$|[.,;:)?!]| (?:[a-z]+s|had|was|were|can|may|must|will|would|did|and|or|of|in|at|on|by|to|for|from|with|that|which|who|if|until|when|while|there|now|then)\b))\b/i,
  },
  {
    name: 'meanwhile, by itself, beside, behind, at once',
    pattern: /\b(?:meanwhile|by itself|by themselves|beside|behind|at once)\b/i,
  },
  { name: '"none"', pattern: /\bnone\b/i },
  { name: 'opens with a bare Of, By, In, Behind or For', pattern: /^(?:Of|By|In|Behind|For)\b/ },
  { name: 'opens with "The same"', pattern: /^The same\b/ },
];

/** The most texts in 1,000 that may have one habit. */
export const mostPerThousand = 15;

/** Texts that are counted together. */
export const groups = {
  'comments of src': ({ kind, path }: Text): boolean => kind === 'comment' && path.startsWith('src/'),
  'comments of test': ({ kind, path }: Text): boolean => kind === 'comment' && path.startsWith('test/'),
  'titles of tests': ({ kind }: Text): boolean => kind === 'title',
  // Without the plan of this repository, whose records say what was decided and done.
  'sentences of documents': ({ kind, path }: Text): boolean => kind === 'document' && !path.startsWith('.planner/'),
};
export type Group = keyof typeof groups;

/** Texts, one by one: comments and titles whole, documents by sentences and cells. */
export const countedTexts = (texts: readonly Text[]): Text[] =>
  texts.flatMap((text) => (text.kind === 'document' ? sentencesOf(text) : [text]));

/** The sentences of a paragraph, an item or the cells of a row. All but the first of each begin with `…`: they open nothing. */
export function sentencesOf(text: Text): Text[] {
  return text.text.split(/\s*\|\s*/).flatMap((cell) => {
    const parts = cell.replace(/^(?:[-*#>]+|\d+\.)\s+/, '').split(/(?<=[.?!:]) (?=[A-Z`])/);
    return parts
      .filter((part) => /\p{L}/u.test(part))
      .map((part, at) => ({ ...text, text: at === 0 ? part : `… ${part}` }));
  });
}

export interface Row {
  readonly habit: string;
  readonly perThousand: number;
  readonly places: readonly Text[];
}

/** How often texts of one group have each habit, in the order of `habits`. */
export function rowsOf(texts: readonly Text[]): Row[] {
  return habits.map(({ name, pattern }) => {
    const places = texts.filter(({ text }) => pattern.test(text));
    return { habit: name, perThousand: (places.length / Math.max(texts.length, 1)) * 1000, places };
  });
}

/** `node test/gate/sentences.ts [PATH]` prints the rows of each group, and of the texts below a path the places. */
function print(root: string, below: string | undefined): void {
  const read = (path: string): Text[] => textsOf(readFileSync(join(root, path), 'utf8'), path);
  const all = countedTexts(textFiles(root).flatMap(read));
  for (const group of Object.keys(groups) as Group[]) {
    const texts = all.filter(groups[group]);
    console.log(`${group}: ${texts.length}`);
    for (const { habit, perThousand, places } of rowsOf(texts)) {
      console.log(`  ${perThousand.toFixed(1).padStart(6)}  ${habit}`);
      if (below === undefined) continue;
      for (const { path, line, text } of places)
        if (path.startsWith(below)) console.log(`    ${path}:${line}: ${text}`);
    }
  }
}

if (import.meta.main) print(join(import.meta.dirname, '../..'), process.argv[2]);
