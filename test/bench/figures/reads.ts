import { startService } from '../service.ts';
import { startYardstick } from '../yardstick.ts';
import type { Figure } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { load } from '../load.ts';
import { alternate, compare, measured } from '../measure.ts';
import { seed } from '../plans.ts';

/** One task by id, beside Express returning the same JSON. */
export const reads: Figure = {
  name: 'reads',
  title: 'GET /tasks/:id, 64 connections',
  measure: async (bench) => {
    const seconds = bench.quick ? 1 : 5;
    const service = await startService(bench.scratch('reads'));
    const { taskIds } = await seed(service, 'Garden', { tasks: 1000 });
    const client = new HttpClient(service.url);
    const { body } = await client.get(`/tasks/${taskIds[500]!}`);
    client.close();
    const constant = await startYardstick('constant', body.toString());
    const requests = taskIds.slice(0, 640).map((id) => ({ path: `/api/v1/tasks/${id}` }));
    const rate = async (url: string): Promise<number> => (await load(url, requests, { seconds })).perSecond;
    try {
      await Promise.all([load(service.url, requests, { seconds: 1 }), load(constant.url, requests, { seconds: 1 })]);
      const results = await alternate(bench.quick ? 1 : 5, {
        express: () => rate(constant.url),
        planner: () => rate(service.url),
      });
      return [
        compare(
          measured('one task by its id', '/s', results.planner),
          measured(`Express, a constant JSON of ${body.length} bytes`, '/s', results.express),
          {
            atLeast: 0.95,
          },
        ),
      ];
    } finally {
      await Promise.all([service.stop(), constant.stop()]);
    }
  },
};
