import { expect } from 'chai';
import prometheus from 'prom-client';
import { systemClock } from '../../src/base/clock.ts';
import { EventLoopDelay } from '../../src/http/event-loop-delay.ts';

const texts = {
  min: 'The shortest',
  max: 'The longest',
  mean: 'The mean',
  stddev: 'The standard deviation of the',
  p50: 'The 50th percentile of the',
  p90: 'The 90th percentile of the',
  p99: 'The 99th percentile of the',
};

describe('The event loop delay', () => {
  /** Blocks the event loop for the given time, between two turns in which the delay is sampled. */
  const hold = async (ms: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    const until = systemClock.monotonic() + ms;
    while (systemClock.monotonic() < until);
    await new Promise((resolve) => setTimeout(resolve, 30));
  };

  it('is measured between two scrapes, until sampling is stopped', async () => {
    const registry = new prometheus.Registry();
    const delay = new EventLoopDelay();
    const update = delay.register(prometheus, registry);
    const read = async (): Promise<Record<string, number>> => {
      update();
      const metrics = await registry.getMetricsAsJSON();
      const entries = metrics.map(({ name, help, values }) => [name, help, values[0]!.value] as const);
      for (const [name, help] of entries) {
        const [, value] = /^nodejs_eventloop_lag_(\w+)_seconds$/.exec(name)!;
        expect(help).to.equal(
          `${texts[value as keyof typeof texts]} event loop delay since the last scrape, the sampling interval of 10 ms included.`,
        );
      }
      return Object.fromEntries(entries.map(([name, , value]) => [name.split('_')[3]!, value]));
    };
    const nothing = Object.fromEntries(Object.keys(texts).map((name) => [name, 0]));
    expect(await read()).to.deep.equal(nothing);
    await hold(200);
    const held = await read();
    // A loaded machine makes delays longer, never shorter.
    expect(held['max']).to.be.within(0.15, 3600);
    expect(held['min']).to.be.above(0);
    expect(held['mean']).to.be.within(held['min']!, held['max']!);
    expect(held['stddev']).to.be.within(0.001, held['max']!);
    expect(held['p50']).to.be.at.least(held['min']!);
    expect(held['p90']).to.be.at.least(held['p50']!);
    expect(held['p99']).to.be.at.least(held['p90']!).and.at.least(0.15);
    update();
    delay.stop();
    update();
    await hold(30);
    expect(await read()).to.deep.equal(nothing);
  });

  it('is reset by each scrape', async () => {
    const delay = new EventLoopDelay();
    const registry = new prometheus.Registry();
    const update = delay.register(prometheus, registry);
    await hold(50);
    update();
    update();
    const values = (await registry.getMetricsAsJSON()).map((metric) => metric.values[0]!.value);
    expect(values).to.deep.equal([0, 0, 0, 0, 0, 0, 0]);
    delay.stop();
  });
});
