import { errorCodes, errorMeanings } from '../base/errors.ts';
import { statusOf } from '../http/status.ts';
import type { RawResponse } from '../operations/declaration/operation.ts';
import type { ServiceRoute } from './service-route.ts';

/** The files of Swagger UI by their names in its package. */
export type ReferenceAsset = (name: 'swagger-ui.css' | 'swagger-ui-bundle.js') => Uint8Array;

/** Nothing is loaded from another origin, and no page contains an inline script. */
const security = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

const style = `
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1d2430; background: #fff }
header, main { max-width: 1460px; margin: 0 auto; padding: .8rem 20px }
code { background: #eef1f5; padding: .1em .3em; border-radius: 3px }
.errors { border-collapse: collapse }
.errors th, .errors td { text-align: left; padding: .4rem 1.2rem .4rem 0; border-bottom: 1px solid #d8dee8; vertical-align: top }
`;

/** Swagger UI sends the description's URL to an outside service unless its validator is switched off. */
const start = `
SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: false,
  validatorUrl: null,
});
`;

const headings = '<a href="/api/v1/docs">Reference</a> · <a href="/api/v1/docs/errors">Error codes</a>';

function page(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${head}<link rel="stylesheet" href="/api/v1/docs/page.css"></head>
<body>
<header>${headings} · <a href="/api/v1/openapi.json">openapi.json</a></header>
${body}
</body>
</html>
`;
}

const reference = page(
  'Planner: REST',
  '<link rel="stylesheet" href="/api/v1/docs/swagger-ui.css">',
  `<div id="reference"></div>
<noscript>This page needs scripts; <a href="/api/v1/openapi.json">openapi.json</a> has the same content.</noscript>
<script src="/api/v1/docs/swagger-ui.js"></script>
<script src="/api/v1/docs/page.js"></script>`,
);

function errorsPage(): string {
  const rows = errorCodes.map(
    (code) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${statusOf[code]}</td><td>${marked(errorMeanings[code])}</td></tr>`,
  );
  return page(
    'Planner: error codes',
    '',
    `<main>
<h1>Error codes</h1>
<p>Every error has one shape: <code>{"error": code, "message": text, "field"?: path, ...}</code>. Over REST it is the body, over MCP a tool
result with <code>isError</code>. The message says what is wrong and how to correct it; codes are stable, messages are not.</p>
<table class="errors"><thead><tr><th>Code</th><th>HTTP</th><th>When</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
</main>`,
  );
}

/** Converts backticks to `<code>`. The texts are our own and contain nothing else that is special in HTML. */
function marked(text: string): string {
  return text.replace(/`([^`]*)`/g, '<code>$1</code>');
}

/** The reference at `/docs`: Swagger UI over the description, and the error codes, all served from here. */
export function referenceRoutes(asset: ReferenceAsset): readonly ServiceRoute[] {
  const html = (content: string): RawResponse => ({ type: 'text/html; charset=utf-8', content, headers: security });
  const css = (content: string | Uint8Array): RawResponse => ({ type: 'text/css; charset=utf-8', content });
  const script = (content: string | Uint8Array): RawResponse => ({ type: 'text/javascript; charset=utf-8', content });
  return [
    { method: 'GET', path: '/docs', raw: true, answer: once(() => html(reference)) },
    { method: 'GET', path: '/docs/errors', raw: true, answer: once(() => html(errorsPage())) },
    { method: 'GET', path: '/docs/page.css', raw: true, answer: once(() => css(style)) },
    { method: 'GET', path: '/docs/page.js', raw: true, answer: once(() => script(start)) },
    { method: 'GET', path: '/docs/swagger-ui.css', raw: true, answer: once(() => css(asset('swagger-ui.css'))) },
    {
      method: 'GET',
      path: '/docs/swagger-ui.js',
      raw: true,
      answer: once(() => script(asset('swagger-ui-bundle.js'))),
    },
  ];
}

/** Created at the first call and cached. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
