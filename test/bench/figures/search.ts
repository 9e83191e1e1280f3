import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { alternate, attain, measured, percentile } from '../measure.ts';
import { seed } from '../plans.ts';
import { residentBytes } from '../process-usage.ts';

/** Queries as people type them: whole words, prefixes, two words of which one is in every title, typos, and words without a hit. */
const queries = (at: number): string =>
  [`bed ${at}`, 'wint', `prepare ${at}`, 'prepair winter', `bde ${at % 100}`, 'zebra', `${at}`, 'the bed for winter'][
    at % 8
  ]!;

/** Searching titles that all contain the same words, which is the most expensive case: each one is a hit. */
export const search: Figure = {
  name: 'search',
  title: 'GET /search over 50,000 titles',
  measure: async (bench) => {
    const calls = bench.quick ? 40 : 400;
    const tasks = bench.quick ? 1000 : 50_000;
    const service = await startService(bench.scratch('search'));
    try {
      await seed(service, 'Garden', { tasks, descriptionBytes: 200 });
      const before = residentBytes(service.pid).now;
      const client = new HttpClient(service.url);
      const look = async (round: number): Promise<number[]> => {
        const times: number[] = [];
        for (let i = 0; i < calls; i++) {
          const query = encodeURIComponent(queries((round * calls + i) * 7));
          const { status, ms } = await client.get(`/search?q=${query}`);
          if (status !== 200) throw new Error(`The search answered ${status}.`);
          times.push(ms);
        }
        return times;
      };
      const first = (await client.get('/search?q=winter')).ms;
      await look(0);
      const { titles } = await alternate(bench.quick ? 1 : 5, { titles: (round) => look(round + 1) });
      client.close();
      const p95 = measured(
        `one search, p95 of ${calls}`,
        'ms',
        titles.map((times) => percentile(times, 0.95)),
      );
      const grown = Math.round((residentBytes(service.pid).now - before) / 1e6);
      return [
        attain(p95, { atMost: 5 }, undefined, { index_mb: grown }),
        attain(measured('the first search', 'ms', [first]), { atMost: 50 }),
      ];
    } finally {
      await service.stop();
    }
  },
};
