import type { Collection } from '../../record/collection.ts';
import { withTexts } from '../../record/lazy-text.ts';
import type { Revision } from '../../record/record.ts';
import { fromReferences } from '../../record/text-reference.ts';
import type { HostedTexts } from './hosted-texts.ts';
import type { RevisionStore } from '../storage/revision-store.ts';

/** How much of the texts of revisions one answer has, in characters. */
const charactersMax = 8 * 1024 * 1024;

/** Revisions whose large texts are stored elsewhere. */
export class TextRevisions implements RevisionStore {
  readonly #store: RevisionStore;
  readonly #texts: HostedTexts;
  readonly #collections: ReadonlyMap<string, Collection>;

  constructor(store: RevisionStore, texts: HostedTexts, collections: ReadonlyMap<string, Collection>) {
    this.#store = store;
    this.#texts = texts;
    this.#collections = collections;
  }

  async get(project: string, ids: readonly string[]): Promise<readonly (Revision | undefined)[]> {
    const revisions = await this.#store.get(project, ids);
    const found: (Revision | undefined)[] = [];
    let characters = 0;
    for (const revision of revisions) {
      if (characters >= charactersMax) break;
      const whole = revision && (await this.#whole(project, revision));
      if (whole !== revision) for (const text of Object.values(whole!.before)) characters += lengthOf(text);
      found.push(whole);
    }
    return found;
  }

  async #whole(project: string, revision: Revision): Promise<Revision> {
    const { texts = [] } = this.#collections.get(revision.target_type) ?? {};
    const light = fromReferences(revision.before, texts, this.#texts.of(project));
    return light === revision.before ? revision : { ...revision, before: await withTexts(light) };
  }
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
