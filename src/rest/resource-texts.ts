import { limits } from '../base/limits.ts';

/** The JSON text of a resource, as its strong entity tag names it. */
export interface ResourceText {
  readonly etag: string;
  readonly text: string;
}

/**
 * The texts of the resources that were read last, by name: the caller and the URL. A strong entity tag names the bytes of a response, so that an unchanged
 * resource is not written as JSON again. The least recently added are dropped.
 */
export class ResourceTexts {
  readonly #texts = new Map<string, ResourceText>();
  #characters = 0;

  of(name: string): ResourceText | undefined {
    return this.#texts.get(name);
  }

  add(name: string, added: ResourceText): void {
    if (added.text.length > limits.resourceTextCharactersMax) return;
    this.#remove(name);
    this.#texts.set(name, added);
    this.#characters += sizeOf(name, added);
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= limits.resourceTextsCharactersMax) return;
      this.#remove(oldest);
    }
  }

  #remove(name: string): void {
    const known = this.#texts.get(name);
    if (known === undefined) return;
    this.#texts.delete(name);
    this.#characters -= sizeOf(name, known);
  }
}

function sizeOf(name: string, { etag, text }: ResourceText): number {
  return name.length + etag.length + text.length;
}
