import { hash } from 'node:crypto';
import { Html, markup } from '../http/markup.ts';
import { brand, pageBase } from '../http/page-style.ts';

const style = `${pageBase}
main { max-width: 760px; margin: 0 auto; padding: 28px 16px 56px }
header { margin: 0 0 18px }
.kind { margin: 0 0 2px; color: var(--ink-3); font-size: 13px; font-weight: 520 }
.kind::first-letter, .badge::first-letter { text-transform: uppercase }
.note, footer { color: var(--ink-2); font-size: 13px }
.note { margin: 6px 0 0 }
h2 + .note { margin: -8px 0 10px }
section { margin: 0 0 16px; padding: 18px 20px; border: 1px solid var(--line); border-radius: var(--radius-l); background: var(--surface) }
.badge { display: inline-block; padding: 0 9px; border-radius: 999px; background: var(--surface-3); color: var(--ink-2); font-size: 12.5px; font-weight: 520; line-height: 21px; white-space: nowrap }
.badge::before { content: ""; display: inline-block; width: 7px; height: 7px; margin-right: 6px; border-radius: 50%; background: var(--status-todo); vertical-align: 1px }
.badge.plain::before { display: none }
.badge.scope::before { background: var(--status-scope) }
.badge.in_progress::before { background: var(--status-in_progress) }
.badge.backlog::before { background: var(--status-backlog) }
.badge.done { background: var(--good-soft); color: var(--good) }
.badge.done::before { background: var(--status-done) }
.body { line-height: 1.65 }
.body :is(h1, h2, h3, h4) { margin: 1.4em 0 .5em; line-height: 1.3 }
.body h1 { font-size: 20px }
.body h2 { font-size: 17px }
.body h3, .body h4 { font-size: 15px }
h1, td:not(.state), li, .body :is(p, h2, h3, h4, h5, h6, td, th) { unicode-bidi: plaintext; text-align: start }
.body > :first-child { margin-top: 0 }
.body > :last-child { margin-bottom: 0 }
img, video { max-width: 100%; height: auto }
pre { overflow-x: auto; padding: 12px 14px; border-radius: var(--radius); background: var(--surface-2); font: .9em/1.5 var(--mono) }
pre code { padding: 0; background: none }
blockquote { margin: 1em 0; padding: 0 0 0 14px; border-left: 3px solid var(--line-strong); color: var(--ink-2) }
table { width: 100%; border-collapse: collapse }
.body table { display: block; width: max-content; max-width: 100%; margin: 1em 0; overflow-x: auto }
.body :is(th, td) { padding-right: 16px }
th, td { padding: 9px 10px 9px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word }
tr:last-child td { border-bottom: 0 }
td.state { width: 1%; padding-right: 0; text-align: right }
ul.goals { margin: 0; padding-left: 1.2rem }
progress { display: block; width: 100%; height: 6px; margin: 0 0 10px; overflow: hidden; border: 0; border-radius: 3px; background: var(--surface-3); appearance: none }
progress::-webkit-progress-bar { background: var(--surface-3) }
progress::-webkit-progress-value { background: var(--status-done) }
progress::-moz-progress-bar { background: var(--status-done) }
iframe { display: block; max-width: 100%; border: 1px solid var(--line); border-radius: var(--radius); background: #fff }
form { display: grid; gap: 14px }
form button { justify-self: start }
.body input[type=checkbox] { display: inline; width: auto; min-height: 0; margin: 0 6px 0 0 }
textarea { min-height: 9rem; resize: vertical }
.submitted { border-color: transparent; background: var(--good-soft); color: var(--good) }
.refused { border-color: transparent; background: var(--danger-soft); color: var(--danger) }
@media (max-width: 640px) { main { padding-top: 20px } section { padding: 14px } h1 { font-size: 21px } }
`;

const statusNames: Readonly<Record<string, string>> = {
  scope: 'Scope',
  todo: 'To do',
  in_progress: 'In progress',
  done: 'Done',
  backlog: 'Backlog',
};

/** The name of a task's status, as the page has it. */
export function statusName(status: string): string {
  return statusNames[status] ?? status;
}

const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`;

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** True if the page has a form, which a browser must send with the service's Origin. */
  readonly takesForm?: boolean;
}

/** Renders a page. Its policy allows no script and only its own inline style sheet. */
export function pageText({ title, body }: Page): string {
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
${brand}
<main>
${body}
</main>
</body>
</html>
`;
  return page.text;
}

/** The headers of a page. Its URL is a secret, which caches, search engines and linked sites must not get. */
export function pageHeaders({ takesForm = false }: Pick<Page, 'takesForm'>): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `style-src ${styleSource}`,
    "img-src 'self' https: data:",
    "frame-src 'self'",
    takesForm ? "form-action 'self'" : "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // With no-referrer, browsers send the Origin "null" with forms, which is rejected.
    'Referrer-Policy': takesForm ? 'same-origin' : 'no-referrer',
    'Cache-Control': 'no-store',
  };
}
