import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';

type Prometheus = Pick<typeof import('prom-client'), 'Gauge'>;

const nanoseconds = 1e9;
/** Sampling interval. Each sample includes it: an idle event loop reports about this value. */
const resolutionMs = 10;

const values = {
  min: 'The shortest',
  max: 'The longest',
  mean: 'The mean',
  stddev: 'The standard deviation of the',
  p50: 'The 50th percentile of the',
  p90: 'The 90th percentile of the',
  p99: 'The 99th percentile of the',
} as const;

/** The event loop delay since the last scrape, under prom-client's default metric names. */
export class EventLoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs });

  constructor() {
    this.#histogram.enable();
  }

  /** Stops sampling. */
  stop(): void {
    this.#histogram.disable();
  }

  /** Adds the gauges to a registry. Returns a function that updates them and resets the histogram. */
  register({ Gauge }: Prometheus, registry: Registry): () => void {
    const gauges = Object.entries(values).map(([value, text]) => ({
      value: value as keyof typeof values,
      gauge: new Gauge({
        name: `nodejs_eventloop_lag_${value}_seconds`,
        help: `${text} event loop delay since the last scrape, the sampling interval of ${resolutionMs} ms included.`,
        registers: [registry],
      }),
    }));
    return () => {
      for (const { value, gauge } of gauges) gauge.set(this.#read(value) / nanoseconds);
      this.#histogram.reset();
    };
  }

  #read(value: keyof typeof values): number {
    // An empty histogram has a mean of NaN.
    if (this.#histogram.count === 0) return 0;
    return value.startsWith('p')
      ? this.#histogram.percentile(Number(value.slice(1)))
      : this.#histogram[value as 'min' | 'max' | 'mean' | 'stddev'];
  }
}
