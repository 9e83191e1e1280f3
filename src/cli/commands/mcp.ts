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
      const { stdin: input, stdout: output } = process;
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
      endOnSignals(() => bridge.stop());
      await bridge.run();
    },
  );
}

/** The first signal ends the bridge in order, a second one at once. */
function endOnSignals(stop: () => void): void {
  let asked = false;
  const onSignal = (): void => {
    // 130: ended by a signal, as shells have it.
    if (asked) process.exit(130);
    asked = true;
    stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
