import { createHmac, hash } from 'node:crypto';
import { limits } from '../base/limits.ts';
import type { Event } from '../schema/types.ts';

/** A signed request by the rules of Standard Webhooks. */
export interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const idCharacters = 32;

/** The id of the message about an event: the same in each attempt, so that a receiver recognises repetitions. */
export function messageId(webhook: string, eventCursor: string): string {
  return `msg_${hash('sha256', `${webhook} ${eventCursor}`, 'hex').slice(0, idCharacters)}`;
}

/** `secret`: `whsec_` and base64. `now`: milliseconds. */
export function signed(id: string, event: Event, secret: string, now: number): Message {
  const body = bodyOf(event);
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    body,
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
  };
}

/** The event as JSON; without values, or without its changes, if it is larger than the limit. */
function bodyOf(event: Event): string {
  const { changes } = event;
  for (const kept of [changes, changes.map(({ field }) => ({ field }))]) {
    const body = textOf({ ...event, changes: kept });
    if (Buffer.byteLength(body) <= limits.webhookBodyBytesMax) return body;
  }
  return textOf({ ...event, changes: [] });
}

function textOf(event: Event): string {
  return JSON.stringify({ type: event.type, timestamp: event.at, data: event });
}
