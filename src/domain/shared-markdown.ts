import { attributeText, withHtmlUrls } from './html-urls.ts';
import type { LabelPlace, MarkdownPlaces } from './markdown-urls.ts';
import type { SharedResource } from './shared-resource.ts';
import { placesOf, type SharedText } from './shared-text.ts';

/** How the URLs of a shared resource are written for those who have its link. */
export type Rewrite = (url: string) => string;

/** A shared resource as one Markdown text for its reader, URLs rewritten. `instruction`: what its first line says. */
export function sharedMarkdown(resource: SharedResource, rewrite: Rewrite, instruction: string): string {
  const { title, status, texts, screens, viewport } = resource;
  const identifiers = new Set<string>();
  const blocks = [`> ${oneLine(instruction)}`, `# ${oneLine(title)}`];
  if (status !== null) blocks.push(`Status: ${oneLine(status)}`);
  if (viewport !== null) blocks.push(`Viewport: ${viewport.width} × ${viewport.height} CSS pixels`);
  for (const [at, text] of texts.entries()) {
    if (text.heading !== null) blocks.push(`## ${oneLine(text.heading)}`);
    const body = textMarkdown(text, rewrite, at, identifiers);
    if (body !== '') blocks.push(body);
    // Screens belong to the resource itself: they come before what is linked.
    if (at === 0) blocks.push(...screens.map((screen) => screenMarkdown(screen, rewrite)));
  }
  return `${blocks.join('\n\n')}\n`;
}

/** One text with its URLs rewritten, and without what could reach into the texts behind it. */
export function textMarkdown(text: SharedText, rewrite: Rewrite, at = 0, identifiers: Set<string> = new Set()): string {
  const places = placesOf(text);
  const edits = [...urlEdits(places, rewrite), ...labelEdits(places.labels, at, identifiers)];
  const written = spliced(text.body, edits)
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

function screenMarkdown({ title, html }: SharedResource['screens'][number], rewrite: Rewrite): string {
  const content = withHtmlUrls(html, rewrite).replace(/\n$/, '');
  const longest = Math.max(0, ...(content.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `## Screen: ${oneLine(title)}\n\n${fence}html\n${content}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
