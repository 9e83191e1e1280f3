import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlannerError } from '../../base/errors.ts';

/** A port of this machine to which the browser brings the code of a sign-in (RFC 8252, 7.3). */
export interface LoopbackCallback {
  readonly redirectUri: string;
  /** Resolves with the code of the first callback with the right state. Rejects with `unavailable` after five minutes. */
  readonly code: Promise<string>;
  readonly close: () => void;
}

const waitMs = 5 * 60_000;

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Planner</title>
<p>planner is signed in. You can close this page.</p></html>`;

export async function loopbackCallback(state: string): Promise<LoopbackCallback> {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const given = searchParams.get('code');
    const isIt = request.method === 'GET' && pathname === '/callback' && searchParams.get('state') === state;
    response.writeHead(isIt ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8', Connection: 'close' });
    response.end(isIt ? page : '');
    if (isIt && given !== null) resolve(given);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const timer = setTimeout(
    () => reject(new PlannerError('unavailable', 'There was no sign-in within five minutes: start again.')),
    waitMs,
  );
  // The caller awaits it later.
  code.catch(() => undefined);
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    code,
    close: () => {
      clearTimeout(timer);
      server.close();
      server.closeIdleConnections();
    },
  };
}
