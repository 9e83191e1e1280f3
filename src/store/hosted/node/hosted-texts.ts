import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PlannerError } from '../../../base/errors.ts';
import type { TextSource } from '../../record/lazy-text.ts';
import type { LookUps } from '../../record/look-ups.ts';
import type { TextStore } from '../storage/text-store.ts';

export interface HostedTextsDeps {
  readonly store: TextStore;
  readonly lookUps: LookUps;
  /** How much of them is kept in memory, in characters. */
  readonly charactersMax: number;
  /** The hashes of texts of a project that are probably read next, at most so many. */
  readonly near: (project: string, sha256: string, most: number) => readonly string[];
}

/** Texts that are fetched together with one, by how often a rule that reads several was run again. */
const together = [0, 3, 15, 63];

/**
 * The large texts of all projects of a node: they are stored outside memory, which has the last written and read ones.
 */
export class HostedTexts {
  readonly #deps: HostedTextsDeps;
  /** By their hashes. */
  readonly #cached: LRUCache<string, string>;

  constructor(deps: HostedTextsDeps) {
    this.#deps = deps;
    this.#cached = new LRUCache({ maxSize: deps.charactersMax });
  }

  /** The characters of the texts in memory. */
  get characters(): number {
    return this.#cached.calculatedSize;
  }

  /** Where the texts of records of a project are. */
  of(project: string): TextSource {
    return { get: (sha256) => this.#get(project, sha256), load: (sha256) => this.#load(sha256) };
  }

  /** Keeps a stored text in memory while there is room, in any case until the next one. */
  keep(sha256: string, text: string): void {
    this.#cached.set(sha256, text, { size: Math.min(text.length, this.#deps.charactersMax) });
  }

  #get(project: string, sha256: string): string {
    return (
      this.#cached.get(sha256) ??
      this.#deps.lookUps.get(keyOf(sha256), { later: (rounds) => this.#fetch(project, sha256, rounds) })
    );
  }

  /** They are kept while there is room, so that a repeated run outside of a rule finds them. */
  async #fetch(project: string, sha256: string, rounds: number): Promise<(readonly [key: string, text: string])[]> {
    const most = together[Math.min(rounds, together.length - 1)]!;
    const near = most === 0 ? [] : this.#deps.near(project, sha256, most);
    const asked = [sha256, ...near.filter((one) => one !== sha256 && !this.#cached.has(one))];
    const texts = await this.#stored(asked);
    return texts.map((text, at) => {
      this.keep(asked[at]!, text);
      return [keyOf(asked[at]!), text];
    });
  }

  async #load(sha256: string): Promise<string> {
    return this.#cached.peek(sha256) ?? (await this.#stored([sha256]))[0]!;
  }

  /** The first texts, as far as they fit into one answer. */
  async #stored(sha256s: readonly string[]): Promise<readonly string[]> {
    const texts = await this.#deps.store.get(sha256s);
    return texts.map((text, at) => {
      if (text === undefined || hash('sha256', text, 'hex') !== sha256s[at]) return missing(sha256s[at]!);
      return text;
    });
  }
}

function keyOf(sha256: string): string {
  return `text ${sha256}`;
}

/** The error for a text that was stored with its entry, and that another server, or a backup, lacks. */
function missing(sha256: string): never {
  throw new PlannerError(
    'unavailable',
    `The database has not the text ${sha256}. Try again; if that does not help, restore it from a backup.`,
    { retry_after: 1 },
  );
}
