import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { freePort } from './server-process.ts';

/** What the server does with a request instead of what was asked for. */
export type Fault =
  | { readonly is: 'status'; readonly status: number; readonly code: string }
  /** It carries the request out, and ends the connection instead of answering. */
  | { readonly is: 'unanswered' }
  /** It sends half of the response. */
  | { readonly is: 'torn' };

/**
 * The requests of S3 that the service sends for objects, over HTTP: to fail in ways that a real store cannot be made to.
 * It knows conditions and checksums, and looks at no credential.
 */
export class ObjectServer {
  /** By path: `/bucket/name`. */
  readonly objects = new Map<string, Buffer>();
  /** Methods and paths. */
  readonly requests: string[] = [];
  /** Decides on each request. */
  fault: (request: IncomingMessage) => Fault | undefined = () => undefined;
  /** False: as of a store that ignores `If-None-Match`. */
  isConditional = true;
  readonly #port: number;
  #server: Server | undefined;

  static async start(): Promise<ObjectServer> {
    const server = new ObjectServer(await freePort());
    await server.resume();
    return server;
  }

  private constructor(port: number) {
    this.#port = port;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async resume(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    const server = this.#server!;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!.replace(/\?.*$/, '');
    this.requests.push(`${request.method} ${path}`);
    const body = await buffer(request);
    const fault = this.fault(request);
    if (fault?.is === 'status') return refuse(response, fault.status, fault.code);
    if (fault?.is === 'unanswered') Object.assign(response, { end: () => request.socket.destroy() });
    if (request.method === 'PUT') this.#put(path, request, body, response);
    else if (request.method === 'DELETE') {
      this.objects.delete(path);
      response.writeHead(204).end();
    } else this.#get(path, request, response, fault?.is === 'torn');
  }

  #put(path: string, { headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
    if (path.split('/').length < 3) return void response.writeHead(200).end();
    const sum = headers['x-amz-checksum-sha256'];
    if (sum !== undefined && sum !== createHash('sha256').update(body).digest('base64'))
      return refuse(response, 400, 'BadDigest');
    if (this.isConditional && headers['if-none-match'] === '*' && this.objects.has(path))
      return refuse(response, 412, 'PreconditionFailed');
    this.objects.set(path, body);
    response.writeHead(200).end();
  }

  #get(path: string, { method, headers }: IncomingMessage, response: ServerResponse, isTorn: boolean): void {
    const object = this.objects.get(path);
    if (object === undefined) return refuse(response, 404, 'NoSuchKey');
    const [, first = '0', last = String(object.length - 1)] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const bytes = object.subarray(Number(first), Number(last) + 1);
    if (Number(first) >= object.length) return refuse(response, 416, 'InvalidRange');
    response.writeHead(headers.range === undefined ? 200 : 206, { 'Content-Length': bytes.length });
    if (isTorn) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    else response.end(method === 'HEAD' ? undefined : bytes);
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>As the test demands.</Message></Error>`);
}
