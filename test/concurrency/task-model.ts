import type { Model, Operation } from './linearizability.ts';

/** The observed fields of a task. */
export interface TaskState {
  readonly label: string;
  readonly status: string;
  readonly assignee: string | null;
  /** The duration of the claim's lease in hours, null without a lease. Undefined if the response does not show it. */
  readonly lease?: number | null;
}

/** Tasks by id, in the order of creation. */
export type PlanState = ReadonlyMap<string, TaskState>;

/** One operation on a plan with its response. */
export type PlanOperation =
  /** A task in a response. */
  | { readonly kind: 'read'; readonly task: string; readonly shown: TaskState }
  /** All tasks in one response. */
  | { readonly kind: 'list'; readonly how: string; readonly shown: PlanState }
  /** The first task that is free to claim, or null. */
  | { readonly kind: 'next'; readonly task: string | null }
  | {
      readonly kind: 'claim';
      readonly task: string;
      readonly agent: string;
      readonly hours?: number;
      readonly answer: ClaimAnswer | 'unknown';
    }
  /** `expected`: the state that the given entity tag refers to. `answer`: the task in the response. */
  | {
      readonly kind: 'update';
      readonly task: string;
      readonly fields: Partial<TaskState>;
      readonly expected?: TaskState;
      readonly answer: TaskState | 'mismatch' | 'unknown';
    };

export interface ClaimAnswer {
  readonly claimed: boolean;
  readonly assignee?: string | null;
}

/** A plan whose tasks have no prerequisites, by the rules of sequential execution. */
export function planModel(initial: PlanState): Model<PlanState, PlanOperation> {
  return {
    initial,
    step,
    key: (state) =>
      [...state.values()]
        .map(({ label, status, assignee, lease }) => `${label} ${status} ${assignee} ${lease ?? null}`)
        .join('|'),
  };
}

function step(state: PlanState, what: PlanOperation): readonly PlanState[] {
  switch (what.kind) {
    case 'read':
      return same(state.get(what.task), what.shown) ? [state] : [];
    case 'list':
      return [...state].every(([id, task]) => same(task, what.shown.get(id))) ? [state] : [];
    case 'next':
      return nextOf(state) === what.task ? [state] : [];
    case 'claim':
      return claim(state, what);
    case 'update': {
      const { task, fields, expected, answer } = what;
      const now = state.get(task)!;
      const fits = expected === undefined || same(now, expected);
      if (answer === 'mismatch') return fits ? [] : [state];
      const to = updated(now, fields);
      if (answer === 'unknown') return fits ? [state, withTask(state, task, to)] : [state];
      return fits && same(to, answer) ? [withTask(state, task, to)] : [];
    }
  }
}

/** A lease ends if its task is no longer in progress or has another assignee. */
function updated(now: TaskState, fields: Partial<TaskState>): TaskState {
  const to = { ...now, ...fields };
  return to.status === 'in_progress' && to.assignee === now.assignee ? to : { ...to, lease: null };
}

function claim(
  state: PlanState,
  { task: id, agent, hours, answer }: Extract<PlanOperation, { readonly kind: 'claim' }>,
): readonly PlanState[] {
  const now = state.get(id)!;
  const own = now.status === 'in_progress' && now.assignee === agent;
  const taken = now.status === 'todo' || own;
  const lease = hours ?? (own ? (now.lease ?? null) : null);
  const after = taken ? withTask(state, id, { ...now, status: 'in_progress', assignee: agent, lease }) : state;
  if (answer === 'unknown') return taken && !(own && lease === (now.lease ?? null)) ? [state, after] : [state];
  if (answer.claimed !== taken) return [];
  return taken || (answer.assignee ?? null) === now.assignee ? [after] : [];
}

function nextOf(state: PlanState): string | null {
  for (const [id, { status }] of state) if (status === 'todo') return id;
  return null;
}

function withTask(state: PlanState, id: string, task: TaskState): PlanState {
  return new Map(state).set(id, task);
}

function same(a: TaskState | undefined, b: TaskState | undefined): boolean {
  if (a === undefined || a.label !== b?.label || a.status !== b.status || a.assignee !== b.assignee) return false;
  return b.lease === undefined || b.lease === (a.lease ?? null);
}

/** A readable description of a history that cannot be ordered. */
export function explain(verdict: {
  readonly ordered: number;
  readonly states: readonly PlanState[];
  readonly stuck: readonly Operation<PlanOperation>[];
}): string {
  const about = new Set(verdict.stuck.flatMap(({ what }) => ('task' in what && what.task !== null ? [what.task] : [])));
  const shown = (state: PlanState): string =>
    JSON.stringify([...state].filter(([id]) => about.size === 0 || about.has(id)));
  return [
    `After ${verdict.ordered} operations none of these fits:`,
    ...verdict.stuck.map(({ client, invoked, completed, what }) => {
      const written = JSON.stringify(what, (_, value: unknown) => (value instanceof Map ? [...value] : value));
      return `  client ${client}, ${invoked.toFixed(2)} to ${completed.toFixed(2)} ms: ${written.slice(0, 2000)}`;
    }),
    'The state there is one of:',
    ...verdict.states.slice(0, 5).map((state) => `  ${shown(state)}`),
  ].join('\n');
}
