import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { Counts } from '../platform/counts.ts';

/** Retry-After of a rejected body, in seconds. */
const retrySeconds = 5;

const owner = Symbol('credential that a request body counts against');

type Owned = IncomingMessage & { [owner]?: string };

/** Counts the body of a request against a credential instead of its network address. */
export function countBodyFor(request: Owned, credential: string): void {
  request[owner] = credential;
}

/** The memory of one body while it arrives and is parsed. */
export interface BodyLease {
  /** Counts bytes that arrived. Throws `rate_limited` or `unavailable` beyond a bound. */
  grow(bytes: number): void;
  /** Call once, when the body is no longer needed. */
  release(): void;
}

const held = { bytes: 0 };
const heldBy = new Counts();

/**
 * Reserves memory for a request body. Two limits apply: the announced bytes of all bodies of one credential or address, and the received
 * bytes of all bodies together. `announced`: bytes, by default the Content-Length. Throws `rate_limited` or `unavailable` with `retry_after`.
 */
export function leaseBody(request: Owned, announced = Number(request.headers['content-length'] ?? 0)): BodyLease {
  const by = request[owner] ?? request.socket.remoteAddress ?? '';
  let reserved = 0;
  let arrived = 0;
  const reserve = (bytes: number): void => {
    if (heldBy.of(by) + bytes > limits.bodiesOfOneBytesMax) throw tooManyOfOne();
    heldBy.add(by, bytes);
    reserved += bytes;
  };
  reserve(announced);
  return {
    grow: (bytes) => {
      if (held.bytes + bytes > limits.bodiesBytesMax) throw tooMany();
      reserve(Math.max(0, arrived + bytes - reserved));
      arrived += bytes;
      held.bytes += bytes;
    },
    release: () => {
      held.bytes -= arrived;
      heldBy.add(by, -reserved);
    },
  };
}

/** Throws like `leaseBody` if there is no memory for a body that is parsed within this turn. */
export function requireRoom(request: Owned, bytes: number): void {
  if (held.bytes + bytes > limits.bodiesBytesMax) throw tooMany();
  if (heldBy.of(request[owner] ?? request.socket.remoteAddress ?? '') + bytes > limits.bodiesOfOneBytesMax)
    throw tooManyOfOne();
}

function tooManyOfOne(): PlannerError {
  const max = limits.bodiesOfOneBytesMax;
  return new PlannerError(
    'rate_limited',
    `This caller's request bodies in flight exceed ${max} bytes. Send them one after another.`,
    { bytes_max: max, retry_after: retrySeconds },
  );
}

function tooMany(): PlannerError {
  const max = limits.bodiesBytesMax;
  return new PlannerError(
    'unavailable',
    `The request bodies in flight exceed ${max} bytes. Nothing was changed; retry later.`,
    { bytes_max: max, retry_after: retrySeconds },
  );
}
