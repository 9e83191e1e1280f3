import { expect } from 'chai';
import prometheus from 'prom-client';
import { RequestDurations } from '../../src/http/request-durations.ts';

describe('The histogram of request durations', () => {
  it('is printed as one of prom-client with the same observations [A.metrics]', async () => {
    const durations = new RequestDurations();
    const own = new prometheus.Registry();
    own.registerMetric(durations.metric());
    const reference = new prometheus.Registry();
    const histogram = new prometheus.Histogram({
      name: 'planner_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its response, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [reference],
    });
    const observations: [method: string, route: string, status: number, seconds: number][] = [
      ['GET', '/api/v1/tasks/:task_id', 200, 0.0005],
      ['GET', '/api/v1/tasks/:task_id', 200, 0.001],
      ['GET', '/api/v1/tasks/:task_id', 404, 0.0011],
      ['POST', '/api/v1/tasks/:task_id', 200, 0.2],
      ['GET', '/mcp "quoted"', 200, 5],
      ['GET', '/api/v1/tasks/:task_id', 200, 60],
    ];
    for (const [method, route, status, seconds] of observations) {
      durations.observe(method, route, status, seconds);
      histogram.observe({ method, route, status }, seconds);
    }
    const lines = async (registry: prometheus.Registry): Promise<string[]> =>
      (await registry.metrics()).split('\n').sort();
    expect(await lines(own)).to.deep.equal(await lines(reference));
  });
});
