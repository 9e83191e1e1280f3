import { createHmac } from 'node:crypto';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Event } from '../../src/schema/types.ts';
import { selfSigned } from './self-signed.ts';

/** A request as the receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: { readonly type: string; readonly timestamp: string; readonly data: Event };
}

/** The answer of the receiver; `silent`: no answer. */
export interface ReceiverAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly silent?: true;
}

/** A real https server with a certificate of its own, which this process trusts until it is closed. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** The next answers; after them, 204. */
  readonly answers: ReceiverAnswer[] = [];
  /** The certificate, for other processes. */
  readonly cert: string;
  /** The hosts of the certificate, with the port. */
  host = '';
  readonly #server: Server;
  readonly #trusted: string[];
  #listener: () => void = () => undefined;

  static async open(...names: readonly string[]): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(names);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    receiver.host = `127.0.0.1:${receiver.port}`;
    return receiver;
  }

  private constructor(names: readonly string[]) {
    const { key, cert } = selfSigned('127.0.0.1', ...names);
    this.cert = cert;
    this.#trusted = getCACertificates('default');
    setDefaultCACertificates([...this.#trusted, cert]);
    this.#server = createServer({ key, cert }, (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      request.on('end', () => {
        const message = JSON.parse(body) as Received['message'];
        this.received.push({ path: request.url!, headers: request.headers, body, message });
        const { status = 204, headers = {}, body: text, silent } = this.answers.shift() ?? {};
        if (silent !== true) response.writeHead(status, headers).end(text);
        this.#listener();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://${this.host}/hook`;
  }

  /** The labels of the resources of the received events, in order. */
  get labels(): (string | null)[] {
    return this.received.map(({ message }) => message.data.resource.label);
  }

  /** Resolves when this many requests were received. */
  async count(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => (this.#listener = resolve));
  }

  /** From now on it ends every connection. Its port stays its own: another server would answer at a free one. */
  refuse(): void {
    this.#server.on('connection', (socket) => socket.destroy());
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    setDefaultCACertificates(this.#trusted);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Returns whether a request is signed with a secret, by the text of the Standard Webhooks specification. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(text, 'utf8').digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
