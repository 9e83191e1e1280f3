import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { PlannerError } from '../base/errors.ts';
import { requireFewResources } from '../operations/access/subscriptions.ts';
import { serverInfo } from './discover.ts';
import { metaNames } from './envelope.ts';
import { RpcError, rpcCodes, updatedNotification } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';
import { MessageStream } from './message-stream.ts';
import type { Read } from './resources.ts';
import { ResourceUpdates } from './resource-updates.ts';
import type { FollowProject } from './resource-updates.ts';
import { watchedResource } from './watched-resource.ts';
import type { WatchedResource } from './watched-resource.ts';

type Params = Readonly<Record<string, unknown>>;

/** A request whose response is a stream. */
export interface StreamRequest {
  readonly message: Message;
  readonly response: ServerResponse;
  readonly read: Read;
  readonly follow: FollowProject;
  /** Counts so many resources that are watched. Resolves with the function that ends it. */
  readonly watch: (count: number) => Promise<() => void>;
  readonly clock: Clock;
  /** Called at intervals; the stream ends if it rejects. */
  readonly check: () => Promise<unknown>;
  /** Aborts when the credential ends, or the service is closed. */
  readonly closing: AbortSignal | undefined;
  readonly version: string;
}

/**
 * Serves `subscriptions/listen`: confirms which resources of the filter exist, and reports their changes until the
 * client disconnects. This service has no other notifications that a filter may name. Rejects before the response has
 * begun.
 */
export async function listen(request: StreamRequest): Promise<void> {
  const { message, response, follow, watch, clock, check, closing } = request;
  const resources = await watchedOf(request);
  const release = await watch(resources.length);
  const stream = new MessageStream(response, { closing, check });
  const updates = new ResourceUpdates({
    ...{ follow, clock },
    places: new Map(),
    onUpdated: async (uris) => {
      for (const uri of uris) if (!stream.isOver) await stream.send(inStream(message, updatedNotification(uri)));
    },
    onFailed: stream.stop,
  });
  try {
    await updates.watch(resources);
    const honoured = resources.length === 0 ? {} : { resourceSubscriptions: resources.map(({ uri }) => uri) };
    const confirmed = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' } as const;
    await stream.begin().send(inStream(message, { ...confirmed, params: { notifications: honoured } }));
    if (resources.length > 0) await stream.ended;
    await stream.send(completed(request));
  } finally {
    release();
    updates.end();
    stream.end();
  }
}

/** The resources of the filter that exist, each once. */
async function watchedOf({ message, read }: StreamRequest): Promise<WatchedResource[]> {
  const { notifications: filter } = message.params ?? {};
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) throw badFilter('notifications');
  const { resourceSubscriptions: uris = [] } = filter as Params;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string'))
    throw badFilter('notifications.resourceSubscriptions');
  requireFewResources(uris.length);
  const resources = new Map<string, WatchedResource>();
  for (const uri of new Set(uris)) {
    try {
      const resource = await watchedResource(read, uri);
      if (!resources.has(resource.key)) resources.set(resource.key, resource);
    } catch (thrown) {
      if (!(thrown instanceof PlannerError) || thrown.code !== 'not_found') throw thrown;
    }
  }
  return [...resources.values()];
}

/** A notification as one of the stream of a request. */
export function inStream({ id }: Message, notification: Message): Message {
  return { ...notification, params: { ...notification.params, _meta: { [metaNames.subscription]: id } } };
}

/** The response that ends a stream. */
export function completed({ message: { id }, version }: StreamRequest): Message {
  const _meta = { [metaNames.subscription]: id, [metaNames.server]: serverInfo(version) };
  return { jsonrpc: '2.0', id: id!, result: { resultType: 'complete', _meta } };
}

function badFilter(member: string): RpcError {
  const message =
    'notifications must be an object: {"resourceSubscriptions": [the URIs of resources whose changes are reported]}.';
  return new RpcError(rpcCodes.invalidParams, message, { field: `params.${member}` });
}
