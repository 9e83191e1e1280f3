import type { SnapshotStore } from '../../../src/store/hosted/storage/snapshot-store.ts';
import { skewsMs } from '../../hosted/nodes.ts';
import { SimulatedLog, SimulatedLogServer } from '../../store/log/simulated-log.ts';
import { Balancers } from '../../support/balancers.ts';
import { MemoryBlobs } from '../../support/memory-blobs.ts';
import { MemorySnapshots } from '../../support/memory-snapshots.ts';
import type { Random } from '../../support/random.ts';
import { SimulatedTime } from '../time.ts';
import { SimulatedNode } from './simulated-node.ts';

/** Some nodes hold one project at a time in memory, or only the ones in use. */
const memoryBytes = [undefined, undefined, 20_000, 0];

/** The servers of a log, and the nodes over it. Every message takes its time. */
export class NodeWorld {
  readonly time = new SimulatedTime();
  readonly server = new SimulatedLogServer();
  readonly snapshots = new MemorySnapshots(this.server);
  readonly nodes: SimulatedNode[] = [];
  readonly lines: string[] = [];
  readonly failures: string[] = [];
  readonly random: Random;
  readonly balancers = new Balancers<SimulatedNode>(({ name }) => name);
  readonly #blobs = new MemoryBlobs((sha256) => this.server.blobs.add(sha256));
  readonly #slowness: number;
  #started = 0;
  /** The primary does not reach the standby any more. */
  isCutOff = false;
  serverSkewMs = 0;
  /** Snapshots were damaged. */
  isDamaged = false;

  constructor(random: Random) {
    this.random = random;
    this.#slowness = random.pick([0.01, 0.05, 0.2]);
  }

  say(line: string): void {
    this.lines.push(`${this.time.monotonic().toFixed(3)} ${line}`);
  }

  fail(failure: string): void {
    this.failures.push(failure);
    this.say(failure);
  }

  /** The nodes that serve. */
  get serving(): readonly SimulatedNode[] {
    return this.nodes.filter(({ store }) => store !== undefined);
  }

  /** The node that a call for a project is sent to. */
  nodeFor(project: string, random: Random): SimulatedNode | undefined {
    const { serving } = this;
    return serving.length === 0 ? undefined : this.balancers.pick(random, project, serving);
  }

  /** Starts a node. Resolves when it serves, or was killed before. */
  async add(): Promise<void> {
    const name = `node ${++this.#started}`;
    const log: SimulatedLog = new SimulatedLog(this.server, {
      travel: () => this.#travel(log),
      now: () => Math.floor(this.time.now()) + this.serverSkewMs,
    });
    const memory = this.random.pick(memoryBytes);
    const { answers, revisions, texts } = log;
    const node: SimulatedNode = new SimulatedNode({
      ...{ name, time: this.time, log, skewMs: this.random.pick(skewsMs) },
      storage: {
        ...{ log, answers, revisions, texts, blobs: this.#blobs },
        snapshots: this.#distant(() => node.isAlive),
        close: () => log.close(),
      },
      ...(memory !== undefined && { memoryBytes: memory }),
      report: (message) => this.say(`${name}: ${message}`),
    });
    this.nodes.push(node);
    this.say(`${name} starts`);
    try {
      await Promise.race([node.start(), node.ended]);
      if (node.isAlive) this.say(`${name} serves`);
    } catch (error) {
      this.fail(`${name} does not start: ${(error as Error).stack}`);
    }
  }

  kill(node: SimulatedNode): void {
    this.say(`${node.name} is killed`);
    this.nodes.splice(this.nodes.indexOf(node), 1);
    node.kill();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.time.after(ms, resolve));
  }

  async #travel(log: SimulatedLog): Promise<void> {
    if (this.isCutOff) log.cut('during');
    await this.wait(this.#tookMs());
  }

  #tookMs(): number {
    // Answers overtake each other, and one of them comes when most is over.
    if (this.random.chance(this.#slowness / 10)) return this.random.integer(50, 1500);
    return this.random.chance(this.#slowness) ? this.random.integer(2, 20) : this.random.next();
  }

  /** The snapshots as a node has them: far away. */
  #distant(isAlive: () => boolean): SnapshotStore {
    const { snapshots } = this;
    const journey = async (): Promise<void> => {
      await this.wait(this.#tookMs());
      // A process that has ended learns nothing more.
      if (!isAlive()) await new Promise(() => undefined);
    };
    const there = async <T>(ask: () => Promise<T>): Promise<T> => {
      await journey();
      const answer = await ask();
      await journey();
      return answer;
    };
    return {
      heads: (logs) => there(() => snapshots.heads(logs)),
      beginnings: (heads) => there(() => snapshots.beginnings(heads)),
      summaries: (logs) => there(() => snapshots.summaries(logs)),
      putSummaries: (summaries) => there(() => snapshots.putSummaries(summaries)),
      async *read(log, head) {
        await journey();
        yield* snapshots.read(log, head);
      },
      put: (log, head, parts) => there(() => snapshots.put(log, head, parts)),
      trimmable: () => there(() => snapshots.trimmable()),
      trim: (log, below) => there(() => snapshots.trim(log, below)),
    };
  }
}
