import type { Draft, Fields } from '../domain/exchange/draft.ts';
import type { ImportReport } from '../domain/records/collections.ts';
import { listOf, objectOf } from './members.ts';

/** The result of reading another tool's plan. */
export interface ImportedPlan {
  readonly draft: Draft;
  readonly report: ImportReport;
}

/** Parts of the plan that were left out for one reason. */
type LeftOut = ImportReport['left_out'][number];

/** A part of the plan that was left out. */
export interface OmittedPart extends Pick<LeftOut, 'of' | 'reason'> {
  readonly where: string;
  readonly expected?: boolean;
}

/** A value without a field in Planner, or an unresolved reference. `what` says where it is now. */
type Remark = ImportReport['remarks'][number];

const examplesMax = 5;

/** Collects remarks: each kind once, with its count and locations. */
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

/** Collects omitted parts, by kind and reason, and counts the parts of each kind. */
export class Omissions {
  readonly #totals = new Map<string, number>();
  readonly #found = new Map<string, OmittedPart & { readonly places: string[] }>();

  /** Counts a part of the plan, imported or not. */
  count(of: string): void {
    this.#totals.set(of, (this.#totals.get(of) ?? 0) + 1);
  }

  add(part: OmittedPart): void {
    const key = `${part.of}\0${part.reason}`;
    const found = this.#found.get(key) ?? { ...part, places: [] };
    this.#found.set(key, found);
    found.places.push(part.where);
  }

  all(): LeftOut[] {
    return [...this.#found.values()].map(({ of, reason, places, expected = false }) => {
      return { of, reason, count: places.length, total: this.#totals.get(of) ?? places.length, places, expected };
    });
  }
}

/** Members of another tool's record without a field in Planner, by their names. Empty ones are left out. */
export type Kept = Readonly<Record<string, unknown>>;

/**
 * A text with the kept members appended under a heading that names the tool: short values as a list, long ones under their own headings.
 * The text itself is unchanged.
 */
export function withKept(text: string, tool: string, kept: Kept): string {
  const rest = Object.entries(kept).filter(([, value]) => isFilled(value));
  if (rest.length === 0) return text;
  const lines = rest.filter(([, value]) => !isLong(value)).map(([name, value]) => `- ${name}: ${inline(value)}`);
  const parts = rest.filter(([, value]) => isLong(value)).map(([name, value]) => `### ${name}\n\n${block(value)}`);
  const head = `## Moved from ${tool}`;
  const below = [head, ...(lines.length === 0 ? [] : [lines.join('\n')]), ...parts].join('\n\n');
  return text.trim() === '' ? below : `${text.replace(/(?<!\n)\n+$/, '')}\n\n${below}`;
}

function isFilled(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (listOf(value)?.length === 0) return false;
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

/** Reports a finding about the members of a record besides their values. */
type Note = (what: string, member: string) => void;

/** The members of a record that are not read yet: those left at the end are kept. */
export class Members {
  readonly #fields: Fields;
  readonly #note: Note;
  readonly #taken = new Set<string>();
  /** The rest of lists that were read in part. */
  readonly #left = new Map<string, unknown>();

  constructor(fields: Fields, note: Note = () => undefined) {
    this.#fields = fields;
    this.#note = note;
  }

  /** A member of any type. It counts as read from now on. */
  take(name: string): unknown {
    this.#taken.add(name);
    return this.#fields[name];
  }

  /** A member that is kept as well. */
  peek(name: string): unknown {
    return this.#fields[name];
  }

  /** A text; numbers are converted, any other value is left to be kept. */
  text(name: string): string | undefined {
    const value = this.#fields[name];
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    this.#taken.add(name);
    return String(value);
  }

  /** The texts of a list, or of one value. */
  texts(name: string): string[] {
    return this.list(name, (item) => (['string', 'number'].includes(typeof item) ? String(item) : undefined));
  }

  objects(name: string): Fields[] {
    return this.list(name, objectOf);
  }

  /**
   * The items of a list, or one item: items that `read` returns undefined for are kept as unread, and nulls are
   * reported.
   */
  list<T>(name: string, read: (item: unknown) => T | undefined): T[] {
    const value = this.#fields[name];
    if (value === undefined || value === null || value === '') return [];
    const items = listOf(value);
    const left: unknown[] = [];
    const found: T[] = [];
    for (const item of items ?? [value]) {
      if (item === null || item === undefined) {
        this.#note('A list with empty entries (null): they were left out.', name);
        continue;
      }
      const one = read(item);
      if (one === undefined) left.push(item);
      else found.push(one);
    }
    this.#taken.add(name);
    if (left.length > 0) this.#left.set(name, items === undefined ? value : left);
    const { totalCount } = objectOf(value) ?? {};
    if (items !== undefined && typeof totalCount === 'number' && totalCount > items.length)
      this.#note(`A list of which the file has only a part.`, `${name} (${items.length} of ${totalCount})`);
    return found;
  }

  /** The members that were not read. */
  rest(): Kept {
    const unread = Object.entries(this.#fields).filter(([name]) => !this.#taken.has(name) && !this.#left.has(name));
    return Object.fromEntries([...unread, ...this.#left]);
  }
}
