import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../errors.ts';
import { limits } from '../limits.ts';

/** Seconds after which a refused body may be sent again. */
const retrySeconds = 5;

const owner = Symbol('whose body a request bears');

type Owned = IncomingMessage & { [owner]?: string };

/** Says by whom the body of a request is counted: a credential. Else it is its network address. */
export function countBodyFor(request: Owned, credential: string): void {
  request[owner] = credential;
}

/** The memory of one body while it arrives and is parsed. */
export interface BodyLease {
  /** Counts bytes that arrived. Throws `rate_limited` or `unavailable` beyond a bound. */
  grow(bytes: number): void;
  /** To be called once, at the end. */
  release(): void;
}

const held = { bytes: 0 };
const heldBy = new Map<string, number>();

/**
 * Counts a body that is going to be held in memory. A credential, or an address, has room for a sum of what its bodies announce; all
 * together have room for a sum of what arrived. `announced`: bytes, by default its Content-Length. Throws `rate_limited` or `unavailable`, with the seconds to wait.
 */
export function leaseBody(request: Owned, announced = Number(request.headers['content-length'] ?? 0)): BodyLease {
  const by = request[owner] ?? request.socket.remoteAddress ?? '';
  let reserved = 0;
  let arrived = 0;
  const reserve = (bytes: number): void => {
    const sum = (heldBy.get(by) ?? 0) + bytes;
    if (sum > limits.bodiesOfOneBytesMax) throw tooManyOfOne();
    heldBy.set(by, sum);
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
      const left = (heldBy.get(by) ?? 0) - reserved;
      if (left > 0) heldBy.set(by, left);
      else heldBy.delete(by);
    },
  };
}

function tooManyOfOne(): PlannerError {
  const max = limits.bodiesOfOneBytesMax;
  return new PlannerError(
    'rate_limited',
    `The bodies that this caller sends at present are over ${max} bytes together. Send them one after another.`,
    { bytes_max: max, retry_after: retrySeconds },
  );
}

function tooMany(): PlannerError {
  const max = limits.bodiesBytesMax;
  return new PlannerError(
    'unavailable',
    `The bodies that arrive at present are over ${max} bytes together. Nothing was changed; send it again later.`,
    { bytes_max: max, retry_after: retrySeconds },
  );
}
