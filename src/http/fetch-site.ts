import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../base/errors.ts';

/** Paths for programs and for the service's own pages. */
const apiPaths = /^\/(?:api|mcp|metrics)(?:[/?]|$)/i;
/** The token in the path is the credential, and other sites embed images of shared Markdown. */
const sharePaths = /^\/api\/v1\/share\//i;
/** Paths that a link on another site may open: files, the reference, a rendered artifact. */
const navigablePaths = /^\/api\/v1\/(?:files\/|docs(?:[/?]|$)|openapi\.json|artifacts\/[^/?]+\/render(?:\?|$))/;

/**
 * Throws `forbidden` for requests that a page of another site makes a browser send: the page cannot read the response, but the service
 * would do the work. `url` is the whole path. Browsers send Sec-Fetch-Site, other programs do not.
 */
export function refuseOtherSites({ method, headers }: IncomingMessage, url: string): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (!apiPaths.test(url) || sharePaths.test(url)) return;
  const isOpened = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (method === 'GET' && isOpened && navigablePaths.test(url)) return;
  throw new PlannerError(
    'forbidden',
    `Cross-site requests are rejected (Sec-Fetch-Site: ${String(site)}): only the service's own pages and programs may send this.`,
  );
}

/**
 * Throws `invalid_argument` for a request with several Host headers: a proxy in front may have used a different one
 * than Node.
 */
export function requireOneHost({ rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1)
    throw new PlannerError('invalid_argument', 'The request has several Host headers: send one.', { field: 'Host' });
}
