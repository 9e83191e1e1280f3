import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';
import { textOf } from './http-request.ts';
import type { HttpResponse } from './http-request.ts';
import type { RpcId, RpcMessage } from './message.ts';

/** The response is not JSON-RPC. */
export class InvalidResponse extends Error {}

/** The event stream ended before the response message. */
export class ResponseTruncated extends Error {}

/**
 * Reads the JSON-RPC response from an HTTP response: one JSON value, or an event stream whose other messages are passed to `notify`.
 * Resolves with undefined for a notification, which has no response. Rejects with `InvalidResponse` and `ResponseTruncated`.
 */
export async function readResponse(
  response: Pick<HttpResponse, 'headers' | 'body'>,
  id: RpcId | undefined,
  notify: (message: RpcMessage) => void,
): Promise<RpcMessage | undefined> {
  if (response.headers['content-type']?.startsWith('text/event-stream') !== true) {
    const text = await textOf(response);
    return id === undefined ? undefined : parseMessage(text);
  }
  for await (const { message } of messagesOf(response.body)) {
    // Returning cancels the rest of the stream.
    if (id !== undefined && message.id === id && message.method === undefined) return message;
    notify(message);
  }
  if (id === undefined) return undefined;
  throw new ResponseTruncated('the stream ended before the response');
}

function parseMessage(text: string): RpcMessage {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === 'object' && message !== null && 'jsonrpc' in message) return message as RpcMessage;
  } catch {
    // The error is reported below.
  }
  throw new InvalidResponse('its response is not a JSON-RPC message');
}

/** A message of a stream, with the id to continue after it, if it has one. */
export interface StreamedMessage {
  readonly id: string | undefined;
  readonly message: RpcMessage;
}

/** The messages of a stream of events. */
export async function* messagesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedMessage, void> {
  const decoder = new TextDecoder();
  const complete: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => complete.push(event) });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const { id, data } of complete.splice(0)) yield { id, message: parseMessage(data) };
  }
}
