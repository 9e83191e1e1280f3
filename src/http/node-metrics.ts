import type { Registry } from 'prom-client';
import type { Durations } from '../base/durations.ts';
import { histogram } from './request-durations.ts';

/** The measures of a node over a shared log; counts begin at its start. */
export interface NodeState {
  /** Projects in memory, and their estimated memory. */
  readonly replicas: number;
  readonly replicaBytes: number;
  readonly clockOffsetMs: number;
  /** The appends by outcome. */
  readonly appends: ReadonlyMap<string, Durations>;
  readonly catchUps: Durations;
  readonly coldLoads: Durations;
  readonly reruns: number;
  readonly forks: number;
  readonly unknown: { readonly won: number; readonly lost: number };
  readonly entriesApplied: number;
  readonly entriesBehindSnapshot: number;
  /** True if a synchronous standby is connected; undefined if that is not known. */
  readonly hasStandby?: boolean | undefined;
  /** The connections to the database, except for changes and reads; undefined without them. */
  readonly connections?: { readonly inUse: number; readonly waiting: number } | undefined;
}

type Prometheus = Pick<typeof import('prom-client'), 'Counter' | 'Gauge'>;

/** Returns the function that sets them at a scrape. */
export function nodeMetrics({ Counter, Gauge }: Prometheus, registry: Registry): (state: NodeState) => void {
  const registers = [registry];
  const gauge = (name: string, help: string): InstanceType<typeof Gauge> => new Gauge({ name, help, registers });
  const counter = (name: string, help: string, labelNames: string[] = []): InstanceType<typeof Counter> =>
    new Counter({ name, help, labelNames, registers });
  const replicas = gauge('planner_replicas', 'Projects in the memory of this node.');
  const bytes = gauge('planner_replica_bytes', 'Estimated memory of the projects in the memory of this node.');
  const offset = gauge('planner_clock_offset_ms', 'Time of the database less that of this machine.');
  const snapshots = gauge('planner_snapshot_age_entries', 'Entries of the log that is furthest behind its snapshot.');
  const standby = gauge('planner_synchronous_standby', '1 if the database has a synchronous standby, 0 if not.');
  const inUse = gauge('planner_pool_connections_in_use', 'Connections of the pool that execute a statement.');
  const waiting = gauge('planner_pool_waiting', 'Statements that wait for a connection of the pool.');
  const reruns = counter('planner_reruns_total', 'Rules that ran again since the entries of other nodes came first.');
  const forks = counter('planner_forked_total', 'Logs that did not continue what this node had.');
  const applied = counter('planner_entries_applied_total', 'Entries of other nodes that this node has applied.');
  const unknown = counter('planner_unknown_total', 'Appends whose outcome had to be looked up.', ['won']);
  let last: NodeState | undefined;
  const histograms: readonly [name: string, help: string, of: (state: NodeState) => Durations][] = [
    ['planner_gate_seconds', 'Time until the database has answered what others have appended.', (now) => now.catchUps],
    ['planner_cold_load_seconds', 'Time until a project was in memory.', (now) => now.coldLoads],
  ];
  for (const [name, help, of] of histograms)
    registry.registerMetric(histogram(name, help, () => (last === undefined ? [] : of(last).samples(name))));
  const append = 'planner_append_seconds';
  registry.registerMetric(
    histogram(append, 'Time until an append was decided, by outcome.', () =>
      [...(last?.appends ?? [])].flatMap(([outcome, durations]) => [...durations.samples(append, { outcome })]),
    ),
  );
  return (state) => {
    last = state;
    replicas.set(state.replicas);
    bytes.set(state.replicaBytes);
    offset.set(state.clockOffsetMs);
    snapshots.set(state.entriesBehindSnapshot);
    if (state.hasStandby === undefined) standby.reset();
    else standby.set(state.hasStandby ? 1 : 0);
    inUse.set(state.connections?.inUse ?? 0);
    waiting.set(state.connections?.waiting ?? 0);
    for (const [total, value] of [
      [reruns, state.reruns],
      [forks, state.forks],
      [applied, state.entriesApplied],
    ] as const) {
      total.reset();
      total.inc(value);
    }
    unknown.reset();
    unknown.inc({ won: 'yes' }, state.unknown.won);
    unknown.inc({ won: 'no' }, state.unknown.lost);
  };
}
