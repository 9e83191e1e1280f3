import type { Query, QueryClient } from '@tanstack/react-query';
import type { OperationName } from '../rest/client.ts';
import { ChangeStream } from './change-stream.ts';
import { Coverage } from './coverage.ts';
import { pollMs } from './poll.ts';
import { Presence } from './presence.ts';
import type { StreamMessage } from './read-stream.ts';
import { Refetcher } from './refetcher.ts';
import { mayChange, nextExpiry, shownOfService } from './shown.ts';
import type { ChangeEvent } from './shown.ts';
import { isTransient } from './transient.ts';

/** How often it is looked which results have to be polled, in milliseconds. */
const tickMs = 500;
/** A page is not shown for longer without being loaded again or hidden. */
const expiryMsMax = 86_400_000;
/** The clocks of the browser and the service differ a little. */
const expiredMs = 50;

/**
 * Keeps the cache up to date: by the events of a stream, of one project or of all, and, for results that no stream
 * covers, by polls. An event says which results may have changed; these are requested by their tags, so that only
 * changed results are sent.
 */
class Live {
  readonly #client: QueryClient;
  readonly #coverage = new Coverage();
  readonly #refetcher: Refetcher;
  readonly presence = new Presence();
  #stream: ChangeStream | undefined;
  /** The project of the stream; undefined for all projects. */
  #project: string | undefined;
  #isOpen = false;
  #isAway = false;
  /** What requests that were answered, but have not ended, say of their results. */
  readonly #answered = new Map<string, { readonly requestedAt: number; readonly cursor: string | undefined }>();
  /** When a row of a list expires, by the list's key. */
  readonly #expiries = new Map<string, number>();

  constructor(client: QueryClient) {
    this.#client = client;
    this.#refetcher = new Refetcher(client, (key) => this.#coverage.isStale(key));
    client.getQueryCache().subscribe((event) => {
      if (event.type === 'removed') this.#forget(event.query.queryHash);
      if (event.type === 'updated' && event.action.type === 'success')
        this.#noteResult(event.query as Query, event.action.manual === true);
    });
  }

