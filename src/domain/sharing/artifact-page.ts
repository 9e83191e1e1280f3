import { PlannerError } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type { ArtifactRecord, PlanReadTransaction } from '../records/collections.ts';
import { escaped } from '../text/comment-html.ts';
import { embeddedScript } from '../text/embedded-page.ts';
import { guardedPage } from '../text/guarded-page.ts';
import type { Renderings } from '../text/renderers.ts';

export interface ArtifactPageOptions {
  readonly baseUrl: string;
  /** True if the page exchanges messages with the page that frames it (`embedded-page.ts`). */
  readonly embed: boolean;
  readonly renderings: Renderings;
}

/**
 * An artifact as a page. In HTML only URLs change: `planner://artifact/<id or title>` becomes the screen's URL, and images of the project
 * are inlined, because the sandbox fetches nothing. Markdown is rendered and sanitised.
 */
export function artifactPage(
  view: PlanReadTransaction,
  artifact: ArtifactRecord,
  options: ArtifactPageOptions,
): string {
  const { kind, title, content } = artifact;
  const embedded = options.embed ? embeddedScript(artifact.id) : '';
  const html = kind === 'html' ? content : options.renderings.of('artifact', content, null);
  const body = resolved(view, artifact, html, options);
  if (kind === 'html') return guardedPage(body) + embedded;
  return `<!doctype html>
<html lang="">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${body}${embedded}
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

/** HTML with the URLs of screens and images replaced. */
function resolved(
  view: PlanReadTransaction,
  artifact: ArtifactRecord,
  html: string,
  { baseUrl, renderings }: ArtifactPageOptions,
): string {
  const named = renderings.of('named', html, { kind: 'html', baseUrl });
  if (named.files.length + named.screens.length === 0) return html;
  const screens = Object.fromEntries(screenIds(view, artifact, named.screens));
  return renderings.of('artifactUrls', html, { baseUrl, screens, images: imagesOf(view, named.files) });
}

/** The ids of the screens that links reference, by id, else by title; screens of the same prototype come first. */
function screenIds(
  view: PlanReadTransaction,
  { prototype_id: prototype }: ArtifactRecord,
  names: readonly string[],
): Map<string, string> {
  const ids = new Map<string, string>();
  const titles = new Set<string>();
  for (const name of names) {
    if (view.get('artifact', name) === undefined) titles.add(name);
    else ids.set(name, name);
  }
  if (titles.size === 0) return ids;
  const own = new Set<string>();
  for (const { id, title, prototype_id: of } of view.list('artifact')) {
    if (!titles.has(title) || own.has(title)) continue;
    if (of === prototype) own.add(title);
    if (of === prototype || !ids.has(title)) ids.set(title, id);
  }
  return ids;
}

/** Images of the project as data URLs, up to the size limit. */
function imagesOf(view: PlanReadTransaction, ids: readonly string[]): Record<string, string> {
  const images: Record<string, string> = {};
  let left: number = limits.renderedImagesBytesMax;
  for (const id of ids) {
    const file = view.get('file', id);
    if (file === undefined || !file.mime.startsWith('image/') || file.size > left) continue;
    try {
      const content = Buffer.from(view.bytes('file', id)!.whole());
      left -= content.length;
      images[id] = `data:${file.mime};base64,${content.toString('base64')}`;
    } catch (error) {
      // An unreadable image is reported by the route of its file.
      if (!(error instanceof PlannerError)) throw error;
    }
  }
  return images;
}
