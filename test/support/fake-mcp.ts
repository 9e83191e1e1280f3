import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

export interface ReceivedMessage {
  readonly id?: string | number;
  readonly method?: string;
  // Tests look into messages of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly params?: any;
  readonly headers: IncomingMessage['headers'];
}

/** How a message is answered; the returned value is the result. */
export type Answering = (message: ReceivedMessage, response: ServerResponse) => unknown;

/** A service whose responses at /mcp the test decides; it keeps the requests. A handler that has responded itself returns nothing. */
export class FakeMcp {
  readonly received: ReceivedMessage[] = [];
  answer: Answering;
  readonly #server: Server;

  static async start(answer: Answering = () => ({})): Promise<FakeMcp> {
    const fake = new FakeMcp(answer);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  private constructor(answer: Answering) {
    this.answer = answer;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = request.method === 'POST' ? ((await json(request)) as object) : { method: request.method! };
    const message = { ...body, headers: request.headers } as ReceivedMessage;
    this.received.push(message);
    if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
    if (message.method === 'initialize') {
      const result = {
        protocolVersion: message.params.protocolVersion,
        capabilities: { tools: {} },
        instructions: 'Fake.',
      };
      response.setHeader('Mcp-Session-Id', `session-${this.received.length}`);
      return sendAnswer(response, message, result);
    }
    const result = await this.answer(message, response);
    if (result !== undefined) sendAnswer(response, message, result);
  }
}

function sendAnswer(response: ServerResponse, { id }: ReceivedMessage, result: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** Responds with a stream of events, in pieces that cut lines. */
export async function sendEvents(response: ServerResponse, messages: readonly object[]): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const text = messages
    .map((message) => `event: message\r\ndata: ${JSON.stringify(message)}\r\n\r\n`)
    .join(': beat\r\n\r\n');
  for (let at = 0; at < text.length; at += 7) {
    response.write(text.slice(at, at + 7));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}
