import { expect } from 'chai';
import type { Event } from '../../src/schema/types.ts';
import type { RestClient } from './rest-client.ts';

/** Every event of a project after a cursor, in pages. */
export async function eventsSince(
  rest: RestClient,
  project: string,
  since: string | undefined,
  query = 'limit=7',
): Promise<{ readonly events: readonly Event[]; readonly cursor: string }> {
  const events: Event[] = [];
  for (let cursor = since; ;) {
    const from = cursor === undefined ? '' : `&since=${cursor}`;
    const { status, body } = await rest.get(`/projects/${project}/events?${query}${from}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    events.push(...(body.events as Event[]));
    cursor = body.cursor as string;
    if (body.more !== true) return { events, cursor };
  }
}

type Fields = Record<string, unknown>;

/** The short fields of records of one type by id, kept up to date by events alone. */
export class Fold {
  readonly records = new Map<string, Fields>();
  readonly #type: string;
  readonly #fields: readonly string[];
  readonly #seen = new Set<string>();

  constructor(type: string, fields: readonly string[], rows: readonly (Fields & { readonly id: string })[] = []) {
    this.#type = type;
    this.#fields = fields;
    for (const row of rows)
      this.records.set(
        row.id,
        this.#pick((field) => row[field]),
      );
  }

  apply(events: readonly Event[]): void {
    for (const { cursor, type, resource, changes } of events) {
      expect(this.#seen.has(cursor), `${cursor} comes twice`).to.equal(false);
      this.#seen.add(cursor);
      const [noun, what] = type.split('.');
      if (noun !== this.#type) continue;
      const { id } = resource;
      if (what === 'created') {
        expect(this.records.has(id), `${id} is created twice`).to.equal(false);
        const made = new Map(changes.map(({ field, to }) => [field, to as unknown]));
        this.records.set(
          id,
          this.#pick((field) => made.get(field)),
        );
      } else if (what === 'deleted') expect(this.records.delete(id), `${id} is deleted, but unknown`).to.equal(true);
      else if (what === 'updated') {
        const known = this.records.get(id);
        expect(known, `${id} is updated, but unknown`).to.be.an('object');
        for (const { field, to } of changes) if (this.#fields.includes(field)) known![field] = to ?? null;
      }
    }
  }

  /** Throws unless the records are these. */
  expectRows(rows: readonly (Fields & { readonly id: string })[], where?: string): void {
    const shown = new Map(rows.map((row) => [row.id, this.#pick((field) => row[field])]));
    expect(Object.fromEntries(this.records), where).to.deep.equal(Object.fromEntries(shown));
  }

  #pick(of: (field: string) => unknown): Fields {
    return Object.fromEntries(this.#fields.map((field) => [field, of(field) ?? null]));
  }
}
