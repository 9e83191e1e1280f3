import { derivedEdgeId, normaliseLinks } from '../../store/index.ts';
import type { LooseLink } from '../../store/index.ts';
import { limits } from '../../base/limits.ts';
import { servedHtml } from '../text/comment-html.ts';
import type { Fields } from './draft.ts';
import type { IdMap } from './id-map.ts';

/** The record of the fields: its references, its old id and its new one. */
export interface Owner {
  readonly references: readonly string[];
  readonly old: string | undefined;
  readonly id: string;
}

/** Rewrites all references in the fields of records to the new ids. */
export class ReferenceRewriter {
  readonly #ids: IdMap;
  readonly #formerCode: string;
  readonly #code: string;
  readonly #newEdgeId: () => string;

  /** `formerCode`: the code of the project of origin; derived edge ids are derived again. */
  constructor(ids: IdMap, formerCode: string, code: string, newEdgeId: () => string) {
    this.#ids = ids;
    this.#code = code;
    this.#formerCode = formerCode;
    this.#newEdgeId = newEdgeId;
  }

  fields(fields: Fields, { references, old, id }: Owner): Record<string, unknown> {
    const moved: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'id') moved[name] = id;
      else if (name === 'links') moved[name] = this.#links(value, old, id);
      else if (typeof value === 'string' && references.includes(name)) moved[name] = this.#ids.refer(value);
      else moved[name] = this.#ids.rewrite(value);
    }
    return moved;
  }

  /** The links of a record, in their order. A value that is not a list of links is unchanged: the schema rejects it. */
  #links(links: unknown, old: string | undefined, id: string): unknown {
    if (!Array.isArray(links) || !links.every(isLink)) return links;
    return normaliseLinks(
      this.#code,
      id,
      links.map((link) => this.link(link, old, id)),
    );
  }

  /** A link of the record `id`, which was `old`. A derived edge id is derived again. */
  link({ id, to, ...rest }: LooseLink, old: string | undefined, from: string): LooseLink & { readonly id: string } {
    const present = this.#ids.refer(to);
    const derived =
      id === undefined || old === undefined || id === derivedEdgeId(this.#formerCode, old, to, rest.label);
    const edge = derived ? derivedEdgeId(this.#code, from, present, rest.label) : this.#edgeId(id);
    return { to: present, id: edge, ...rest };
  }

  #edgeId(old: string): string {
    const known = this.#ids.of(old);
    if (known !== undefined) return known;
    const present = this.#newEdgeId();
    this.#ids.add(old, present);
    return present;
  }
}

/** Returns whether a value has the rewritten members of a link; the schema validates the rest. */
export function isLink(value: unknown): value is LooseLink {
  if (typeof value !== 'object' || value === null) return false;
  const { to, id, label, type } = value as Record<string, unknown>;
  return (
    typeof to === 'string' && [id, label, type].every((member) => member === undefined || typeof member === 'string')
  );
}

/**
 * Fields of a record, with HTML sanitised: another program may have written them. HTML that is too large when it is sanitised is
 * unchanged: it is sanitised each time it is served, too.
 */
export function harmless(collection: string, fields: Record<string, unknown>): Record<string, unknown> {
  const { body } = fields;
  if (collection !== 'comment' || typeof body !== 'string' || body.trim() === '') return fields;
  const served = servedHtml(body);
  return Buffer.byteLength(served) > limits.commentHtmlBytesMax ? fields : { ...fields, body: served };
}
