import { conflict, invalid } from '../../base/errors.ts';
import type { LazyList } from '../../store/index.ts';
import type { Frontier } from '../graph/frontier.ts';
import type { Standing } from '../graph/frontier-order.ts';
import { rankDigitsMax, ranksBetween } from '../graph/rank.ts';
import type { PlanTransaction } from '../records/collections.ts';

/** Where a task is moved to in the order by hand: directly above or below the task with this id, or all others. */
export interface Move {
  readonly above?: string | undefined;
  readonly below?: string | undefined;
}

/** All other tasks. No id has this character alone. */
const all = '*';

/** Tasks that may get other ranks on each side of one for which there is no room. */
const reachMax = 512;
/** The ranks that make room are so much shorter than the longest that many further ones fit between them. */
const roomyDigitsMax = rankDigitsMax - 16;

/** The neighbours of a place; undefined at an end of the order. */
interface Gap {
  readonly before: Standing | undefined;
  readonly after: Standing | undefined;
}

/**
 * The rank of a task that is moved, or created in a place; undefined if it is there already. Tasks near it get other ranks if there is no
 * room between its neighbours, after hundreds of moves to one place or because their files have equal ranks.
 */
export function rankAt(tx: PlanTransaction, move: Move, id?: string): string | undefined {
  const frontier = tx.index<Frontier>('frontier');
  const others = new Others(frontier.inOrder('rank'), id);
  const gap = gapAt(frontier, others, move, id);
  const own = id === undefined ? undefined : frontier.standing(id);
  const isThere = own !== undefined && others.before(own) === gap.before && others.after(own) === gap.after;
  if (isThere || (gap.before === undefined && gap.after === undefined)) return undefined;
  return ranksBetween(gap.before?.rank, gap.after?.rank, 1)?.[0] ?? makeRoom(tx, others, gap);
}

function gapAt(frontier: Frontier, others: Others, { above, below }: Move, id: string | undefined): Gap {
  if (above !== undefined && below !== undefined)
    throw invalid('below', 'above and below name two places: give one of them.');
  if (above === all) return { before: undefined, after: others.after() };
  if (below === all) return { before: others.before(), after: undefined };
  const name = above === undefined ? 'below' : 'above';
  const near = above ?? below ?? '';
  const beside = near === id ? undefined : frontier.standing(near);
  if (beside === undefined)
    throw invalid(
      name,
      `${name} must be the id of another task of this project, or * for all: ${JSON.stringify(near)}.`,
    );
  return above === undefined
    ? { before: beside, after: others.after(beside) }
    : { before: others.before(beside), after: beside };
}

/** The order by hand without the task that is moved. */
class Others {
  readonly #list: LazyList<Standing>;
  readonly #without: string | undefined;

  constructor(list: LazyList<Standing>, without: string | undefined) {
    this.#list = list;
    this.#without = without;
  }

  before(place?: Standing): Standing | undefined {
    const found = this.#list.before(place);
    return found !== undefined && found.id === this.#without ? this.#list.before(found) : found;
  }

  after(place?: Standing): Standing | undefined {
    for (const found of this.#list.values(place)) if (found.id !== this.#without) return found;
    return undefined;
  }
}

/** Gives the tasks around a place evenly spaced ranks, as few tasks as it takes. Returns the rank of the place. */
function makeRoom(tx: PlanTransaction, others: Others, { before, after }: Gap): string {
  const [left, right] = [[before!], [after!]];
  for (let reach = 1; reach <= reachMax; reach *= 2) {
    extend(left, reach, (one) => others.before(one));
    extend(right, reach, (one) => others.after(one));
    const high = others.after(right.at(-1));
    // The first of all tasks keeps its rank if there is no other to count from.
    const low = others.before(left.at(-1)) ?? (high === undefined ? left.pop() : undefined);
    const tasks = [...left.toReversed(), undefined, ...right];
    const ranks = ranksBetween(low?.rank, high?.rank, tasks.length, roomyDigitsMax);
    if (ranks === undefined) continue;
    for (const [at, one] of tasks.entries())
      if (one !== undefined) tx.put('task', { ...tx.get('task', one.id)!, rank: ranks[at]! });
    return ranks[left.length]!;
  }
  throw conflict(
    `More than ${reachMax} tasks on each side have nearly the same rank in their files: move the task to another place, or give some of them another rank.`,
  );
}

function extend(side: Standing[], reach: number, next: (one: Standing | undefined) => Standing | undefined): void {
  while (side.length < reach) {
    const one = next(side.at(-1));
    if (one === undefined) return;
    side.push(one);
  }
}
