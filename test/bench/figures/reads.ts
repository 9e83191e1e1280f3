import type { Request } from 'autocannon';
import { startService } from '../service.ts';
import { startYardstick } from '../yardstick.ts';
import type { Figure } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { load } from '../load.ts';
import { alternate, compare, measured } from '../measure.ts';
import { agentHeaders, seed } from '../plans.ts';

/** One task by id, beside Express returning the same JSON. */
export const reads: Figure = {
  name: 'reads',
  title: 'GET /tasks/:id, 64 connections',
  measure: async (bench) => {
    const seconds = bench.quick ? 1 : 5;
    const service = await startService(bench.scratch('reads'));
    const { projectId, taskIds } = await seed(service, 'Garden', { tasks: 1000 });
    const client = new HttpClient(service.url);
    const { body } = await client.get(`/tasks/${taskIds[500]!}`);
    client.close();
    const constant = await startYardstick('constant', body.toString());
    const requests = taskIds.slice(0, 640).map((id) => ({ path: `/api/v1/tasks/${id}` }));
    const headers = await agentHeaders(service, projectId);
    const withKey = requests.map((request) => ({ ...request, headers }));
    const rate = async (url: string, of: readonly Request[] = requests): Promise<number> =>
      (await load(url, of, { seconds })).perSecond;
    try {
      await Promise.all([load(service.url, requests, { seconds: 1 }), load(constant.url, requests, { seconds: 1 })]);
      const results = await alternate(bench.quick ? 1 : 5, {
        express: () => rate(constant.url),
        planner: () => rate(service.url),
        withKey: () => rate(service.url, withKey),
      });
      const express = measured(`Express, a constant JSON of ${body.length} bytes`, '/s', results.express);
      return [
        compare(measured('one task by its id', '/s', results.planner), express, { atLeast: 0.95 }),
        compare(measured('the same with the key of an agent', '/s', results.withKey), express, { atLeast: 0.9 }),
      ];
    } finally {
      await Promise.all([service.stop(), constant.stop()]);
    }
  },
};
