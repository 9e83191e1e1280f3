import { atOnce } from '../../base/slices.ts';

/** A graph by its nodes, each with its predecessors. Every id among the values is a key. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** The maximal number of cycles that are listed: one is enough to begin with, and listing all can take exponential time. */
const cyclesMax = 20;

/** The number of nodes that one step visits. */
const stepNodes = 64;

interface Frame {
  readonly id: string;
  readonly before: readonly string[];
  next: number;
}

/**
 * The strongly connected components of a graph, each after its predecessors (Tarjan's algorithm). Without recursion: a chain of 100,000
 * tasks must not exhaust the stack.
 */
function* components(graph: Graph): Generator<undefined, string[][]> {
  const found: string[][] = [];
  const indexes = new Map<string, number>();
  const lows = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const frames: Frame[] = [];
  const enter = (id: string): void => {
    indexes.set(id, indexes.size);
    lows.set(id, indexes.size - 1);
    open.push(id);
    isOpen.add(id);
    frames.push({ id, before: graph.get(id) ?? [], next: 0 });
  };
  const lower = (id: string, low: number): void => {
    if (low < (lows.get(id) ?? low)) lows.set(id, low);
  };
  const leave = (id: string): void => {
    const low = lows.get(id) ?? 0;
    const parent = frames.at(-1);
    if (parent !== undefined) lower(parent.id, low);
    if (low === indexes.get(id)) found.push(takeComponent(id, open, isOpen));
  };
  for (const start of graph.keys()) {
    if (indexes.has(start)) continue;
    enter(start);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const before = frame.before[frame.next++];
      if (indexes.size % stepNodes === 0) yield;
      if (before === undefined) leave((frames.pop() as Frame).id);
      else if (!indexes.has(before)) enter(before);
      else if (isOpen.has(before)) lower(frame.id, indexes.get(before) ?? 0);
    }
  }
  return found;
}

function takeComponent(root: string, open: string[], isOpen: Set<string>): string[] {
  const component: string[] = [];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    isOpen.delete(id);
    component.push(id);
    if (id === root) break;
  }
  return component;
}

/** The cycles of a graph, and the depth of each node. */
export interface GraphShape {
  /** Each in the order of work from its smallest id; at least one for each strongly connected component. */
  readonly cycles: readonly (readonly string[])[];
  /** The longest path from a node without predecessors; 0 inside a cycle. */
  readonly depths: ReadonlyMap<string, number>;
}

/** Cycles and depths of a graph, in time proportional to its nodes and edges. */
export function shapeOf(graph: Graph): GraphShape {
  return atOnce(shapeInSteps(graph));
}

/** Computes the shape in steps. The graph must not change during them. */
export function* shapeInSteps(graph: Graph): Generator<undefined, GraphShape> {
  const depths = new Map<string, number>();
  const cycles: string[][] = [];
  for (const component of yield* components(graph)) {
    if (depths.size % stepNodes === 0) yield;
    const [only = ''] = component;
    if (component.length > 1) {
      for (const id of component) depths.set(id, 0);
      if (cycles.length < cyclesMax) cycles.push(...cyclesWithin(graph, component, cyclesMax - cycles.length));
    } else
      depths.set(
        only,
        (graph.get(only) ?? []).reduce((deepest, id) => Math.max(deepest, (depths.get(id) ?? 0) + 1), 0),
      );
  }
  cycles.sort((a, b) => compareIds(a[0] ?? '', b[0] ?? ''));
  return { cycles, depths };
}

/** Cycles of one component that together cover as many of its nodes as the limit permits. */
function cyclesWithin(graph: Graph, component: readonly string[], atMost: number): string[][] {
  const members = new Set(component);
  const untouched = new Set([...component].sort(compareIds));
  const found = new Map<string, string[]>();
  for (const id of untouched) {
    if (found.size >= atMost) break;
    const cycle = canonical(shortestCycle(graph, members, id));
    for (const one of cycle) untouched.delete(one);
    found.set(cycle.join('\n'), cycle);
  }
  return [...found.values()];
}

/** The shortest cycle through a node of a component, in the order of work. */
function shortestCycle(graph: Graph, members: ReadonlySet<string>, start: string): readonly string[] {
  return shortestPath((id) => (graph.get(id) ?? []).filter((one) => members.has(one)), start, start) ?? [start];
}

/**
 * The shortest path from `first` to `last`, in the order of work, without `last` if both are the same: a search
 * backwards along the predecessors. Undefined if they are not connected.
 */
export function shortestPath(
  predecessors: (id: string) => Iterable<string>,
  first: string,
  last: string,
): readonly string[] | undefined {
  /** The successor of each visited node. */
  const follower = new Map<string, string>();
  const reached = [last];
  for (const id of reached) {
    for (const before of predecessors(id)) {
      if (before === first) return pathFrom(id, first, follower);
      if (before === last || follower.has(before)) continue;
      follower.set(before, id);
      reached.push(before);
    }
  }
  return undefined;
}

function pathFrom(id: string, first: string, follower: ReadonlyMap<string, string>): readonly string[] {
  const path = [first];
  for (let at: string | undefined = id; at !== undefined && at !== first; at = follower.get(at)) path.push(at);
  return path;
}

/** The cycle beginning with its smallest id. */
function canonical(cycle: readonly string[]): string[] {
  let smallest = 0;
  for (let i = 1; i < cycle.length; i++) if (compareIds(cycle[i] ?? '', cycle[smallest] ?? '') < 0) smallest = i;
  return [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
}

function compareIds(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
