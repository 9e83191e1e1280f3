import type { Run } from '../../schema/types.ts';
import { diffStatText, minuteOf } from '../terminal/show-text.ts';
import { row, span } from '../terminal/style.ts';
import type { Style, StyledLine } from '../terminal/style.ts';

const statusStyles: Readonly<Record<Run['status'], Style>> = { running: 'yellow', completed: 'green', failed: 'red' };

/** A run of an agent in one line: its end, its agent, its branch and its cost. */
export function runRow({ status, started_at: at, agent_ref: agent, ...run }: Run): StyledLine {
  const { branch, diff_stat: stat, tokens, cost_usd: cost, events } = run;
  const says = status === 'failed' ? events.at(-1)?.message.split('\n', 1)[0] : undefined;
  const facts = [
    ...[agent, branch, stat && diffStatText(stat)],
    tokens === null ? null : `${tokens.toLocaleString('en')} tokens`,
    cost === null ? null : `$${cost.toFixed(2)}`,
    says,
  ].filter((fact) => typeof fact === 'string');
  return row(`  ${minuteOf(at)}  `, span(statusStyles[status], status.padEnd(9)), `  ${facts.join('  ')}`);
}
