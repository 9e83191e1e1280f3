import { sharedPageAddress, sharedTextAddress } from '../base/addresses.ts';
import type { ShownScreen, ShownShare } from '../operations/guests.ts';
import { Html, markup } from '../http/markup.ts';
import { statusName } from './layout.ts';
import type { Page } from './layout.ts';
import { timeText } from './time-text.ts';

/** The page of a share link, or of a document that is linked to the shared resource. `base`: the path of the page. */
export function sharePage(share: ShownShare, base: string, token: string, documentId?: string): Page {
  const linked = share.texts.find(({ document }) => document !== null && document.id === documentId);
  if (linked !== undefined) return documentPage(share, base, linked);
  const { type, title, status, texts, screens, expires_at: expires } = share;
  const badge = status === null ? null : statusBadge(type, status);
  return {
    title,
    body: markup`<header>
<p class="kind">${type}</p>
<h1>${title}</h1>
<p class="note">${badge}Shared until ${timeText(expires)}</p>
</header>
${texts.slice(0, 1).map(textSection)}
${screens.map((screen) => screenSection(screen, share, base))}
${documentsSection(texts, token)}
<footer>Shared from Planner. For an agent: <a href="${sharedTextAddress(token)}">this page as Markdown</a>.</footer>`,
  };
}

/** A status badge. A task's status has a colour; a document's status is free text. */
function statusBadge(type: ShownShare['type'], status: string): Html {
  if (type !== 'task') return markup`<span class="badge plain">${status}</span> `;
  return markup`<span class="badge ${status}">${statusName(status)}</span> `;
}

function textSection({ html }: ShownShare['texts'][number]): Html {
  if (html.trim() === '') return markup``;
  return markup`<section><div class="body">${new Html(html)}</div></section>`;
}

function documentsSection(texts: ShownShare['texts'], token: string): Html | undefined {
  const linked = texts.flatMap(({ document }) => document ?? []);
  if (linked.length === 0) return undefined;
  const items = linked.map(({ id, title }) => markup`<li><a href="${sharedPageAddress(token, id)}">${title}</a></li>`);
  return markup`<section><h2>Linked documents</h2><ul class="goals">${items}</ul></section>`;
}

function documentPage(share: ShownShare, base: string, { document, html }: ShownShare['texts'][number]): Page {
  const { title } = document!;
  return {
    title,
    body: markup`<header>
<p class="kind">document</p>
<h1>${title}</h1>
<p class="note">Linked with <a href="${base}">${share.title}</a>. Shared until ${timeText(share.expires_at)}</p>
</header>
${textSection({ document, html })}`,
  };
}

function screenSection({ id, title }: ShownShare['screens'][number], { viewport }: ShownShare, base: string): Html {
  const address = `${base}/screens/${encodeURIComponent(id)}`;
  const { width, height } = viewport ?? { width: 0, height: 0 };
  const size = markup`width="${Math.round(width)}" height="${Math.round(height)}"`;
  // The sandboxed frame has an opaque origin: scripts of a screen cannot access this service.
  return markup`<section>
<h2>${title}</h2>
<iframe src="${address}" title="${title}" ${size} sandbox="allow-scripts" loading="lazy" referrerpolicy="no-referrer"></iframe>
<p class="note"><a href="${address}">Open this screen alone</a> (${width} × ${height})</p>
</section>`;
}

/** The headers of a screen: untrusted HTML in a sandbox that allows scripts but no access to other resources. */
export function screenHeaders(baseUrl: string): Readonly<Record<string, string>> {
  const policy = [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    // The service's URL is named because 'self' does not match in a sandboxed page, whose origin is opaque.
    `img-src ${baseUrl} data: blob:`,
    'font-src data:',
    'media-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${baseUrl}`,
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'X-Frame-Options': 'SAMEORIGIN',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Vary: 'Sec-Fetch-Dest',
  };
}

/** The HTML document of a screen: a complete document is unchanged, a fragment gets a head. */
export function screenText({ title, html: content, isWhole }: ShownScreen): string {
  if (isWhole) return content;
  const head = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body>`;
  return `${head.text}\n${content}\n</body></html>\n`;
}
