import type { StoredRecord } from '../store/record.ts';
import type { MarkdownPlaces } from './markdown-urls.ts';
import { placesIn } from './markdown-urls.ts';

/** A Markdown text of a shared resource: its own body, or a document that is linked to it. */
export interface SharedText {
  /** The record that it is of. */
  readonly of: StoredRecord;
  /** `Linked document: <title>`, null for the resource's own. */
  readonly heading: string | null;
  readonly body: string;
}

const known = new WeakMap<StoredRecord, MarkdownPlaces>();

/** Where URLs stand in a text. Parsed once for each state of the record: texts are long, and links are followed often. */
export function placesOf({ of, body }: SharedText): MarkdownPlaces {
  let places = known.get(of);
  if (places === undefined) known.set(of, (places = placesIn(body)));
  return places;
}
