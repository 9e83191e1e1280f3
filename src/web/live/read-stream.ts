import { createParser } from 'eventsource-parser';

/** A message of the stream; `type` is `message` for events of the feed. */
export interface StreamMessage {
  readonly type: string;
  readonly data: string;
}

/** Why a stream has ended. */
export type StreamEnd =
  /** The connection ended after the service had answered. */
  | { readonly kind: 'ended' }
  /** Nothing arrived in time: a proxy holds the response back, or the connection is lost. */
  | { readonly kind: 'silent' }
  /** The service could not be reached. */
  | { readonly kind: 'unreachable' }
  /** The cursor is too old: `cursor` is the one to begin at, after everything was read again. */
  | { readonly kind: 'expired'; readonly cursor: string }
  | { readonly kind: 'unauthorized' }
  /** The service, or a proxy, does not stream. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number | undefined };

export interface ReadStreamOptions {
  readonly url: string;
  /** Continues after this event; undefined begins at the present. */
  readonly cursor: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the first bytes: the cursor at which the stream begins. */
  readonly onOpen: (cursor: string | undefined) => void;
  /** Called with the messages that arrived together. */
  readonly onMessages: (messages: readonly StreamMessage[]) => void;
}

/** The service sends the first bytes immediately. A proxy that buffers holds them back. */
const firstByteMsMax = 5000;
/** The service sends something every 15 seconds. */
const silenceMsMax = 20_000;

/** Reads Server-Sent Events until the stream ends. Resolves also if `signal` aborts. */
export async function readStream({ url, cursor, signal, onOpen, onMessages }: ReadStreamOptions): Promise<StreamEnd> {
  const silence = new Silence();
  silence.limit(firstByteMsMax);
  let isOpen = false;
  try {
    const response = await fetch(url, {
      headers: { Accept: 'text/event-stream', ...(cursor === undefined ? {} : { 'Last-Event-ID': cursor }) },
      ...{ cache: 'no-store', credentials: 'same-origin' },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!isStream(response)) return await refusal(response);
    const begin = response.headers.get('X-Planner-Cursor') ?? undefined;
    let messages: StreamMessage[] = [];
    const parser = createParser({ onEvent: ({ event = 'message', data }) => messages.push({ type: event, data }) });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      silence.limit(silenceMsMax);
      if (!isOpen) onOpen(begin);
      isOpen = true;
      parser.feed(next.value);
      if (messages.length > 0) onMessages(messages);
      messages = [];
    }
    return { kind: 'ended' };
  } catch {
    if (silence.signal.aborted) return { kind: 'silent' };
    return { kind: isOpen ? 'ended' : 'unreachable' };
  } finally {
    silence.end();
  }
}

/** Aborts if nothing arrives in time. */
class Silence {
  readonly #aborting = new AbortController();
  #timer: number | undefined;

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  limit(ms: number): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#aborting.abort(), ms);
  }

  end(): void {
    window.clearTimeout(this.#timer);
  }
}

function isStream({ ok, headers, body }: Response): boolean {
  return ok && body !== null && headers.get('Content-Type')?.startsWith('text/event-stream') === true;
}

const secondMs = 1000;

async function refusal(response: Response): Promise<StreamEnd> {
  if (response.status === 401) return { kind: 'unauthorized' };
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const body = (await response.json().catch(() => undefined)) as { error?: unknown; cursor?: unknown } | undefined;
  if (body?.error === 'cursor_expired' && typeof body.cursor === 'string')
    return { kind: 'expired', cursor: body.cursor };
  return { kind: 'refused', retryAfterMs: Number.isFinite(seconds) ? seconds * secondMs : undefined };
}
