import { attributeText } from './html-urls.ts';
import { placesIn } from './markdown-urls.ts';
import type { LabelPlace, MarkdownPlaces } from './markdown-urls.ts';
import type { SharedResource } from './shared-resource.ts';
import type { SourceText } from './source-text.ts';

/** How the URLs of a shared resource are written for those who have its link. */
export type Rewrite = (url: string) => string;

/** The texts of a shared resource, rewritten for its readers one by one: each may take long, and together they can be 40 MB. */
export interface ShareWriter {
  /** `identifiers`: the labels that the texts before define. */
  text(source: SourceText, at: number, identifiers: readonly string[]): Promise<WrittenText>;
  screen(source: SourceText): Promise<string>;
}

export interface WrittenText {
  readonly markdown: string;
  /** The labels that this text and those before define. */
  readonly identifiers: readonly string[];
}

/** A shared resource as one Markdown text for its reader, in pieces, each made when it is asked for. `instruction`: its first line. */
export async function* sharedMarkdown(
  { title, status, texts, screens, viewport }: SharedResource,
  instruction: string,
  writer: ShareWriter,
): AsyncGenerator<string, void, undefined> {
  yield `> ${oneLine(instruction)}\n\n# ${oneLine(title)}`;
  if (status !== null) yield `\n\nStatus: ${oneLine(status)}`;
  if (viewport !== null) yield `\n\nViewport: ${viewport.width} × ${viewport.height} CSS pixels`;
  let identifiers: readonly string[] = [];
  for (const [at, text] of texts.entries()) {
    if (text.heading !== null) yield `\n\n## ${oneLine(text.heading)}`;
    const written = await writer.text(text.source, at, identifiers);
    ({ identifiers } = written);
    yield paragraph(written.markdown);
    // Screens belong to the resource itself: they come before what is linked.
    if (at === 0)
      for (const screen of screens) yield `\n\n${screenMarkdown(screen.title, await writer.screen(screen.source))}`;
  }
  yield '\n';
}

function paragraph(text: string): string {
  return text === '' ? '' : `\n\n${text}`;
}

/** One text with its URLs rewritten, and without what could reach into the texts behind it. */
export function textMarkdown(body: string, rewrite: Rewrite, at = 0, identifiers: Set<string> = new Set()): string {
  const places = placesIn(body);
  const edits = [...urlEdits(places, rewrite), ...labelEdits(places.labels, at, identifiers)];
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

/** Two texts may define one label for different things: those of the later one get a number behind them. */
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
    made += text.slice(at, start) + written;
    at = end;
  }
  return made + text.slice(at);
}

function screenMarkdown(title: string, html: string): string {
  const content = html.replace(/\n$/, '');
  const longest = (content.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `## Screen: ${oneLine(title)}\n\n${fence}html\n${content}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
