import type { Command } from 'commander';
import { systemClock } from '../../clock.ts';
import { addCommand } from '../command-line.ts';
import type { ProgramParts } from '../parts.ts';

/** `mcp`: MCP over standard input and output, for clients that start their servers. */
export function addMcpCommand(parts: ProgramParts, program: Command): void {
  addCommand(
    parts,
    program,
    {
      usage: 'mcp',
      description:
        'serve MCP on standard input and output, for clients that start their servers: goes to PLANNER_URL with PLANNER_MCP_TOKEN, or to the service of the nearest .planner, which it is itself where none runs',
      examples: ['mcp', 'mcp --root ../my-repository', 'connect   # writes the entry that starts it'],
    },
    async (_, { root }) => {
      const [{ Bridge }, { McpPlace }] = await Promise.all([
        import('../../bridge/bridge.ts'),
        import('../bridge/place.ts'),
      ]);
      const { input, output } = parts.streams;
      const bridge = new Bridge({
        input,
        output,
        clock: systemClock,
        version: parts.version,
        place: (roots) => new McpPlace(parts, root, roots),
        fault: (thrown) =>
          parts.remark(`planner: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`),
      });
      // A client that reads no more has gone.
      output.on('error', () => bridge.stop());
      parts.events.onEndSignal(() => bridge.stop());
      await bridge.run();
    },
  );
}
