import type { Run } from '../../schema/types.ts';
import { counted } from '../terminal/show-text.ts';

/** The measures of a budget: tasks that were begun, time at work, tokens and dollars that agents report. */
export interface Budget {
  readonly tasks?: number;
  readonly hours?: number;
  readonly tokens?: number;
  readonly usd?: number;
}

/** The runs of a goal, as far as they count for its budget. */
export type Spending = Pick<Run, 'task_id' | 'status' | 'started_at' | 'events' | 'awaiting' | 'tokens' | 'cost_usd'>;

const amount = /^(\d{1,12}(?:\.\d{1,6})?)\s*([km])?\s*(tasks?|h|hours?|min|minutes?|tokens?|usd)$/i;
const factors: Readonly<Record<string, number>> = { k: 1e3, m: 1e6 };

/**
 * The limits in the budget of a goal: `30 tasks`, `4 h`, `90 min`, `2M tokens`, `20 USD`, `$20`, or several of them with commas or line
 * breaks between them. A part of another form is text for people.
 */
export function budgetOf(text: string | null): Budget {
  const budget: { -readonly [K in keyof Budget]: Budget[K] } = {};
  for (const part of (text ?? '').split(/[,;\n]/)) {
    const [, number, prefix, unit] = amount.exec(part.trim().replace(/^\$\s*(.+)$/, '$1 USD')) ?? [];
    if (number === undefined || unit === undefined) continue;
    const value = Number(number) * (factors[prefix?.toLowerCase() ?? ''] ?? 1);
    if (/^task/i.test(unit)) budget.tasks = value;
    else if (/^h/i.test(unit)) budget.hours = value;
    else if (/^min/i.test(unit)) budget.hours = value / 60;
    else if (/^token/i.test(unit)) budget.tokens = value;
    else budget.usd = value;
  }
  return budget;
}

/** The limit that the runs of a goal have reached, as the end of a sentence about it; undefined while none is. `now` is in milliseconds. */
export function usedUp(budget: Budget, runs: readonly Spending[], now: number): string | undefined {
  const sum = (of: (run: Spending) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const { tasks = Infinity, hours = Infinity, tokens = Infinity, usd = Infinity } = budget;
  const begun = new Set(runs.map(({ task_id: id }) => id)).size;
  if (begun >= tasks) return `budget is used up: ${begun} of ${counted(tasks, 'task')} were begun`;
  const worked = sum((run) => hoursOf(run, now));
  if (worked >= hours) return `budget is used up: ${rounded(worked)} of ${rounded(hours)} h at work`;
  const used = sum((run) => run.tokens ?? 0);
  if (used >= tokens) return `budget is used up: ${used} of ${counted(tokens, 'token')}`;
  const paid = sum((run) => run.cost_usd ?? 0);
  if (paid >= usd) return `budget is used up: ${rounded(paid)} of ${rounded(usd)} USD`;
  return undefined;
}

const rounded = (value: number): string => String(Math.round(value * 100) / 100);

/**
 * The hours that a run was at work: from line to line, without the waiting for the answers of people. A closed run has worked until its last
 * line: one whose runner died is closed much later.
 */
function hoursOf({ started_at: start, status, awaiting, events }: Spending, now: number): number {
  let [ms, last] = [0, Date.parse(start)];
  for (const { created_at: at, author } of events) {
    const next = Date.parse(at);
    if (author === undefined) ms += Math.max(next - last, 0);
    last = next;
  }
  if (status === 'running') ms += Math.max((awaiting === null ? now : Date.parse(awaiting.asked_at)) - last, 0);
  return ms / 3_600_000;
}
