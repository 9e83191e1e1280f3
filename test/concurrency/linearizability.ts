/** One operation of a history, with the times of its invocation and its response by one monotonic clock. */
export interface Operation<I> {
  /** The client: it has one operation in flight at a time. */
  readonly client: number;
  readonly invoked: number;
  /** When the response arrived; without one, when it was certain that nothing could happen any more. */
  readonly completed: number;
  /** The request and the response, as the model understands them. */
  readonly what: I;
}

/** The meaning of sequential operations. */
export interface Model<S, I> {
  readonly initial: S;
  /**
   * The possible states after an operation, or no state if its response does not fit. Several if its outcome is
   * unknown.
   */
  readonly step: (state: S, what: I) => readonly S[];
  /** Equal for equal states. */
  readonly key: (state: S) => string;
}

export interface Verdict<S, I> {
  readonly linearizable: boolean;
  /**
   * The longest order found: the number of operations, the states after them, and the operations that do not fit next.
   */
  readonly ordered: number;
  readonly states: readonly S[];
  readonly stuck: readonly Operation<I>[];
  /** The number of configurations examined. */
  readonly looked: number;
}

/**
 * A point of the search: every operation before `from` and the ones in `beyond` are ordered, with the resulting
 * `state`.
 */
interface Point<S> {
  readonly from: number;
  readonly beyond: readonly number[];
  readonly state: S;
}

/**
 * Returns whether there is one order of all operations, each between its invocation and its response, in which every
 * response fits (Wing & Gong's search; a configuration, that is a set of ordered operations and the resulting state, is
 * examined once, as in Lowe's).
 */
export function check<S, I>(model: Model<S, I>, history: readonly Operation<I>[]): Verdict<S, I> {
  const operations = [...history].sort((a, b) => a.invoked - b.invoked);
  const seen = new Set<string>();
  const stack: Point<S>[] = [{ from: 0, beyond: [], state: model.initial }];
  let furthest: Point<S>[] = [...stack];
  while (stack.length > 0) {
    const point = stack.pop()!;
    const ordered = point.from + point.beyond.length;
    if (ordered === operations.length)
      return { linearizable: true, ordered, states: [point.state], stuck: [], looked: seen.size };
    const [best] = furthest;
    if (best !== undefined && ordered > best.from + best.beyond.length) furthest = [point];
    else if (best !== undefined && ordered === best.from + best.beyond.length) furthest.push(point);
    // The last one pushed is tried first: the earliest completed, which most often is the one that happened.
    const next = candidates(operations, point).sort((a, b) => operations[b]!.completed - operations[a]!.completed);
    for (const index of next) {
      for (const state of model.step(point.state, operations[index]!.what)) {
        const after = advance(operations.length, point, index, state);
        const key = `${after.from}:${after.beyond.join(',')}|${model.key(state)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        stack.push(after);
      }
    }
  }
  const stuck = new Set(furthest.flatMap((point) => candidates(operations, point)));
  const states = new Map(furthest.map(({ state }) => [model.key(state), state]));
  return {
    linearizable: false,
    ordered: furthest[0]!.from + furthest[0]!.beyond.length,
    states: [...states.values()],
    stuck: [...stuck].sort((a, b) => a - b).map((index) => operations[index]!),
    looked: seen.size,
  };
}

/**
 * Candidates for the next operation: every operation that was invoked before the first response among those not yet
 * ordered.
 */
function candidates<I>(operations: readonly Operation<I>[], { from, beyond }: Point<unknown>): number[] {
  const open: number[] = [];
  let firstCompleted = Infinity;
  for (let index = from; index < operations.length; index++) {
    const { invoked, completed } = operations[index]!;
    if (invoked > firstCompleted) break;
    if (beyond.includes(index)) continue;
    open.push(index);
    firstCompleted = Math.min(firstCompleted, completed);
  }
  return open.filter((index) => operations[index]!.invoked <= firstCompleted);
}

function advance<S>(count: number, { from, beyond }: Point<S>, index: number, state: S): Point<S> {
  const ordered = new Set([...beyond, index]);
  let next = from;
  while (next < count && ordered.delete(next)) next++;
  return { from: next, beyond: [...ordered].sort((a, b) => a - b), state };
}
