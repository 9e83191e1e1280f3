import type { Random } from '../../support/random.ts';
import type { NodeEvent } from './node-schedule.ts';
import type { NodeWorld } from './node-world.ts';
import type { SimulatedNode } from './simulated-node.ts';

const nodesMax = 5;

/** The accidents of the nodes and of their servers. */
export const nodeEvents: Readonly<
  Record<Exclude<NodeEvent, 'call a node' | 'create with a key'>, (world: NodeWorld, random: Random) => Promise<void>>
> = {
  'cut a connection': async (world, random) => {
    const when = random.pick(['before', 'during', 'after'] as const);
    const node = anyNode(world, random);
    world.say(`the connection of ${node?.name} is cut ${when} its commit`);
    node?.log.cut(when);
    await Promise.resolve();
  },
  'execute an append late': async (world, random) => {
    anyNode(world, random)?.log.cut('late');
    await Promise.resolve();
  },
  'pause a node': async (world, random) => {
    const node = anyNode(world, random);
    world.say(`${node?.name} pauses`);
    node?.log.pause();
    await world.wait(random.pick([1, 20, 300, 3000]));
    node?.log.resume();
  },
  /** The last commits of the primary are not replicated, and its connections are lost. */
  'fail over': async (world, random) => {
    world.isCutOff = true;
    await world.wait(random.next() * 20);
    world.say('the standby takes over');
    world.server.failOver();
    world.serverSkewMs = random.integer(-20, 20);
    world.isCutOff = false;
  },
  'kill a node': async (world, random) => {
    const node = anyNode(world, random);
    if (node === undefined) return;
    world.kill(node);
    if (random.chance(0.8) || world.nodes.length === 0) await world.add();
  },
  'start a node': async (world) => {
    if (world.nodes.length < nodesMax) await world.add();
  },
  'set a clock': async (world, random) => {
    const node = anyNode(world, random);
    if (node !== undefined) node.clock.skewMs = random.integer(-10_000, 10_000);
    await Promise.resolve();
  },
  'change homes': async (world, random) => {
    world.say('the balancers take others for alive');
    world.balancers.change(random, world.nodes);
    await Promise.resolve();
  },
  'damage snapshots': async (world) => {
    // If the last two were damaged, and the entries below were trimmed before, all would be lost.
    if (world.isDamaged) return;
    world.isDamaged = true;
    world.say('the newest snapshots are damaged');
    world.snapshots.damage((parts) => parts.map((part) => part.subarray(0, part.length >> 1)), 'newest');
    await Promise.resolve();
  },
  'trim the logs': async (world, random) => {
    const node = anyNode(world, random);
    // A node without an answer of its database trims another time.
    const trimmed = node?.store?.trim().catch(() => undefined);
    const removed = await Promise.race([trimmed, node?.ended]);
    world.say(`${removed} entries are trimmed`);
  },
  'fill the disk': async (world, random) => {
    world.server.isFull = true;
    await world.wait(random.integer(1, 40));
    world.server.isFull = false;
  },
};

function anyNode({ nodes }: NodeWorld, random: Random): SimulatedNode | undefined {
  return nodes.length === 0 ? undefined : random.pick(nodes);
}
