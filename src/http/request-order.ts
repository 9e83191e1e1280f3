import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../limits.ts';
import { TurnQueue } from '../platform/turn-queue.ts';

/** Where a head ends, and a body of unknown length: each request is parsed by itself. */
const blankLine = '\r\n\r\n';

/** So many requests of a connection have their turns before another connection has one. */
const inARow = 32;

type Parse = (chunk: Buffer) => void;

/** What is done with a request that has its turn, and once its response is sent or cut off. */
export interface Turn {
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void;
  readonly end: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The requests of one connection. */
interface Line {
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
  begun: number;
  /** At least so many bytes of the current request's body are still to come. */
  bodyLeft: number;
}

/**
 * Hands requests over one at a time for each connection: none begins, and no more input is parsed, while the response before it is not
 * sent. A client that pipelines and does not read its responses thus holds one response, not hundreds.
 * Further requests of a connection begin in later turns of the event loop, so that other connections are served in between.
 */
export class RequestOrder {
  readonly #turn: Turn;
  readonly #lines = new Map<Socket, Line>();
  #heldBytes = 0;
  readonly #turns = new TurnQueue();

  constructor(server: Server, turn: Turn) {
    this.#turn = turn;
    // After the server's own listener, which parses what the socket emits.
    server.on('connection', (socket: Socket) => this.#opened(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#parsed(request, response));
  }

  /** Whether a response of this connection is owed for a request that arrived whole. */
  owesResponse(socket: Socket): boolean {
    return this.#lines.get(socket)?.current?.complete === true;
  }

  #opened(socket: Socket): void {
    const [parse] = socket.listeners('data') as Parse[];
    if (parse === undefined) throw new Error('The HTTP server does not read this connection.');
    const none = { held: [], heldBytes: 0, begun: 0, bodyLeft: 0 };
    const line: Line = { socket, parse, current: undefined, waiting: [], ...none };
    this.#lines.set(socket, line);
    socket.off('data', parse);
    socket.on('data', (chunk: Buffer) => this.#received(line, chunk));
    // The HTTP server resumes a socket itself when its output drains.
    socket.on('resume', () => void (line.held.length > 0 && socket.pause()));
    socket.once('close', () => this.#closed(line));
  }

  #closed(line: Line): void {
    this.#lines.delete(line.socket);
    this.#release(line);
  }

  #received(line: Line, chunk: Buffer): void {
    if (line.held.length > 0) this.#hold(line, chunk);
    else this.#parse(line, chunk);
  }

  /** Parses request by request, as long as no complete one is under way or waits: a chunk of 64 KiB can hold two thousand. */
  #parse(line: Line, chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !line.socket.destroyed;) {
      const { current } = line;
      // One that waits for its turn must not be overtaken in between by what arrives.
      if (current?.complete === true || line.waiting.length > 0) return this.#hold(line, chunk.subarray(at));
      const end = sliceEnd(line, chunk, at);
      const slice = chunk.subarray(at, end);
      line.bodyLeft = Math.max(0, line.bodyLeft - slice.length);
      line.parse(slice);
      // Some of its body may have come with its head.
      if (line.current !== current) line.bodyLeft = Math.max(0, announced(line.current) - slice.length);
      at = end;
    }
  }

  #parsed(request: IncomingMessage, response: ServerResponse): void {
    const line = this.#lines.get(request.socket)!;
    if (line.current === undefined) this.#start(line, request, response);
    else line.waiting.push({ request, response });
  }

  #start(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.current = request;
    response.once('close', () => {
      line.current = undefined;
      this.#turn.end(request, response);
      if (line.waiting.length === 0 && line.held.length === 0) return;
      // Some in a row: requests that are long under way together outlive the cheap collections of garbage.
      const isRow = ++line.begun % inARow !== 0;
      this.#turns.add(() => this.#advance(line), isRow ? 'before' : 'behind');
    });
    this.#turn.begin(request, response);
  }

  #advance(line: Line): void {
    if (line.socket.destroyed) return;
    const next = line.waiting.shift();
    if (next !== undefined) this.#start(line, next.request, next.response);
    // The body of one that waited is still to be parsed.
    this.#goOn(line);
  }

  #goOn(line: Line): void {
    const { held } = line;
    this.#release(line);
    for (const chunk of held) this.#received(line, chunk);
    if (line.held.length === 0) line.socket.resume();
  }

  #hold(line: Line, chunk: Buffer): void {
    line.socket.pause();
    line.held.push(chunk);
    line.heldBytes += chunk.length;
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > limits.heldInputBytesMax) this.#cutOffLargest(line);
  }

  #release(line: Line): void {
    this.#heldBytes -= line.heldBytes;
    line.held = [];
    line.heldBytes = 0;
  }

  #cutOffLargest(largest: Line): void {
    for (const line of this.#lines.values()) if (line.heldBytes > largest.heldBytes) largest = line;
    this.#release(largest);
    largest.socket.destroy();
  }
}

/** Where the next slice of a chunk ends: with the body if its length is known, else behind the next blank line. */
function sliceEnd({ bodyLeft }: Line, chunk: Buffer, at: number): number {
  if (bodyLeft > 0) return Math.min(chunk.length, at + bodyLeft);
  const found = chunk.indexOf(blankLine, at, 'latin1');
  return found === -1 ? chunk.length : found + blankLine.length;
}

function announced(request: IncomingMessage | undefined): number {
  return Number(request?.headers['content-length'] ?? 0);
}
