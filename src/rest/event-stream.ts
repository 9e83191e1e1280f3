import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { apiHeaders } from '../http/send.ts';
import { requestIdHeader } from '../http/request-log.ts';
import type { Input, Outcome } from '../operations/pipeline/dispatch.ts';
import type { PresenceChange } from '../schema/types.ts';

/** How often a stream without events sends something, so that proxies keep the connection and a lost client is noticed. */
export const keepAliveMs = 15_000;
/** How long a client waits until it connects again. */
const retryMs = 1000;

/** The part of the answers that a stream sends. */
interface Followed {
  readonly events: readonly { readonly cursor: string }[];
  readonly cursor: string;
}

const streamType = 'text/event-stream';

/** Whether a request asks for Server-Sent Events. */
export function wantsEventStream(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes(streamType) === true;
}

/** The input of a stream: it continues after the last event that the client has, else begins at the present. */
export function streamInput(input: Input, lastEventId: string | string[] | undefined): Input {
  if (typeof lastEventId === 'string' && lastEventId !== '') return { ...input, since: lastEventId };
  return input['since'] === undefined ? { ...input, since: 'now' } : input;
}

/**
 * Sends answers as Server-Sent Events until the client disconnects or the answers end. An error of the first answer is
 * thrown before anything is sent. A client that reads slowly is waited for: nothing is read for it meanwhile, and the
 * server ends connections that do not progress. `check` is called at each keep-alive; the stream ends if it rejects.
 */
export async function sendEventStream(
  response: ServerResponse,
  outcomes: AsyncGenerator<Outcome, void>,
  check: () => Promise<unknown>,
  watchPresence: WatchPresence | undefined,
): Promise<void> {
  const first = await outcomes.next();
  let endPresence: (() => void) | undefined;
  response.writeHead(200, {
    ...apiHeaders,
    ...requestIdHeader(response),
    'Content-Type': `${streamType}; charset=utf-8`,
    'Cache-Control': 'no-cache, no-transform',
    // nginx otherwise buffers the response.
    'X-Accel-Buffering': 'no',
  });
  try {
    for (let next = first; next.done !== true && response.writable; next = await outcomes.next()) {
      const text = textOf(next.value.value as Followed, next === first);
      if (!response.write(text)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      if (next === first) endPresence = await watchPresence?.((change) => void response.write(presenceFrame(change)));
      if (next !== first && text.startsWith(':')) await check();
    }
  } catch {
    // The headers are sent: a client that connects again gets the error.
  } finally {
    endPresence?.();
    await outcomes.return();
    response.end();
  }
}

/** Calls `send` with the sessions that are present, and with each change. Returns the function that ends it. */
type WatchPresence = (send: (change: PresenceChange) => void) => Promise<() => void>;

/** It has no id: the cursor at which a client continues is that of the last event. */
function presenceFrame(change: PresenceChange): string {
  return `event: presence\ndata: ${JSON.stringify(change)}\n\n`;
}

const frames = new WeakMap<object, string>();

/** Serialised once for all followers of a project. */
function frameOf(event: Followed['events'][number]): string {
  let frame = frames.get(event);
  if (frame === undefined) frames.set(event, (frame = `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`));
  return frame;
}

function textOf({ events, cursor }: Followed, isFirst: boolean): string {
  let text = isFirst ? `retry: ${retryMs}\n${events.length === 0 ? `id: ${cursor}\n` : ''}\n` : '';
  for (const event of events) text += frameOf(event);
  // An event without data is not dispatched, but its id is where the client continues.
  return text === '' ? `: keep-alive\nid: ${cursor}\n\n` : text;
}
