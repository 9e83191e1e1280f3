import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../limits.ts';
import { TurnQueue } from '../platform/turn-queue.ts';

/** Where a head ends, and a body of unknown length: each request is parsed by itself. */
const blankLine = '\r\n\r\n';

/** So many requests of a connection have their turns before another connection has one. */
const batchSize = 32;

type Parse = (chunk: Buffer) => void;

/** What is done with a request that has its turn, and once its response is sent or cut off. */
export interface RequestHooks {
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void;
  readonly end: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The requests of one connection. */
interface ConnectionQueue {
  readonly socket: Socket;
  readonly parse: Parse;
  /** The request whose response is not sent yet. */
  current: IncomingMessage | undefined;
  /** Requests that were parsed together with the one before. */
  readonly waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
  /** Input that is not parsed yet. The socket is paused while there is some. */
  held: Buffer[];
  heldBytes: number;
  /** Requests that had their turn. */
  startedCount: number;
  /** At least so many bytes of the current request's body are still to come. */
  bodyLeft: number;
}

/**
 * Hands requests over one at a time for each connection: none begins, and no more input is parsed, while the response before it is not
 * sent. A client that pipelines and does not read its responses thus holds one response, not hundreds.
 * Further requests of a connection begin in later turns of the event loop, so that other connections are served in between.
 */
export class RequestOrder {
  readonly #hooks: RequestHooks;
  readonly #queues = new Map<Socket, ConnectionQueue>();
  #heldBytes = 0;
  readonly #turns = new TurnQueue();

  constructor(server: Server, turn: RequestHooks) {
    this.#hooks = turn;
    // After the server's own listener, which parses what the socket emits.
    server.on('connection', (socket: Socket) => this.#opened(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#parsed(request, response));
  }

  /** Whether a response of this connection is owed for a request that arrived whole. */
  hasPendingResponse(socket: Socket): boolean {
    return this.#queues.get(socket)?.current?.complete === true;
  }

  #opened(socket: Socket): void {
    const [parse] = socket.listeners('data') as Parse[];
    if (parse === undefined) throw new Error('The HTTP server does not read this connection.');
    const none = { held: [], heldBytes: 0, startedCount: 0, bodyLeft: 0 };
    const queue: ConnectionQueue = { socket, parse, current: undefined, waiting: [], ...none };
    this.#queues.set(socket, queue);
    socket.off('data', parse);
    socket.on('data', (chunk: Buffer) => this.#received(queue, chunk));
    // The HTTP server resumes a socket itself when its output drains.
    socket.on('resume', () => void (queue.held.length > 0 && socket.pause()));
    socket.once('close', () => this.#closed(queue));
  }

  #closed(queue: ConnectionQueue): void {
    this.#queues.delete(queue.socket);
    this.#release(queue);
  }

  #received(queue: ConnectionQueue, chunk: Buffer): void {
    if (queue.held.length > 0) this.#hold(queue, chunk);
    else this.#parse(queue, chunk);
  }

  /** Parses request by request, as long as no complete one is under way or waits: a chunk of 64 KiB can hold two thousand. */
  #parse(queue: ConnectionQueue, chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !queue.socket.destroyed;) {
      const { current } = queue;
      // One that waits for its turn must not be overtaken in between by what arrives.
      if (current?.complete === true || queue.waiting.length > 0) return this.#hold(queue, chunk.subarray(at));
      const end = sliceEnd(queue, chunk, at);
      const slice = chunk.subarray(at, end);
      queue.bodyLeft = Math.max(0, queue.bodyLeft - slice.length);
      queue.parse(slice);
      // Some of its body may have come with its head.
      if (queue.current !== current) queue.bodyLeft = Math.max(0, announced(queue.current) - slice.length);
      at = end;
    }
  }

  #parsed(request: IncomingMessage, response: ServerResponse): void {
    const queue = this.#queues.get(request.socket)!;
    if (queue.current === undefined) this.#start(queue, request, response);
    else queue.waiting.push({ request, response });
  }

  #start(queue: ConnectionQueue, request: IncomingMessage, response: ServerResponse): void {
    queue.current = request;
    response.once('close', () => {
      queue.current = undefined;
      this.#hooks.end(request, response);
      if (queue.waiting.length === 0 && queue.held.length === 0) return;
      // Some in a row: requests that are long under way together outlive the cheap collections of garbage.
      const isRow = ++queue.startedCount % batchSize !== 0;
      this.#turns.add(() => this.#advance(queue), isRow ? 'before' : 'behind');
    });
    this.#hooks.begin(request, response);
  }

  #advance(queue: ConnectionQueue): void {
    if (queue.socket.destroyed) return;
    const next = queue.waiting.shift();
    if (next !== undefined) this.#start(queue, next.request, next.response);
    // The body of one that waited is still to be parsed.
    this.#resume(queue);
  }

  #resume(queue: ConnectionQueue): void {
    const { held } = queue;
    this.#release(queue);
    for (const chunk of held) this.#received(queue, chunk);
    if (queue.held.length === 0) queue.socket.resume();
  }

  #hold(queue: ConnectionQueue, chunk: Buffer): void {
    queue.socket.pause();
    queue.held.push(chunk);
    queue.heldBytes += chunk.length;
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > limits.heldInputBytesMax) this.#cutOffLargest(queue);
  }

  #release(queue: ConnectionQueue): void {
    this.#heldBytes -= queue.heldBytes;
    queue.held = [];
    queue.heldBytes = 0;
  }

  #cutOffLargest(largest: ConnectionQueue): void {
    for (const queue of this.#queues.values()) if (queue.heldBytes > largest.heldBytes) largest = queue;
    this.#release(largest);
    largest.socket.destroy();
  }
}

/** Where the next slice of a chunk ends: with the body if its length is known, else behind the next blank queue. */
function sliceEnd({ bodyLeft }: ConnectionQueue, chunk: Buffer, at: number): number {
  if (bodyLeft > 0) return Math.min(chunk.length, at + bodyLeft);
  const found = chunk.indexOf(blankLine, at, 'latin1');
  return found === -1 ? chunk.length : found + blankLine.length;
}

function announced(request: IncomingMessage | undefined): number {
  return Number(request?.headers['content-length'] ?? 0);
}
