import { limits } from '../limits.ts';

/** The JSON text of a resource, as its strong entity tag names it. */
export interface ResourceText {
  readonly etag: string;
  /** The URL of the service for the caller, which responses contain. */
  readonly baseUrl: string;
  readonly text: string;
}

/**
 * The texts of the resources that were read last, by path. A strong entity tag names the bytes of a response, so that an unchanged
 * resource is not written as JSON again. The least recently added are dropped.
 */
export class ResourceTexts {
  readonly #texts = new Map<string, ResourceText>();
  #characters = 0;

  of(path: string, baseUrl: string): ResourceText | undefined {
    const known = this.#texts.get(path);
    return known?.baseUrl === baseUrl ? known : undefined;
  }

  add(path: string, added: ResourceText): void {
    if (added.text.length > limits.resourceTextCharactersMax) return;
    this.#remove(path);
    this.#texts.set(path, added);
    this.#characters += sizeOf(path, added);
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= limits.resourceTextsCharactersMax) return;
      this.#remove(oldest);
    }
  }

  #remove(path: string): void {
    const known = this.#texts.get(path);
    if (known === undefined) return;
    this.#texts.delete(path);
    this.#characters -= sizeOf(path, known);
  }
}

function sizeOf(path: string, { etag, text }: ResourceText): number {
  return path.length + etag.length + text.length;
}
