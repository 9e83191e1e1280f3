import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import { escape } from '../http/markup.ts';
import { appSecurity } from '../http/security-headers.ts';
import type { RequestFacts } from '../http/request-log.ts';
import type { Authenticator } from '../operations/access/authenticate.ts';

/**
 * The files of the built page by URL path: `/index.html.br`, `/assets/…` with content hashes in their names. Files that compress well are
 * there only as Brotli, with `.br` after their names.
 */
export type BuiltFiles = ReadonlyMap<string, Uint8Array>;

export interface AppPageOptions {
  readonly authenticator: Authenticator;
  /** Reads all files of the built page. Undefined if it was not built. */
  readonly read: (() => BuiltFiles) | undefined;
}

export interface AppPage {
  /** Serves the files of the page to every caller, also if the service needs a credential: they contain no user data. */
  readonly assets: RequestHandler;
  /** Serves the page at every path that no other transport handles. Requires a credential if the service does. */
  readonly page: RequestHandler;
}

const yearSeconds = 365 * 24 * 3600;
const documentPath = '/index.html';
/** The route of every file of the page in the log and the metrics: each build has other names. */
const assetRoute = 'asset';
const compressed = '.br';
/** Shorter first. */
const encodings = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof encodings)[number];

const decompressed = promisify(brotliDecompress);
const gzipped = promisify<Uint8Array, Uint8Array>(gzip);

/** Serves the built page, compressed if the client accepts it. Files with a content hash in their name are cached as immutable. */
export function appPage({ authenticator, read }: AppPageOptions): AppPage {
  const built = new BuiltPage(read);
  const harden = appSecurity();
  return {
    assets: (request, response, next) => {
      const { method, path } = request;
      if ((method !== 'GET' && method !== 'HEAD') || path.endsWith('.html')) return next();
      if (!built.send(path, request, response, next)) return next();
      (response.locals as RequestFacts).route = assetRoute;
    },
    page: (request, response, next) => {
      const presented = request.headers;
      const facts = response.locals as RequestFacts;
      const { baseUrl, address } = facts;
      facts.route = '/';
      authenticator
        .authenticate(presented, { transport: 'rest', baseUrl, address })
        .then(() => {
          harden(request, response, () => undefined);
          // Every path of the page is the same document: routing is done in the browser.
          if (!built.send(documentPath, request, response, next)) sendNotBuilt(response);
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
 * The files of the page in memory. They are all read at the first request, so that neither an upgrade in place nor an exhausted open-file
 * limit breaks a response.
 */
class BuiltPage {
  readonly #read: AppPageOptions['read'];
  readonly #tags = new WeakMap<Uint8Array, string>();
  /**
   * The encoded files by encoding and path, made at the first request that needs it: at most two for each file of the
   * build.
   */
  readonly #encoded = new Map<string, Promise<Uint8Array>>();
  #files: BuiltFiles | undefined;

  constructor(read: AppPageOptions['read']) {
    this.#read = read;
  }

  /** Sends the file at a path. Returns false if it does not exist. */
  send(path: string, request: Request, response: Response, next: NextFunction): boolean {
    const files = this.#load();
    if (files === undefined || path.endsWith(compressed)) return false;
    const [whole, brotli] = [files.get(path), files.get(path + compressed)];
    if (whole !== undefined) this.#respond(path, whole, 'identity', request, response);
    else if (brotli === undefined) return false;
    else {
      const encoding = encodings.find((one) => request.acceptsEncodings(one) !== false) ?? 'identity';
      if (encoding === 'br') this.#respond(path, brotli, encoding, request, response);
      else {
        this.#inEncoding(path, brotli, encoding)
          .then((content) => this.#respond(path, content, encoding, request, response))
          .catch(next);
      }
    }
    return true;
  }

  #respond(path: string, content: Uint8Array, encoding: Encoding, request: Request, response: Response): void {
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
      return;
    }
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', content.byteLength);
    response.end(content);
  }

  #inEncoding(path: string, brotli: Uint8Array, encoding: 'gzip' | 'identity'): Promise<Uint8Array> {
    const key = `${encoding} ${path}`;
    let made = this.#encoded.get(key);
    if (made === undefined) {
      const plain = decompressed(brotli);
      made = encoding === 'gzip' ? plain.then(gzipped) : plain;
      this.#encoded.set(key, made);
    }
    return made;
  }

  /** Returns undefined if the page is not built (yet); the next request retries. */
  #load(): BuiltFiles | undefined {
    if (this.#files !== undefined) return this.#files;
    const files = this.#read?.();
    if (files?.has(documentPath + compressed) === true) this.#files = files;
    return this.#files;
  }

  #tagOf(content: Uint8Array): string {
    let tag = this.#tags.get(content);
    if (tag === undefined) this.#tags.set(content, (tag = `"${hash('sha256', content, 'hex').slice(0, 32)}"`));
    return tag;
  }
}
