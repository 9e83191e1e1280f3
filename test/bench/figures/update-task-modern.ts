import { join } from 'node:path';
import { startService } from '../service.ts';
import { ModernClient } from '../../support/modern-client.ts';
import { startYardstick } from '../yardstick.ts';
import type { Figure } from '../figure.ts';
import { alternate, compare, measured, percentile, timed } from '../measure.ts';
import { seed } from '../plans.ts';

const modern = { mode: { pin: '2026-07-28' } } as const;

/**
 * A durable change without a session and in one, by the same client, next to a tool that only returns its input, and
 * one that appends it to a file durably before.
 */
export const updateTaskModern: Figure = {
  name: 'update-task-modern',
  title: "update_task over MCP without a session, the second SDK's client",
  measure: async (bench) => {
    const calls = bench.quick ? 20 : 300;
    const service = await startService(bench.scratch('update-task-modern'));
    const echo = await startYardstick('echo-modern-mcp');
    const stored = join(bench.scratch('update-task-modern-echo'), 'calls.jsonl');
    const durable = await startYardstick('echo-modern-mcp', stored);
    try {
      const { taskIds } = await seed(service, 'Garden', { tasks: 1000 });
      const clients = {
        modern: await ModernClient.connect(service.url, modern),
        legacy: await ModernClient.connect(service.url, { mode: 'legacy' }),
        echo: await ModernClient.connect(echo.url, modern),
        durable: await ModernClient.connect(durable.url, modern),
      };
      let turn = 0;
      const time = async (client: ModernClient, tool: string): Promise<number[]> => {
        const times: number[] = [];
        for (let i = 0; i < calls; i++) {
          turn++;
          const task_id = taskIds[turn % taskIds.length]!;
          const input = { task_id, label: `Prepare bed ${turn}`, status: 'in_progress' };
          times.push(await timed(() => client.get(tool, input)));
        }
        return times;
      };
      for (const client of [clients.modern, clients.legacy]) await time(client, 'update_task');
      for (const client of [clients.echo, clients.durable]) await time(client, 'echo');
      const results = await alternate(bench.quick ? 1 : 5, {
        echo: () => time(clients.echo, 'echo'),
        durable: () => time(clients.durable, 'echo'),
        modern: () => time(clients.modern, 'update_task'),
        legacy: () => time(clients.legacy, 'update_task'),
      });
      await Promise.all(Object.values(clients).map((client) => client.close()));
      const rate = (rounds: readonly number[][]): number[] =>
        rounds.map((times) => 1000 / (times.reduce((sum, ms) => sum + ms, 0) / times.length));
      const middle = (rounds: readonly number[][]): number[] => rounds.map((times) => percentile(times, 0.5));
      return [
        compare(
          measured('update_task without a session', 'calls/s', rate(results.modern)),
          measured('update_task in a session', 'calls/s', rate(results.legacy)),
          { atLeast: 1.2 },
        ),
        compare(
          measured('update_task without a session, p50', 'ms', middle(results.modern)),
          measured('a tool that echoes, p50', 'ms', middle(results.echo)),
          { atMost: 1.3 },
        ),
        compare(
          measured('update_task without a session, p50', 'ms', middle(results.modern)),
          measured('a tool that echoes and stores durably, p50', 'ms', middle(results.durable)),
          { atMost: 1.3 },
        ),
      ];
    } finally {
      await Promise.all([service.stop(), echo.stop(), durable.stop()]);
    }
  },
};
