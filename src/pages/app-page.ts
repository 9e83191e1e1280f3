import type { Request, RequestHandler, Response } from 'express';
import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { escape } from '../http/markup.ts';
import { appSecurity } from '../http/security-headers.ts';
import { noteRoute } from '../http/request-log.ts';
import type { Authenticator } from '../operations/access/authenticate.ts';

/**
 * The built page by the paths of its addresses: `/index.html`, `/assets/…` whose names change with their content, and beside them what was
 * compressed when it was built (`.br`, `.gz`).
 */
export type BuiltFiles = ReadonlyMap<string, Uint8Array>;

export interface AppPageOptions {
  readonly authenticator: Authenticator;
  /** Reads the built page, all of it. Undefined where it was not built. */
  readonly read: (() => BuiltFiles) | undefined;
}

export interface AppPage {
  /** What the page loads; whoever asks gets it, also where a credential is needed: there is nothing of anybody's in it. */
  readonly assets: RequestHandler;
  /** The page, at every address that is none of the service's own. Where a credential is needed, it comes with one. */
  readonly page: RequestHandler;
}

const yearSeconds = 365 * 24 * 3600;
const documentPath = '/index.html';
/** Shorter first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Serves the built page: compressed copies were made when it was built, and what bears its content's name is kept by browsers for good. */
export function appPage({ authenticator, read }: AppPageOptions): AppPage {
  const built = new BuiltPage(read);
  const harden = appSecurity();
  return {
    assets: (request, response, next) => {
      const { method, path } = request;
      if ((method !== 'GET' && method !== 'HEAD') || path.endsWith('.html')) return next();
      if (!built.send(path, request, response)) next();
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
          if (!built.send(documentPath, request, response)) sendNotBuilt(response);
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

/**
 * The files of the page, from memory: they are read when the page is first asked for, all at once. Installing another version in their
 * place, or a process that may open no more files, breaks no response.
 */
class BuiltPage {
  readonly #read: AppPageOptions['read'];
  readonly #tags = new WeakMap<Uint8Array, string>();
  #files: BuiltFiles | undefined;

  constructor(read: AppPageOptions['read']) {
    this.#read = read;
  }

  /** Sends the file of a path; false where there is none. */
  send(path: string, request: Request, response: Response): boolean {
    const files = this.#load();
    if (files === undefined || encodings.some(([, ending]) => path.endsWith(ending))) return false;
    const plain = files.get(path);
    if (plain === undefined) return false;
    const [encoding, ending] = encodings.find(([name, end]) => {
      return files.has(path + end) && request.acceptsEncodings(name) !== false;
    }) ?? [undefined, ''];
    const content = files.get(path + ending)!;
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    response.setHeader(
      'Cache-Control',
      path.startsWith('/assets/') ? `public, max-age=${yearSeconds}, immutable` : 'no-cache',
    );
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', this.#tagOf(content));
    response.type(posix.extname(path));
    if (request.fresh) {
      response.status(304).end();
      return true;
    }
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', content.byteLength);
    response.end(content);
    return true;
  }

  /** Undefined where the page is not built, or not at the moment: it is read again when it is asked for next. */
  #load(): BuiltFiles | undefined {
    if (this.#files !== undefined) return this.#files;
    const files = this.#read?.();
    if (files?.has(documentPath) === true) this.#files = files;
    return this.#files;
  }

  #tagOf(content: Uint8Array): string {
    let tag = this.#tags.get(content);
    if (tag === undefined) this.#tags.set(content, (tag = `"${hash('sha256', content, 'hex').slice(0, 32)}"`));
    return tag;
  }
}
