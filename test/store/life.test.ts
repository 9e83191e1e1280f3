import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DirtyRecords } from '../../src/store/files/life/dirty-records.ts';
import {
  clean,
  next,
  type WriteEvent,
  type WriteLife,
  writeTransitions,
} from '../../src/store/files/life/write-life.ts';
import {
  deletionGraceMs,
  emptyFileGraceMs,
  known,
  nextOfPath,
  type PathEvent,
  type PathLife,
  pathTransitions,
} from '../../src/store/files/life/path-life.ts';
import { impossible, type Step } from '../../src/store/files/life/transitions.ts';
import { UndecidedPaths } from '../../src/store/files/life/undecided-paths.ts';
import { Random, roundsOf } from '../support/random.ts';
import { repository } from '../support/server-process.ts';

type State = WriteLife['kind'];
type EventKind = WriteEvent['kind'];

const problem = { path: 'tasks/a.md', kind: 'parked', reason: 'It is read-only.', remedy: 'Make it writable.' };
const write = { path: 'tasks/a.md', sha256: 'a', record: undefined };
const unwritten = { collection: 'task', position: 4, latest: 6, force: false };
const lives: { readonly [S in State]: readonly WriteLife[] } = {
  clean: [clean],
  dirty: [{ ...unwritten, kind: 'dirty' }],
  blocked: [{ ...unwritten, kind: 'blocked', by: 'b' }],
  parked: [{ ...unwritten, kind: 'parked', problem }],
  writing: [
    { ...unwritten, kind: 'writing', later: undefined },
    { ...unwritten, kind: 'writing', later: 5 },
  ],
  unverified: [{ ...unwritten, kind: 'unverified', write }],
};
const wrote = { kind: 'wrote', isChecked: false, gitChanged: false, raced: false } as const;
const events: { readonly [E in EventKind]: readonly WriteEvent[] } = {
  changed: [{ kind: 'changed', collection: 'task', position: 9, force: false }],
  planned: [{ kind: 'planned' }],
  blocked: [
    { kind: 'blocked', by: 'b' },
    { kind: 'blocked', by: undefined },
  ],
  settled: [{ kind: 'settled' }],
  wrote: [wrote, { ...wrote, raced: true }, { ...wrote, isChecked: true }],
  gitMoved: [{ kind: 'gitMoved', write, raced: true }],
  differed: [{ kind: 'differed' }],
  postponed: [{ kind: 'postponed' }],
  failed: [{ kind: 'failed', problem }],
  retried: [{ kind: 'retried' }],
  seen: [{ kind: 'seen' }],
  carried: [{ kind: 'carried', position: 8 }],
};
const states = Object.keys(lives) as State[];
const kinds = Object.keys(events) as EventKind[];

/** The pairs of a life and an event of these kinds. */
const pairs = (state: State, kind: EventKind): (readonly [WriteLife, WriteEvent])[] =>
  lives[state].flatMap((life) => events[kind].map((event) => [life, event] as const));

const pathLives: { readonly [S in PathLife['kind']]: readonly PathLife[] } = {
  known: [known],
  vanished: [{ kind: 'vanished', since: 0 }],
  emptied: [{ kind: 'emptied', since: 0 }],
  deferred: [{ kind: 'deferred', id: 'a' }],
  replaced: [{ kind: 'replaced', id: 'a', since: 0 }],
};
const found = { at: 1, isImmediate: false };
const pathEvents: { readonly [E in PathEvent['kind']]: readonly PathEvent[] } = {
  seen: [{ kind: 'seen' }],
  seenEmpty: [
    { ...found, kind: 'seenEmpty' },
    { ...found, kind: 'seenEmpty', at: emptyFileGraceMs },
  ],
  gone: [
    { ...found, kind: 'gone', isHeld: false },
    { ...found, kind: 'gone', at: deletionGraceMs, isHeld: false },
  ],
  held: [{ kind: 'held', id: 'a' }],
  seenReplaced: [
    { ...found, kind: 'seenReplaced', id: 'a', isHeld: false },
    { ...found, kind: 'seenReplaced', id: 'a', at: deletionGraceMs, isHeld: false },
  ],
  removed: [{ kind: 'removed' }],
};

