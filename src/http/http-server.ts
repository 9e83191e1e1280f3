import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { PlannerError } from '../errors.ts';

export interface HttpServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handler: RequestListener;
  /** Told the port before the first request is handled. */
  readonly onListening?: (port: number) => void;
}

/** Times in milliseconds. A request has two minutes to arrive whole; a connection without one is kept a little longer than usual proxies do. */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 120_000;
const keepAliveTimeoutMs = 65_000;
/** How long `close` waits for requests under way. */
const drainMs = 10_000;

/** The listening socket and its end. */
export class HttpServer {
  readonly port: number;
  readonly #server: Server;

  /** Resolves when requests are served. Throws `conflict` where the port is taken. */
  static listen({ host, port, handler, onListening }: HttpServerOptions): Promise<HttpServer> {
    const server = createServer(
      { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs },
      handler,
    );
    server.on('clientError', answerBrokenRequest);
    return new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(listenFailure(error, host, port)));
      server.listen(port, host, () => {
        const listening = new HttpServer(server);
        onListening?.(listening.port);
        resolve(listening);
      });
    });
  }

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Takes no more connections, lets requests under way finish, and resolves when all connections are gone. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const end = setTimeout(() => this.#server.closeAllConnections(), drainMs);
      this.#server.close(() => {
        clearTimeout(end);
        clearInterval(idle);
        resolve();
      });
      // A connection that is kept alive becomes idle only when its answer is out.
      const idle = setInterval(() => this.#server.closeIdleConnections(), 50);
      this.#server.closeIdleConnections();
    });
  }
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new PlannerError(
      'conflict',
      `Port ${port} on ${host} is taken by another program. Choose another with --port or PLANNER_PORT.`,
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
  return error;
}

/** What is not HTTP never reaches the app; it is answered in the shape of all errors nevertheless. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
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
