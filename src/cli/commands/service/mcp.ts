import type { Command } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { addCommand } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';

/** `mcp`: serves MCP over standard input and output. */
export function addMcpCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'mcp',
      description:
        'serve MCP on standard input and output, for clients that start their servers: forwards to PLANNER_URL with PLANNER_MCP_TOKEN, or to the service of the nearest .planner, which it starts if none runs',
      examples: ['mcp', 'mcp --root ../my-repository', 'connect   # writes the entry that starts it'],
    },
    async (_, options) => {
      const [{ Bridge }, { McpLocator }] = await Promise.all([
        import('../../../bridge/bridge.ts'),
        import('../../bridge/mcp-locator.ts'),
      ]);
      const { input, output } = deps.streams;
      const bridge = new Bridge({
        input,
        output,
        clock: systemClock,
        version: deps.version,
        locator: (roots) => new McpLocator(deps, options, roots),
        onError: (thrown) =>
          deps.remark(`planner: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`),
      });
      // The client closed its end of the pipe.
      output.on('error', () => bridge.stop());
      deps.events.onEndSignal(() => bridge.stop());
      await bridge.run();
    },
  );
}
