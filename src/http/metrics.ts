import type { Registry } from 'prom-client';
import { EventLoopDelay } from './event-loop-delay.ts';
import { RequestDurations } from './request-durations.ts';
import type { RequestLogEntry } from './request-log.ts';

/** The state of the store at a scrape. */
export interface StoreMetrics {
  readonly projects: number;
  /** Changes that are not checkpointed to their files yet. */
  readonly pending: number;
  readonly journalBytes: number;
  readonly problems: number;
  readonly writable: boolean;
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
    const { registry, refresh } = await this.#load();
    refresh(await this.#options.store());
    return { type: registry.contentType, content: await registry.metrics() };
  }

  /** Stops background sampling. */
  close(): void {
    this.#delay.stop();
  }

  /** prom-client is loaded for the first scrape. */
  #load(): Promise<Loaded> {
    return (this.#loaded ??= this.#make());
  }

  async #make(): Promise<Loaded> {
    const prometheus = (await import('prom-client')).default;
    const registry = new prometheus.Registry();
    registry.registerMetric(this.#durations.metric());
    const refreshState = serviceMetrics(prometheus, registry, this.#options.version);
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

/** Gauges and counters that are read at each scrape. */
function serviceMetrics({ Counter, Gauge }: Prometheus, registry: Registry, version: string): Loaded['refresh'] {
  const registers = [registry];
  const gauge = (name: string, help: string): InstanceType<Prometheus['Gauge']> => new Gauge({ name, help, registers });
  const projects = gauge('planner_projects', 'Open projects.');
  const pending = gauge(
    'planner_pending_changes',
    'Acknowledged changes that are not checkpointed to their files yet.',
  );
  const journal = gauge('planner_journal_bytes', 'Size of the journal.');
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
    pending.set(store.pending);
    journal.set(store.journalBytes);
    problems.set(store.problems);
    writable.set(store.writable ? 1 : 0);
    memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
  };
}
