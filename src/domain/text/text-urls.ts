import { limits } from '../../base/limits.ts';
import { fileIdOf, screenLinkOf } from './file-url.ts';
import { attributesWithUrls } from './html-urls.ts';
import { placesIn } from './markdown-urls.ts';

/** The files and screens that the URLs of a text reference. */
export interface NamedByUrls {
  /** Ids of files, each once. */
  readonly files: readonly string[];
  /** Ids or titles of screens, each once. */
  readonly screens: readonly string[];
}

export interface UrlOptions {
  readonly kind: 'markdown' | 'html';
  readonly baseUrl: string;
}

/** Finds the files and screens that a text references, up to a limit. */
export function namedByUrls(text: string, { kind, baseUrl }: UrlOptions): NamedByUrls {
  const files = new Set<string>();
  const screens = new Set<string>();
  for (const url of kind === 'html' ? urlsInHtml(text) : urlsInMarkdown(text)) {
    const file = fileIdOf(url, baseUrl);
    if (file !== undefined) files.add(file);
    const screen = screenLinkOf(url)?.name;
    if (screen !== undefined && screen.length <= limits.nameCharactersMax) screens.add(screen);
    if (files.size + screens.size >= limits.namedByUrlsMax) break;
  }
  return { files: [...files], screens: [...screens] };
}

function* urlsInHtml(html: string): Iterable<string> {
  for (const { value, isSet } of attributesWithUrls(html)) yield* isSet ? value.split(/[\s,]+/) : [value.trim()];
}

function* urlsInMarkdown(markdown: string): Iterable<string> {
  const { destinations, attributes } = placesIn(markdown);
  for (const { url } of destinations) yield url;
  for (const { value, isSet } of attributes) yield* isSet ? value.split(/[\s,]+/) : [value.trim()];
}
