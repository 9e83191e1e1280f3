import type { ServerResponse } from 'node:http';
import { beginEventStream } from '../http/event-stream.ts';
import { beginStream, noteUnsent } from '../http/unsent-responses.ts';
import type { AnswerSink } from '../operations/pipeline/channels.ts';
import type { Input, Outcome } from '../operations/pipeline/dispatch.ts';
import type { PresenceChange, ServiceChange } from '../schema/types.ts';

/** How long a client waits until it connects again. */
const retryMs = 1000;

/** With more unsent bytes a client counts as slow: nothing is read for it until they are sent. */
const unsentBytesMax = 64 * 1024;
/** More events in one answer are fewer writes. */
const limitDefault = 1000;

/** The part of the answers that a stream sends. */
interface Followed {
  readonly events: readonly { readonly cursor: string }[];
  readonly cursor: string;
}

/** The input of a stream: it continues after the last event that the client has, else begins at the present. */
export function streamInput(input: Input, lastEventId: string | string[] | undefined): Input {
  const continued = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : input['since'];
  return { ...input, since: continued ?? 'now', limit: input['limit'] ?? limitDefault };
}

/**
 * A response with Server-Sent Events. Nothing is sent before the first answer, so that its error can be sent instead. A
 * client that reads slowly is waited for; the server ends connections that do not progress, and the client continues
 * after the last event that it has.
 */
export class EventStream implements AnswerSink {
  readonly #response: ServerResponse;
  /** Called at each pause. Rejects if the caller may not follow any longer. */
  readonly #check: () => Promise<unknown>;
  readonly #onBegin: () => void;
  #drained: (() => void) | undefined;
  /** The sessions that are present, if some of their changes were not sent. */
  #missed: (() => PresenceChange) | undefined;

  /** `onBegin` is called after the first answer was sent. */
  constructor(response: ServerResponse, check: () => Promise<unknown>, onBegin: () => void) {
    this.#response = response;
    this.#check = check;
    this.#onBegin = onBegin;
    const wake = (): void => this.#wake();
    // Writes to the socket itself do not trigger the response's own events.
    const { socket } = response;
    socket?.on('drain', wake);
    response.on('close', () => {
      socket?.off('drain', wake);
      wake();
    });
  }

  send({ value }: Outcome): boolean {
    if (this.#response.headersSent) return this.#writeShared(framesOf(value as Followed));
    const { cursor, events } = value as Followed;
    beginStream(this.#response);
    beginEventStream(this.#response, { 'X-Planner-Cursor': cursor });
    this.#write(`retry: ${retryMs}\n${events.length === 0 ? `id: ${cursor}\n` : ''}\n`);
    if (events.length > 0) this.#write(framesOf(value as Followed).frames);
    this.#onBegin();
    return !this.#isFull;
  }

  async drained(): Promise<void> {
    if (this.#isFull && !this.#response.closed) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  async pause({ value }: Outcome): Promise<void> {
    if (!this.#response.headersSent) return;
    // Also right after events: else almost two intervals could pass before the client gets anything. An event without data is not
    // dispatched, but its id is where the client continues.
    if (!this.#isFull) this.#write(`: keep-alive\nid: ${(value as Followed).cursor}\n\n`);
    await this.#check();
  }

  /**
   * Sends a change of data that a stream has besides the events. With `whole`, a client that reads slowly gets
   * everything later instead.
   */
  sendBeside(type: BesideType, change: BesideChange, whole?: () => PresenceChange): void {
    if (whole !== undefined && (this.#isFull || this.#missed !== undefined)) this.#missed = whole;
    else this.#write(besideFrame(type, change));
  }

  /** Ends the response, if it has begun. */
  end(): void {
    if (this.#response.headersSent) this.#response.end();
  }

  get #isFull(): boolean {
    return this.#response.writableLength >= unsentBytesMax;
  }

  #write(frames: string | Uint8Array): boolean {
    if (!this.#response.writable) return true;
    if (!this.#response.write(frames)) noteUnsent(this.#response);
    return !this.#isFull;
  }

  /**
   * Writes text that many followers get. The response would build its part of the chunked encoding for each of them,
   * and send it in a later turn, so that the time that it takes could not be measured by the channel.
   */
  #writeShared({ frames, chunk }: Encoded): boolean {
    const { socket, chunkedEncoding, writable } = this.#response;
    if (!chunkedEncoding || !writable || socket === null || socket.writableCorked > 0) return this.#write(frames);
    if (!socket.write(chunk)) noteUnsent(this.#response);
    return !this.#isFull;
  }

  #wake(): void {
    const missed = this.#missed;
    this.#missed = undefined;
    if (missed !== undefined) this.#write(besideFrame('presence', missed()));
    this.#drained?.();
    this.#drained = undefined;
  }
}

type BesideType = 'presence' | 'service';
type BesideChange = PresenceChange | ServiceChange;

const besideFrames = new WeakMap<BesideChange, string>();

/** The frame has no id: a client continues at the cursor of the last event. */
function besideFrame(type: BesideType, change: BesideChange): string {
  let frame = besideFrames.get(change);
  if (frame === undefined) besideFrames.set(change, (frame = `event: ${type}\ndata: ${JSON.stringify(change)}\n\n`));
  return frame;
}

/** The events of an answer as bytes. */
interface Encoded {
  readonly frames: Uint8Array;
  /** The frames as a chunk of a response with the chunked encoding. */
  readonly chunk: Uint8Array;
}

const encoded = new WeakMap<Followed, Encoded>();

/** The events of an answer, encoded once for all followers who get it. */
function framesOf(answer: Followed): Encoded {
  let one = encoded.get(answer);
  if (one === undefined) {
    const text = answer.events.map((event) => `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const size = Buffer.byteLength(text);
    const head = `${size.toString(16)}\r\n`;
    const chunk = Buffer.from(`${head}${text}\r\n`);
    one = { chunk, frames: chunk.subarray(head.length, head.length + size) };
    encoded.set(answer, one);
  }
  return one;
}
