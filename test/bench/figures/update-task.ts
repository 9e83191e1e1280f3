import { startService } from '../service.ts';
import { startYardstick } from '../yardstick.ts';
import type { Figure } from '../figure.ts';
import { McpClient } from '../../support/mcp-client.ts';
import { alternate, compare, measured, percentile, timed } from '../measure.ts';
import { seed } from '../plans.ts';

/** A durable change by an agent, beside a tool that only returns its input. */
export const updateTask: Figure = {
  name: 'update-task',
  title: "update_task over MCP, the SDK's client",
  measure: async (bench) => {
    const calls = bench.quick ? 20 : 300;
    const service = await startService(bench.scratch('update-task'));
    const echo = await startYardstick('echo-mcp');
    try {
      const { taskIds } = await seed(service, 'Garden', { tasks: 1000 });
      const clients = { planner: await McpClient.connect(service.url), echo: await McpClient.connect(echo.url) };
      let turn = 0;
      const time = async (client: McpClient, tool: string): Promise<number[]> => {
        const times: number[] = [];
        for (let i = 0; i < calls; i++) {
          turn++;
          const input = {
            task_id: taskIds[turn % taskIds.length]!,
            label: `Prepare bed ${turn}`,
            status: 'in_progress',
          };
          times.push(await timed(() => client.get(tool, input)));
        }
        return times;
      };
      await time(clients.planner, 'update_task');
      await time(clients.echo, 'echo');
      const results = await alternate(bench.quick ? 1 : 5, {
        echo: () => time(clients.echo, 'echo'),
        planner: () => time(clients.planner, 'update_task'),
      });
      await Promise.all([clients.planner.close(), clients.echo.close()]);
      const row = (what: string, share: number): ReturnType<typeof compare> =>
        compare(
          measured(
            `update_task, ${what}`,
            'ms',
            results.planner.map((times) => percentile(times, share)),
          ),
          measured(
            `a tool that echoes, ${what}`,
            'ms',
            results.echo.map((times) => percentile(times, share)),
          ),
          share === 0.95 ? { atMost: 1.5 } : undefined,
        );
      return [row('p95', 0.95), row('p50', 0.5)];
    } finally {
      await Promise.all([service.stop(), echo.stop()]);
    }
  },
};
