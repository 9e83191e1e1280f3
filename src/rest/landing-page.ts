import { escape } from '../http/markup.ts';
import { hash } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Authenticator } from '../operations/authenticate.ts';
import type { Dispatcher } from '../operations/dispatch.ts';
import type { Collections } from '../store/record.ts';

export interface LandingPageOptions<C extends Collections> {
  readonly dispatcher: Dispatcher<C>;
  readonly authenticator: Authenticator;
  readonly version: string;
}

/** What the page shows of a project, as the catalogue's list_projects and get_project answer it. */
interface Shown {
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
  readonly summary?: {
    readonly tasks: Readonly<Record<string, number>>;
    readonly documents: number;
    readonly goals: number;
  };
}

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; color: #1d2430; background: #fff }
code { background: #eef1f5; padding: .1em .3em; border-radius: 3px }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #d8dee8; vertical-align: top }
progress { width: 8rem }
@media (prefers-color-scheme: dark) { body { color: #dfe5ee; background: #171b21 } code { background: #262d37 } th, td { border-color: #333c48 } }
`;

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  // Nothing but the one style below is loaded or run.
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** What a browser sees at `/`: what is served here, and how far its projects are. Other paths are left to whoever comes next. */
export function landingPage<C extends Collections>(options: LandingPageOptions<C>): RequestHandler {
  return (request, response, next) => {
    if (request.path !== '/') return next();
    show(options, request.headers, response).catch(next);
  };
}

async function show<C extends Collections>(
  { dispatcher, authenticator, version }: LandingPageOptions<C>,
  presented: Parameters<Authenticator['authenticate']>[0],
  response: Response,
): Promise<void> {
  const baseUrl = response.locals['baseUrl'] as string;
  const address = response.locals['address'] as string | undefined;
  const caller = await authenticator.authenticate(presented, { door: 'rest', baseUrl, address });
  const call = { caller, door: 'rest', baseUrl } as const;
  const list = dispatcher.operations.get('list_projects');
  const { value } = list === undefined ? { value: { projects: [] } } : await dispatcher.dispatch(list, {}, call);
  const get = dispatcher.operations.get('get_project');
  const projects: Shown[] = [];
  for (const project of (value as { readonly projects: readonly Shown[] }).projects) {
    if (get === undefined) projects.push(project);
    else {
      const detail = await dispatcher.dispatch(get, { project_id: project.id }, call);
      projects.push((detail.value as { readonly project: Shown }).project);
    }
  }
  const html = page(projects, baseUrl, version);
  response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(html) });
  response.end(html);
}

function page(projects: readonly Shown[], baseUrl: string, version: string): string {
  const rows = projects.map(row).join('\n');
  const table =
    projects.length === 0
      ? '<p>There is no project yet. <code>POST /api/v1/projects</code> or the tool <code>create_project</code> makes one.</p>'
      : `<table><thead><tr><th>Project</th><th>Tasks done</th><th>Goals</th><th>Documents</th></tr></thead><tbody>\n${rows}\n</tbody></table>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Planner</title><style>${style}</style></head>
<body>
<h1>Planner</h1>
<p>A planning workspace that people and software agents share, kept as Markdown and JSON files in <code>.planner</code>. Version ${escape(version)}.</p>
<h2>Projects</h2>
${table}
<h2>How to work with it</h2>
<ul>
<li>Programs: REST at <code>${escape(baseUrl)}/api/v1</code>, described by <a href="/api/v1/openapi.json">openapi.json</a>.</li>
<li>Agents: MCP (Streamable HTTP) at <code>${escape(baseUrl)}/mcp</code>.</li>
<li>People: edit the files; what is saved is served a moment later.</li>
</ul>
</body>
</html>
`;
}

function row({ id, name, description, summary }: Shown): string {
  const counts = Object.entries(summary?.tasks ?? {});
  const done = counts.find(([status]) => status === 'done')?.[1] ?? 0;
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const what = description ? `<br>${escape(description)}` : '';
  const progress = `<progress value="${done}" max="${Math.max(all, 1)}"></progress> ${done} of ${all}`;
  return `<tr><td><a href="/api/v1/projects/${escape(encodeURIComponent(id))}">${escape(name)}</a>${what}</td><td>${progress}</td><td>${summary?.goals ?? ''}</td><td>${summary?.documents ?? ''}</td></tr>`;
}
