import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../base/limits.ts';
import { TurnQueue } from '../platform/turn-queue.ts';
import { isTurnSpent } from '../base/slices.ts';

/** Ends a request head, and a body of unknown length. Input is split there so that each request is parsed separately. */
const blankLine = '\r\n\r\n';

/** Pipelined requests of one connection that are handled before another connection gets its turn. */
const batchSize = 32;

type Parse = (chunk: Buffer) => void;

/** Called when a request is to be handled, and after its response was sent or aborted. */
export interface RequestHooks {
  /** Returns whether a request starts immediately, however many others have arrived. */
  readonly isUrgent?: (request: IncomingMessage) => boolean;
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void;
  readonly end: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The requests of one connection. */
interface ConnectionQueue {
  readonly socket: Socket;
  readonly parse: Parse;
  /** The request whose response is not sent yet. */
  current: IncomingMessage | undefined;
  /** Parsed requests that wait for the current response. */
  readonly waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
  /** Input that is not parsed yet. The socket is paused while there is any. */
  buffered: Buffer[];
  bufferedBytes: number;
  /** Requests that were handled so far. */
  startedCount: number;
  /** Minimum number of body bytes that the current request still has to receive. */
  bodyLeft: number;
}

/**
 * Handles the requests of each connection one at a time: the next request starts, and more input is parsed, only after
 * the preceding response was sent. A client that pipelines and does not read its responses thus holds one response in
 * memory, not hundreds. Further requests of a connection start in later turns of the event loop, so that other
 * connections are served in between; so do first requests if many connections send one at the same time.
 */
export class RequestOrder {
  readonly #hooks: RequestHooks;
  readonly #queues = new Map<Socket, ConnectionQueue>();
  #bufferedBytes = 0;
  readonly #turns = new TurnQueue();

  constructor(server: Server, hooks: RequestHooks) {
    this.#hooks = hooks;
    // Registered after the server's own listener, which attaches the parser to the socket.
    server.on('connection', (socket: Socket) => this.#opened(socket));
    server.on('request', this.#parsed);
  }

  /** Returns whether a complete request of this connection awaits its response. */
  hasPendingResponse(socket: Socket): boolean {
    return this.#queues.get(socket)?.current?.complete === true;
  }

  #opened(socket: Socket): void {
    const [parse] = socket.listeners('data') as Parse[];
    if (parse === undefined) throw new Error('The HTTP server does not read this connection.');
    const none = { buffered: [], bufferedBytes: 0, startedCount: 0, bodyLeft: 0 };
    const queue: ConnectionQueue = { socket, parse, current: undefined, waiting: [], ...none };
    this.#queues.set(socket, queue);
    socket.off('data', parse);
    socket.on('data', (chunk: Buffer) => this.#parse(queue, chunk));
    // The HTTP server resumes a socket itself when its output drains.
    socket.on('resume', () => void (queue.buffered.length > 0 && socket.pause()));
    socket.once('close', () => this.#closed(queue));
  }

  #closed(queue: ConnectionQueue): void {
    this.#queues.delete(queue.socket);
    this.#release(queue);
  }

  /** Parses one request at a time, until a complete one is in progress or waits: a chunk of 64 KiB can contain two thousand. */
  #parse(queue: ConnectionQueue, chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !queue.socket.destroyed;) {
      const { current } = queue;
      // New input must not overtake a waiting request, or earlier input.
      if (current?.complete === true || queue.waiting.length > 0 || queue.buffered.length > 0)
        return this.#buffer(queue, chunk.subarray(at));
      const end = sliceEnd(queue, chunk, at);
      const slice = at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end);
      queue.bodyLeft = Math.max(0, queue.bodyLeft - slice.length);
      queue.parse(slice);
      // Part of the body may have arrived with the head.
      if (queue.current !== current) {
        const announced = Number(queue.current?.headers['content-length'] ?? 0);
        queue.bodyLeft = Math.max(0, announced - slice.length);
      }
      at = end;
    }
  }

  readonly #parsed = (request: IncomingMessage, response: ServerResponse): void => {
    const queue = this.#queues.get(request.socket)!;
    if (queue.current !== undefined) queue.waiting.push({ request, response });
    else if (!isTurnSpent(limits.turnMsMax) || this.#hooks.isUrgent?.(request) === true)
      this.#start(queue, request, response);
    else {
      // The requests of a thousand connections may arrive in one turn.
      queue.waiting.push({ request, response });
      this.#turns.add(() => this.#advance(queue));
    }
  };

  #start(queue: ConnectionQueue, request: IncomingMessage, response: ServerResponse): void {
    queue.current = request;
    response.on('close', () => {
      queue.current = undefined;
      this.#hooks.end(request, response);
      if (queue.waiting.length === 0 && queue.buffered.length === 0) return;
      // They start in batches, because requests that take turns stay in memory longer and survive the cheap minor
      // garbage collections.
      const isRow = ++queue.startedCount % batchSize !== 0;
      this.#turns.add(() => this.#advance(queue), isRow ? 'before' : 'behind');
    });
    this.#hooks.begin(request, response);
  }

  #advance(queue: ConnectionQueue): void {
    if (queue.socket.destroyed) return;
    const next = queue.waiting.shift();
    if (next !== undefined) this.#start(queue, next.request, next.response);
    // The body of the started request may still be unparsed.
    this.#resume(queue);
  }

  #resume(queue: ConnectionQueue): void {
    const { buffered } = queue;
    this.#release(queue);
    for (const chunk of buffered) this.#parse(queue, chunk);
    if (queue.buffered.length === 0) queue.socket.resume();
  }

  #buffer(queue: ConnectionQueue, chunk: Buffer): void {
    queue.socket.pause();
    queue.buffered.push(chunk);
    queue.bufferedBytes += chunk.length;
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes > limits.heldInputBytesMax) this.#destroyLargest(queue);
  }

  #release(queue: ConnectionQueue): void {
    this.#bufferedBytes -= queue.bufferedBytes;
    queue.buffered = [];
    queue.bufferedBytes = 0;
  }

  #destroyLargest(largest: ConnectionQueue): void {
    for (const queue of this.#queues.values()) if (queue.bufferedBytes > largest.bufferedBytes) largest = queue;
    this.#release(largest);
    largest.socket.destroy();
  }
}

/** The end of the next slice of a chunk: the end of the body if its length is known, else after the next blank line. */
function sliceEnd({ bodyLeft }: ConnectionQueue, chunk: Buffer, at: number): number {
  if (bodyLeft > 0) return Math.min(chunk.length, at + bodyLeft);
  const found = chunk.indexOf(blankLine, at, 'latin1');
  return found === -1 ? chunk.length : found + blankLine.length;
}
