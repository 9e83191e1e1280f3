import type { GraphNode, TaskGraphAnswer } from '../../schema/types.ts';
import { pagesOf } from './all-rows.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { shownIds } from '../call/short-ids.ts';
import type { ShownId } from '../call/short-ids.ts';

/** The tasks of a project by id, each with its prerequisites, and their cycles. */
interface ReadNodes {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly cycles: readonly (readonly string[])[];
}

/** The same, with how their ids are shown. */
export interface ReadGraph extends ReadNodes {
  readonly shown: ShownId;
}

/** All pages of the graph of a project. */
export async function readGraph(target: CliTarget, project_id: string): Promise<ReadGraph> {
  const read = await readNodes(target, project_id);
  return { ...read, shown: await shownIds(target, project_id, [...read.nodes.keys()]) };
}

/** All pages of the graph of a project, without the ids to show. */
export async function readNodes(target: CliTarget, project_id: string): Promise<ReadNodes> {
  const nodes = new Map<string, GraphNode>();
  let cycles: readonly (readonly string[])[] = [];
  for await (const page of pagesOf(target, 'get_task_graph', { project_id })) {
    const { nodes: rows, cycles: found } = page as unknown as TaskGraphAnswer;
    for (const node of rows) nodes.set(node.id, node);
    cycles = found;
  }
  return { nodes, cycles };
}

/** Lets one task wait for another. Resolves with the edge, and warnings if it closes a cycle. */
export function letWait(
  { planner }: CliTarget,
  project_id: string,
  { first, then }: { readonly first: string; readonly then: string },
): Promise<Readonly<Record<string, unknown>>> {
  return planner.call('create_edge', { project_id, from_type: 'task', from_id: first, to_type: 'task', to_id: then });
}

/** A task of a graph: its short id, status and label. */
export function nodeLine({ nodes, shown }: ReadGraph, id: string): string {
  const node = nodes.get(id);
  return node === undefined ? id : `${shown(id)}  ${node.status}  ${node.label}`;
}

/**
 * The tree of the direct and indirect prerequisites of a task. A task is opened once; a task of a cycle ends its
 * branch.
 */
export function treeLines(graph: ReadGraph, root: string): readonly string[] {
  const lines: string[] = [];
  const opened = new Set<string>();
  /** Tasks that are not drawn yet, the next one last. Without recursion: a chain may have thousands of tasks. */
  const open: Branch[] = [{ id: root, lead: '', indent: '', above: undefined }];
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    const { id, lead, indent } = branch;
    const before = graph.nodes.get(id)?.prerequisites ?? [];
    const note = isAbove(id, branch.above) ? '  (cycle)' : opened.has(id) && before.length > 0 ? '  (see above)' : '';
    lines.push(`${lead}${nodeLine(graph, id)}${note}`);
    if (opened.has(id)) continue;
    opened.add(id);
    for (const [at, one] of [...before.entries()].reverse()) {
      const isLast = at === before.length - 1;
      const own = { lead: `${indent}${isLast ? '└─ ' : '├─ '}`, indent: `${indent}${isLast ? '   ' : '│  '}` };
      open.push({ id: one, ...own, above: branch });
    }
  }
  return lines;
}

interface Branch {
  readonly id: string;
  readonly lead: string;
  readonly indent: string;
  /** The task that waits for it. */
  readonly above: Branch | undefined;
}

function isAbove(id: string, from: Branch | undefined): boolean {
  for (let at = from; at !== undefined; at = at.above) if (at.id === id) return true;
  return false;
}