interface Machine<Life, Event> {
  readonly lives: Readonly<Record<string, readonly Life[]>>;
  readonly events: Readonly<Record<string, readonly Event[]>>;
  readonly transitions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly next: (life: Life, event: Event) => Step<{ readonly kind: string }, string>;
}

/** The rows of a machine's table: for each event the states that follow each state, and the effects. */
function rowsOf<Life, Event>({ lives: from, events: given, transitions, next: step }: Machine<Life, Event>): string[] {
  const rows = Object.entries(given).map(([kind, variants]) => {
    const effects = new Set<string>();
    const cells = Object.entries(from).map(([state, samples]) => {
      if (transitions[state]![kind] === impossible) return '–';
      const results = samples.flatMap((life) => variants.map((event) => step(life, event)));
      for (const one of results.flatMap((result) => result.effects)) effects.add(one);
      return [...new Set(results.map(({ life }) => life.kind))].join(' or ');
    });
    return [kind, ...cells, [...effects].join(', ')];
  });
  const head = ['event', ...Object.keys(from), 'effects'];
  return [head, head.map(() => '-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** The table without the padding of its cells. */
const unpadded = (text: string): string => text.replace(/ +\|/g, ' |').replace(/-+/g, '-');

describe("The life of a record's file", () => {
  it('is the tables of its page: each pair of state and event leads on or is impossible [A.documents]', () => {
    const document = unpadded(readFileSync(join(repository, 'docs/explanation/record-lives.md'), 'utf8'));
    const records = rowsOf({ lives, events, transitions: writeTransitions, next });
    const paths = rowsOf({ lives: pathLives, events: pathEvents, transitions: pathTransitions, next: nextOfPath });
    for (const rows of [records, paths]) {
      const table = unpadded(rows.join('\n'));
      expect(document.includes(table), `a table of the page is another one:\n${table}`).to.equal(true);
    }
  });

  it('throws for an impossible pair', () => {
    let count = 0;
    for (const state of states)
      for (const kind of kinds) {
        if (writeTransitions[state][kind] !== impossible) continue;
        count++;
        for (const [life, event] of pairs(state, kind)) expect(() => next(life, event)).to.throw(`${state} file`);
      }
    expect(count).to.be.greaterThan(20);
  });

  it('marks in the journal only values that are whole in the file, written while git changed nothing [A.write.git-batch]', () => {
    const [life] = lives.writing;
    for (const gitChanged of [false, true]) {
      const { effects } = next(life!, { ...wrote, gitChanged });
      expect(effects.includes('mark')).to.equal(!gitChanged);
    }
  });
});

/** One record of the model: the positions of its changes, each until a file contains it. */
interface ModelRecord {
  waiting: number[];
  taken: number[] | undefined;
  last: number;
  hold: 'none' | 'parked' | 'git';
  /** The record whose change has to be written first. */
  by: string | undefined;
}

/** A driver that feeds events as the checkpointer and the reconciler do, together with the model. */
class Run {
  readonly #random: Random;
  readonly records = new DirtyRecords();
  readonly model = new Map<string, ModelRecord>();
  readonly steps: string[] = [];
  #position = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  step(): void {
    const id = this.#random.pick(['a', 'b', 'c', 'd']);
    const one = this.model.get(id) ?? { waiting: [], taken: undefined, last: 0, hold: 'none', by: undefined };
    this.model.set(id, one);
    if (this.#random.chance(0.3)) this.#change(id, one);
    else if (one.taken !== undefined && this.#random.chance(0.7)) this.#end(id, one, one.taken);
    else this.#other(id, one);
  }

  #on(id: string, event: WriteEvent): void {
    this.steps.push(`${id} ${JSON.stringify(event)}`);
    this.records.on(id, event);
  }

  #change(id: string, one: ModelRecord): void {
    // A folder that moves marks the files in it at its own position.
    const position = this.#random.chance(0.1) ? this.#random.integer(1, this.#position + 1) : ++this.#position;
    const isClean = one.waiting.length === 0 && one.taken === undefined;
    one.last = isClean ? position : Math.max(one.last, position);
    one.waiting.push(position);
    const event = { kind: 'changed', collection: 'task', position, force: false } as const;
    if (this.#random.chance(0.5)) return this.#on(id, event);
    this.steps.push(`${id} marked at ${position}`);
    this.records.mark(id, 'task', position);
  }

  #end(id: string, one: ModelRecord, taken: readonly number[]): void {
    const raced = this.#random.chance(0.1);
    const again = (): void => void (one.waiting = [...taken, ...one.waiting]);
    one.taken = undefined;
    switch (this.#random.integer(0, 6)) {
      case 0:
        again();
        return this.#on(id, { kind: 'differed' });
      case 1:
        again();
        return this.#on(id, { kind: 'postponed' });
      case 2:
        again();
        one.hold = 'parked';
        return this.#on(id, { kind: 'failed', problem });
      case 3:
        again();
        one.hold = 'git';
        return this.#on(id, { kind: 'gitMoved', write: { ...write, path: id }, raced });
      case 4: {
        again();
        return this.#on(id, { kind: 'wrote', isChecked: true, gitChanged: this.#random.chance(0.5), raced });
      }
      default:
        return this.#on(id, { kind: 'wrote', isChecked: false, gitChanged: false, raced });
    }
  }

  #other(id: string, one: ModelRecord): void {
    switch (this.#random.integer(0, 5)) {
      case 0:
        if (this.isParked(one) || one.hold === 'git' || one.taken !== undefined || one.waiting.length === 0) return;
        if (this.#random.chance(0.2)) one.by = this.#random.pick(['e', ...this.model.keys()].filter((by) => by !== id));
        else one.by = undefined;
        if (one.by !== undefined || this.records.get(id).kind === 'blocked')
          this.#on(id, { kind: 'blocked', by: one.by });
        if (one.by !== undefined) return;
        one.taken = one.waiting;
        one.waiting = [];
        return this.#on(id, { kind: 'planned' });
      case 1:
        Object.assign(one, { waiting: [], hold: 'none', by: undefined });
        return this.#on(id, { kind: 'settled' });
      case 2:
        if (one.hold === 'parked') one.hold = 'none';
        return this.#on(id, { kind: 'retried' });
      case 3: {
        const isSeen = this.records.seenAt(id);
        this.steps.push(`${id} seen: ${isSeen}`);
        expect(isSeen).to.equal(one.hold === 'git');
        if (isSeen) one.hold = 'none';
        return;
      }
      case 4: {
        const position = ++this.#position;
        // The entries of a value that is being written are needed until the write ends.
        if (one.taken === undefined) one.waiting = one.waiting.map((at) => Math.max(at, position));
        return this.#on(id, { kind: 'carried', position });
      }
      default: {
        const found = [...this.model.values()].filter(({ hold }) => hold === 'parked');
        this.steps.push('all retried');
        expect(this.records.retryParked()).to.equal(found.length > 0);
        for (const parked of found) parked.hold = 'none';
      }
    }
  }

  isParked(one: ModelRecord): boolean {
    if (one.hold === 'parked') return true;
    const isWaiting = one.hold === 'none' && one.taken === undefined && one.waiting.length > 0;
    return isWaiting && one.by !== undefined && this.model.get(one.by)?.hold === 'parked';
  }

  check(): void {
    const said = `after ${this.steps.slice(-12).join(', then ')}`;
    const dirty = [...this.model].filter(([, { waiting, taken }]) => waiting.length > 0 || taken !== undefined);
    expect([...this.records.ids()].sort(), said).to.deep.equal(dirty.map(([id]) => id).sort());
    expect(this.records.size, said).to.equal(dirty.length);
    const needed = dirty.flatMap(([, { waiting, taken = [] }]) => [...waiting, ...taken]);
    expect(this.records.oldestNeeded(Infinity), said).to.equal(Math.min(...needed));
    for (const [id, one] of dirty) {
      const life = this.records.get(id);
      expect(this.records.isBeingWritten(id), said).to.equal(one.taken !== undefined);
      expect(this.records.parkedBy(life) !== undefined, said).to.equal(this.isParked(one));
      expect(this.records.unverifiedAt(id) !== undefined, said).to.equal(one.hold === 'git');
      // A file never contains a change that is not durable.
      if (life.kind !== 'clean') expect(life.latest, said).to.be.at.least(one.last);
    }
    const parked = dirty.filter(([, { hold }]) => hold === 'parked');
    expect([...this.records.problems()], said).to.have.length(parked.length);
    for (const broken of [[], ['a'], ['a', 'b', 'c', 'd']]) {
      const canWrite = dirty.some(([id, one]) => one.hold === 'git' || (!this.isParked(one) && !broken.includes(id)));
      expect(
        this.records.canWrite((id) => broken.includes(id)),
        said,
      ).to.equal(canWrite);
    }
  }
}

describe('Dirty records', () => {
  it('keep each change until a file has it, whatever happens in which order [A.write.checkpoint, A.write.bounded]', () => {
    const random = Random.announced('lives');
    for (let round = 0; round < roundsOf(40); round++) {
      const run = new Run(random);
      for (let step = 0; step < 100; step++) {
        run.step();
        run.check();
      }
    }
  });
});

type Found = 'file' | 'nothing' | 'empty' | 'held' | 'replaced';

describe('Undecided paths', () => {
  it('are read or removed once they were empty, missing or replaced for the whole grace period, and not held [A.edit.gone, A.format.empty]', () => {
    const random = Random.announced('paths');
    const deferrals = new Set<string>();
    for (let round = 0; round < roundsOf(200); round++) {
      const paths = new UndecidedPaths();
      /** The findings of the last looks at each path, and since when without interruption. */
      const model = new Map<string, { found: Found; since: number; id?: string }>();
      let at = 0;
      for (let step = 0; step < 60; step++) {
        at += random.pick([0, 1, deletionGraceMs - 1, deletionGraceMs, emptyFileGraceMs - 1, emptyFileGraceMs]);
        const path = random.pick(['a', 'b', 'c']);
        const before = model.get(path);
        const isImmediate = random.chance(0.1);
        const isHeld = random.chance(0.2);
        const id = random.pick(['x', 'y']);
        const since = (kind: 'nothing' | 'empty' | 'replaced'): number => (before?.found === kind ? before.since : at);
        switch (random.integer(0, 5)) {
          case 0:
            expect(paths.on(path, random.pick([{ kind: 'seen' }, { kind: 'removed' }]))).to.deep.equal([]);
            model.set(path, { found: 'file', since: at });
            break;
          case 1: {
            const isOver = isImmediate || at - since('empty') >= emptyFileGraceMs;
            const effects = paths.on(path, { kind: 'seenEmpty', at, isImmediate });
            expect(effects).to.deep.equal([isOver ? 'read' : 'lookAgain']);
            model.set(path, isOver ? { found: 'file', since: at } : { found: 'empty', since: since('empty') });
            break;
          }
          case 2:
            expect(paths.on(path, { kind: 'held', id })).to.deep.equal(['lookAgain']);
            model.set(path, { found: 'held', since: at, id });
            break;
          case 3: {
            const isOver = isImmediate || (!isHeld && at - since('replaced') >= deletionGraceMs);
            const effects = paths.on(path, { kind: 'seenReplaced', id, at, isImmediate, isHeld });
            expect(effects).to.deep.equal([isOver ? 'read' : 'lookAgain']);
            model.set(
              path,
              isOver ? { found: 'file', since: at } : { found: 'replaced', since: since('replaced'), id },
            );
            break;
          }
          default: {
            const isOver = !isHeld && (isImmediate || at - since('nothing') >= deletionGraceMs);
            const effects = paths.on(path, { kind: 'gone', at, isImmediate, isHeld });
            expect(effects).to.deep.equal([isOver ? 'remove' : 'lookAgain']);
            model.set(path, { found: 'nothing', since: since('nothing') });
          }
        }
        const missing = [...model].filter(([, one]) => one.found === 'nothing').map(([one]) => one);
        expect([...model.keys()].filter((path) => paths.isVanished(path)).sort()).to.deep.equal(missing.sort());
        for (const name of ['x', 'y']) {
          const isDeferred = [...model.values()].some((one) => one.id === name);
          expect(paths.isDeferred(name)).to.equal(isDeferred);
          if (isDeferred) deferrals.add(name);
        }
      }
    }
    expect([...deferrals].sort()).to.deep.equal(['x', 'y']);
  });
});
