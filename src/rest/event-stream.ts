import type { ServerResponse } from 'node:http';
import { beginEventStream, writeToStream } from '../http/event-stream.ts';
import type { Input, Outcome } from '../operations/pipeline/dispatch.ts';
import type { PresenceChange } from '../schema/types.ts';

/** How long a client waits until it connects again. */
const retryMs = 1000;

/** The part of the answers that a stream sends. */
interface Followed {
  readonly events: readonly { readonly cursor: string }[];
  readonly cursor: string;
}

/** The input of a stream: it continues after the last event that the client has, else begins at the present. */
export function streamInput(input: Input, lastEventId: string | string[] | undefined): Input {
  if (typeof lastEventId === 'string' && lastEventId !== '') return { ...input, since: lastEventId };
  return input['since'] === undefined ? { ...input, since: 'now' } : input;
}

/**
 * Sends answers as Server-Sent Events until the client disconnects or the answers end. An error of the first answer is
 * thrown before anything is sent. `check` is called at each keep-alive; the stream ends if it rejects.
 */
export async function sendEventStream(
  response: ServerResponse,
  outcomes: AsyncGenerator<Outcome, void>,
  check: () => Promise<unknown>,
  watchPresence: WatchPresence | undefined,
): Promise<void> {
  const first = await outcomes.next();
  let endPresence: (() => void) | undefined;
  beginEventStream(response);
  try {
    for (let next = first; next.done !== true && response.writable; next = await outcomes.next()) {
      const text = textOf(next.value.value as Followed, next === first);
      await writeToStream(response, text);
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
