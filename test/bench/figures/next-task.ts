import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { McpClient } from '../../support/mcp-client.ts';
import { alternate, compare, measured, percentile, timed } from '../measure.ts';
import { seed } from '../plans.ts';

/** The most frequent call of agents, in a small project and in a large one. */
export const nextTask: Figure = {
  name: 'next-task',
  title: 'get_next_task over MCP, projects of 100 and 100,000 tasks',
  measure: async (bench) => {
    const calls = bench.quick ? 20 : 200;
    const service = await startService(bench.scratch('next-task'));
    try {
      const small = await seed(service, 'Small', { tasks: 100 });
      const large = await seed(service, 'Large', { tasks: bench.quick ? 1000 : 100_000, descriptionBytes: 200 });
      const client = await McpClient.connect(service.url);
      const ask = async (project: string): Promise<number[]> => {
        const times: number[] = [];
        for (let i = 0; i < calls; i++)
          times.push(await timed(() => client.get('get_next_task', { project_id: project })));
        return times;
      };
      await ask(small.projectId);
      await ask(large.projectId);
      const results = await alternate(bench.quick ? 1 : 5, {
        small: () => ask(small.projectId),
        large: () => ask(large.projectId),
      });
      await client.close();
      const row = (what: string, share: number): ReturnType<typeof compare> =>
        compare(
          measured(
            `${large.taskIds.length} tasks, ${what}`,
            'ms',
            results.large.map((times) => percentile(times, share)),
          ),
          measured(
            `${small.taskIds.length} tasks, ${what}`,
            'ms',
            results.small.map((times) => percentile(times, share)),
          ),
          { atMost: 1.5 },
        );
      return [row('p50', 0.5), row('p95', 0.95)];
    } finally {
      await service.stop();
    }
  },
};
