import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { alternate, compare, measured, timed } from '../measure.ts';
import { seed } from '../plans.ts';
import { atRest } from '../process-usage.ts';
import { startService } from '../service.ts';

const run = promisify(execFile);
/** 50 ms where `node -e 0` takes 30. */
const atMost = 1.67;

/** A service with a project of tasks, of which the first has an edge to each other. */
interface Site {
  readonly service: ServerProcess;
  readonly client: HttpClient;
  readonly projectId: string;
  readonly taskIds: readonly string[];
  /** How large the largest texts and bodies are: 1 is the most that the limits allow. */
  readonly share: number;
}

interface Work {
  readonly name: string;
  /** Before each time, without being measured. */
  readonly prepare?: (site: Site, time: number) => Promise<unknown>;
  readonly run: (site: Site, time: number) => Promise<unknown>;
}

/** The longest turn of the main thread during the operations and bodies that were the worst. */
export const turns: Figure = {
  name: 'turns',
  title: 'The longest event loop delay beside node -e 0',
  measure: async (bench) => {
    const service = await startService(bench.scratch('turns'));
    const client = new HttpClient(service.url);
    try {
      const { projectId, taskIds } = await seed(service, 'Garden', { tasks: bench.quick ? 100 : 5000 });
      const site: Site = { service, client, projectId, taskIds, share: bench.quick ? 0.01 : 1 };
      await joinToFirst(site);
      const rows: Row[] = [];
      for (const work of works.filter(({ name }) => bench.match === undefined || name.includes(bench.match)))
        rows.push(await measureWork(bench, site, work));
      return rows;
    } finally {
      client.close();
      await service.stop();
    }
  },
};

async function measureWork(bench: Bench, site: Site, work: Work): Promise<Row> {
  const rounds = await alternate(bench.quick ? 1 : 5, {
    product: async (time) => {
      await work.prepare?.(site, time);
      await atRest(site.service.pid);
      await loopDelayMs(site.service);
      await work.run(site, time);
      // Two intervals of sampling.
      await new Promise((resolve) => setTimeout(resolve, 30));
      return loopDelayMs(site.service);
    },
    node: () => timed(() => run(process.execPath, ['-e', '0'])),
  });
  bench.say(`${work.name}: ${Math.round(Math.max(...rounds.product))} ms at most`);
  return compare(measured(work.name, 'ms', rounds.product), measured('node -e 0', 'ms', rounds.node), { atMost });
}

/** Since the last call, from the service's metrics. */
async function loopDelayMs({ url }: ServerProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)![1]) * 1000;
}

async function joinToFirst({ client, projectId, taskIds: [first, ...others] }: Site): Promise<void> {
  const edges = others.map((id) => ({ from_type: 'task', from_id: first, to_type: 'task', to_id: id, label: 'shows' }));
  await client.json('PUT', `/projects/${projectId}/canvas`, { edges });
}

/** Sends a body that may be refused before all of it has arrived. */
async function send({ service }: Site, path: string, body: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body }).catch(() => undefined);
  await answer?.arrayBuffer();
}

/** 99 objects of 9,900 members, about 9.7 MB. */
function wide({ share }: Site): string {
  const members = Array.from({ length: Math.ceil(9900 * share) }, (_, at) => `"m${at}":1`).join(',');
  return `[${Array.from({ length: 99 }, () => `{${members}}`).join(',')}]`;
}

/** One member, whose name takes the whole body. */
const longName = ({ share }: Site): string => `{"${'n'.repeat(16_000_000 * share)}":1}`;

const task = (of: string): string => `{"label":"Dig","x":${of}}`;
const tool = (of: string, meta = '{}'): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":${of},"_meta":${meta}}}`;

const overRest =
  (of: (site: Site) => string): Work['run'] =>
  (site) =>
    send(site, `/api/v1/projects/${site.projectId}/tasks`, task(of(site)));
const overMcp =
  (of: (site: Site) => string): Work['run'] =>
  (site) =>
    send(site, '/mcp', tool(task(of(site))));
const inMeta =
  (of: (site: Site) => string): Work['run'] =>
  (site) =>
    send(site, '/mcp', tool('{}', `{"x":${of(site)}}`));

let revision = '';

/** A document of which all lines, as many as fit, were changed. */
async function changeAllLines({ client, projectId, share }: Site): Promise<void> {
  const lines = (line: string): string => `${line}\n`.repeat(900_000 * share);
  const { id } = await client.json<{ id: string }>('POST', `/projects/${projectId}/documents`, {
    ...{ title: 'Lines', body: lines('a') },
  });
  await client.json('PATCH', `/documents/${id}`, { body: lines('b') });
  const path = `/projects/${projectId}/revisions?target_id=${id}`;
  revision = (await client.json<{ revisions: { id: string }[] }>('GET', path)).revisions[0]!.id;
}

const get =
  (path: (site: Site) => string): Work['run'] =>
  (site) =>
    site.client.json('GET', path(site));

let trash = '';

async function deleteFirst({ client, taskIds }: Site): Promise<void> {
  trash = String((await client.call('DELETE', `/tasks/${taskIds[0]}`)).headers['x-planner-trash']);
}

function restoreFirst({ client, projectId }: Site): Promise<unknown> {
  return client.json('POST', `/projects/${projectId}/trash/${trash}/restore`);
}

async function put({ client, projectId, taskIds }: Site, time: number): Promise<void> {
  await client.json('PUT', `/projects/${projectId}/canvas`, { nodes: taskIds.map((id, x) => ({ id, x, y: time })) });
}

const works: readonly Work[] = [
  { name: 'difference of 900,000 lines', prepare: changeAllLines, run: get(() => `/revisions/${revision}/diff`) },
  { name: '99 × 9,900 members over REST', run: overRest(wide) },
  { name: '99 × 9,900 members over MCP', run: overMcp(wide) },
  { name: '99 × 9,900 members in _meta', run: inMeta(wide) },
  { name: 'a name of 16 MB over REST', run: overRest(longName) },
  { name: 'a name of 16 MB over MCP', run: overMcp(longName) },
  { name: 'canvas', run: get(({ projectId }) => `/projects/${projectId}/canvas`) },
  { name: 'edges', run: get(({ projectId }) => `/projects/${projectId}/edges`) },
  { name: 'canvas of all tasks put', run: put },
  {
    name: 'deletion of a task with an edge to each other',
    prepare: async (site, time) => time > 0 && restoreFirst(site),
    run: deleteFirst,
  },
  { name: 'restoring it', prepare: async (site, time) => time > 0 && deleteFirst(site), run: restoreFirst },
];
