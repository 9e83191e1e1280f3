import { randomFraction } from './random-fraction.ts';
import { readStream } from './read-stream.ts';
import type { StreamEnd, StreamMessage } from './read-stream.ts';
import { withSlot } from './slots.ts';

export interface StreamListener {
  /** The stream is open. Results read without events before `cursor` are not covered by the stream. */
  readonly onOpen: (begin: { readonly cursor: string | undefined; readonly isResumed: boolean }) => void;
  /** Returns the cursor of the last event among them. */
  readonly onMessages: (messages: readonly StreamMessage[]) => string | undefined;
  /** The stream has ended, and is opened again later. */
  readonly onBroken: () => void;
}

/** A stream that ends sooner is not tried again immediately: a proxy may end each of them. */
const livedMsLeast = 5000;
/** A tab that was left for a moment keeps its stream. */
const hiddenMs = 2000;

/**
 * Keeps a stream of events open while the page is visible. It continues after the last event after an interruption;
 * after a cursor that is too old everything is requested again. The backoff between attempts is short if the service is
 * away, and long if streams do not pass.
 */
export class ChangeStream {
  readonly #url: string;
  readonly #listener: StreamListener;
  #cursor: string | undefined;
  /** True if everything up to the cursor was received. */
  #continues = false;
  #stopping: AbortController | undefined;
  #hiding: number | undefined;
  #wake = (): void => undefined;

  constructor(url: string, listener: StreamListener) {
    this.#url = url;
    this.#listener = listener;
  }

  start(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    window.addEventListener('online', this.#onOnline);
    window.addEventListener('offline', this.#onOffline);
    if (document.visibilityState === 'visible') this.#run();
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    window.removeEventListener('online', this.#onOnline);
    window.removeEventListener('offline', this.#onOffline);
    window.clearTimeout(this.#hiding);
    this.#end();
  }

  /** The service responds again: does not wait any longer if it was away. */
  wake(): void {
    this.#wake();
  }

  readonly #onVisibility = (): void => {
    window.clearTimeout(this.#hiding);
    if (document.visibilityState === 'visible') this.#run();
    else this.#hiding = window.setTimeout(() => this.#end(), hiddenMs);
  };

  readonly #onOnline = (): void => {
    if (document.visibilityState === 'visible') this.#run();
  };

  readonly #onOffline = (): void => this.#end();

  #end(): void {
    if (this.#stopping === undefined) return;
    this.#stopping.abort();
    this.#stopping = undefined;
    this.#listener.onBroken();
  }

  #run(): void {
    if (this.#stopping !== undefined) return;
    this.#stopping = new AbortController();
    void this.#repeat(this.#stopping.signal);
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let [end, livedMs]: [StreamEnd, number] = [{ kind: 'unreachable' }, 0];
      await withSlot(signal, async () => {
        [end, livedMs] = await this.#attempt(signal);
      }).catch(() => undefined);
      if (signal.aborted) return;
      this.#listener.onBroken();
      failures = livedMs > livedMsLeast ? 0 : failures + 1;
      await this.#pause(pauseMs(end, failures), signal, isAway(end));
    }
  }

  /** Resolves to why the stream ended, and how long it was open. */
  async #attempt(signal: AbortSignal): Promise<[StreamEnd, number]> {
    let openedAt = Infinity;
    const end = await readStream({
      url: this.#url,
      cursor: this.#cursor,
      signal,
      onOpen: (begin) => {
        openedAt = performance.now();
        this.#listener.onOpen({ cursor: begin, isResumed: this.#continues });
        this.#takeCursor(this.#cursor ?? begin);
      },
      onMessages: (messages) => this.#takeCursor(this.#listener.onMessages(messages)),
    });
    if (end.kind === 'unauthorized') window.dispatchEvent(new Event('planner:unauthorized'));
    if (end.kind === 'expired') [this.#cursor, this.#continues] = [end.cursor, false];
    return [end, Math.max(0, performance.now() - openedAt)];
  }

  #takeCursor(cursor: string | undefined): void {
    if (cursor === undefined) return;
    this.#cursor = cursor;
    this.#continues = true;
  }

  async #pause(ms: number, signal: AbortSignal, wakes: boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = window.setTimeout(resolve, ms);
      const end = (): void => {
        window.clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', end);
      if (wakes) this.#wake = end;
    });
    this.#wake = () => undefined;
  }
}

/** Returns whether the service, and not a proxy, is the reason. */
function isAway({ kind }: StreamEnd): boolean {
  return kind === 'ended' || kind === 'unreachable';
}

const againMs = { first: 200, max: 5000 } as const;
const refusedMs = { first: 5000, max: 300_000 } as const;

/** Before the next attempt. Many pages do not come back in the same moment after a restart. */
function pauseMs(end: StreamEnd, failures: number): number {
  if (end.kind === 'expired' && failures <= 1) return 0;
  const { first, max } = isAway(end) ? againMs : refusedMs;
  const ms = Math.min(max, first * 2 ** Math.max(0, failures - 1));
  const least = end.kind === 'refused' ? (end.retryAfterMs ?? 0) : 0;
  return Math.max(least, ms * (0.75 + randomFraction() / 2));
}
