import { sharedTextAddress } from '../addresses.ts';
import type { ShownScreen, ShownShare } from '../operations/guests.ts';
import { Html, markup } from '../http/markup.ts';
import type { Page } from './layout.ts';
import { timeText } from './time-text.ts';

/** The page of a share link. `base`: the path of the page. */
export function sharePage(share: ShownShare, base: string, token: string): Page {
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
${texts.slice(1).map(textSection)}
<footer>Shared from Planner. For an agent: <a href="${sharedTextAddress(token)}">this page as Markdown</a>.</footer>`,
  };
}

/** A status badge. A task's status has a colour; a document's status is free text. */
function statusBadge(type: ShownShare['type'], status: string): Html {
  if (type !== 'task') return markup`<span class="badge plain">${status}</span> `;
  return markup`<span class="badge ${status}">${status.replace('_', ' ')}</span> `;
}

function textSection({ heading, html }: ShownShare['texts'][number]): Html {
  if (heading === null && html.trim() === '') return markup``;
  const title = heading === null ? null : markup`<h2>${heading}</h2>`;
  return markup`<section>${title}<div class="body">${new Html(html)}</div></section>`;
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
    // In a sandboxed page 'self' does not match this service, since its origin is opaque.
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
