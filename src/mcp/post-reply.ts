import type { ServerResponse } from 'node:http';
import { goneSignal } from '../http/event-stream.ts';
import { sendJson } from '../http/send.ts';
import type { Message } from './json-rpc.ts';
import { MessageStream } from './message-stream.ts';

/** The response to a POST of requests: JSON, or a stream if the service sends a request of its own before. */
export class PostReply {
  readonly #response: ServerResponse;
  readonly #closing: AbortSignal | undefined;
  #stream: MessageStream | undefined;
  #gone: AbortSignal | undefined;

  /** `closing`: aborts when the credential ends, or the service is closed. */
  constructor(response: ServerResponse, closing: AbortSignal | undefined) {
    this.#response = response;
    this.#closing = closing;
  }

  /** Aborts when the client has disconnected, or when `closing` aborts. */
  get gone(): AbortSignal {
    return (this.#gone ??= goneSignal(this.#response, this.#closing));
  }

  /** Sends a message before the responses. */
  send(message: Message): void {
    this.#stream ??= new MessageStream(this.#response).begin();
    void this.#stream.send(message);
  }

  /** Sends the responses and ends. `batch`: as a list, if it is JSON. */
  async end(answers: readonly Message[], batch: boolean): Promise<void> {
    if (this.#stream === undefined) return sendJson(this.#response, 200, batch ? answers : answers[0]);
    for (const answer of answers) await this.#stream.send(answer);
    this.#stream.end();
  }
}
