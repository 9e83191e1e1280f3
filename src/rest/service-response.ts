import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { PlannerError } from '../base/errors.ts';
import { sendEmpty, sendRaw, sendText } from '../http/send.ts';
import { hashOf } from '../operations/pipeline/entity-tag.ts';
import type { RawResponse } from '../operations/declaration/operation.ts';
import { entityTag, namesTag } from '../operations/pipeline/preconditions.ts';
import type { ServiceRequest, ServiceRoute } from './service-route.ts';

const tags = new WeakMap<RawResponse, string>();

/**
 * Runs a route of the service itself and sends its response: for a GET with an ETag of the content, or 304 if the caller has that content
 * already.
 */
export async function sendServiceResponse(
  response: ServerResponse,
  { method, path, ownerOnly, needsCredential, raw, answer }: ServiceRoute,
  request: ServiceRequest,
  ifNoneMatch: string | undefined,
): Promise<void> {
  if (ownerOnly === true && request.caller.kind !== 'owner')
    throw new PlannerError('forbidden', `${path} is for owners only.`);
  if (needsCredential === true && !request.hasCredential)
    throw new PlannerError('forbidden', `${path} is for owners who send a credential: that in .planner/local/admin.`);
  const value = await answer(request);
  if (raw === true) {
    const etag = tagOf(value as RawResponse);
    if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) return sendEmpty(response, 304, { ETag: etag });
    return sendRaw(response, 200, value as RawResponse, { ETag: etag });
  }
  const text = JSON.stringify(value);
  if (method !== 'GET') return sendText(response, 200, text);
  const etag = entityTag({ own: hashOf(text), rest: '0' });
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) return sendEmpty(response, 304, { ETag: etag });
  sendText(response, 200, text, { ETag: etag });
}

/** Hashed once for each response object: a route whose response does not change returns the same object. */
function tagOf(answer: RawResponse): string {
  let tag = tags.get(answer);
  if (tag === undefined) {
    const bytes = hash('sha256', answer.content as string | Uint8Array);
    tags.set(answer, (tag = entityTag({ own: bytes.slice(0, 16), rest: '0' })));
  }
  return tag;
}
