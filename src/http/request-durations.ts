import type { Metric } from 'prom-client';
import { Durations, type DurationSample } from '../base/durations.ts';

const metricName = 'planner_request_duration_seconds';
const metricHelp = 'Time from the arrival of a request to the end of its response, by route pattern.';

/**
 * The histogram of request durations. It finds a series by nested maps: prom-client's histogram builds a key of all
 * labels for each observation, which took a twentieth of a read. Its registry prints this histogram.
 */
export class RequestDurations {
  readonly #series = new Map<string, Map<string, Map<number, Durations>>>();

  observe(method: string, route: string, status: number, seconds: number): void {
    this.#seriesOf(method, route, status).observe(seconds);
  }

  #seriesOf(method: string, route: string, status: number): Durations {
    let routes = this.#series.get(method);
    if (routes === undefined) this.#series.set(method, (routes = new Map<string, Map<number, Durations>>()));
    let statuses = routes.get(route);
    if (statuses === undefined) routes.set(route, (statuses = new Map<number, Durations>()));
    let series = statuses.get(status);
    if (series === undefined) statuses.set(status, (series = new Durations()));
    return series;
  }

  metric(): Metric {
    return histogram(metricName, metricHelp, () => this.#samples());
  }

  *#samples(): Generator<DurationSample> {
    for (const [method, routes] of this.#series)
      for (const [route, statuses] of routes)
        for (const [status, series] of statuses) yield* series.samples(metricName, { method, route, status });
  }
}

/** A histogram for prom-client's registry, which calls `get` at each scrape. */
export function histogram(name: string, help: string, samples: () => Iterable<DurationSample>): Metric {
  const get = (): Promise<object> =>
    Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: [...samples()] });
  return { name, get } as unknown as Metric;
}
