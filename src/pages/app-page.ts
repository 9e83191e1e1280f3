import type { RequestHandler } from 'express';
import sirv from 'sirv';
import { escape } from '../http/markup.ts';
import { appSecurity } from '../http/security-headers.ts';
import { noteRoute } from '../http/watched.ts';
import type { Authenticator } from '../operations/authenticate.ts';

export interface AppPageOptions {
  readonly authenticator: Authenticator;
  /** Where the built page lies: index.html, and assets/ whose names change with their content. Undefined where it was not built. */
  readonly directory: string | undefined;
}

export interface AppPage {
  /** What the page loads; whoever asks gets it, also where a credential is needed: there is nothing of anybody's in it. */
  readonly assets: RequestHandler;
  /** The page, at every address that is none of the service's own. Where a credential is needed, it comes with one. */
  readonly page: RequestHandler;
}

type Files = ReturnType<typeof sirv>;

const yearSeconds = 365 * 24 * 3600;

/** Serves the built page: compressed copies were made when it was built, and what bears its content's name is kept by browsers for good. */
export function appPage({ authenticator, directory }: AppPageOptions): AppPage {
  const built = directory === undefined ? notThere : filesOf(directory);
  const harden = appSecurity();
  return {
    assets: (request, response, next) => {
      const { method, path } = request;
      if ((method !== 'GET' && method !== 'HEAD') || path === '/' || path.endsWith('.html')) return next();
      built(request, response, () => next());
    },
    page: (request, response, next) => {
      const presented = request.headers;
      const baseUrl = response.locals['baseUrl'] as string;
      const address = response.locals['address'] as string | undefined;
      authenticator
        .authenticate(presented, { door: 'rest', baseUrl, address })
        .then(() => {
          noteRoute(response, '/');
          harden(request, response, () => undefined);
          // Every address of the page is the same document: what it shows is decided in the browser.
          request.url = '/';
          built(request, response, () => sendNotBuilt(response));
        })
        .catch(next);
    },
  };
}

function sendNotBuilt(response: Parameters<RequestHandler>[1]): void {
  const text = 'The page has not been built here: run `npm run build`. REST is at /api/v1, MCP at /mcp.';
  response.writeHead(503, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(`<!doctype html><html lang="en"><title>Planner</title><p>${escape(text)}</p></html>\n`);
}

/** Looks through the directory once: what is asked for afterwards is known without looking. */
function filesOf(directory: string): Files {
  return sirv(directory, {
    brotli: true,
    gzip: true,
    etag: true,
    dotfiles: false,
    setHeaders: (response, path) => {
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
      response.setHeader(
        'Cache-Control',
        path.startsWith('/assets/') ? `public, max-age=${yearSeconds}, immutable` : 'no-cache',
      );
    },
  });
}

const notThere: Files = (_, __, next) => {
  void next?.();
};
