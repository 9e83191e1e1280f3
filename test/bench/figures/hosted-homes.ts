import type { Request } from 'autocannon';
import { homeOf } from '../../support/balancers.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Bench, Row } from '../figure.ts';
import { createIn, planted, type StartNode } from '../hosted-load.ts';
import { load } from '../load.ts';
import { alternate, compare, measured, median, round } from '../measure.ts';
import { atRest, processorMs } from '../process-usage.ts';

const nodeCount = 3;
const tasksOfProject = 20;
const clients = 16;
/** Projects leave the memory of nodes that do not use them within this time. */
const settledMs = 62_000;
const idleSeconds = 2;
/** Followers apply the last changes after the load. */
const appliedMs = 700;
const idleMs = 30;

interface Project {
  readonly projectId: string;
  readonly taskIds: readonly string[];
}

/** A kind of call: how many a second a node gets, and the next one of a project. */
interface Kind {
  readonly perSecond: number;
  readonly next: (project: Project, at: number) => Request;
}

/** An update of a node changes something, whatever others have sent. */
let updates = 0;

const kinds: Readonly<Record<string, Kind>> = {
  create: { perSecond: 200, next: ({ projectId }) => createIn(projectId) },
  update: {
    perSecond: 200,
    next: ({ taskIds }, at) => ({
      ...{ path: `/api/v1/tasks/${taskIds[at % taskIds.length]!}`, method: 'PATCH' },
      ...{ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ label: `Task ${++updates}` }) },
    }),
  },
  read: { perSecond: 500, next: ({ taskIds }, at) => ({ path: `/api/v1/tasks/${taskIds[at % taskIds.length]!}` }) },
};

/** The nodes of a service with its projects. */
interface Service {
  readonly nodes: readonly ServerProcess[];
  readonly projects: readonly Project[];
}

/**
 * Processor time of all nodes for a call: three nodes, each project at its home or each in turn, beside one node. Each node
 * gets as many calls a second as the one, since what a node does for many calls at once costs less for each. What nodes use
 * without calls is subtracted.
 */
export async function ofHomes(bench: Bench, node: StartNode, projectCount: number): Promise<Row[]> {
  const count = bench.quick ? 24 : projectCount;
  const several = await serviceOf(node, `homes_${projectCount}`, nodeCount, count);
  const one = await serviceOf(node, `home_${projectCount}`, 1, count);
  const all = [...several.nodes, ...one.nodes];
  const home = (project: Project): ServerProcess => homeOf(project.projectId, several.nodes, ({ url }) => url)!;
  const atHome = (of: ServerProcess): readonly Project[] => several.projects.filter((project) => home(project) === of);
  const cost = async (
    service: Service,
    kind: Kind,
    of: (node: ServerProcess) => readonly Project[],
  ): Promise<number> => {
    for (const { pid } of all) await atRest(pid, idleMs);
    return costOf(bench, service, kind, of);
  };
  const homes = (kind: Kind): Promise<number> => cost(several, kind, atHome);
  const alone = (kind: Kind): Promise<number> => cost(one, kind, () => one.projects);
  await homes(kinds['create']!);
  if (!bench.quick) await soon(settledMs);
  await homes(kinds['create']!);
  const results = new Map<string, { readonly one: number[]; readonly homes: number[] }>();
  for (const [name, kind] of Object.entries(kinds))
    results.set(name, await alternate(bench.quick ? 1 : 3, { one: () => alone(kind), homes: () => homes(kind) }));
  const rows: Row[] = [];
  for (const [name, found] of results) {
    const turns = await cost(several, kinds[name]!, () => several.projects);
    rows.push(
      compare(
        measured(
          `${projectCount} projects at 3 nodes, each at its home: processor time for each ${name}`,
          'µs',
          found.homes,
        ),
        measured('at one node', 'µs', found.one),
        { atMost: 1.2 },
        { by_turns: round(turns / median(found.one)) },
      ),
    );
  }
  return rows;
}

async function serviceOf(node: StartNode, schema: string, nodes: number, projects: number): Promise<Service> {
  const started: ServerProcess[] = [];
  for (let at = 0; at < nodes; at++) started.push(await node(schema));
  const made: Project[] = [];
  for (let at = 0; at < projects; at++) made.push(await planted(started[0]!, `Garden ${at}`, tasksOfProject));
  return { nodes: started, projects: made };
}

/** Calls for projects in turn; `of`: the projects whose calls arrive at a node. */
async function costOf(
  bench: Bench,
  { nodes }: Service,
  { perSecond, next }: Kind,
  of: (node: ServerProcess) => readonly Project[],
): Promise<number> {
  const used = (): number => nodes.reduce((sum, { pid }) => sum + processorMs(pid), 0);
  const idle = await during(used, () => soon(idleSeconds * 1000));
  let answered = 0;
  const busy = await during(used, async () => {
    const loads = nodes.map((node) => {
      const projects = of(node);
      let at = 0;
      const setupRequest = (request: Request): Request => {
        const { headers, ...call } = next(projects[at % projects.length]!, Math.floor(at++ / projects.length));
        return { ...request, ...call, headers: { ...request.headers, ...headers } };
      };
      const options = { seconds: bench.quick ? 1 : 8, connections: clients, perSecond };
      return load(node.url, [{ setupRequest }], options);
    });
    for (const one of await Promise.all(loads)) answered += one.answered;
    await soon(appliedMs);
  });
  return ((busy.usedMs - (idle.usedMs / idle.ms) * busy.ms) * 1000) / answered;
}

/** The processor time that was used while something happened, and how long that took. */
async function during(used: () => number, work: () => Promise<void>): Promise<{ usedMs: number; ms: number }> {
  const [before, began] = [used(), performance.now()];
  await work();
  return { usedMs: used() - before, ms: performance.now() - began };
}

function soon(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
