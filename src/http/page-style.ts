import { Html } from './markup.ts';

/** Semantic colours, the same as in src/web/styles/tokens.css; a test compares the two. */
export const pageTokens = `
:root {
color-scheme: light dark;
--ground: light-dark(#f6f6f8, #131417);
--surface: light-dark(#ffffff, #1b1c21);
--surface-2: light-dark(#f1f1f4, #23252b);
--surface-3: light-dark(#e7e8ec, #2d3037);
--line: light-dark(#e3e4e9, #2e3037);
--line-strong: light-dark(#cccfd8, #454852);
--ink: light-dark(#1c1d23, #ecedf1);
--ink-2: light-dark(#555a68, #a9adb9);
--ink-3: light-dark(#666b7a, #9599a7);
--accent: light-dark(#4453c4, #97a3ff);
--accent-strong: light-dark(#3643ab, #b3bcff);
--on-accent: light-dark(#ffffff, #12142a);
--danger: light-dark(#b3261e, #ff8f85);
--danger-soft: light-dark(#fdecea, #431f1d);
--good: light-dark(#1c6e45, #74d3a2);
--good-soft: light-dark(#e4f5ec, #17352a);
--status-scope: light-dark(#7d4fc0, #c3a3f5);
--status-todo: light-dark(#5b6070, #aab0bf);
--status-in_progress: light-dark(#b06800, #f2bd6b);
--status-done: light-dark(#1c7a4b, #74d3a2);
--status-backlog: light-dark(#6d7180, #9499a6);
--radius: 8px;
--radius-l: 12px;
--mono: ui-monospace, 'SF Mono', 'Cascadia Code', 'Roboto Mono', Menlo, monospace;
}
`;

/** Base style of the pages without script: type, brand bar, fields and buttons. */
export const pageBase = `${pageTokens}
*, *::before, *::after { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; -webkit-text-size-adjust: 100% }
h1 { font-size: 24px; line-height: 1.3; font-weight: 650; letter-spacing: -.012em; margin: 0 }
h2 { font-size: 16px; line-height: 1.4; font-weight: 620; letter-spacing: -.006em; margin: 0 0 12px }
a { color: var(--accent); text-decoration: none }
a:hover, p a, footer a, li a, td a { text-decoration: underline }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.brand { display: flex; align-items: center; gap: 8px; min-height: 48px; padding: 0 16px; border-bottom: 1px solid var(--line); background: var(--surface); font-weight: 650 }
.brand svg { flex: none }
label { display: block; color: var(--ink-2); font-size: 13px; font-weight: 520 }
label small { color: var(--ink-3); font-size: 13px; font-weight: 400 }
input, textarea, select { display: block; width: 100%; min-height: 40px; margin-top: 4px; padding: 7px 10px; border: 1px solid var(--line-strong); border-radius: var(--radius); background: var(--surface); color: var(--ink); font: inherit; font-size: 15px }
button, a.button { display: inline-flex; align-items: center; justify-content: center; min-height: 40px; padding: 0 16px; border: 0; border-radius: var(--radius); background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 560; cursor: pointer }
button:hover, a.button:hover { background: var(--accent-strong); text-decoration: none }
code { padding: .1em .35em; border-radius: 5px; background: var(--surface-2); font: .9em/1.5 var(--mono) }
`;

/** The logo and name of the program. */
export const brand = new Html(
  '<div class="brand"><svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#4453c4"/>' +
    '<path d="M8 10.5h9M8 16h16M8 21.5h12" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/><circle cx="22.5" cy="10.5" r="2.6" fill="#9fe3c1"/></svg>Planner</div>',
);
