import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { HistoryBlocks } from '../../src/store/files/project/history-blocks.ts';
import { HistoryIndex } from '../../src/store/files/project/history.ts';
import type { HistoryQuery, Revision } from '../../src/store/record/record.ts';
import { LookUps, untilFetched } from '../../src/store/record/look-ups.ts';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';

/** Small enough that twenty revisions are in several files of several blocks. */
const bounds = { rowsMin: 4, rowsMax: 10, blockRows: 3, filesMax: 2 };
const targets = ['tsk_a', 'tsk_b', 'tsk_c', 'doc_d'];
const authors = ['human:ada', 'human:eve', 'agent:robo', 'agent', 'file'];

const newestFirst = (a: Revision, b: Revision): number =>
  a.at === b.at ? (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) : a.at < b.at ? 1 : -1;

/** The history of a project in a directory, beside a list of what is in its segments. */
class World {
  readonly random: Random;
  readonly #root: string;
  #shared: string;
  readonly #made: Revision[] = [];
  /** What the segments contain, by path below the root's directory. */
  readonly #segments = new Map<string, Revision[]>();
  readonly #unwritten = new Map<string, Revision>();
  #count = 0;
  lookUps = new LookUps();
  history: HistoryIndex;

  constructor(random: Random, root: string) {
    this.random = random;
    this.#root = root;
    this.#shared = join(root, 'one');
    mkdirSync(join(root, 'tmp'), { recursive: true });
    this.history = this.#open();
  }

