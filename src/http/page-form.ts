import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../errors.ts';
import { requireIdentity, withBody } from './read-json.ts';

/** Whether a request bears what a page's form without files sends. */
export function isForm({ headers }: IncomingMessage): boolean {
  const [essence = ''] = (headers['content-type'] ?? '').split(';');
  return essence.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/** The fields of a page's form, line ends as everywhere else. Throws `invalid_argument` for a field given twice, and what `readBytes` throws. */
export async function readForm(request: IncomingMessage, bytesMax: number): Promise<Record<string, string>> {
  requireIdentity(request);
  const text = await withBody(request, bytesMax, (bytes) => bytes.toString('utf8'));
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw new PlannerError('invalid_argument', `${name} is given twice.`, { field: name });
    fields.set(name, value.replace(/\r\n?/g, '\n'));
  }
  return Object.fromEntries(fields);
}
