import { hash } from 'node:crypto';
import { Html, markup } from '../http/markup.ts';

const style = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6676; --paper: #f5f6f8; --card: #fff; --line: #dfe4ec; --accent: #2456c9; --code: #eef1f6; --bad: #b3261e; --good: #1b7f4b }
@media (prefers-color-scheme: dark) { :root { --ink: #e2e7ef; --soft: #9aa6b8; --paper: #12161c; --card: #1a2029; --line: #2e3846; --accent: #8ab0ff; --code: #242c38; --bad: #ff9d94; --good: #6fd3a0 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word }
main { max-width: 50rem; margin: 0 auto; padding: 2.5rem 1rem 4rem }
header { margin-bottom: 1.5rem }
h1 { font-size: 1.9rem; line-height: 1.25; margin: .2rem 0 .6rem }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .8rem }
.kind, .note, footer { color: var(--soft); font-size: .9rem }
.kind { text-transform: uppercase; letter-spacing: .06em; margin: 0 }
.note { margin: .4rem 0 0 }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.5rem; margin: 0 0 1.25rem }
.badge { display: inline-block; padding: .05rem .6rem; border: 1px solid var(--line); border-radius: 999px; background: var(--code); font-size: .85rem; white-space: nowrap }
.badge.done { color: var(--good) }
a { color: var(--accent) }
img, video { max-width: 100%; height: auto }
pre, code { background: var(--code); border-radius: 5px; font: .9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
code { padding: .1em .3em }
pre { padding: .9rem 1rem; overflow-x: auto }
pre code { padding: 0; background: none }
blockquote { margin: 1rem 0; padding: 0 0 0 1rem; border-left: 3px solid var(--line); color: var(--soft) }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { text-align: left; padding: .45rem .7rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td.state { text-align: right; padding-right: 0 }
.body > :first-child { margin-top: 0 }
.body > :last-child { margin-bottom: 0 }
ul.goals { margin: 0; padding-left: 1.2rem }
progress { width: 100%; accent-color: var(--accent) }
iframe { display: block; max-width: 100%; border: 1px solid var(--line); border-radius: 8px; background: #fff }
label { display: block; margin: 0 0 1rem; font-weight: 600 }
label small { font-weight: 400; color: var(--soft) }
input, textarea, select { display: block; width: 100%; margin-top: .3rem; padding: .55rem .7rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: inherit; font: inherit }
input[type=checkbox] { display: inline; width: auto; margin: 0 .4rem 0 0 }
textarea { min-height: 9rem; resize: vertical }
button { padding: .6rem 1.2rem; border: 0; border-radius: 8px; background: var(--accent); color: var(--card); font: inherit; font-weight: 600; cursor: pointer }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.said { border-left: 4px solid var(--good) }
.refused { border-left: 4px solid var(--bad) }
`;

const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`;

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Whether the page holds a form, which a browser sends with the service's own Origin. */
  readonly takesForm?: boolean;
}

/** A whole page as text. Nothing in it is run, and nothing but its one style is applied. */
export function pageText({ title, body }: Page): string {
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  return page.text;
}

/** The headers of a page. Who has its address has a secret: it is kept from caches, search engines and the sites that it links to. */
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
    // With no-referrer a browser sends a form's Origin as null, which is nobody's.
    'Referrer-Policy': takesForm ? 'same-origin' : 'no-referrer',
    'Cache-Control': 'no-store',
  };
}
