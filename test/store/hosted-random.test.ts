import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import type { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { makeProject, meta, newItem } from '../support/plan-store.ts';
import type { TestCollections } from '../support/plan-store.ts';
import { Random, roundsOf } from '../support/random.ts';
import { openTestNode } from '../support/test-node.ts';
import { SimulatedLog, SimulatedLogServer } from './log/simulated-log.ts';

type TestNode = HostedStore<TestCollections>;

const seed = Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_104);
const stepsOfEach = 60;
const rounds = roundsOf(1);

/** Nodes whose messages take random times, with connections that are cut and servers that fail over. */
class RandomNodes {
  readonly nodes: TestNode[] = [];
  readonly #random: Random;
  readonly #server = new SimulatedLogServer();
  readonly #blobs = new MemoryBlobs();
  readonly #snapshots = new MemorySnapshots(this.#server);

  constructor(random: Random) {
    this.#random = random;
  }

  async add(): Promise<void> {
    const log: SimulatedLog = new SimulatedLog(this.#server, { travel: () => this.#travel(log) });
    const storage = { log, blobs: this.#blobs, snapshots: this.#snapshots };
    // Every other node drops projects from memory as soon as no call uses them.
    const memoryBytes = this.nodes.length % 2 === 0 ? 0 : undefined;
    this.nodes.push(await openTestNode(storage, { ...(memoryBytes !== undefined && { memoryBytes }) }));
  }

  async #travel(log: SimulatedLog): Promise<void> {
    if (this.#random.chance(0.02)) log.cut(this.#random.pick(['before', 'during', 'after']));
    if (this.#random.chance(0.01)) this.#server.failOver();
    for (let turns = this.#random.integer(1, 6); turns > 0; turns--) await nextTurn();
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One step of a caller at a node: projects appear and go, in one step and in slices; their records change. */
async function step(node: TestNode, random: Random, own: string): Promise<void> {
  const project = random.pick([...node.projects(), '']);
  const kind = random.integer(0, 9);
  if (kind === 0 || project === '') await makeProject(node, `${own} at once`);
  else if (kind === 1)
    await node.createProjectSliced(`${own} in slices`, meta, function* (tx) {
      tx.put('project', { id: tx.project, created_at: tx.now, name: own });
      yield;
      tx.service.put('responses', { id: own, created_at: tx.now, updated_at: tx.now });
    });
  else if (kind === 2) await node.deleteProject(project, meta, (_, ofService) => ofService.remove('keys', own));
  else if (kind === 3) await node.updateService(meta, (tx) => tx.put('keys', stamped(own, random)));
  else if (kind === 4)
    await node.updateSliced(project, meta, function* (tx) {
      for (let at = 0; at < rounds; at++) {
        tx.put('task', { ...item, id: tx.newId('task'), created_at: tx.now, title: own });
        yield;
      }
      tx.service.put('leases', stamped(`${project}.${own}`, random));
    });
  else if (kind === 5) await node.readAll((views) => views.map((view) => view.count('task')));
  else if (kind === 6)
    await node.update(project, meta, (tx) => tx.service.put('leases', stamped(`${project}.${own}`, random)));
  else await newItem(node, project, { title: own });
}

const item = { title: '', status: 'todo', owner: null, text: '', tags: [], links: [] } as const;

function stamped(id: string, random: Random): { id: string; created_at: string; updated_at: string } {
  return { id, created_at: '', updated_at: String(random.integer(0, 1_000_000)) };
}

/** Everything that a node has, with its versions. */
async function stateOf(node: TestNode): Promise<unknown> {
  const projects = await node.readAll((views) =>
    views.map((view) => ({
      project: view.project,
      records: ['project', 'task'].map((name) => [view.version(name), [...view.list(name)]]),
      history: [view.historyVersion, [...view.history({})]],
    })),
  );
  const served = new Set(projects.map(({ project }) => project));
  const service = await node.readService((view) =>
    ['leases', 'keys', 'responses'].map((name) =>
      [...view.list(name)]
        // Records in the log of a deleted project are not loaded any more.
        .filter(({ id }) => name !== 'leases' || served.has(id.split('.')[0]!))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    ),
  );
  return { projects, service };
}

describe('Several nodes that make, change and delete projects at the same time', () => {
  for (let at = 0; at < rounds; at++)
    it(`have the same, and go on: seed ${seed + at}`, async () => {
      const random = new Random(seed + at);
      const world = new RandomNodes(random);
      for (let node = 0; node < 3; node++) await world.add();
      const { nodes } = world;
      let [done, refused] = [0, 0];
      const work = async (node: TestNode, own: string): Promise<void> => {
        for (let left = stepsOfEach; left > 0; left--) {
          try {
            await step(node, random, `${own}-${left}`);
            done++;
          } catch (error) {
            // The project was deleted in between, or others were quicker each time.
            if (!(error instanceof PlannerError) || !['not_found', 'unavailable'].includes(error.code)) throw error;
            refused++;
          }
        }
      };
      await Promise.all(nodes.flatMap((node, number) => [0, 1, 2].map((own) => work(node, `${number}-${own}`))));
      expect(done).to.be.above(refused);
      await world.add();
      const [state, ...others] = await Promise.all(nodes.map(stateOf));
      for (const other of others) expect(other).to.deep.equal(state);
      for (const node of nodes) expect(node.status().writable).to.equal(true);
      await Promise.all(nodes.map((node) => node.close()));
    });
});
