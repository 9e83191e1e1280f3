import type { Metric } from 'prom-client';

/** Upper bounds in seconds, from reads out of memory to writes that wait for the disk. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

const name = 'planner_request_duration_seconds';
const help = 'Time from the arrival of a request to the end of its response, by route pattern.';

/** The requests of one method, route and status. */
interface Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** Requests by bucket, each in the first one that it fits in; the last is for longer ones. */
  readonly counts: number[];
  sum: number;
}

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName: string;
  readonly value: number;
}

/**
 * The histogram of request durations. It finds a series by nested maps: prom-client's histogram builds a key of all labels for each
 * observation, which took a twentieth of a read. Its registry prints this one.
 */
export class RequestDurations {
  readonly #series = new Map<string, Map<string, Map<number, Series>>>();

  observe(method: string, route: string, status: number, seconds: number): void {
    const series = this.#seriesOf(method, route, status);
    let bucket = 0;
    while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.sum += seconds;
  }

  #seriesOf(method: string, route: string, status: number): Series {
    let routes = this.#series.get(method);
    if (routes === undefined) this.#series.set(method, (routes = new Map<string, Map<number, Series>>()));
    let statuses = routes.get(route);
    if (statuses === undefined) routes.set(route, (statuses = new Map<number, Series>()));
    let series = statuses.get(status);
    if (series === undefined) {
      series = {
        labels: { method, route, status },
        counts: Array.from({ length: bounds.length + 1 }, () => 0),
        sum: 0,
      };
      statuses.set(status, series);
    }
    return series;
  }

  /** The histogram for prom-client's registry, which calls `get` at each scrape. */
  metric(): Metric {
    const get = (): Promise<object> =>
      Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: [...this.#samples()] });
    return { name, get } as unknown as Metric;
  }

  *#samples(): Generator<Sample> {
    for (const routes of this.#series.values())
      for (const statuses of routes.values()) for (const series of statuses.values()) yield* samplesOf(series);
  }
}

/** The buckets of Prometheus are cumulative. */
function* samplesOf({ labels, counts, sum }: Series): Generator<Sample> {
  let count = 0;
  for (const [at, own] of counts.entries()) {
    count += own;
    yield { labels: { le: bounds[at] ?? '+Inf', ...labels }, metricName: `${name}_bucket`, value: count };
  }
  yield { labels, metricName: `${name}_sum`, value: sum };
  yield { labels, metricName: `${name}_count`, value: count };
}
