import { fileAddress, fileIdAt } from '../../base/addresses.ts';

/** Without its first slash: a URL may be relative. */
const common = fileAddress('').slice(1);

/** The id of the service's file that a URL references; undefined for any other URL. */
export function fileIdOf(url: string, baseUrl: string): string | undefined {
  if (!url.includes(common)) return undefined;
  const parsed = URL.parse(url, `${baseUrl}/`);
  return parsed?.origin === new URL(baseUrl).origin ? fileIdAt(parsed.pathname) : undefined;
}

const screenLink = /^planner:\/\/artifact\/([^?#]+)(#.*)?$/i;

/** The id or title of the screen that a link references, and the fragment; undefined for any other URL. */
export function screenLinkOf(url: string): { readonly name: string; readonly fragment: string } | undefined {
  const [, named, fragment = ''] = screenLink.exec(url) ?? [];
  return named === undefined ? undefined : { name: decoded(named), fragment };
}

const documentLink = /^planner:\/\/document\/([^?#]+)/i;

/** The id or title of the document that a link references; undefined for any other URL. */
export function documentLinkOf(url: string): string | undefined {
  const [, named] = documentLink.exec(url) ?? [];
  return named === undefined ? undefined : decoded(named);
}

/** Text without percent-encoding; text that is not encoded is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
