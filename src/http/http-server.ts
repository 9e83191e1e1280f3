import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { invalid, PlannerError } from '../base/errors.ts';
import { Connections } from './connections.ts';
import { healthAddress } from '../base/addresses.ts';
import { RequestOrder } from './request-order.ts';
import { UnsentResponses } from './unsent-responses.ts';

export interface HttpServerOptions {
  readonly host: string;
  /** 0 lets the system choose. Of several, the first one that is free. */
  readonly port: number | readonly number[];
  readonly handler: RequestListener;
  /** Called with the port before the first request is handled. */
  readonly onListening?: (port: number) => void;
  readonly timeouts?: Partial<ServerTimeouts> | undefined;
}

/** Timeouts of connections, in milliseconds, and their maximum number. */
export interface ServerTimeouts {
  /** Until the headers of a request are received; for the first request, from the connection on. */
  readonly headersMs: number;
  /** Until the whole request is received. */
  readonly requestMs: number;
  /** Idle keep-alive connections. Slightly longer than common proxies keep theirs, so that the proxy closes first. */
  readonly keepAliveMs: number;
  /** Without traffic in either direction while a request is handled. */
  readonly idleMs: number;
  /** A response that the client does not read, which is buffered in memory until then. */
  readonly stalledMs: number;
  /** The limit for a client that keeps sending after its response. */
  readonly lingerMs: number;
  /** Interval of the checks for requests that exceed their timeout. */
  readonly checkMs: number;
  /** The limit for requests in progress when the server is closed. */
  readonly drainMs: number;
  readonly connectionsMax: number;
}

const timeoutsDefault: ServerTimeouts = {
  headersMs: 20_000,
  requestMs: 120_000,
  keepAliveMs: 65_000,
  idleMs: 600_000,
  stalledMs: 30_000,
  lingerMs: 5_000,
  checkMs: 10_000,
  drainMs: 10_000,
  connectionsMax: 12_000,
};

/** The listening HTTP server. */
export class HttpServer {
  readonly port: number;
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #drainMs: number;

  /** Resolves when the server listens. Rejects with `conflict` if no port is free. */
  static listen({ host, port, handler, onListening, timeouts }: HttpServerOptions): Promise<HttpServer> {
    const allTimeouts = { ...timeoutsDefault, ...timeouts };
    const {
      headersMs,
      requestMs,
      keepAliveMs,
      idleMs: silentMs,
      stalledMs: stuckMs,
      lingerMs,
      checkMs,
      connectionsMax,
    } = allTimeouts;
    const server = createServer({
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkMs,
    });
    server.timeout = silentMs;
    const connections = new Connections(server, { max: connectionsMax, lingerMs });
    const unsent = new UnsentResponses({ stalledMs: stuckMs, idleMs: silentMs });
    const order = new RequestOrder(server, {
      isUrgent: ({ url }) => url === healthAddress,
      begin: (request, response) => {
        connections.begin(request);
        unsent.begin(response);
        handler(request, response);
      },
      end: (request, response) => {
        connections.end(request, response);
        unsent.end(response);
      },
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      // An error response would be read as the response to the preceding request.
      if (order.hasPendingResponse(socket)) socket.destroy();
      else respondToInvalidRequest(error, socket);
    });
    return new Promise((resolve, reject) => {
      const listen = ([first = 0, ...others]: readonly number[]): void => {
        const onError = (error: NodeJS.ErrnoException): void => {
          if (others.length > 0 && unusablePort.has(error.code ?? '')) listen(others);
          else reject(listenFailure(error, host, first));
        };
        server.once('error', onError).listen(first, host);
      };
      server.once('listening', () => {
        const listening = new HttpServer(server, connections, allTimeouts.drainMs);
        onListening?.(listening.port);
        resolve(listening);
      });
      listen(typeof port === 'number' ? [port] : port);
    });
  }

  private constructor(server: Server, connections: Connections, drainMs: number) {
    this.#server = server;
    this.#connections = connections;
    this.#drainMs = drainMs;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Stops accepting connections, lets requests in progress finish, and resolves when all connections are closed. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const end = setTimeout(() => this.#server.closeAllConnections(), this.#drainMs);
      this.#server.close(() => {
        clearTimeout(end);
        clearInterval(idle);
        resolve();
      });
      // A keep-alive connection becomes idle only after its response was sent.
      const idle = setInterval(() => {
        this.#server.closeIdleConnections();
        this.#connections.closeUnused();
      }, 50);
    });
  }
}

/** Another port may be free: the given port is in use, or the system reserves it. */
const unusablePort: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES']);

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new PlannerError(
      'conflict',
      `Port ${port} on ${host} is already in use. Choose another with --port or PLANNER_PORT.`,
      { port },
    );
  }
  if (error.code === 'EACCES') {
    return new PlannerError(
      'forbidden',
      `This user may not listen on port ${port}. Choose one above 1023 with --port or PLANNER_PORT.`,
      { port },
    );
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EINVAL')
    return invalid(
      '--host',
      `${host} is no address of this machine. Choose 127.0.0.1 for this machine alone, 0.0.0.0 for all its addresses, or one of them: ${ownAddresses().join(', ')}.`,
    );
  if (error.syscall === 'getaddrinfo')
    return invalid('--host', `The name ${host} has no address here: choose 127.0.0.1, or another address.`);
  return error;
}

/** The addresses at which a service of this machine can listen. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/** Requests that are not valid HTTP never reach the app; they still get an error body in the common format. */
function respondToInvalidRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // The connection was reset, or the response was already sent.
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers are over 16 KiB.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request did not arrive in time.']
        : ['400 Bad Request', 'The request is not HTTP/1.1 as this server reads it.'];
  const body = JSON.stringify({ error: 'invalid_argument', message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
