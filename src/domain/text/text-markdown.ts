import { attributeText } from './html-urls.ts';
import { placesIn } from './markdown-urls.ts';
import type { LabelPlace, MarkdownPlaces } from './markdown-urls.ts';

/** The rules by which URLs of a shared resource are rewritten for holders of its link. */
export type Rewrite = (url: string) => string;

export interface WrittenText {
  readonly markdown: string;
  /** The labels that this text and the preceding ones define. */
  readonly identifiers: readonly string[];
}

/**
 * A text with its URLs rewritten and open blocks closed, so that it cannot affect the following texts, and without the
 * parts that its page does not show.
 */
export function textMarkdown(body: string, rewrite: Rewrite, at = 0, identifiers: Set<string> = new Set()): string {
  const places = placesIn(body);
  const hidden = places.hidden.map(({ start, end }) => ({ start, end, text: '' }));
  const edits = [...hidden, ...urlEdits(places, rewrite), ...labelEdits(places.labels, at, identifiers)];
  const written = spliced(body, edits)
    .replace(/^\uFEFF/, '')
    .trimEnd();
  return places.closing === '' ? written : `${written}\n${places.closing}`;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function urlEdits({ destinations, attributes }: MarkdownPlaces, rewrite: Rewrite): Edit[] {
  const edits: Edit[] = [];
  for (const { start, end, url } of destinations) {
    const written = rewrite(url);
    if (written !== url) edits.push({ start, end, text: asDestination(written) });
  }
  for (const place of attributes) {
    const text = attributeText(place, rewrite);
    if (text !== undefined) edits.push({ start: place.start, end: place.end, text });
  }
  return edits;
}

/** A URL as a Markdown destination, whether in angle brackets or not. */
function asDestination(url: string): string {
  const escapes: Readonly<Record<string, string>> = { '(': '%28', ')': '%29', '<': '%3C', '>': '%3E', '\\': '%5C' };
  return url.replace(/[()<>\\]/g, (character) => escapes[character]!).replace(/&(?=#?\w+;)/g, '&amp;');
}

/** Two texts may define the same label differently: labels of the later one get a number appended. */
function labelEdits(labels: readonly LabelPlace[], at: number, identifiers: Set<string>): Edit[] {
  const defined = labels.filter(({ kind, identifier }) => kind === 'definition' && !identifier.startsWith('^'));
  const own = new Set(defined.map(({ identifier }) => identifier));
  const renamed = new Map<string, string>();
  for (const identifier of own) {
    if (identifiers.has(identifier)) {
      let name = `${identifier}-${at + 1}`;
      while (identifiers.has(name) || own.has(name)) name += '+';
      renamed.set(identifier, name);
    }
    identifiers.add(renamed.get(identifier) ?? identifier);
  }
  return labels.flatMap(({ start, end, identifier, kind }) => {
    const name = renamed.get(identifier);
    if (name === undefined) return [];
    return [{ start, end, text: kind === 'definition' ? name : `[${name}]` }];
  });
}

function spliced(text: string, edits: readonly Edit[]): string {
  let made = '';
  let at = 0;
  for (const { start, end, text: written } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    // The position is inside the removed part.
    if (start < at) continue;
    made += text.slice(at, start) + written;
    at = end;
  }
  return made + text.slice(at);
}
