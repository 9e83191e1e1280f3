import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { notFound } from '../base/errors.ts';
import type { Sessions } from '../operations/access/sessions.ts';
import { updatedNotification } from './json-rpc.ts';
import { MessageStream } from './message-stream.ts';
import { formatPlaces, parsePlaces } from './places.ts';
import type { Read } from './resources.ts';
import { ResourceUpdates } from './resource-updates.ts';
import type { FollowProject, Places } from './resource-updates.ts';
import { watchedResource, wholeUri } from './watched-resource.ts';
import type { WatchedResource } from './watched-resource.ts';

export interface SessionStreamsOptions {
  readonly sessions: Sessions;
  readonly clock: Clock;
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
  /** The watched resources by their keys. */
  readonly resources: Map<string, WatchedResource>;
  readonly end: () => void;
}

/**
 * The streams on which sessions get the messages that belong to no request: notifications of resources that they
 * subscribed to. Its subscriptions are stored with the session, so that its next stream continues after a restart.
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
      ...{ follow: context.follow, clock: this.#options.clock },
      places,
      onUpdated: async (uris) => {
        for (const uri of uris) if (!stream.isOver) await stream.send(updatedNotification(uri), formatPlaces(places));
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
    const open = this.#open.get(context.id);
    const former = open?.resources.get(resource.key);
    await open?.updates.watch([...new Map(open.resources).set(resource.key, resource).values()]);
    open?.resources.set(resource.key, resource);
    try {
      const cursor = open?.places.get(resource.project) ?? (await presentOf(context, resource.project));
      const { key, uri: named } = resource;
      if (!(await this.#options.sessions.subscribe(context.id, context.credential, { key, uri: named, cursor })))
        throw notFound('session', context.id);
    } catch (thrown) {
      if (former === undefined) open?.resources.delete(resource.key);
      else open?.resources.set(resource.key, former);
      await open?.updates.watch([...open.resources.values()]);
      throw thrown;
    }
  }

  /** No longer reports changes of a resource. */
  async unsubscribe(context: SessionContext, uri: unknown): Promise<void> {
    if (typeof uri !== 'string') return;
    const found = await watchedResource(context.read, uri).catch(() => undefined);
    // A record that was deleted is found by the name that the client gave it.
    const isMeant = (one: { readonly key: string; readonly uri: string }): boolean =>
      one.key === found?.key || one.uri === wholeUri(uri);
    const open = this.#open.get(context.id);
    const ended = [...(open?.resources.values() ?? [])].filter(isMeant);
    for (const { key } of ended) open?.resources.delete(key);
    if (ended.length > 0) await open?.updates.watch([...open.resources.values()]);
    await this.#options.sessions.unsubscribe(context.id, isMeant);
  }

  /** The existing resources that the session subscribed to earlier, and the places where its notifications continue. */
  async #restored({ id, read }: SessionContext, known: Places): Promise<Pick<Open, 'resources' | 'places'>> {
    const resources = new Map<string, WatchedResource>();
    const places: Places = new Map();
    for (const { uri, cursor } of await this.#options.sessions.subscriptionsOf(id)) {
      const resource = await watchedResource(read, uri).catch(() => undefined);
      if (resource === undefined) continue;
      resources.set(resource.key, resource);
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
