import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { limits } from '../base/limits.ts';
import { Roster } from '../platform/roster.ts';

export interface UnsentOptions {
  /** A response that the client has not read from for this time is aborted. Milliseconds. */
  readonly stalledMs: number;
  /** The idle timeout of a connection whose response is being read, in milliseconds. */
  readonly idleMs: number;
}

/** Smaller chunks of a stream are counted at the next sweep. */
const largePieceBytes = 256 * 1024;
/** Interval of the checks of responses in progress. */
const sweepMs = 250;

const owner = Symbol('the limits of a response');
const isStream = Symbol('sends nothing for long');

type Limited = ServerResponse & { [owner]?: UnsentResponses; [isStream]?: true };

/** A response that sends something now and then is checked only while the client has not read the sent part. */
export function beginStream(response: Limited): void {
  response[isStream] = true;
  response[owner]?.end(response);
}

/** Called when a stream has bytes that the client may not read. */
export function noteUnsent(response: Limited): void {
  response[owner]?.check(response);
}

interface Unsent {
  readonly response: ServerResponse;
  readonly peer: string;
  readonly bytes: number;
}

interface Tally {
  bytes: number;
  count: number;
}

/**
 * Limits the memory of responses that clients do not read: Node buffers them until the socket accepts them. Stalled
 * responses are aborted after a timeout. If the sum exceeds its limit, per address or in total, the largest are aborted
 * immediately, with the ones that clients had no time to read yet last.
 */
export class UnsentResponses {
  readonly #options: UnsentOptions;
  readonly #underWay = new Roster<ServerResponse>();
  /** Responses that had unsent bytes at the last sweep. */
  #late = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  /** The listeners of all responses. */
  readonly #prefinished: (this: ServerResponse) => void;
  readonly #piped: (this: ServerResponse, source: Readable) => void;

  constructor(options: UnsentOptions) {
    this.#options = options;
    const check = (response: ServerResponse): void => this.#checkUnsent(response);
    const shed = (): void => this.#shed();
    this.#prefinished = function () {
      if (this.writableLength > 0) shed();
    };
    this.#piped = function (source) {
      source.on('data', (piece: Uint8Array) => {
        // The chunk is written by a listener that runs after the present one.
        if (piece.length >= largePieceBytes) queueMicrotask(() => check(this));
      });
    };
  }

  begin(response: Limited): void {
    response[owner] = this;
    this.#underWay.add(response);
    response.on('prefinish', this.#prefinished);
    response.on('pipe', this.#piped);
    this.#timer ??= this.#schedule();
  }

  #checkUnsent(response: ServerResponse): void {
    if (response.writableLength > 0) this.#shed();
  }

  check(response: ServerResponse): void {
    this.#underWay.add(response);
    this.#timer ??= this.#schedule();
  }

  end(response: ServerResponse): void {
    this.#underWay.delete(response);
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => this.#sweep(), sweepMs).unref();
  }

  #sweep(): void {
    const { stalledMs: stuckMs, idleMs: silentMs } = this.#options;
    const late = new Set<ServerResponse>();
    for (const response of this.#underWay) {
      const isLate = response.writableLength > 0;
      if (isLate) late.add(response);
      // A socket compares the progress of a large write only when its timeout fires, so detecting a stall takes up to two timeouts.
      if (isLate && !this.#late.has(response)) response.socket?.setTimeout(Math.min(stuckMs / 2, silentMs));
      if (!isLate && this.#late.has(response)) response.socket?.setTimeout(silentMs);
    }
    this.#late = late;
    this.#shed();
    for (const response of [...this.#underWay] as Limited[])
      if (response[isStream] === true && response.writableLength === 0) this.#underWay.delete(response);
    this.#timer = this.#underWay.size > 0 ? this.#schedule() : undefined;
  }

  /** Aborts the largest responses until the sums are within their limits. */
  #shed(): void {
    const unsent = this.#unsent();
    const all: Tally = { bytes: 0, count: 0 };
    const peers = new Map<string, Tally>();
    for (const { peer, bytes } of unsent) {
      if (!peers.has(peer)) peers.set(peer, { bytes: 0, count: 0 });
      for (const tally of [all, peers.get(peer)!]) {
        tally.bytes += bytes;
        tally.count++;
      }
    }
    for (const { response, peer, bytes } of unsent) {
      const own = peers.get(peer)!;
      if (!isOver(all, limits.unsentBytesMax) && !isOver(own, limits.unsentPeerBytesMax)) continue;
      for (const tally of [all, own]) {
        tally.bytes -= bytes;
        tally.count--;
      }
      response.destroy();
    }
  }

  /** Late responses first, then by size, largest first. */
  #unsent(): Unsent[] {
    const unsent: Unsent[] = [];
    for (const response of this.#underWay) {
      const bytes = response.writableLength;
      if (bytes > 0) unsent.push({ response, peer: peerOf(response), bytes });
    }
    const isLate = ({ response }: Unsent): number => (this.#late.has(response) ? 1 : 0);
    return unsent.sort((a, b) => isLate(b) - isLate(a) || b.bytes - a.bytes);
  }
}

/** A single response is sent regardless of its size. */
function isOver({ bytes, count }: Tally, bytesMax: number): boolean {
  return count > 1 && bytes > bytesMax;
}

/** The client address from the guard; the socket's address if the guard rejected the request. */
function peerOf(response: ServerResponse & { readonly locals?: { readonly address?: string } }): string {
  return response.locals?.address ?? response.socket?.remoteAddress ?? '';
}
