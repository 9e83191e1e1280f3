import type { Registry } from 'prom-client';
import { EventLoopDelay } from './event-loop-delay.ts';
import { nodeMetrics, type NodeState } from './node-metrics.ts';
import { RequestDurations } from './request-durations.ts';
import type { RequestLogEntry } from './request-log.ts';

/** The state of the store at a scrape. */
export interface StoreMetrics {
  readonly projects: number;
  readonly problems: number;
  readonly writable: boolean;
  /** The state of a store over files. */
  readonly files?: {
    /** Changes that are not checkpointed to their files yet. */
    readonly pending: number;
    readonly journalBytes: number;
  };
  /** The state of a node over a log that several nodes share. */
  readonly node?: NodeState;
}

export interface MetricsOptions {
  readonly store: () => Promise<StoreMetrics>;
  readonly version: string;
}

/** Prometheus's text format, with its charset. */
export interface Exposition {
  readonly type: string;
  readonly content: string;
}

type Prometheus = Pick<typeof import('prom-client'), 'Counter' | 'Gauge' | 'Registry'>;

interface StoreKind {
  readonly hasFiles: boolean;
  readonly isNode: boolean;
}

interface Loaded {
  readonly registry: Registry;
  readonly refresh: (store: StoreMetrics) => void;
}

/** Other methods are labelled `other`: clients can invent methods, and label values must be few. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Metrics of requests, the process and the store in Prometheus format. */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #delay = new EventLoopDelay();
  readonly #durations = new RequestDurations();
  #loaded: Promise<Loaded> | undefined;

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  count({ method, route, status, ms }: RequestLogEntry): void {
    this.#durations.observe(methods.has(method) ? method : 'other', route, status, ms / 1000);
  }

  /** Returns all metrics with their current values. */
  async expose(): Promise<Exposition> {
    const store = await this.#options.store();
    const { registry, refresh } = await this.#load({
      hasFiles: store.files !== undefined,
      isNode: store.node !== undefined,
    });
    refresh(store);
    return { type: registry.contentType, content: await registry.metrics() };
  }

  /** Stops background sampling. */
  close(): void {
    this.#delay.stop();
  }

  /** prom-client is loaded for the first scrape. */
  #load(kind: StoreKind): Promise<Loaded> {
    return (this.#loaded ??= this.#make(kind));
  }

  async #make(kind: StoreKind): Promise<Loaded> {
    const prometheus = (await import('prom-client')).default;
    const registry = new prometheus.Registry();
    registry.registerMetric(this.#durations.metric());
    const refreshState = serviceMetrics(prometheus, registry, { version: this.#options.version, ...kind });
    const refreshDelay = this.#delay.register(prometheus, registry);
    return {
      registry,
      refresh: (store) => {
        refreshState(store);
        refreshDelay();
      },
    };
  }
}

type MakeGauge = (name: string, help: string) => InstanceType<Prometheus['Gauge']>;

function fileMetrics(gauge: MakeGauge): (files: StoreMetrics['files']) => void {
  const pending = gauge(
    'planner_pending_changes',
    'Acknowledged changes that are not checkpointed to their files yet.',
  );
  const journal = gauge('planner_journal_bytes', 'Size of the journal.');
  return (files) => {
    if (files === undefined) return;
    pending.set(files.pending);
    journal.set(files.journalBytes);
  };
}

/** Gauges and counters that are read at each scrape. */
function serviceMetrics(
  { Counter, Gauge }: Prometheus,
  registry: Registry,
  { version, hasFiles, isNode }: { readonly version: string } & StoreKind,
): Loaded['refresh'] {
  const registers = [registry];
  const gauge: MakeGauge = (name, help) => new Gauge({ name, help, registers });
  const projects = gauge('planner_projects', 'Open projects.');
  const ofFiles = hasFiles ? fileMetrics(gauge) : undefined;
  const ofNode = isNode ? nodeMetrics({ Counter, Gauge }, registry) : undefined;
  const problems = gauge('planner_problems', 'Listed problems of the root and of its projects.');
  const writable = gauge('planner_writable', '1 if the store accepts writes, 0 after a journal failure.');
  const memory = gauge('process_resident_memory_bytes', 'Resident memory.');
  const cpu = new Counter({ name: 'process_cpu_seconds_total', help: 'CPU time of user and system.', registers });
  const labelNames = ['version', 'node'];
  new Gauge({ name: 'planner_build_info', help: 'Always 1.', labelNames, registers }).set(
    { version, node: process.version },
    1,
  );
  return (store) => {
    projects.set(store.projects);
    ofFiles?.(store.files);
    if (store.node !== undefined) ofNode?.(store.node);
    problems.set(store.problems);
    writable.set(store.writable ? 1 : 0);
    memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
  };
}
