import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../errors.ts';
import { readBytes } from './read-json.ts';

/** Whether a request bears what a page's form without files sends. */
export function bearsForm({ headers }: IncomingMessage): boolean {
  const [essence = ''] = (headers['content-type'] ?? '').split(';');
  return essence.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/** The fields of a page's form, line ends as everywhere else. Throws `invalid_argument` for a field given twice, and what `readBytes` throws. */
export async function readForm(request: IncomingMessage, bytesMax: number): Promise<Record<string, string>> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new PlannerError('unsupported_media_type', 'An encoded form is not taken: send it without Content-Encoding.');
  const text = (await readBytes(request, bytesMax)).toString('utf8');
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw new PlannerError('invalid_argument', `${name} is given twice.`, { field: name });
    fields.set(name, value.replace(/\r\n?/g, '\n'));
  }
  return Object.fromEntries(fields);
}
