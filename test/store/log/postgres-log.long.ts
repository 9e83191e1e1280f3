import { expect } from 'chai';
import type { PgLog } from '../../../src/store/hosted/postgres/pg-log.ts';
import { type Append, type Appended, emptyHead, type Entry, type Head } from '../../../src/store/record/log.ts';
import { PostgresCluster } from '../../support/postgres-cluster.ts';
import { postgresTests } from '../../support/postgres.ts';
import { Random } from '../../support/random.ts';
import { describeLog } from './describe-log.ts';
import { PostgresWorld } from './postgres-world.ts';

const failOvers = Number(process.env['PLANNER_TEST_FAIL_OVERS'] ?? 100);
const seed = Number(process.env['PLANNER_TEST_SEED'] ?? 21);
const projects = ['a', 'b', 'c'];
const disturbancesPerFailOver = 10;

/** The answers to the nodes, by the id of the entry. */
type Answers = Map<string, { readonly append: Append; readonly outcome: Appended }>;

/** A node that appends to all projects as fast as it can, some entries together, some after others in progress. */
class WritingNode {
  readonly log: PgLog;
  readonly #answers: Answers;
  readonly #name: string;
  readonly #random: Random;
  readonly #heads = new Map<string, Head>(projects.map((project) => [project, emptyHead]));
  #ids = 0;
  #isOver = false;

  constructor(log: PgLog, name: string, random: Random, answers: Answers) {
    this.log = log;
    this.#name = name;
    this.#random = random;
    this.#answers = answers;
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      const isTogether = this.#random.next() < 0.2;
      const outcomes = await (isTogether ? this.#together() : this.#chains());
      if (outcomes.some(({ is }) => is !== 'ok')) await this.#catchUp();
    }
  }

  async #chains(): Promise<readonly Appended[]> {
    const appended: Promise<Appended>[] = [];
    for (const project of projects)
      for (let length = 1 + Math.floor(3 * this.#random.next()); length > 0; length--) {
        const append = this.#next(project);
        appended.push(this.#noted([append], this.log.append(append)));
      }
    return Promise.all(appended);
  }

  async #together(): Promise<readonly Appended[]> {
    const appends = projects.slice(0, 2).map((project) => this.#next(project));
    return [await this.#noted(appends, this.log.appendTogether(appends))];
  }

  async #noted(appends: readonly Append[], appended: Promise<Appended>): Promise<Appended> {
    const outcome = await appended;
    for (const append of appends) this.#answers.set(append.id, { append, outcome });
    return outcome;
  }

  #next(project: string): Append {
    const after = this.#heads.get(project)!;
    const id = `evt_${this.#name}_${++this.#ids}`;
    this.#heads.set(project, { seq: after.seq + 1, id });
    return { project, after, id, body: { id }, beside: { answers: [{ id, kept: '{}' }] } };
  }

  /** Reads from the beginning of the log, because its own entries that were not accepted are after its heads. */
  async #catchUp(): Promise<void> {
    for (const project of projects) {
      const entries = await entriesOf(this.log, project);
      const last = entries.at(-1);
      this.#heads.set(project, last === undefined ? emptyHead : { seq: last.seq, id: last.id });
    }
  }
}

async function entriesOf(log: PgLog, project: string): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for (let known = emptyHead; ;) {
    const { entries, more } = await log.catchUp(new Map([[project, known]]));
    found.push(...entries);
    if (more.length === 0) return found;
    known = found.at(-1)!;
  }
}

postgresTests('The log on PostgreSQL under load', () => {
  let cluster: PostgresCluster;
  let cuts = 0;
  before(async () => {
    cluster = await PostgresCluster.startPair();
  });
  after(() => cluster.remove());

  it(`loses and doubles nothing in ${failOvers} fail-overs with cut connections (seed ${seed})`, async () => {
    const random = new Random(seed);
    const world = new PostgresWorld(cluster);
    const answers: Answers = new Map();
    const nodes: WritingNode[] = [];
    for (const name of ['x', 'y', 'z'])
      nodes.push(new WritingNode(await world.open(), name, new Random(seed + nodes.length), answers));
    const running = Promise.all(nodes.map((node) => node.run()));
    for (let at = 0; at < failOvers; at++) {
      for (let times = 0; times < disturbancesPerFailOver; times++) await disturb(random, world, nodes);
      if (random.next() < 0.5) cluster.standby.pause();
      await pause(20);
      await cluster.failOver();
    }
    for (const node of nodes) node.stop();
    await running;
    await check(nodes[0]!.log, world, answers);
    for (const { log } of nodes) await log.close();
    await world.remove();
  });

  async function disturb(random: Random, world: PostgresWorld, nodes: readonly WritingNode[]): Promise<void> {
    const { log } = random.pick(nodes);
    const kind = random.pick(['before', 'during', 'after', 'terminate', 'cancel', 'standby', 'hold'] as const);
    if (kind === 'terminate' || kind === 'cancel')
      await cluster.primary.query(
        `SELECT pg_${kind}_backend(pid) FROM pg_stat_activity WHERE query LIKE '%INSERT INTO%' AND pid <> pg_backend_pid() LIMIT 1`,
      );
    else if (kind === 'standby') {
      cluster.standby.pause();
      await pause(10);
      cluster.standby.resume();
    } else if (kind === 'hold') {
      world.shared.pause(log);
      await pause(10);
      world.shared.resume(log);
    } else await Promise.race([world.cut(log, kind).then(() => cuts++), pause(50)]);
  }

  describeLog({ name: 'PostgreSQL with a standby', make: () => new PostgresWorld(cluster), isShared: true });

  /** Real time, in which the nodes and servers work. */
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  async function check(log: PgLog, world: PostgresWorld, answers: Answers): Promise<void> {
    const found = new Map<string, Entry>();
    for (const project of projects) {
      const entries = await entriesOf(log, project);
      entries.forEach((entry, at) => {
        const before = at === 0 ? null : entries[at - 1]!.id;
        expect([entry.seq, entry.prevId], `${project} ${at}`).to.deep.equal([at + 1, before]);
        expect(found.has(entry.id), `${entry.id} is there twice`).to.equal(false);
        found.set(entry.id, entry);
      });
    }
    const counts: Record<string, number> = {};
    for (const [id, { append, outcome }] of answers) {
      counts[outcome.is] = (counts[outcome.is] ?? 0) + 1;
      const entry = found.get(id);
      if (outcome.is === 'ok') expect(entry, `${id} was acknowledged`).to.include({ seq: append.after.seq + 1 });
      else if (outcome.is !== 'refused' || !outcome.isUndecided)
        expect(entry, `${id}: ${outcome.is}`).to.equal(undefined);
    }
    const rows = await cluster.primary.query(`SELECT id FROM ${world.schema}.answer`);
    expect(new Set(rows.map(({ id }) => id as string))).to.deep.equal(new Set(found.keys()));
    console.log(`      ${found.size} entries, ${cuts} cut connections; ${JSON.stringify(counts)}`);
    expect(counts['ok']).to.be.above(failOvers);
  }
});
