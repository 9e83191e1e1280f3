import { LRUCache } from 'lru-cache';
import { limits } from '../base/limits.ts';

/** The JSON text of a resource, as its strong entity tag names it. */
export interface ResourceText {
  readonly etag: string;
  readonly text: string;
}

/**
 * The texts of the resources that were read last, by name: the caller and the URL. A strong entity tag names the bytes of a response, so that an unchanged
 * resource is not written as JSON again.
 */
export class ResourceTexts {
  readonly #texts = new LRUCache<string, ResourceText>({
    maxSize: limits.resourceTextsCharactersMax,
    sizeCalculation: ({ etag, text }, name) => name.length + etag.length + text.length,
  });

  of(name: string): ResourceText | undefined {
    return this.#texts.get(name);
  }

  add(name: string, added: ResourceText): void {
    if (added.text.length <= limits.resourceTextCharactersMax) this.#texts.set(name, added);
  }
}
