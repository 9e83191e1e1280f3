import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Html, markup } from './markup.ts';
import { requestIdHeader } from './request-log.ts';

/**
 * Returns whether a browser opens untrusted content as a top-level document. It then gets the framing page at the same
 * URL: only the policy of a framing page keeps the content from navigating elsewhere and from prefetching pages.
 */
export function isTopLevelDocument({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-dest'] === 'document';
}

const style = 'html,body,iframe{display:block;width:100%;height:100%;margin:0;border:0}';

/** Follows links between artifacts, for which the frame has no credential. */
const script = `addEventListener('message', ({ source, data }) => {
  if (source !== frames[0] || !data || data.planner !== 'go' || !/^[A-Za-z0-9_-]{1,64}$/.test(data.id)) return;
  location.href = '/api/v1/artifacts/' + data.id + '/render';
});`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
  "img-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a page that shows a URL of the service in a sandboxed frame. */
export function sendFramingPage(response: ServerResponse, address: string): void {
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<title>Planner</title>
<style>${new Html(style)}</style>
</head>
<body>
<iframe src="${address}" title="Content" sandbox="allow-scripts" referrerpolicy="no-referrer"></iframe>
<script>${new Html(script)}</script>
</body>
</html>
`;
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page.text),
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Vary: 'Sec-Fetch-Dest',
    ...requestIdHeader(response),
  });
  response.end(page.text);
}
