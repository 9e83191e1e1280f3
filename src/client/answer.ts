import { createParser } from 'eventsource-parser';
import type { RpcId, RpcMessage } from './message.ts';

/** A response that is none of JSON-RPC. */
export class NoAnswer extends Error {}

/** A response that ended before its answer. */
export class AnswerLost extends Error {}

/**
 * The answer to a message out of a response: one JSON value, or a stream of events whose other messages go to `notify`. Undefined for a
 * notification, which is taken without an answer. Throws `NoAnswer` and `AnswerLost`.
 */
export async function readAnswer(
  response: Response,
  id: RpcId | undefined,
  notify: (message: RpcMessage) => void,
): Promise<RpcMessage | undefined> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const text = await response.text();
    return id === undefined ? undefined : parseMessage(text);
  }
  for await (const data of eventsOf(response)) {
    const message = parseMessage(data);
    // Leaving the loop lets go of what is still to come.
    if (id !== undefined && message.id === id && message.method === undefined) return message;
    notify(message);
  }
  if (id === undefined) return undefined;
  throw new AnswerLost('the stream ended before the answer');
}

function parseMessage(text: string): RpcMessage {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === 'object' && message !== null && 'jsonrpc' in message) return message as RpcMessage;
  } catch {
    // Said below.
  }
  throw new NoAnswer('what it answers is no message of JSON-RPC');
}

/** The data of each event of a stream. */
async function* eventsOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const complete: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => complete.push(data) });
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* complete.splice(0);
  }
}
