import { escape } from '../http/markup.ts';
import { brand, pageBase } from '../http/page-style.ts';
import { hash } from 'node:crypto';

const style = `${pageBase}
main { max-width: 420px; margin: 10vh auto 0; padding: 0 16px }
.card { display: grid; gap: 14px; padding: 22px 20px; border: 1px solid var(--line); border-radius: var(--radius-l); background: var(--surface) }
h1 { margin: 0 0 16px; font-size: 20px }
form { display: grid; gap: 14px }
p { margin: 0; color: var(--ink-2); font-size: 13px }
[role=alert] { padding: 10px 12px; border-radius: var(--radius); background: var(--danger-soft); color: var(--danger); font-size: 14px }
`;

/** The CSP source of the inline style sheet. */
export const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`;

export interface SignInPage {
  /** The path of this service to redirect to afterwards. */
  readonly to: string;
  /** The identity provider's host. Absent: the page asks for an owner key. */
  readonly provider?: string | undefined;
  /** The error of the previous attempt. */
  readonly problem?: string | undefined;
}

/** Renders the form for an owner key, or the link to the identity provider. */
export function signInPage({ to, provider, problem }: SignInPage): string {
  const alert = problem === undefined ? '' : `<p role="alert">${escape(problem)}</p>\n`;
  const way =
    provider === undefined
      ? `<form method="post" action="/sign-in">
<input type="hidden" name="to" value="${escape(to)}">
<label for="key">Owner key</label>
<input id="key" name="key" type="password" autocomplete="current-password" spellcheck="false" required autofocus>
<button>Sign in</button>
</form>
<p>Create one on the host with <code>planner keys create</code>.</p>`
      : `<a class="button" href="/sign-in/start?to=${escape(encodeURIComponent(to))}">Sign in at ${escape(provider)}</a>`;
  return page('Sign in to Planner', `${alert}${way}`);
}

export interface ProgramPage {
  readonly device: string;
  readonly person: string;
  /** The fields of the request, which the form sends back. */
  readonly fields: readonly (readonly [string, string])[];
}

/** Asks whether a program may get a key. */
export function programPage({ device, person, fields }: ProgramPage): string {
  const hidden = fields.map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`);
  return page(
    'Sign in the command line',
    `<p>planner on <strong>${escape(device)}</strong> asks for an owner key. You are signed in as ${escape(person)}.</p>
<form method="post" action="/sign-in/program">
${hidden.join('\n')}
<button>Allow</button>
</form>
<p>If you did not run <code>planner login</code> just now, close this page.</p>`,
  );
}

/** Shows a one-time code to a person whose browser is on another machine than the program. */
export function programCodePage(code: string): string {
  return page(
    'Sign in the command line',
    `<p>Paste this code where <code>planner login</code> asks for it. It is valid for two minutes.</p>
<p><code>${escape(code)}</code></p>`,
  );
}

export function signOutPage(): string {
  return page(
    'Sign out of Planner',
    `<form method="post" action="/sign-out">
<button>Sign out</button>
</form>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head>
<body>
${brand.text}
<main>
<h1>${title}</h1>
<div class="card">
${body}
</div>
</main>
</body>
</html>
`;
}
