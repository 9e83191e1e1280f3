import { createParser } from 'eventsource-parser';
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
  for await (const data of eventsOf(response.body)) {
    const message = parseMessage(data);
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

/** The data of each event of a stream. */
async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const complete: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => complete.push(data) });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* complete.splice(0);
  }
}