  /** Follows a project, or all without one. Returns the function that ends it. */
  follow(project: string | undefined): () => void {
    this.#project = project;
    const feed = project === undefined ? '/feed' : `/projects/${encodeURIComponent(project)}/events`;
    const also = `service=true${project === undefined ? '' : `&presence=${this.presence.session}`}`;
    const stream = new ChangeStream(`/api/v1${feed}?${also}`, {
      onOpen: ({ cursor, isResumed }) => this.#open(cursor, isResumed),
      onMessages: (messages) => this.#receive(messages),
      onBroken: () => this.#setOpen(false),
    });
    this.#stream = stream;
    const ticks = window.setInterval(() => this.#poll(), tickMs);
    window.addEventListener('planner:unreachable', this.#onUnreachable);
    stream.start();
    return () => {
      stream.stop();
      window.clearInterval(ticks);
      window.removeEventListener('planner:unreachable', this.#onUnreachable);
    };
  }

  /** Returns whether the stream brings every change of a result. */
  isFollowed(query: Pick<Query, 'queryKey'>): boolean {
    if (!this.#isOpen) return false;
    const project = askedBy(query).input['project_id'];
    return project === undefined || this.#project === undefined || project === this.#project;
  }

  /** A result is requested. The returned function is called with the cursor of the response. */
  requested(key: string): (cursor: string | undefined) => void {
    const { position: requestedAt } = this.#coverage;
    return (cursor) => void this.#answered.set(key, { requestedAt, cursor });
  }

  #setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    if (isOpen) this.presence.open();
    else this.presence.close();
    document.documentElement.dataset['updates'] = isOpen ? 'streamed' : 'polled';
  }

  #open(cursor: string | undefined, isResumed: boolean): void {
    this.#setOpen(true);
    // Changes that happened in the service while there was no stream are not sent again.
    if (isResumed) return this.#changeService(undefined);
    const position = this.#coverage.receive(cursor);
    for (const query of this.#queries()) this.#coverage.change(query.queryHash, position);
    this.#refetcher.checkAll();
  }

  /** Records of the service have changed; without names, any. */
  #changeService(changed: readonly string[] | undefined): void {
    const names = shownOfService(changed);
    const position = this.#coverage.receive(undefined);
    for (const query of this.#queries())
      if (names.has(askedBy(query).name)) this.#coverage.change(query.queryHash, position);
    this.#refetcher.checkAll();
  }

  #receive(messages: readonly StreamMessage[]): string | undefined {
    let cursor: string | undefined;
    const queries = this.#queries().map((query) => ({ key: query.queryHash, ...askedBy(query) }));
    for (const { type, data } of messages) {
      if (type === 'service')
        this.#changeService((JSON.parse(data) as { readonly changed: readonly string[] }).changed);
      if (type === 'presence') this.presence.take(JSON.parse(data) as Parameters<Presence['take']>[0]);
      if (type !== 'message') continue;
      const event = JSON.parse(data) as ChangeEvent;
      ({ cursor } = event);
      const position = this.#coverage.receive(cursor);
      for (const { key, name, input } of queries) {
        const { project_id: project } = input;
        if (project !== undefined && project !== event.project_id) continue;
        if (mayChange(name, input, event)) this.#coverage.change(key, position);
      }
    }
    this.#refetcher.checkAll();
    return cursor;
  }

  /** The results that the stream covers. */
  #queries(): Query[] {
    return this.#client
      .getQueryCache()
      .getAll()
      .filter((query) => this.isFollowed(query));
  }

  /** Requests the results that are shown, are not followed, and were not requested for their interval. */
  #poll(): void {
    if (document.visibilityState !== 'visible') return;
    const now = Date.now();
    for (const query of this.#client.getQueryCache().findAll({ type: 'active', fetchStatus: 'idle' })) {
      const { error, dataUpdatedAt, errorUpdatedAt } = query.state;
      if (this.isFollowed(query) && !isTransient(error)) continue;
      if (now - Math.max(dataUpdatedAt, errorUpdatedAt) < pollMsOf(query) - tickMs / 2) continue;
      void this.#client.refetchQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    }
  }

  /** A request failed, or code did not load: while the stream is open, one request finds out whether the service responds. */
  readonly #onUnreachable = (): void => {
    this.#isAway = true;
    if (!this.#isOpen) return;
    void this.#client.refetchQueries({ queryKey: ['list_projects'] }, { cancelRefetch: false });
  };

  /** A result was put into the cache, by hand or by a request. One that was cancelled on its way has not been. */
  #noteResult(query: Query, isManual: boolean): void {
    const answered = isManual ? undefined : this.#answered.get(query.queryHash);
    if (answered !== undefined) this.#coverage.load(query.queryHash, answered);
    this.#scheduleExpiry(query);
    if (!this.#isAway || query.state.fetchStatus !== 'idle') return;
    this.#isAway = false;
    this.#stream?.wake();
  }

  /** The service says nothing when the time of a row is over. */
  #scheduleExpiry(query: Query): void {
    const { queryHash: key, state } = query;
    const now = Date.now();
    const next = nextExpiry(askedBy(query).name, state.data, now);
    window.clearTimeout(this.#expiries.get(key));
    this.#expiries.delete(key);
    if (next === undefined || next.at - now > expiryMsMax) return;
    const expire = (): void => this.#changeService([next.changes]);
    this.#expiries.set(key, window.setTimeout(expire, next.at - now + expiredMs));
  }

  #forget(key: string): void {
    this.#coverage.forget(key);
    this.#answered.delete(key);
    window.clearTimeout(this.#expiries.get(key));
    this.#expiries.delete(key);
  }
}

interface Asked {
  readonly name: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The operation of a query, and its input: the first and the last part of its key. */
function askedBy({ queryKey }: Pick<Query, 'queryKey'>): Asked {
  return { name: queryKey[0] as OperationName, input: (queryKey.at(-1) ?? {}) as Asked['input'] };
}

/** The shortest interval that those who show the result ask for; infinite if it is requested once. */
function pollMsOf(query: Query): number {
  const each = query.observers.map(({ options: { meta } }) => {
    const everyMs = (meta as { readonly everyMs?: number | false } | undefined)?.everyMs ?? pollMs;
    return everyMs === false ? Infinity : everyMs;
  });
  return Math.min(...each);
}

const lives = new WeakMap<QueryClient, Live>();

/** The object that keeps a cache up to date. */
export function liveOf(client: QueryClient): Live {
  let live = lives.get(client);
  if (live === undefined) lives.set(client, (live = new Live(client)));
  return live;
}
