import { PlannerError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { View } from '../store/view.ts';
import type { ArtifactRecord, PlannerCollections } from './collections.ts';
import { escaped, htmlOf, safeHtml } from './comment-html.ts';
import { embeddedScript } from './embedded-page.ts';
import { withHtmlUrls } from './html-urls.ts';
import { isReasonable } from './reasonable-markdown.ts';
import { fileIdOf } from './shared-resource.ts';

type V = View<PlannerCollections>;

/**
 * An artifact as a page of its own. Of HTML everything stays but addresses: a screen that is named by `planner://artifact/<id or title>`
 * becomes the way to it, an image of the project stands in the page itself, for the sandbox lets nothing be fetched. Markdown is rendered
 * and sanitised. With `embed` the page speaks with the one that frames it (`embedded-page.ts`).
 */
export function artifactPage(
  view: V,
  artifact: ArtifactRecord,
  baseUrl: string,
  { embed = false }: { readonly embed?: boolean } = {},
): string {
  const { kind, title, content } = artifact;
  const resolve = resolver(view, artifact, baseUrl);
  const speaking = embed ? embeddedScript(artifact.id) : '';
  if (kind === 'html') return withHtmlUrls(content, resolve) + speaking;
  const bytesMax = isReasonable(content) ? limits.renderedArtifactBytesMax : limits.renderedMarkdownBytesMax;
  const body = withHtmlUrls(safeHtml(htmlOf(content, bytesMax)), resolve);
  return `<!doctype html>
<html lang="">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${body}${speaking}
</body>
</html>
`;
}

const style =
  'body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif;color:#1f2328;background:#fff}' +
  'pre,code{font-family:ui-monospace,monospace;font-size:.9em}pre{overflow:auto;padding:1rem;background:#f6f8fa}' +
  'pre{white-space:pre-wrap}table{border-collapse:collapse}th,td{border:1px solid #d0d7de;padding:.3rem .6rem}' +
  'img{max-width:100%;height:auto}blockquote{margin:0;padding-left:1rem;border-left:.25rem solid #d0d7de}' +
  '@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}pre{background:#161b22}a{color:#4493f8}}';

/** What the addresses in a page become. */
function resolver(view: V, artifact: ArtifactRecord, baseUrl: string): (url: string) => string {
  const images = new Images(view);
  return (url) => screenUrl(view, artifact, url) ?? images.url(fileIdOf(url, baseUrl)) ?? url;
}

const screenLink = /^planner:\/\/artifact\/([^?#]+)(#.*)?$/i;

/** The way to a screen that a link names, by its id, else by its title: of the same prototype first. Undefined for what is no such link. */
function screenUrl(view: V, from: ArtifactRecord, url: string): string | undefined {
  const [, named, fragment = ''] = screenLink.exec(url) ?? [];
  if (named === undefined) return undefined;
  const name = decoded(named);
  const id = view.get('artifact', name)?.id ?? byTitle(view, from, name)?.id;
  return id === undefined ? undefined : `/api/v1/artifacts/${id}/render${fragment}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function byTitle(view: V, { prototype_id: prototype }: ArtifactRecord, title: string): ArtifactRecord | undefined {
  let found: ArtifactRecord | undefined;
  for (const one of view.list('artifact')) {
    if (one.title !== title) continue;
    if (one.prototype_id === prototype) return one;
    found ??= one;
  }
  return found;
}

/** Images of the project as addresses that hold them, as long as they fit. */
class Images {
  readonly #view: V;
  readonly #made = new Map<string, string | undefined>();
  #left: number = limits.renderedImagesBytesMax;

  constructor(view: V) {
    this.#view = view;
  }

  url(fileId: string | undefined): string | undefined {
    if (fileId === undefined) return undefined;
    if (!this.#made.has(fileId)) this.#made.set(fileId, this.#make(fileId));
    return this.#made.get(fileId);
  }

  #make(fileId: string): string | undefined {
    const file = this.#view.get('file', fileId);
    if (file === undefined || !file.mime.startsWith('image/') || file.size > this.#left) return undefined;
    try {
      const content = Buffer.concat([...this.#view.bytes('file', fileId)!.pieces()]);
      this.#left -= content.length;
      return `data:${file.mime};base64,${content.toString('base64')}`;
    } catch (error) {
      // What is wrong with the image is said where the image is asked for.
      if (error instanceof PlannerError) return undefined;
      throw error;
    }
  }
}
