import Negotiator from 'negotiator';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import type { Gzip } from 'node:zlib';

/** Level 4 takes half the time of the default, for texts a tenth larger. */
const level = 4;

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** How a body is sent: its headers, and the stream that compresses it, if any. */
export interface Encoding {
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip?: Gzip;
}

const identity: Encoding = { headers: {} };

/**
 * How a long JSON text is sent. Over loopback compressing takes longer than
 * sending. The entity tag is the same for both encodings: clients send it with `If-Match`, which is about the resource.
 */
export function encodingOf(response: ServerResponse): Encoding {
  const { req, socket } = response;
  if (socket === null || loopback.test(socket.remoteAddress ?? '')) return identity;
  // The response depends on Accept-Encoding, in addition to the transport's own Vary.
  const headers = { Vary: [response.getHeader('Vary') ?? [], 'Accept-Encoding'].flat().join(', ') };
  return acceptsGzip(req)
    ? { headers: { ...headers, 'Content-Encoding': 'gzip' }, gzip: createGzip({ level }) }
    : { headers };
}

function acceptsGzip(request: IncomingMessage): boolean {
  return request.method !== 'HEAD' && new Negotiator(request).encodings(['gzip']).length > 0;
}
