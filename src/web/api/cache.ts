import { hashKey, QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryKey, UseQueryResult } from '@tanstack/react-query';
import { liveOf } from '../live/live.ts';
import { pollMs } from '../live/poll.ts';
import { callWithTag } from '../rest/client.ts';
import type { Answer, Loaded, Input, OperationName, ServiceError } from '../rest/client.ts';

/** Results that no stream covers are requested again when they are shown after this time, in milliseconds. */
const staleMs = 1000;

/** The page's only cache. Errors of the service are final; if it does not respond, the next poll retries. */
export function newQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: {
        ...{ retry: false, gcTime: 300_000, structuralSharing: false, networkMode: 'always' },
        // A result that the stream covers is current until an event says otherwise.
        staleTime: (query) => (liveOf(client).isFollowed(query) ? Infinity : staleMs),
        refetchOnWindowFocus: false,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

/** An operation with its input: equal ones share one result. */
export function keyOf<N extends OperationName>(name: N, input: Input<N>): QueryKey {
  return [name, input];
}

export interface WatchOptions {
  /** false: no request is sent. */
  readonly enabled?: boolean;
  /** Milliseconds between two requests where the result is polled; false requests it once. */
  readonly everyMs?: number | false;
}

/**
 * The result of an operation, kept up to date while it is shown. An unchanged result is a 304 and causes no rendering.
 */
export function useResponse<N extends OperationName>(
  name: N,
  input: Input<N>,
  { enabled = true, everyMs = pollMs }: WatchOptions = {},
): UseQueryResult<Answer<N>, ServiceError> {
  const client = useQueryClient();
  const queryKey = keyOf(name, input);
  return useQuery<Loaded<Answer<N>>, ServiceError, Answer<N>>({
    queryKey,
    queryFn: ({ signal }) => refreshed(client, queryKey, name, input, signal),
    select: valueOf,
    meta: { everyMs },
    enabled,
  });
}

function valueOf<T>({ value }: Loaded<T>): T {
  return value;
}

/** Requests with the tag of the cached result; returns that result if it is unchanged. */
async function refreshed<N extends OperationName>(
  client: QueryClient,
  queryKey: QueryKey,
  name: N,
  input: Input<N>,
  signal: AbortSignal,
): Promise<Loaded<Answer<N>>> {
  const known = client.getQueryData<Loaded<Answer<N>>>(queryKey);
  const onCursor = liveOf(client).requested(hashKey(queryKey));
  const answered = await callWithTag(name, input, { ifNoneMatch: known?.tag, signal, onCursor });
  return answered === 'unchanged' ? known! : answered;
}

/** A row of a list: the fields for its order and its deltas. */
export interface Row {
  readonly id: string;
  readonly created_at: string;
}

/** The member of an operation's result that contains its rows. */
type RowsOf<N extends OperationName, P extends keyof Answer<N>> = Answer<N>[P] extends readonly (infer R)[]
  ? Extract<R, Row>
  : never;

/** A list and its tag: the next request is for the changes since `tag` only. */
export interface KeptList<R> {
  readonly rows: readonly R[];
  readonly tag: string | undefined;
}

/** The rows of a list, updated by deltas: a request costs what its change costs, however long the list is. */
export function useRows<N extends OperationName, P extends keyof Answer<N> & string>(
  name: N,
  plural: P,
  input: Input<N>,
  { enabled = true, everyMs = pollMs }: WatchOptions = {},
): UseQueryResult<readonly RowsOf<N, P>[], ServiceError> {
  const client = useQueryClient();
  const queryKey = keyOf(name, input);
  return useQuery<KeptList<RowsOf<N, P>>, ServiceError, readonly RowsOf<N, P>[]>({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<KeptList<RowsOf<N, P>>>(queryKey);
      const since = known?.tag === undefined ? {} : { since: known.tag };
      const onCursor = liveOf(client).requested(hashKey(queryKey));
      const answered = await callWithTag(name, { ...input, ...since }, { ifNoneMatch: known?.tag, signal, onCursor });
      if (answered === 'unchanged') return known!;
      // A local change in the meantime is newer than the state when the request was sent.
      const latest = client.getQueryData<KeptList<RowsOf<N, P>>>(queryKey);
      const { [plural]: rows, removed } = answered.value as Record<string, readonly unknown[] | undefined>;
      const merged = withDelta(
        removed === undefined ? [] : (latest?.rows ?? []),
        rows as readonly RowsOf<N, P>[],
        removed as readonly string[] | undefined,
        orderOf(name),
      );
      return { rows: merged, tag: answered.tag };
    },
    select: ({ rows }) => rows,
    meta: { everyMs },
    enabled,
  });
}

const none: readonly never[] = [];

/** The rows that are known so far, to look up or offer: while they load, nothing may be concluded from a missing one. */
export function soFar<T>(rows: readonly T[] | undefined): readonly T[] {
  return rows ?? none;
}

/** The order in which an operation returns its rows. */
function orderOf(name: OperationName): (a: Row, b: Row) => number {
  return name === 'list_tags' ? byName : byCreation;
}

function byName(a: Row & { readonly name?: string }, b: Row & { readonly name?: string }): number {
  return compare(a.name ?? '', b.name ?? '');
}

/** The order of most lists. */
function byCreation(a: Row, b: Row): number {
  return compare(a.created_at, b.created_at) || compare(a.id, b.id);
}

/** Applies a delta to rows: changed ones are replaced, new ones inserted in the list's order. */
export function withDelta<R extends Row>(
  rows: readonly R[],
  changed: readonly R[],
  removed: readonly string[] = [],
  order: (a: R, b: R) => number = byCreation,
): readonly R[] {
  if (rows.length === 0) return changed;
  const gone = new Set(removed);
  const byId = new Map(changed.map((row) => [row.id, row]));
  const kept: R[] = [];
  for (const row of rows) {
    const next = byId.get(row.id) ?? row;
    byId.delete(row.id);
    if (!gone.has(row.id)) kept.push(next);
  }
  if (byId.size === 0) return kept;
  kept.push(...byId.values());
  return kept.sort(order);
}

/** Compares texts by code units, like the service. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Changes a row in every cached list of an operation; returns a function that restores it. */
export function patchRow<R extends Row>(
  client: QueryClient,
  name: OperationName,
  id: string,
  change: (row: R) => R | undefined,
): () => void {
  const former: [QueryKey, R][] = [];
  for (const [key, kept] of client.getQueriesData<KeptList<R>>({ queryKey: [name] })) {
    const at = kept?.rows?.findIndex((row) => row.id === id) ?? -1;
    if (kept === undefined || at < 0) continue;
    const row = kept.rows[at]!;
    const next = change(row);
    former.push([key, row]);
    client.setQueryData<KeptList<R>>(key, {
      ...kept,
      rows: next === undefined ? kept.rows.toSpliced(at, 1) : kept.rows.with(at, next),
    });
  }
  return () => {
    for (const [key, row] of former)
      client.setQueryData<KeptList<R>>(
        key,
        (kept) => kept && { ...kept, rows: withDelta(kept.rows, [row], [], orderOf(name)) },
      );
  };
}

/** Refetches the results of these operations now. */
export async function refresh(client: QueryClient, ...names: readonly OperationName[]): Promise<void> {
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })));
}
