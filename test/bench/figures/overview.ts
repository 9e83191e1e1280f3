import { McpClient } from '../../support/mcp-client.ts';
import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { alternate, attain, measured, percentile, timed } from '../measure.ts';
import { seed } from '../plans.ts';

const overviewMsMax = 20;

/** The calls of an agent at the start of a session: the list of projects, and the content of one. */
export const overview: Figure = {
  name: 'overview',
  title: 'list_projects and get_project over MCP, project of 10,000 tasks',
  measure: async (bench) => {
    const calls = bench.quick ? 10 : 100;
    const service = await startService(bench.scratch('overview'));
    try {
      const small = await seed(service, 'Small', { tasks: 100 });
      const large = await seed(service, 'Large', { tasks: bench.quick ? 1000 : 10_000 });
      const client = await McpClient.connect(service.url);
      const look = async (project: string): Promise<number[]> => {
        const times: number[] = [];
        for (let i = 0; i < calls; i++) {
          times.push(
            await timed(async () => {
              await client.get('list_projects');
              await client.get('get_project', { project_id: project });
            }),
          );
        }
        return times;
      };
      await look(small.projectId);
      await look(large.projectId);
      const results = await alternate(bench.quick ? 1 : 3, {
        small: () => look(small.projectId),
        large: () => look(large.projectId),
      });
      await client.close();
      const of = (what: string, rounds: readonly number[][]): ReturnType<typeof measured> =>
        measured(
          what,
          'ms',
          rounds.map((times) => percentile(times, 0.95)),
        );
      return [
        attain(
          of(`both, p95 with ${large.taskIds.length} tasks`, results.large),
          { atMost: overviewMsMax },
          of('p95 with 100 tasks', results.small),
        ),
      ];
    } finally {
      await service.stop();
    }
  },
};
