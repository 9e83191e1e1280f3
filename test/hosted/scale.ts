import { pathToFileURL } from 'node:url';
import { homeOf } from '../support/balancers.ts';
import { Random } from '../support/random.ts';

/*
 * Where the figures of docs/explanation/scale.md come from: `node test/hosted/scale.ts` prints its tables. What is random
 * is simulated from a seed; the rest follows from what was measured of one node.
 */

/** The assumed service. */
const assumed = {
  projects: 10_000_000,
  nodes: 1000,
  balancers: 20,
  shards: 32,
  /** Projects that are used within a minute. */
  active: 1_000_000,
  changesPerSecond: 500_000,
  readsPerSecond: 5_000_000,
  /** The share of calls of a project falls with its rank to this power. */
  skew: 0.5,
};

/** Measured, on cores on which everything ran together: docs/how-to/several-nodes.md, and the figure `hosted`. */
const measured = {
  changeUs: 200,
  readUs: 60,
  /** At each other node that follows the log. */
  followUs: 32,
  databaseChangeUs: 50,
  databaseReadUs: 10,
  coldProjectBytes: 5000,
  entryBytes: 900,
  keptDays: 7,
  connections: 5,
  questionsPerSecond: 4,
};

/** The settings of the proxies: the Caddyfile of the examples. */
const healthIntervalMs = 2000;
const healthTimeoutMs = 3000;

const beatSeconds = 5;
/** Places for projects: the first two of the 32 characters of their codes. */
const slots = 32 * 32;
const seed = 20_261_128;

export type Table = readonly (readonly [string, string])[];

/** The tables of the page, by their names. */
export function tables(): Readonly<Record<string, Table>> {
  const { nodes, shards } = assumed;
  return {
    load: loadTable(),
    homes: homesTable(new Random(seed)),
    one: layoutTable({ nodes, shards: 1, projects: assumed.projects, share: 1 }),
    cells: layoutTable({ nodes: nodes / shards, shards: 1, projects: assumed.projects / shards, share: 1 / shards }),
    directory: directoryTable(new Random(seed + 1)),
    feed: feedTable(),
    backup: backupTable(),
  };
}

function loadTable(): Table {
  const { changesPerSecond, readsPerSecond, nodes } = assumed;
  const { changeUs, readUs, databaseChangeUs, databaseReadUs } = measured;
  const cores = (changesPerSecond * changeUs + readsPerSecond * readUs) / 1e6;
  const ofDatabase = (changesPerSecond * databaseChangeUs + readsPerSecond * databaseReadUs) / 1e6;
  return [
    ['calls of nodes', `${number(cores)} cores, ${percent(cores / nodes)} of ${nodes} nodes with one each`],
    ['primaries and standbys', `${number(ofDatabase)} cores`],
    ['entries', `${number((changesPerSecond * measured.entryBytes) / 1e6)} MB a second`],
  ];
}

/** What a node costs that follows all projects of its database. */
function layoutTable(of: { nodes: number; shards: number; projects: number; share: number }): Table {
  const changes = assumed.changesPerSecond * of.share;
  const followed = (changes * (1 - 1 / of.nodes) * measured.followUs) / 1e6;
  const memory = (of.projects * measured.coldProjectBytes) / 1e9;
  return [
    ['a node follows the changes of the others', `${decimal(followed)} cores of each node`],
    ['a node knows every project', `${decimal(memory)} GB of each node`],
    ['connections to a primary', number(of.nodes * measured.connections)],
    ['questions what was appended', `${number(of.nodes * measured.questionsPerSecond)} a second to a primary`],
    [
      'balancers ask whether nodes are ready',
      `${number((of.nodes * assumed.balancers * 1000) / healthIntervalMs)} a second, ${number((assumed.balancers * 1000) / healthIntervalMs)} to a node`,
    ],
  ];
}

function homesTable(random: Random): Table {
  const { active, nodes } = assumed;
  const loads = new Float64Array(nodes);
  let calls = 0;
  for (let rank = 1; rank <= active; rank++) {
    const weight = rank ** -assumed.skew;
    loads[random.integer(0, nodes - 1)]! += weight;
    calls += weight;
  }
  const busiest = Math.max(...loads) / (calls / nodes);
  const { moved, others } = leaving(random);
  const { waiting, twice } = membership(random);
  return [
    ['the busiest node, beside the mean', `${decimal(busiest)} ×`],
    [
      'if nodes found homes: a beat of each every 5 s, which all read',
      `${number(nodes / beatSeconds)} rows written and ${number((nodes * nodes) / beatSeconds)} read a second`,
    ],
    ['projects that move when one of 50 nodes leaves', `${percent(moved)}; of the others ${others}`],
    [
      'a node hangs: calls that wait until all balancers know it',
      `${percent(waiting / nodes)} of the calls of ${decimal((healthIntervalMs + healthTimeoutMs) / 1000)} s`,
    ],
    [
      'a node joins: its projects are called at two nodes',
      `for ${decimal(healthIntervalMs / 1000)} s at most; ${percent(twice)} of their calls in that time go to the former one after the first at the new one`,
    ],
  ];
}