  get index(): string {
    return join(this.#root, 'index');
  }

  get paths(): readonly string[] {
    return [...this.#segments.keys()];
  }

  #open(): HistoryIndex {
    return new HistoryIndex(nodeDisk, this.lookUps, {
      ...{ directory: this.index, temporaryDirectory: join(this.#root, 'tmp'), bounds },
      // Every file has been unchanged for long.
      clock: { now: () => Date.now() + 10_000 } as never,
      blocks: new HistoryBlocks(nodeDisk, this.lookUps),
      tops: () => ({ shared: this.#shared, local: join(this.#root, 'local') }),
    });
  }

  /** Every revision that is there, newest first. */
  get all(): readonly Revision[] {
    const found = [...this.#segments.values(), [...this.#unwritten.values()]].flat();
    return [...new Map(found.map((one) => [one.id, one])).values()].sort(newestFirst);
  }

  revision(): Revision {
    const { random } = this;
    // Now and then, a line of another segment, as a cherry-pick brings it.
    if (this.#made.length > 0 && random.chance(0.1)) return random.pick(this.#made);
    const target = random.pick(targets);
    const made: Revision = {
      at: new Date(random.integer(0, 40)).toISOString(),
      id: `rev_${String(this.#count++).padStart(6, '0')}${random.integer(0, 3)}000${random.integer(0, 3)}`,
      ...{ target, target_type: target.startsWith('tsk') ? 'task' : 'document' },
      author: random.pick(authors),
      ...(random.chance(0.3) && { session: `tab-${random.integer(1, 2)}` }),
      fields: random.chance(0.5) ? ['status'] : ['label', 'status'],
      before: { status: `was ${this.#count}` },
      after: random
        .integer(0, 2 ** 31)
        .toString(16)
        .padStart(16, '0'),
    };
    this.#made.push(made);
    return made;
  }

  #write(path: string, revisions: readonly Revision[]): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, revisions.map((one) => `${JSON.stringify(one)}\n`).join(''));
  }

  /** A segment arrives, or another one in its place, as a pull brings it. */
  arrive(): void {
    const { random } = this;
    const top = random.chance(0.7) ? this.#shared : join(this.#root, 'local');
    const known = [...this.#segments.keys()];
    const path =
      known.length > 0 && random.chance(0.3) ? random.pick(known) : join(top, '2026-01', `${this.#count}.jsonl`);
    const revisions = Array.from({ length: random.integer(1, 5) }, () => this.revision());
    const unique = [...new Map(revisions.map((one) => [one.id, one])).values()];
    this.#write(path, unique);
    this.#segments.set(path, unique);
    this.history.addSegment(path);
  }

  leave(): void {
    const known = [...this.#segments.keys()];
    if (known.length === 0) return;
    const path = this.random.pick(known);
    rmSync(path);
    this.#segments.delete(path);
    this.history.dropSegment(path);
  }

  /** A change is made, and its revision waits. */
  change(): void {
    const revision = this.revision();
    if (this.all.some(({ id }) => id === revision.id)) return;
    this.#unwritten.set(revision.id, revision);
    this.history.add(revision, false, 1);
  }

  /** Those that wait are written to a new segment. */
  checkpoint(): void {
    const taken = this.history.takeWaiting(1, this.random.integer(1, 6));
    if (taken.length === 0) return;
    if (this.random.chance(0.2)) return this.history.putBack(taken);
    const path = join(this.#shared, '2026-02', `${this.#count++}.jsonl`);
    const revisions = taken.map(({ revision }) => revision);
    this.#write(path, revisions);
    let offset = 0;
    for (const revision of revisions) {
      const length = Buffer.byteLength(JSON.stringify(revision));
      this.history.markWritten(revision.id, { file: path, offset, length });
      offset += length + 1;
      this.#unwritten.delete(revision.id);
    }
    this.history.noteWritten(path, nodeDisk.stat(path)!);
    this.#segments.set(path, revisions);
  }

  /** The project's directory is renamed. */
  move(): void {
    const to = join(this.#root, this.#shared.endsWith('one') ? 'two' : 'one');
    const from = this.#shared;
    if (existsSync(from)) renameSync(from, to);
    for (const [path, revisions] of [...this.#segments]) {
      if (!path.startsWith(`${from}/`)) continue;
      this.#segments.delete(path);
      this.#segments.set(to + path.slice(from.length), revisions);
    }
    this.#shared = to;
    this.history.moveSegments(from, to);
  }

  /** The index on disk is lost, torn or changed. */
  damage(): void {
    const names = existsSync(this.index) ? readdirSync(this.index) : [];
    if (names.length === 0) return;
    const path = join(this.index, this.random.pick(names));
    const bytes = readFileSync(path);
    const at = this.random.integer(0, bytes.length - 1);
    const how = this.random.pick(['lost', 'torn', 'changed'] as const);
    if (how === 'lost') return rmSync(path);
    if (how === 'changed') bytes[at]! ^= 0x55;
    writeFileSync(path, how === 'torn' ? bytes.subarray(0, at) : bytes);
  }

  /** Another process opens the files. What waits is in the journal, which it replays. */
  restart(): void {
    this.history = this.#open();
    this.history.files!.open();
    for (const path of this.#segments.keys()) this.history.addSegment(path);
    for (const one of this.all) if (this.random.chance(0.3)) this.history.addAgain(one, false, 1);
    const written = new Set([...this.#segments.values()].flat().map(({ id }) => id));
    for (const one of [...this.#unwritten.values()]) {
      this.history.addAgain(one, false, 1);
      if (written.has(one.id)) this.#unwritten.delete(one.id);
    }
  }

  query(): HistoryQuery {
    const { random } = this;
    const { at, id } = this.all.length > 0 ? random.pick(this.all) : { at: new Date(0).toISOString(), id: 'rev_0' };
    const target = random.chance(0.5) ? random.pick(targets) : undefined;
    return {
      target,
      ...(random.chance(0.2) && { type: random.pick(['task', 'document']) }),
      ...(random.chance(0.3) && { author: random.pick(['human', ...authors, 'nobody']) }),
      ...(random.chance(0.4) && { [target !== undefined && random.chance(0.5) ? 'newer' : 'after']: { at, id } }),
    };
  }

  expected({ target, type, author, after, newer }: HistoryQuery): readonly Revision[] {
    const found = this.all.filter(
      (one) =>
        (target === undefined || one.target === target) &&
        (type === undefined || one.target_type === type) &&
        (author === undefined || one.author === author || one.author.startsWith(`${author}:`)) &&
        (after === undefined || newestFirst(one, after as Revision) > 0) &&
        (newer === undefined || newestFirst(one, newer as Revision) < 0),
    );
    return newer === undefined ? found : found.toReversed();
  }

  async compare(): Promise<void> {
    const query = this.query();
    const expected = this.expected(query);
    const { history, lookUps, random } = this;
    expect([...history.summaries(query)], JSON.stringify(query)).to.deep.equal(
      expected.map(({ before: _, after: __, ...summary }) => summary),
    );
    // Within a rule, what is not in memory is fetched, and the rule runs again.
    const read = await untilFetched((fetched) => lookUps.within(fetched, () => [...history.revisions(query)]));
    expect(read).to.deep.equal(expected);
    const streamed: Revision[] = [];
    for await (const some of history.streamed(query)) streamed.push(...some);
    expect(streamed).to.deep.equal(expected);
    const id = random.chance(0.8) && this.#made.length > 0 ? random.pick(this.#made).id : 'rev_unknown';
    const known = this.all.find((one) => one.id === id);
    expect(history.has(id)).to.equal(known !== undefined);
    expect(await untilFetched((fetched) => lookUps.within(fetched, () => history.revision(id)))).to.deep.equal(known);
    const end = id.slice(-4);
    const ending = this.all.filter((one) => one.id.endsWith(end)).map((one) => one.id);
    expect([...history.ids({ end })].map((one) => one.id).sort()).to.deep.equal(ending.sort());
    const target = random.pick(targets);
    const of = this.expected({ target });
    const span = of.length === 0 ? undefined : { oldest: of.at(-1)!.at, newest: of[0]!.at };
    expect(history.span(target)).to.deep.equal(span);
    expect(history.withSpans(() => history.span(target))).to.deep.equal(span);
  }
}

/** `rounds`: how many worlds each test makes. */
export function describeHistoryFiles(rounds: number): void {
  describe('The history of a project on disk', () => {
    const scratch = scratchDirectory();
    const isFinished = (): boolean => true;

    /** Runs random steps of a world; `between` is called after each. */
    async function randomly(title: string, between: (world: World) => Promise<void>): Promise<void> {
      const random = Random.announced(title);
      for (let round = 0; round < rounds; round++) {
        const world = new World(random, join(scratch.path, `${title}-${round}`));
        for (let step = 0; step < 60; step++) {
          const act = random.pick(['arrive', 'arrive', 'change', 'change', 'checkpoint', 'leave', 'move'] as const);
          world[act]();
          await between(world);
        }
      }
    }

    it('answers as the list of what its segments have, over restarts and with a lost or damaged index [A.history.index]', async () => {
      await randomly('restarts', async (world) => {
        const { random } = world;
        if (random.chance(0.3)) await world.history.leaveToFiles(isFinished);
        if (random.chance(0.05)) world.damage();
        if (random.chance(0.1)) world.restart();
        await world.compare();
      });
    });

    it('answers the same while the index is written, whatever changes meanwhile [A.history.index]', async () => {
      let writing: Promise<void> | undefined;
      await randomly('concurrent', async (world) => {
        const { random } = world;
        writing ??= world.history.leaveToFiles(isFinished).finally(() => (writing = undefined));
        if (random.chance(0.5)) await new Promise((resolve) => setImmediate(resolve));
        if (random.chance(0.02)) world.damage();
        await world.compare();
      });
      await writing;
    });

    it('continues an iteration in its order while segments go to disk and leave [A.history.index]', async () => {
      await randomly('iterations', async (world) => {
        const { random, history } = world;
        const query = { target: random.chance(0.5) ? random.pick(targets) : undefined };
        const before = world.expected(query).map(({ id }) => id);
        const read: string[] = [];
        for (const { id } of history.summaries(query)) {
          read.push(id);
          if (random.chance(0.3)) await history.leaveToFiles(isFinished);
          if (random.chance(0.1)) world.leave();
        }
        const left = new Set(world.expected(query).map(({ id }) => id));
        expect(read.filter((id) => left.has(id))).to.deep.equal(before.filter((id) => left.has(id)));
        expect(new Set(read).size).to.equal(read.length);
      });
    });

    it('holds in memory and reads at a start only what is not on disk [A.history.index]', async () => {
      const world = new World(new Random(7), join(scratch.path, 'memory'));
      for (let at = 0; at < 200; at++) world.arrive();
      await world.history.leaveToFiles(isFinished);
      const read: string[] = [];
      const disk = { ...nodeDisk, readIfExists: (path: string) => (read.push(path), nodeDisk.readIfExists(path)) };
      const lookUps = new LookUps();
      const again = new HistoryIndex(disk, lookUps, {
        ...{ directory: world.index, temporaryDirectory: scratch.path, bounds, clock: { now: Date.now } as never },
        blocks: new HistoryBlocks(disk, lookUps),
        tops: () => ({ shared: join(scratch.path, 'memory/one'), local: join(scratch.path, 'memory/local') }),
      });
      again.files!.open();
      for (const path of world.paths) again.addSegment(path);
      expect(read).to.deep.equal([]);
      expect(again.recent.newestFirst(undefined)).to.deep.equal([]);
      expect([...again.ids()].length).to.equal(world.all.length);
      // Of 200 segments a few files are left.
      expect(readdirSync(world.index).length).to.be.at.most(12);
      expect(readdirSync(world.index).every((name) => (statSync(join(world.index, name)).mode & 0o77) === 0)).to.equal(
        true,
      );
    });
  });
}
