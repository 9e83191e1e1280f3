import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionsOptions {
  /** Open connections at most. */
  readonly max: number;
  /** How long a client may keep sending a body after its response was sent. Milliseconds. */
  readonly lingerMs: number;
}

/** A connection with its request in progress, if any. `since` orders the connections by the time in that state, longest first. */
interface ConnectionState {
  request: IncomingMessage | undefined;
  since: number;
}

interface Candidate {
  readonly socket: Socket;
  readonly since: number;
}

/** The open-file limit is read only above this number of connections: reading it takes some milliseconds. */
const checkedAbove = 200;

/**
 * Limits the number of open connections. Above the limit the connection that has been idle longest is evicted; if all
 * are busy, one whose request is still being received. Connections awaiting a response are never evicted. A client that
 * keeps sending after its response is disconnected.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, ConnectionState>();
  /** Counts the states that began. */
  #begun = 0;
  #max: number | undefined;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    server.on('connection', (socket: Socket) => this.#opened(socket));
  }

  #opened(socket: Socket): void {
    this.#open.set(socket, { request: undefined, since: ++this.#begun });
    socket.once('close', () => this.#open.delete(socket));
    this.#receiveBeforeClosing(socket);
    if (this.#open.size <= checkedAbove && this.#options.max > checkedAbove) return;
    this.#max ??= Math.min(this.#options.max, connectionsAllowed());
    if (this.#open.size > this.#max) this.#evict(socket).destroy();
  }

  #evict(newest: Socket): Socket {
    let idle: Candidate | undefined;
    let arriving: Candidate | undefined;
    for (const [socket, { request, since }] of this.#open) {
      if (request === undefined && socket !== newest && since < (idle?.since ?? Infinity)) idle = { socket, since };
      if (request?.complete === false && since < (arriving?.since ?? Infinity)) arriving = { socket, since };
    }
    return (idle ?? arriving)?.socket ?? newest;
  }

  /** Call before a request is handled. */
  begin(request: IncomingMessage): void {
    const state = this.#open.get(request.socket);
    if (state !== undefined) Object.assign(state, { request, since: ++this.#begun });
  }

  /** Call after the response was sent or aborted. */
  end(request: IncomingMessage, response: ServerResponse): void {
    this.#move(request.socket, undefined);
    if (!request.complete && response.writableFinished) this.#destroyAfterLinger(request);
  }

  /** Closes the connections on which nothing was received: Node counts them as busy until a request could have arrived. */
  closeUnused(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /**
   * Node closes the connection of a request with `Connection: close`, as nginx sends it, once the response is sent. If the request is
   * still arriving, that resets the connection, and the client may lose the response: it is only ended then, and closed with the request.
   */
  #receiveBeforeClosing(socket: Socket): void {
    const close = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const request = this.#open.get(socket)?.request;
      if (request === undefined || request.complete) return close();
      socket.end();
      request.once('close', close);
    };
  }

  #move(socket: Socket, request: IncomingMessage | undefined): void {
    const state = this.#open.get(socket);
    if (state === undefined) return;
    state.request = request;
    state.since = ++this.#begun;
  }

  /** The response was sent before the request was complete. The delay lets a well-behaved client read it before the connection is reset. */
  #destroyAfterLinger(request: IncomingMessage): void {
    const timer = setTimeout(() => request.socket.destroy(), this.#options.lingerMs).unref();
    request.once('close', () => clearTimeout(timer));
    // Many clients read no response before they have sent the whole body: the rest is received and discarded.
    request.resume();
  }
}

/** Three quarters of the open-file limit: the journal fails if no descriptor is left for it. */
function connectionsAllowed(): number {
  const { report } = process;
  Object.assign(report, { excludeEnv: true, excludeNetwork: true });
  const { userLimits } = report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
  };
  const files = Number(userLimits?.open_files?.soft);
  return Number.isFinite(files) ? Math.floor((files * 3) / 4) : Infinity;
}
