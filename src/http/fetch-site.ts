import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../errors.ts';

/** Below these are answers for programs and for the service's own pages. */
const apiPaths = /^\/(?:api|mcp|metrics)(?:[/?]|$)/i;
/** The token is the credential here, and images of shared Markdown are shown wherever it is. */
const sharePaths = /^\/api\/v1\/share\//i;
/** What a person may open by a link on another site: files, the reference, an artifact by itself. */
const navigablePaths = /^\/api\/v1\/(?:files\/|docs(?:[/?]|$)|openapi\.json|artifacts\/[^/?]+\/render(?:\?|$))/;

/**
 * Throws `forbidden` for what a browser sends on behalf of another site's page. It could not read the answer; it would have the work done.
 * `url` is the whole path. Browsers say the site themselves (Sec-Fetch-Site), other programs do not.
 */
export function refuseOtherSites({ method, headers }: IncomingMessage, url: string): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (!apiPaths.test(url) || sharePaths.test(url)) return;
  const isOpened = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (method === 'GET' && isOpened && navigablePaths.test(url)) return;
  throw new PlannerError(
    'forbidden',
    `A page of another site may not send this (Sec-Fetch-Site: ${String(site)}): only the service's own pages and programs may.`,
  );
}

/** Throws `invalid_argument` for a request with several Host headers: what stands in front may have believed another than the first. */
export function requireOneHost({ rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1)
    throw new PlannerError('invalid_argument', 'The request has several Host headers: send one.', { field: 'Host' });
}
