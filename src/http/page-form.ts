import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../base/errors.ts';
import { requireIdentity, withBody } from './read-json.ts';

/** Returns whether a request has the content type of an HTML form without files. */
export function isForm({ headers }: IncomingMessage): boolean {
  const [essence = ''] = (headers['content-type'] ?? '').split(';');
  return essence.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/** Reads the fields of an HTML form, with LF line ends. Throws `invalid_argument` for a duplicate field, and the errors of `withBody`. */
export async function readForm(request: IncomingMessage, bytesMax: number): Promise<Record<string, string>> {
  requireIdentity(request);
  const text = await withBody(request, bytesMax, (bytes) => bytes.toString('utf8'));
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name))
      throw new PlannerError('invalid_argument', `The field ${name} occurs twice.`, { field: name });
    fields.set(name, value.replace(/\r\n?/g, '\n'));
  }
  return Object.fromEntries(fields);
}
