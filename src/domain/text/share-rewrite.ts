import { sharedFileAddress, sharedScreenAddress, sharedTextAddress } from '../../base/addresses.ts';
import { documentLinkOf, fileIdOf, screenLinkOf } from './file-url.ts';
import type { Rewrite } from './text-markdown.ts';

/** The rules by which URLs in a shared text are rewritten for holders of its link. */
export interface ShareUrls {
  readonly baseUrl: string;
  readonly token: string;
  /** Ids of the files that exist, which are served to holders of the link. */
  readonly files: readonly string[];
  /** The ids of screens by the names in links. */
  readonly screens?: Readonly<Record<string, string>>;
  /** The URLs of shared documents by the ids and titles in links. */
  readonly documents?: Readonly<Record<string, string>>;
}

/**
 * URLs become absolute; URLs of files of the service and of screens of the shared prototype contain the link's token.
 */
export function shareRewrite({ baseUrl, token, files, screens = {}, documents = {} }: ShareUrls): Rewrite {
  const known = new Set(files);
  return (url) => {
    if (url === '') return url;
    if (url.startsWith('#')) return baseUrl + sharedTextAddress(token) + url;
    const screen = screenLinkOf(url);
    if (screen !== undefined && Object.hasOwn(screens, screen.name))
      return baseUrl + sharedScreenAddress(token, screens[screen.name]!) + screen.fragment;
    const document = documentLinkOf(url);
    if (document !== undefined && Object.hasOwn(documents, document)) return documents[document]!;
    const file = fileIdOf(url, baseUrl);
    if (file !== undefined && known.has(file)) return baseUrl + sharedFileAddress(token, file);
    return URL.canParse(url) ? url : (URL.parse(url, `${baseUrl}/`)?.href ?? url);
  };
}
