import type { Draft, Fields } from '../domain/exchange/draft.ts';

/** What came of reading another tool's plan. */
export interface MovedPlan {
  readonly draft: Draft;
  readonly report: MovingReport;
}

export interface MovingReport {
  /** The tool, by its name. */
  readonly from: string;
  /** How many records the draft holds, by list; `edges` too. Lists that are empty are left out. */
  readonly counts: Readonly<Record<string, number>>;
  /** What went another way than as it stood, each kind once. */
  readonly remarks: readonly Remark[];
}

/** Something that has no place in Planner, or that could not be followed. Where it stands now is said in `what`. */
export interface Remark {
  readonly what: string;
  readonly count: number;
  /** Where, at most five of them. */
  readonly examples: readonly string[];
}

const examplesMax = 5;

/** Gathers remarks: each kind is said once, with how often and where. */
export class Remarks {
  readonly #found = new Map<string, { count: number; examples: string[] }>();

  add(what: string, where: string): void {
    const found = this.#found.get(what) ?? { count: 0, examples: [] };
    this.#found.set(what, found);
    found.count++;
    if (found.examples.length < examplesMax) found.examples.push(where);
  }

  all(): Remark[] {
    return [...this.#found].map(([what, { count, examples }]) => ({ what, count, examples }));
  }
}

/** Members of another tool's record that have no place here, by the names that it gives them. What says nothing is left out. */
export type Kept = Readonly<Record<string, unknown>>;

/**
 * A text with what has no place below it, under a heading that names the tool: short values as a list, long ones under headings of their own.
 * The text itself stays as it is.
 */
export function withKept(text: string, tool: string, kept: Kept): string {
  const said = Object.entries(kept).filter(([, value]) => saysSomething(value));
  if (said.length === 0) return text;
  const lines = said.filter(([, value]) => !isLong(value)).map(([name, value]) => `- ${name}: ${inline(value)}`);
  const parts = said.filter(([, value]) => isLong(value)).map(([name, value]) => `### ${name}\n\n${block(value)}`);
  const head = `## Moved from ${tool}`;
  const below = [head, ...(lines.length === 0 ? [] : [lines.join('\n')]), ...parts].join('\n\n');
  return text.trim() === '' ? below : `${text.replace(/(?<!\n)\n+$/, '')}\n\n${below}`;
}

function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n') || value.length > 200;
  return typeof value === 'object' && value !== null && !isList(value);
}

function isList(value: object): value is readonly (string | number)[] {
  return Array.isArray(value) && value.every((item) => ['string', 'number'].includes(typeof item));
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function block(value: unknown): string {
  return typeof value === 'string' ? value : `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;
}

/** The members of a record that nothing has taken yet: what is left at the end is kept. */
export class Members {
  readonly #fields: Fields;
  readonly #taken = new Set<string>();

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  take(name: string): unknown {
    this.#taken.add(name);
    return this.#fields[name];
  }

  /** A text; numbers are written out, anything else is left to be kept. */
  text(name: string): string | undefined {
    const value = this.#fields[name];
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    this.#taken.add(name);
    return String(value);
  }

  /** The texts of a list, or of one value. */
  texts(name: string): string[] {
    const value = this.#fields[name];
    const list: unknown[] = Array.isArray(value)
      ? value
      : value === undefined || value === null || value === ''
        ? []
        : [value];
    if (!list.every((item) => typeof item === 'string' || typeof item === 'number')) return [];
    this.#taken.add(name);
    return list.map(String);
  }

  objects(name: string): Fields[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) return [];
    const objects = value.filter(
      (item): item is Fields => typeof item === 'object' && item !== null && !Array.isArray(item),
    );
    if (objects.length === value.length) this.#taken.add(name);
    return objects;
  }

  /** What nobody took. */
  rest(): Kept {
    return Object.fromEntries(Object.entries(this.#fields).filter(([name]) => !this.#taken.has(name)));
  }
}
