import type { TaskStatus } from '../../../rest/types.ts';
import type { CanvasAnswer, CanvasEdge, TaskGraph } from '../../../api/canvas.ts';
import type { TaskRow } from '../../../api/tasks.ts';
import { criticalPath } from './critical-path.ts';
import { drawnLabel, isReversed } from './edge-label.ts';
import { nodeSizes } from './sizes.ts';

/** A node's data and its position at the service. */
export interface Item {
  readonly id: string;
  readonly type: 'task' | 'document';
  readonly label: string;
  /** A task's. */
  readonly status: TaskStatus | undefined;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The depth in the order of work. */
  readonly depth: number;
  /** `next`: it can begin now; `scope`: it could begin if it were released. */
  readonly frontier: 'next' | 'scope' | undefined;
  readonly critical: boolean;
  /** The number of its open prerequisites. */
  readonly waits: number;
  readonly priority: TaskRow['priority'];
  readonly assignee: string | null;
  /** A task's goal, by its id. */
  readonly goal: string | null;
}

/** An edge's data. */
export interface Link {
  readonly edge: CanvasEdge;
  /** True if the link orders its tasks. */
  readonly orders: boolean;
  /** True if the link's target comes before its source. */
  readonly reversed: boolean;
  /** The label to draw; undefined if the arrow says the same. */
  readonly label: string | undefined;
  readonly critical: boolean;
}

export interface Model {
  readonly items: readonly Item[];
  readonly links: readonly Link[];
  /** The critical path, in the order of work. */
  readonly critical: readonly string[];
  /** The number of tasks that can begin now. */
  readonly next: number;
}

/** Combines the service's canvas, graph and tasks. Unchanged values are the same objects. */
export class Modeller {
  #items = new Map<string, Item>();
  #links = new Map<string, Link>();

  build(canvas: CanvasAnswer, graph: TaskGraph | undefined, tasks: readonly TaskRow[]): Model {
    const rows = new Map(tasks.map((task) => [task.id, task]));
    const critical = graph === undefined ? [] : criticalPath(graph.nodes);
    const onPath = new Set(critical);
    const actionable = new Set(graph?.actionable_if_released);
    const inGraph = new Map(graph?.nodes.map((node) => [node.id, node]));
    let next = 0;
    const items = canvas.nodes.map((node) => {
      const row = rows.get(node.id);
      // The list of tasks updates immediately, before the canvas is refetched.
      const status = node.type === 'task' ? (row?.status ?? (node.status as TaskStatus | undefined)) : undefined;
      const frontier = actionable.has(node.id)
        ? status === 'todo'
          ? 'next'
          : status === 'scope'
            ? 'scope'
            : undefined
        : undefined;
      if (frontier === 'next') next += 1;
      const size = nodeSizes[node.type];
      return this.#item({
        ...{ id: node.id, type: node.type, label: row?.label ?? node.label, status, x: node.x, y: node.y },
        ...{ width: node.width ?? size.width, height: node.height ?? size.height },
        depth: inGraph.get(node.id)?.depth ?? 0,
        frontier,
        critical: onPath.has(node.id),
        ...fieldsOf(row),
      });
    });
    const before = new Map(critical.slice(1).map((id, at) => [id, critical[at]!]));
    const comes = (first: string, then: string): boolean => inGraph.get(then)?.prerequisites.includes(first) === true;
    const links = canvas.edges.map((edge) => {
      const { from_id: from, to_id: to } = edge;
      const [reversed, label] = [isReversed(edge.label), drawnLabel(edge.label)];
      const [first, then] = reversed ? [to, from] : [from, to];
      // The service derives the order. Until it has answered, only the labels without another meaning are known to order.
      const orders = graph === undefined ? label === undefined && areTasks(edge) : comes(first, then);
      return this.#link({ edge, orders, reversed, label, critical: orders && before.get(then) === first });
    });
    this.#items = new Map(items.map((item) => [item.id, item]));
    this.#links = new Map(links.map((link) => [link.edge.id, link]));
    return { items, links, critical, next };
  }

  #item(item: Item): Item {
    const former = this.#items.get(item.id);
    return former !== undefined && isEqual(former, item) ? former : item;
  }

  #link(link: Link): Link {
    const former = this.#links.get(link.edge.id);
    const same =
      former?.orders === link.orders && former.reversed === link.reversed && former.critical === link.critical;
    return same && isEqual(former.edge, link.edge) ? former : link;
  }
}

const fieldsOf = (row: TaskRow | undefined): Pick<Item, 'waits' | 'priority' | 'assignee' | 'goal'> =>
  row === undefined
    ? { waits: 0, priority: null, assignee: null, goal: null }
    : { waits: row.waiting_on.length, priority: row.priority, assignee: row.assignee, goal: row.goal_id };

const areTasks = ({ from_type: from, to_type: to }: CanvasEdge): boolean => from === 'task' && to === 'task';

/** Returns whether two records are equal, member by member. */
function isEqual<T extends object>(a: T, b: T): boolean {
  return (Object.keys(b) as (keyof T)[]).every((name) => a[name] === b[name]);
}
