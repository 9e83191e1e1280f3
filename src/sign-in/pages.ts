import { escape } from '../http/markup.ts';
import { hash } from 'node:crypto';

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1d2430; background: #fff }
label, input, button, a.button { display: block; width: 100%; box-sizing: border-box; font: inherit }
input { padding: .5rem; margin: .3rem 0 1rem; border: 1px solid #8a94a6; border-radius: 4px; color: inherit; background: inherit }
button, a.button { padding: .6rem; border: 0; border-radius: 4px; background: #1f5fbf; color: #fff; text-align: center; text-decoration: none; cursor: pointer }
[role=alert] { border-left: 4px solid #b3261e; padding-left: .8rem }
code { background: #eef1f5; padding: .1em .3em; border-radius: 3px }
@media (prefers-color-scheme: dark) { body { color: #dfe5ee; background: #171b21 } code { background: #262d37 } }
`;

/** The one style sheet of these pages as a Content-Security-Policy names it. */
export const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`;

export interface SignInPage {
  /** Where to go afterwards: a path of this service. */
  readonly to: string;
  /** The identity provider's host; absent: an owner key is asked for. */
  readonly provider?: string | undefined;
  /** Why the former attempt came to nothing. */
  readonly problem?: string | undefined;
}

/** Asks for an owner key, or leads to the identity provider. */
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
<p>On the host <code>planner keys create</code> makes one.</p>`
      : `<a class="button" href="/sign-in/start?to=${escape(encodeURIComponent(to))}">Sign in at ${escape(provider)}</a>`;
  return page('Sign in to Planner', `${alert}${way}`);
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
<h1>${title}</h1>
${body}
</body>
</html>
`;
}
