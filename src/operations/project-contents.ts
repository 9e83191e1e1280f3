import { canvasEdges, canvasRecord, nodeCount, showNode, shownOnCanvas } from '../domain/content/canvas.ts';
import type { GetProjectInput, PlannerCollections, ProjectDetail } from '../domain/records/collections.ts';
import { documentRow } from '../domain/content/documents.ts';
import { edgeRow, edgeTime } from '../domain/links/edges.ts';
import { markOf } from '../domain/records/guest-texts.ts';
import { taskRow } from '../domain/plan/task-view.ts';
import { mapInSteps, type Steps } from '../base/slices.ts';
import type { ReadTransaction } from '../store/index.ts';
import {
  decodeCursor,
  encodeCursor,
  type Page,
  pageOf,
  type PageOptions,
  type Position,
  positionOf,
} from './pipeline/page.ts';

/** The position in each list: its next cursor, `end`, or absent before the first page. */
type Places = readonly [tasks: string, documents: string, nodes: string, edges: string];

const beginning: Places = ['', '', '', ''];
const end = 'end';

/** The budget of a result for an agent: bytes for each list. */
const bytes = { tasks: 14_000, documents: 7_000, nodes: 7_000, edges: 5_000, layout: 1_500 } as const;

export type ProjectContents = Required<
  Pick<ProjectDetail, 'tasks' | 'tasks_total' | 'documents' | 'documents_total' | 'canvas'>
> & {
  readonly next_cursor?: string;
};

/**
 * The contents of a project for an agent, in addition to its record, as of the call: four lists, each limited separately. One cursor
 * continues all of them.
 */
export function projectContents(
  view: ReadTransaction<PlannerCollections>,
  { limit, cursor }: GetProjectInput,
): Steps<ProjectContents> {
  const places = cursor === undefined ? beginning : (decodeCursor(cursor, beginning.length) as unknown as Places);
  function part<R, W>(place: string, rows: (after?: Position) => Iterable<R>, options: PageOptions<R, W>): Page<W> {
    if (place === end) return { rows: [] };
    return pageOf(rows(place === '' ? undefined : position(place)), { limit }, { transport: 'mcp' }, options);
  }
  const [tasksPlace, documentsPlace, nodesPlace, edgesPlace] = places;
  const tasks = part(tasksPlace, (after) => view.list('task', after), {
    show: (task) => taskRow(view, task),
    position: positionOf,
    bytesMax: bytes.tasks,
  });
  const documents = part(documentsPlace, (after) => view.list('document', after), {
    show: (document) => documentRow(view, document),
    position: positionOf,
    bytesMax: bytes.documents,
  });
  const nodes = part(nodesPlace, (after) => shownOnCanvas(view, after), {
    show: (record) => showNode(record, markOf(view, record)),
    position: positionOf,
    bytesMax: bytes.nodes,
  });
  const found = canvasEdges(view);
  const records = view.snapshot();
  const totals = { tasks: view.count('task'), documents: view.count('document'), nodes: nodeCount(view) };
  const layout = layoutOf(view, cursor);
  // A project may have many edges, of which the view keeps no order.
  return (function* () {
    const ordered = yield* mapInSteps(yield* found, (edge) => ({
      edge,
      id: edge.link.id,
      created_at: edgeTime(records, edge),
    }));
    const edges = part(
      edgesPlace,
      (after) => (after === undefined ? ordered : ordered.filter((one) => isBehind(one, after))),
      { show: ({ edge }) => edgeRow(edge), position: positionOf, bytesMax: bytes.edges },
    );
    const next = [tasks, documents, nodes, edges].map((page) => page.next_cursor ?? end);
    return {
      tasks: tasks.rows,
      tasks_total: totals.tasks,
      documents: documents.rows,
      documents_total: totals.documents,
      canvas: {
        nodes: nodes.rows,
        nodes_total: totals.nodes,
        edges: edges.rows,
        edges_total: ordered.length,
        ...layout,
      },
      ...(next.every((place) => place === end) ? undefined : { next_cursor: encodeCursor(next) }),
    };
  })();
}

function position(place: string): Position {
  const [created_at = '', id = ''] = decodeCursor(place, 2);
  return { created_at, id };
}

function isBehind(one: Position, after: Position): boolean {
  return one.created_at === after.created_at ? one.id > after.id : one.created_at > after.created_at;
}

/** The layout, in the first page, if it is small: a large one is of no use to an agent. */
function layoutOf(
  view: ReadTransaction<PlannerCollections>,
  cursor: string | undefined,
): Pick<ProjectContents['canvas'], 'layout'> {
  const layout = canvasRecord(view)?.layout ?? null;
  return cursor !== undefined || JSON.stringify(layout).length > bytes.layout ? {} : { layout };
}
