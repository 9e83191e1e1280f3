import { McpClient } from '../../support/mcp-client.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { HttpClient } from '../http-client.ts';
import { textOf } from '../plans.ts';

const workerCount = 8;

/** The state of one worker. */
interface Worker {
  readonly rest: HttpClient;
  readonly mcp: McpClient;
  readonly projectId: string;
  /** The tasks that this worker created. */
  readonly own: string[];
}

/**
 * Eight workers, each over both REST and MCP, that create tasks up to a given number, with the other calls of workers
 * in between: as fast as the service responds, or evenly over `lastingMs`.
 */
export async function workersAtWork(service: ServerProcess, tasks: number, lastingMs = 0): Promise<void> {
  const first = new HttpClient(service.url);
  const { id } = await first.json<{ id: string }>('POST', '/projects', { name: 'Garden' });
  first.close();
  await Promise.all(
    Array.from({ length: workerCount }, async (_, at) => {
      const worker: Worker = {
        rest: new HttpClient(service.url),
        mcp: await McpClient.connect(service.url, { name: `worker-${at}` }),
        projectId: id,
        own: [],
      };
      const began = performance.now();
      const rounds = Math.ceil(tasks / workerCount);
      for (let made = 0; made < rounds; made++) {
        await oneRound(worker, at, made);
        const early = began + (lastingMs * (made + 1)) / rounds - performance.now();
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      }
      worker.rest.close();
      await worker.mcp.close();
    }),
  );
}

async function oneRound(worker: Worker, at: number, made: number): Promise<void> {
  const { rest, mcp, projectId, own } = worker;
  const label = `Prepare bed ${made} of field ${at} for the winter`;
  if (made % 2 === 0) {
    const description = textOf(400, made);
    own.push((await rest.json<{ id: string }>('POST', `/projects/${projectId}/tasks`, { label, description })).id);
  } else {
    const { task } = (await mcp.get('create_task', { project_id: projectId, label })) as { task: { id: string } };
    own.push(task.id);
  }
  for (const [every, what] of beside) if (made % every === (at * 7) % every) await what(worker, made);
}

/** Work that is done every given number of tasks. */
const beside: readonly (readonly [number, (worker: Worker, made: number) => Promise<unknown>])[] = [
  [2, ({ mcp, own }, made) => mcp.get('update_task', { task_id: own[made >> 1]!, status: 'in_progress' })],
  [3, ({ mcp, projectId }) => mcp.get('get_next_task', { project_id: projectId })],
  [5, order],
  [7, ({ mcp, projectId }) => mcp.get('list_tasks', { project_id: projectId, status: 'todo' })],
  [9, ({ rest }, made) => rest.get(`/search?q=${encodeURIComponent(`bed ${made} wintr`)}`)],
  [11, ({ rest, projectId }, made) => rest.json('POST', `/projects/${projectId}/documents`, documentOf(made))],
  [20, ({ rest, projectId }) => rest.get(`/projects/${projectId}/tasks`)],
  [31, ({ mcp, projectId }) => mcp.get('get_task_graph', { project_id: projectId })],
  [37, ({ rest, projectId }) => rest.get(`/projects/${projectId}/canvas`)],
  [41, ({ rest, projectId }) => rest.get(`/projects/${projectId}/documents?verbose=true`)],
  [
    43,
    ({ rest, projectId, own }, made) => rest.json('PUT', `/projects/${projectId}/canvas`, { nodes: placed(own, made) }),
  ],
  [97, ({ rest, projectId }) => rest.get(`/projects/${projectId}/export?format=csv`)],
  [101, ({ rest, projectId }) => rest.get(`/projects/${projectId}/export`)],
  [103, ({ rest }) => rest.get('/search?q=heather%20frost&bodies=true')],
  [107, ({ rest }) => rest.get('/doctor')],
];

/** The newest task depends on the one before it. */
function order({ mcp, projectId, own }: Worker): Promise<unknown> {
  const [first, then] = own.slice(-2);
  if (first === undefined || then === undefined) return Promise.resolve();
  const edge = { from_type: 'task', from_id: first, to_type: 'task', to_id: then };
  return mcp.get('create_edge', { project_id: projectId, ...edge });
}

function documentOf(made: number): Record<string, string> {
  return { title: `What we know of bed ${made}`, body: textOf(8000, made) };
}

function placed(own: readonly string[], made: number): Record<string, unknown>[] {
  return own.slice(-50).map((id, at) => ({ id, x: at * 200, y: made * 80 }));
}
