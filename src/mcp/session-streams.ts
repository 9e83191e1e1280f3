import type { ServerResponse } from 'node:http';
import { notFound } from '../errors.ts';
import type { Sessions, Subscriptions } from '../operations/access/sessions.ts';
import { updatedNotification } from './json-rpc.ts';
import { MessageStream } from './message-stream.ts';
import { formatPlaces, parsePlaces } from './places.ts';
import type { Read } from './resources.ts';
import { ResourceUpdates } from './resource-updates.ts';
import type { FollowProject, Places } from './resource-updates.ts';
import { requireFewResources, watchedResource } from './watched-resource.ts';
import type { WatchedResource } from './watched-resource.ts';

export interface SessionStreamsOptions {
  readonly sessions: Sessions;
  /** Aborts when a credential ends, or the service is closed. */
  readonly endOf: ((credential: string) => AbortSignal) | undefined;
}

/** A session of a caller. */
export interface SessionContext {
  readonly id: string;
  readonly credential: string;
  readonly read: Read;
  readonly follow: FollowProject;
}

/** How long clients wait before they connect again, in milliseconds: they give up after two attempts. */
const retryMs = 3000;
const present = 'now';

/** The stream of a session that is open. */
interface Open {
  readonly credential: string;
  readonly updates: ResourceUpdates;
  readonly places: Places;
  readonly resources: Map<string, WatchedResource>;
  readonly end: () => void;
}

/**
 * The streams on which sessions get the messages that belong to no request: notifications of resources that they
 * subscribed to. What a session subscribed to is stored with it, so that its next stream continues after a restart.
 */
export class SessionStreams {
  readonly #options: SessionStreamsOptions;
  readonly #open = new Map<string, Open>();

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
  }

  /**
   * Opens the stream of a session as the response, instead of one that it has already. Resolves when it has ended. `lastEventId`: the
   * client has everything before. `check` is called at intervals; the stream ends if it rejects.
   */
  async open(
    context: SessionContext,
    response: ServerResponse,
    lastEventId: string | undefined,
    check: () => Promise<unknown>,
  ): Promise<void> {
    this.end(context.id);
    const stream = new MessageStream(response, { closing: this.#options.endOf?.(context.credential), check });
    const { resources, places } = await this.#restored(context, parsePlaces(lastEventId));
    const updates = new ResourceUpdates({
      follow: context.follow,
      places,
      onUpdated: async (uris) => {
        for (const uri of uris) await stream.send(updatedNotification(uri), formatPlaces(places));
      },
      onFailed: stream.stop,
    });
    const open: Open = { credential: context.credential, updates, places, resources, end: stream.stop };
    this.#open.set(context.id, open);
    try {
      // Before the response begins, so that its error is the response.
      await updates.watch([...resources.values()]);
      await stream.begin().retryAfter(retryMs);
      await stream.ended;
    } finally {
      updates.end();
      if (this.#open.get(context.id) === open) this.#open.delete(context.id);
      stream.end();
    }
  }

  /** Ends the stream of a session, if it has one. */
  end(session: string): void {
    this.#open.get(session)?.end();
  }

  /** Reports later changes of a resource to a session. Rejects with `PlannerError`. */
  async subscribe(context: SessionContext, uri: unknown): Promise<void> {
    const resource = await watchedResource(context.read, uri);
    const { sessions } = this.#options;
    const subscriptions = sessions.subscriptionsOf(context.id);
    requireFewResources(Object.keys({ ...subscriptions, [resource.uri]: '' }).length);
    const open = this.#open.get(context.id);
    if (open !== undefined) {
      await open.updates.watch([...new Map(open.resources).set(resource.uri, resource).values()]);
      open.resources.set(resource.uri, resource);
    }
    const cursor = open?.places.get(resource.project) ?? (await presentOf(context, resource.project));
    await this.#store(context, { ...subscriptions, [resource.uri]: cursor });
  }

  /** No longer reports changes of a resource. */
  async unsubscribe(context: SessionContext, uri: unknown): Promise<void> {
    const subscriptions = this.#options.sessions.subscriptionsOf(context.id);
    if (typeof uri !== 'string' || !Object.hasOwn(subscriptions, uri)) return;
    const open = this.#open.get(context.id);
    if (open?.resources.delete(uri) === true) await open.updates.watch([...open.resources.values()]);
    const { [uri]: _, ...left } = subscriptions;
    await this.#store(context, left);
  }

  async #store({ id, credential }: SessionContext, subscriptions: Subscriptions): Promise<void> {
    if (!(await this.#options.sessions.subscribe(id, credential, subscriptions))) throw notFound('session', id);
  }

  /** What the session subscribed to earlier, except what is gone, and where its notifications continue. */
  async #restored({ id, read }: SessionContext, known: Places): Promise<Pick<Open, 'resources' | 'places'>> {
    const resources = new Map<string, WatchedResource>();
    const places: Places = new Map();
    for (const [uri, cursor] of Object.entries(this.#options.sessions.subscriptionsOf(id))) {
      const resource = await watchedResource(read, uri).catch(() => undefined);
      if (resource === undefined) continue;
      resources.set(uri, resource);
      places.set(resource.project, known.get(resource.project) ?? places.get(resource.project) ?? cursor);
    }
    return { resources, places };
  }
}

/** The cursor of the present state of a project. */
async function presentOf({ read }: SessionContext, project: string): Promise<string> {
  const { cursor } = await read('list_events', { project_id: project, since: present });
  return cursor as string;
}
