import type { ServerResponse } from 'node:http';
import { beginEventStream, writeToStream } from '../http/event-stream.ts';
import type { Input, Outcome } from '../operations/pipeline/dispatch.ts';
import type { PresenceChange, ServiceChange } from '../schema/types.ts';

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
  besides: readonly Beside[],
): Promise<void> {
  const first = await outcomes.next();
  const ends: (() => void)[] = [];
  beginEventStream(response, first.done === true ? {} : { 'X-Planner-Cursor': (first.value.value as Followed).cursor });
  try {
    for (let next = first; next.done !== true && response.writable; next = await outcomes.next()) {
      const text = textOf(next.value.value as Followed, next === first);
      await writeToStream(response, text);
      if (next === first)
        for (const { type, watch } of besides)
          ends.push(await watch((change) => void response.write(besideFrame(type, change))));
      if (next !== first && text.startsWith(':')) await check();
    }
  } catch {
    // The headers are sent: a client that connects again gets the error.
  } finally {
    for (const end of ends) end();
    await outcomes.return();
    response.end();
  }
}

/** What a stream sends beside the events, in its own type of Server-Sent Events. */
export interface Beside {
  readonly type: 'presence' | 'service';
  /** Calls `send` with each change, and may do so at once. Returns the function that ends it. */
  readonly watch: (send: (change: PresenceChange | ServiceChange) => void) => Promise<() => void> | (() => void);
}

/** It has no id: the cursor at which a client continues is that of the last event. */
function besideFrame(type: Beside['type'], change: PresenceChange | ServiceChange): string {
  return `event: ${type}\ndata: ${JSON.stringify(change)}\n\n`;
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
