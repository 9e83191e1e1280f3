import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionsOptions {
  /** So many at once. */
  readonly max: number;
  /** How long a caller may go on sending what nobody reads, once it was answered. Milliseconds. */
  readonly lingerMs: number;
}

/** Below this nobody asks how many files the process may open: the answer takes some milliseconds. */
const checkedAbove = 200;

/**
 * Keeps a server answering whatever others hold open. One connection too many takes the place of that which has rested longest; where none
 * rests, of one whose request is still arriving: who waits for an answer, waits in peace. A caller who was answered and goes on sending is
 * cut off.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** With the request under way, if there is one; longest in its state first. */
  readonly #open = new Map<Socket, IncomingMessage | undefined>();
  #max: number | undefined;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    server.on('connection', (socket: Socket) => this.#opened(socket));
  }

  #opened(socket: Socket): void {
    this.#open.set(socket, undefined);
    socket.once('close', () => this.#open.delete(socket));
    if (this.#open.size <= checkedAbove && this.#options.max > checkedAbove) return;
    this.#max ??= Math.min(this.#options.max, connectionsAllowed());
    if (this.#open.size > this.#max) this.#evict(socket).destroy();
  }

  #evict(newest: Socket): Socket {
    let arriving: Socket | undefined;
    for (const [socket, request] of this.#open) {
      if (request === undefined && socket !== newest) return socket;
      if (request?.complete === false) arriving ??= socket;
    }
    return arriving ?? newest;
  }

  /** A request of a connection is about to be handled. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#move(socket, request);
    response.once('finish', () => {
      if (!request.complete) this.#destroyAfterLinger(request);
    });
  }

  /** Its response is sent or cut off. */
  end({ socket }: IncomingMessage): void {
    this.#move(socket, undefined);
  }

  #move(socket: Socket, request: IncomingMessage | undefined): void {
    if (!this.#open.delete(socket)) return;
    this.#open.set(socket, request);
  }

  /** The answer is out before the request was: whoever is honest has time to read it. */
  #destroyAfterLinger(request: IncomingMessage): void {
    const timer = setTimeout(() => request.socket.destroy(), this.#options.lingerMs).unref();
    request.once('close', () => clearTimeout(timer));
    // Many clients read no answer before they have sent all: what still comes is taken and dropped.
    request.resume();
  }
}

/** A share of the files that this process may open: without one left for it, the journal would fail. */
function connectionsAllowed(): number {
  const { report } = process;
  Object.assign(report, { excludeEnv: true, excludeNetwork: true });
  const { userLimits } = report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
  };
  const files = Number(userLimits?.open_files?.soft);
  return Number.isFinite(files) ? Math.floor((files * 3) / 4) : Infinity;
}
