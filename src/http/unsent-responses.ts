import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { limits } from '../limits.ts';

export interface UnsentOptions {
  /** A response of which nothing more was taken for so long is cut off. Milliseconds. */
  readonly stalledMs: number;
  /** The idle timeout of a connection whose response is being taken, in milliseconds. */
  readonly idleMs: number;
}

/** Smaller pieces of a stream wait for the next sweep. */
const largePieceBytes = 256 * 1024;
/** How often responses under way are looked at. */
const sweepMs = 250;

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
 * Bounds what readers leave unread: responses are held in memory until the system takes them. Those that got stuck are cut off after a
 * while; beyond a sum, of one address or in all, the largest at once. Responses that had no time to be read yet are the last to go.
 */
export class UnsentResponses {
  readonly #options: UnsentOptions;
  readonly #underWay = new Set<ServerResponse>();
  /** Those that were unsent at the last sweep already. */
  #late = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UnsentOptions) {
    this.#options = options;
  }

  begin(response: ServerResponse): void {
    this.#underWay.add(response);
    const check = (): void => {
      if (response.writableLength > 0) this.#shed();
    };
    response.once('prefinish', check);
    response.once('pipe', (source: Readable) =>
      source.on('data', (piece: Uint8Array) => {
        // Written by a listener that comes after this one.
        if (piece.length >= largePieceBytes) queueMicrotask(check);
      }),
    );
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
      // A socket notices at the end of one timeout what was taken of a large write since its beginning, and only then starts another.
      if (isLate && !this.#late.has(response)) response.socket?.setTimeout(Math.min(stuckMs / 2, silentMs));
      if (!isLate && this.#late.has(response)) response.socket?.setTimeout(silentMs);
    }
    this.#late = late;
    this.#shed();
    this.#timer = this.#underWay.size > 0 ? this.#schedule() : undefined;
  }

  /** Cuts off the largest until the sums are within their bounds. */
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

  /** Late ones first, each kind from the largest on. */
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

/** A single response is sent whatever its size. */
function isOver({ bytes, count }: Tally, bytesMax: number): boolean {
  return count > 1 && bytes > bytesMax;
}

/** The address as the guard made it out; a proxy's where the request did not get that far. */
function peerOf(response: ServerResponse & { readonly locals?: { readonly address?: string } }): string {
  return response.locals?.address ?? response.socket?.remoteAddress ?? '';
}