/** Rendezvous hashing over fewer nodes and projects: it compares them all. */
function leaving(random: Random): { readonly moved: number; readonly others: number } {
  const nodes = Array.from({ length: 50 }, (_, at) => `node-${at}`);
  const projects = Array.from({ length: 5000 }, () => `prj_${random.integer(0, 2 ** 30)}`);
  const name = (node: string): string => node;
  const gone = random.pick(nodes);
  const left = nodes.filter((node) => node !== gone);
  let [moved, others] = [0, 0];
  for (const project of projects) {
    const before = homeOf(project, nodes, name);
    if (before === gone) moved++;
    else if (homeOf(project, left, name) !== before) others++;
  }
  return { moved: moved / projects.length, others };
}

/** Balancers notice at different times that a node is there, or that it does not answer. */
function membership(random: Random): { readonly waiting: number; readonly twice: number } {
  const { balancers, active, nodes, changesPerSecond, readsPerSecond } = assumed;
  const noticesAt = Array.from({ length: balancers }, () => random.next() * healthIntervalMs);
  const windowMs = healthIntervalMs + healthTimeoutMs;
  const waiting = noticesAt.reduce((sum, ms) => sum + ms + healthTimeoutMs, 0) / balancers / windowMs;
  const callsOfOne = ((changesPerSecond + readsPerSecond) / active / 1000) * healthIntervalMs;
  let [calls, twice] = [0, 0];
  for (let project = 0; project < active / nodes; project++) {
    const times = Array.from({ length: Math.round(callsOfOne) }, () => random.next() * healthIntervalMs).sort(
      (a, b) => a - b,
    );
    let isAtNew = false;
    for (const ms of times) {
      calls++;
      const isNoticed = random.pick(noticesAt) <= ms;
      if (!isNoticed && isAtNew) twice++;
      isAtNew ||= isNoticed;
    }
  }
  return { waiting, twice: twice / calls };
}

function directoryTable(random: Random): Table {
  const { projects, shards, active } = assumed;
  const shardOf = (slot: number): number => slot % shards;
  const counts = new Float64Array(slots);
  for (let project = 0; project < projects; project++) counts[random.integer(0, slots - 1)]!++;
  const ofShard = (bySlot: Float64Array): number[] => {
    const sums = Array.from({ length: shards }, () => 0);
    for (const [slot, sum] of bySlot.entries()) sums[shardOf(slot)]! += sum;
    return sums;
  };
  const calls = new Float64Array(slots);
  let all = 0;
  for (let rank = 1; rank <= active; rank++) {
    const weight = rank ** -assumed.skew;
    calls[random.integer(0, slots - 1)]! += weight;
    all += weight;
  }
  const codes = 2 ** 30;
  return [
    ['rows of the directory', number(slots)],
    ['projects of a place', `${number(Math.min(...counts))} to ${number(Math.max(...counts))}`],
    ['the largest shard, beside the mean', `${(Math.max(...ofShard(counts)) / (projects / shards)).toFixed(3)} ×`],
    ['the busiest shard, beside the mean', `${(Math.max(...ofShard(calls)) / (all / shards)).toFixed(2)} ×`],
    ['a new code is taken already', percent(projects / codes)],
  ];
}

function feedTable(): Table {
  const { changesPerSecond, shards } = assumed;
  return [
    [
      'events of all projects',
      `${number(changesPerSecond)} a second at least, ${number(changesPerSecond / shards)} of a cell`,
    ],
    ['a page of the feed over all', `${shards} questions, one of each cell`],
  ];
}

function backupTable(): Table {
  const { changesPerSecond, shards } = assumed;
  const bytesPerDay = changesPerSecond * measured.entryBytes * 86_400;
  const kept = bytesPerDay * measured.keptDays;
  const restoreBytesPerSecond = 1e9;
  return [
    ['entries of a day', `${decimal(bytesPerDay / 1e12)} TB, ${decimal(bytesPerDay / shards / 1e12)} TB of a shard`],
    [
      `entries of ${measured.keptDays} days, which stay`,
      `${number(kept / 1e12)} TB, ${decimal(kept / shards / 1e12)} TB of a shard`,
    ],
    ['a shard is restored, at 1 GB a second', `${decimal(kept / shards / restoreBytesPerSecond / 3600)} hours`],
    [
      'the same with entries of one hour',
      `${decimal(bytesPerDay / 24 / shards / restoreBytesPerSecond / 60)} minutes, and its snapshots`,
    ],
  ];
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function decimal(value: number): string {
  return value >= 100 ? number(value) : value.toFixed(1);
}

function percent(share: number): string {
  return `${(share * 100).toPrecision(2)} %`;
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href)
  for (const [name, table] of Object.entries(tables())) {
    console.log(`\n${name}`);
    for (const row of table) console.log(`| ${row.join(' | ')} |`);
  }
