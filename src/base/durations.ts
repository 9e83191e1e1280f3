/** Upper bounds in seconds, from reads out of memory to writes that wait for the disk. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

type Labels = Readonly<Record<string, string | number>>;

/** A line of a histogram in Prometheus's format. */
export interface DurationSample {
  readonly labels: Labels;
  readonly metricName: string;
  readonly value: number;
}

/** How long something took, each time, in buckets: the distribution of it, in seconds. */
export class Durations {
  /** The counts by bucket: each duration is in the first bucket that it fits in; the last bucket is for longer ones. */
  readonly #counts: number[] = Array.from({ length: bounds.length + 1 }, () => 0);
  #sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++;
    this.#counts[bucket]!++;
    this.#sum += seconds;
  }

  /** The buckets of Prometheus are cumulative. */
  *samples(name: string, labels: Labels = {}): Generator<DurationSample> {
    let count = 0;
    for (const [at, own] of this.#counts.entries()) {
      count += own;
      yield { labels: { le: bounds[at] ?? '+Inf', ...labels }, metricName: `${name}_bucket`, value: count };
    }
    yield { labels, metricName: `${name}_sum`, value: this.#sum };
    yield { labels, metricName: `${name}_count`, value: count };
  }
}
