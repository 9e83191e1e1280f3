import type { Registry } from 'prom-client';
import { EventLoopDelay } from './event-loop-delay.ts';
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

type Prometheus = Pick<typeof import('prom-client'), 'Counter' | 'Gauge' | 'Histogram' | 'Registry'>;

interface Loaded {
  readonly registry: Registry;
  readonly observe: (entry: RequestLogEntry) => void;
  readonly refresh: (store: StoreMetrics) => void;
}

/** Histogram buckets in seconds, from reads out of memory to writes that wait for the disk. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** Log entries that are buffered until prom-client is loaded. */
const bufferedMax = 1000;
/** prom-client is loaded this long after the first request, so that it does not delay the start. */
const loadAfterMs = 2_000;
/** Other methods are labelled `other`: clients can invent methods, and label values must be few. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Metrics of requests, the process and the store in Prometheus format. */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #delay = new EventLoopDelay();
  #buffered: RequestLogEntry[] = [];
  #loading: Promise<Loaded> | undefined;
  #loaded: Loaded | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  count(entry: RequestLogEntry): void {
    if (this.#loaded !== undefined) return this.#loaded.observe(entry);
    this.#buffered.push(entry);
    this.#timer ??= setTimeout(() => void this.#load(), loadAfterMs).unref();
    if (this.#buffered.length === bufferedMax) void this.#load();
  }

  /** Returns all metrics with their current values. */
  async expose(): Promise<Exposition> {
    const { registry, refresh } = await this.#load();
    refresh(await this.#options.store());
    return { type: registry.contentType, content: await registry.metrics() };
  }

  /** Stops background sampling. */
  close(): void {
    clearTimeout(this.#timer);
    this.#delay.stop();
  }

  #load(): Promise<Loaded> {
    return (this.#loading ??= this.#make());
  }

  async #make(): Promise<Loaded> {
    const prometheus = (await import('prom-client')).default;
    clearTimeout(this.#timer);
    const registry = new prometheus.Registry();
    const refreshState = serviceMetrics(prometheus, registry, this.#options.version);
    const refreshDelay = this.#delay.register(prometheus, registry);
    const loaded: Loaded = {
      registry,
      observe: requestMetrics(prometheus, registry),
      refresh: (store) => {
        refreshState(store);
        refreshDelay();
      },
    };
    for (const entry of this.#buffered) loaded.observe(entry);
    this.#buffered = [];
    return (this.#loaded = loaded);
  }
}

function requestMetrics({ Histogram }: Prometheus, registry: Registry): Loaded['observe'] {
  const requests = new Histogram({
    name: 'planner_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  });
  return ({ method, route, status, ms }) =>
    requests.observe({ method: methods.has(method) ? method : 'other', route, status }, ms / 1000);
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
