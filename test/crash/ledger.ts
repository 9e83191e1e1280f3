import type { Random } from '../support/random.ts';

/** A caller's knowledge of a task: the last response, and changes without one. */
export interface Entry {
  /** undefined: acknowledged as deleted. */
  acknowledged: TaskState | undefined;
  /** A change in flight when the service was killed: it may have happened or not. */
  pending?: { readonly to: TaskState | undefined };
}

export interface TaskState {
  readonly label: string;
  readonly status: string;
  readonly description: string;
}

/** The last line of every description: a file without it at its end is torn. */
export const lastLine = 'The end of this description.';

const statuses = ['todo', 'in_progress', 'done', 'backlog', 'scope'];

/** Everything that was requested of the service and acknowledged by it. */
export class Ledger {
  readonly entries = new Map<string, Entry>();
  /** Labels of creates without a response: such a task may exist. */
  readonly unanswered = new Set<string>();

  /**
   * Differences between the service's state and the ledger, one line each; empty if it shows everything acknowledged
   * and nothing else.
   */
  faults(shown: readonly (TaskState & { readonly id: string })[]): string[] {
    const faults: string[] = [];
    const byId = new Map(shown.map((task) => [task.id, task]));
    for (const [id, { acknowledged, pending }] of this.entries) {
      const is = byId.get(id);
      byId.delete(id);
      const may = pending === undefined ? [acknowledged] : [acknowledged, pending.to];
      if (!may.some((state) => same(state, is)))
        faults.push(`${id} is ${show(is)} and should be ${may.map(show).join(' or ')}`);
    }
    for (const [id, { label }] of byId)
      if (!this.unanswered.has(label)) faults.push(`${id} "${label}" was never requested`);
    return faults;
  }

  /** Accepts the state after a crash: resolves unknown outcomes, and adds creates without a response that happened. */
  settle(shown: readonly (TaskState & { readonly id: string })[]): void {
    const byId = new Map(shown.map((task) => [task.id, task]));
    for (const id of new Set([...this.entries.keys(), ...byId.keys()]))
      this.entries.set(id, { acknowledged: byId.get(id) });
    this.unanswered.clear();
  }
}

export function randomState(random: Random, name: string): TaskState {
  const lines = Array.from({ length: random.integer(0, 60) }, (_, i) => `${name} line ${i}: ${random.next()}`);
  return { label: name, status: random.pick(statuses), description: [...lines, lastLine].join('\n') };
}

function same(a: TaskState | undefined, b: TaskState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.label === b.label && a.status === b.status && a.description === b.description;
}

function show(state: TaskState | undefined): string {
  return state === undefined
    ? 'not there'
    : `"${state.label}" ${state.status} (${state.description.length} characters)`;
}
