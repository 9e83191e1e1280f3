import { expect } from 'chai';
import {
  type Append,
  type Appended,
  emptyHead,
  type Entry,
  type Head,
  type Log,
} from '../../../src/store/record/log.ts';
import type { Revision } from '../../../src/store/record/record.ts';
import { Random } from '../../support/random.ts';
import { expectStoredRevisions, expectStoredTexts } from './stored-beside.ts';

/** A log of an implementation, over a storage of its own that outlives it. */
export interface LogWorld {
  /** Opens the log over the stored entries; the one opened before is closed or lost. */
  open(): Promise<Log>;
  /** Ends the log as a killed process would. */
  kill(log: Log): Promise<void>;
  /** Removes the entries of all projects from the front of the log, up to the present. */
  trim(log: Log): Promise<void>;
  /** Replaces the storage by an earlier state, as restoring a backup does: `keep` is called at that moment. */
  readonly backup: { keep(): Promise<void> | void; restore(): Promise<void> | void };
  /** The storage accepts nothing more. */
  fill(): Promise<void> | void;
  remove(): Promise<void>;
  /** The parts of a log to which several nodes append over connections. */
  readonly shared?: SharedStorage;
}

/** The storage of a shared log: a server with a standby. */
export interface SharedStorage {
  /** The log of another node. */
  readonly another: () => Promise<Log>;
  readonly keepBlob: (sha256: string) => Promise<void> | void;
  readonly hasAnswer: (id: string) => Promise<boolean> | boolean;
  /** The stored revision with this id, or undefined. */
  readonly revision: (project: string, id: string) => Promise<Revision | undefined>;
  /** The stored text with this hash. */
  readonly text: (sha256: string) => Promise<string | undefined>;
  /** Cuts the connection of a node at its next append, before, during or after the commit. */
  readonly cut: (log: Log, when: CutAt) => void;
  /** The standby takes the place of the server, which is lost. */
  readonly failOver: () => Promise<void> | void;
  /** Nothing reaches the node, or leaves it, until it is resumed. */
  readonly pause: (log: Log) => void;
  readonly resume: (log: Log) => void;
}

export type CutAt = 'before' | 'during' | 'after';

interface LogFactory {
  readonly name: string;
  readonly make: () => Promise<LogWorld> | LogWorld;
  /** True if the worlds have `shared`. */
  readonly isShared: boolean;
  /** The tests to run, by their numbers. Default: all. */
  readonly only?: readonly number[];
  /** The tests to leave out, by their numbers. */
  readonly without?: readonly number[];
}

const appenders = 20;
const largeCharacters = 32 * 1024 * 1024;

/**
 * The promises of every log, by number. Some promises concern shared logs alone: the others leave their tests out, with
 * the reason.
 */
export function describeLog({ name, make, isShared, only, without = [] }: LogFactory): void {
  const it = (title: string, test?: () => Promise<void>): void => {
    const number = parseInt(title, 10);
    if (only?.includes(number) !== false && !without.includes(number)) globalThis.it(title, test);
  };

  describe(`The log: ${name}`, () => {
    let world: LogWorld;
    let log: Log;
    let ids = 0;

    beforeEach(async () => {
      world = await make();
      log = await world.open();
    });
    afterEach(async () => {
      await log.close();
      await world.remove();
    });

    const ifShared = (title: string, why: string, test: (storage: SharedStorage) => Promise<void>): void => {
      if (isShared) it(title, () => test(world.shared!));
      else it(`${title} (skipped: ${why})`);
    };

    const next = (project: string, after: Head, body: unknown = {}): Append => ({
      ...{ project, after, body },
      id: `evt_${String(++ids).padStart(10, '0')}`,
    });
    const headOf = (appended: Appended): Head => {
      expect(appended.is).to.equal('ok');
      return (appended as Extract<Appended, { is: 'ok' }>).head;
    };
    /** Appends one by one after a head; returns the last head. */
    async function grow(project: string, count: number, from: Head = emptyHead): Promise<Head> {
      let head = from;
      for (let at = 0; at < count; at++) head = headOf(await log.append(next(project, head, { at })));
      return head;
    }
    /** All entries of a project, however many answers they take. */
    async function entriesOf(project: string): Promise<readonly Entry[]> {
      const found: Entry[] = [];
      for (let known = emptyHead; ;) {
        const { entries, more, trimmed, forked } = await log.catchUp(new Map([[project, known]]));
        expect([trimmed, forked]).to.deep.equal([[], []]);
        found.push(...entries);
        if (!more.includes(project)) return found;
        known = found.at(-1)!;
      }
    }
    const expectChain = (entries: readonly Entry[]): void =>
      entries.forEach(({ seq, prevId }, at) =>
        expect([seq, prevId]).to.deep.equal([at + 1, at === 0 ? null : entries[at - 1]!.id]),
      );
    const reopen = async (): Promise<void> => {
      await world.kill(log);
      log = await world.open();
    };

    it('1: has one winner for each sequence, and answers the others with conflict', async () => {
      let head = emptyHead;
      for (let round = 0; round < 10; round++) {
        const results = await Promise.all(
          Array.from({ length: appenders }, (_, by) => log.append(next('a', head, { by }))),
        );
        const won = results.filter(({ is }) => is === 'ok');
        expect(won).to.have.length(1);
        expect(results.filter(({ is }) => is === 'conflict')).to.have.length(appenders - 1);
        head = headOf(won[0]!);
        expect(head.seq).to.equal(round + 1);
      }
      expectChain(await entriesOf('a'));
    });

    it('2: has no gaps, whatever the order of appends that win and lose', async () => {
      const random = new Random(Number(process.env['PLANNER_TEST_SEED'] ?? 11));
      const heads = new Map<string, Head>();
      for (let round = 0; round < 100; round++) {
        const project = random.pick(['a', 'b', 'c']);
        const head = heads.get(project) ?? emptyHead;
        const after = random.pick([head, { seq: head.seq + 1, id: head.id }, { ...head, id: 'evt_other' }]);
        const appended = await log.append(next(project, after));
        expect(appended.is).to.equal(after === head ? 'ok' : 'conflict');
        if (appended.is === 'ok') heads.set(project, appended.head);
      }
      for (const [project, { seq }] of heads) {
        const entries = await entriesOf(project);
        expect(entries).to.have.length(seq);
        expectChain(entries);
      }
    });

    it('3: accepts entries after ones in progress, in one order, and refuses to skip one', async () => {
      const appends: Append[] = [];
      for (let at = 0; at < appenders; at++)
        appends.push(next('a', at === 0 ? emptyHead : { seq: at, id: appends[at - 1]!.id }));
      const skipping = next('a', { seq: appenders + 1, id: 'evt_unknown' });
      const results = await Promise.all([...appends, skipping].map((append) => log.append(append)));
      expect(results.map(({ is }) => is)).to.deep.equal([...appends.map(() => 'ok'), 'conflict']);
      expect((await entriesOf('a')).map(({ id }) => id)).to.deep.equal(appends.map(({ id }) => id));
    });

    it('4: leaves the entries of other projects alone if one conflicts', async () => {
      const head = await grow('a', 2);
      const results = await Promise.all([
        log.append(next('a', emptyHead)),
        log.append(next('b', emptyHead)),
        log.append(next('a', head)),
        log.append(next('c', emptyHead)),
      ]);
      expect(results.map(({ is }) => is)).to.deep.equal(['conflict', 'ok', 'ok', 'ok']);
    });

    it('5: never accepts an entry after the right sequence with another id', async () => {
      const head = await grow('a', 3);
      for (const id of ['evt_other', null])
        expect((await log.append(next('a', { ...head, id }))).is).to.equal('conflict');
      expect((await log.append(next('b', { seq: 0, id: 'evt_other' }))).is).to.equal('conflict');
      expect((await log.append(next('a', head))).is).to.equal('ok');
    });

    const revision = (id: string): Revision => ({
      ...{ at: '2026-03-01T10:00:00.000Z', id, target: 'tsk_a', target_type: 'task', author: 'human:Ada' },
      ...{ fields: ['title'], before: { title: 'Sow' }, after: 'print' },
    });
    const answer = (id: string): NonNullable<Append['beside']> => ({ answers: [{ id, kept: '{}' }] });

    ifShared(
      '6: stores what is beside an entry if and only if it stores the entry',
      'the entry of the journal contains it',
      async ({ hasAnswer, revision: storedRevision }) => {
        const head = await grow('a', 1);
        const both = (id: string): Append['beside'] => ({ ...answer(id), revisions: [revision(id)] });
        const lost = { ...next('a', emptyHead), beside: both('lost') };
        expect((await log.append(lost)).is).to.equal('conflict');
        expect((await log.append({ ...next('a', head), beside: both('won') })).is).to.equal('ok');
        const pair = [{ ...next('b', emptyHead), beside: both('pair') }, next('a', emptyHead)];
        expect((await log.appendTogether(pair)).is).to.equal('conflict');
        const repeated = { ...next('c', emptyHead), beside: { ...answer('won'), revisions: [revision('repeated')] } };
        expect((await log.append(repeated)).is).to.equal('repeat');
        const stored = await Promise.all(['lost', 'won', 'pair'].map(async (id) => hasAnswer(id)));
        expect(stored).to.deep.equal([false, true, false]);
        const found = [];
        for (const [project, id] of [
          ['a', 'lost'],
          ['a', 'won'],
          ['b', 'pair'],
          ['c', 'repeated'],
        ] as const)
          found.push(await storedRevision(project, id));
        expect(found).to.deep.equal([undefined, revision('won'), undefined, undefined]);
      },
    );
    ifShared(
      '6: stores the revisions of entries of any size in the statement of the entry, whatever is in them',
      'the entry of the journal contains them',
      (storage) => expectStoredRevisions(log, storage, { next, revision }),
    );
    ifShared(
      '6: stores the large texts of entries of any size in the statement of the entry, once',
      'the entry of the journal contains them',
      (storage) => expectStoredTexts(log, storage, next),
    );
    ifShared(
      '7: answers repeat to a call that was answered before, and appends nothing',
      'the store itself looks up answers',
      async ({ another }) => {
        const other = await another();
        const head = headOf(await log.append({ ...next('a', emptyHead), beside: answer('once') }));
        const repeated = { ...next('b', emptyHead), beside: answer('once') };
        expect(await other.append(repeated)).to.deep.equal({ is: 'repeat', answers: ['once'] });
        expect(await entriesOf('b')).to.deep.equal([]);
        // Two nodes at the same time: one of them answers.
        const both = [log, other].map((node, at) =>
          node.append({ ...next(`p${at}`, emptyHead), beside: answer('twice') }),
        );
        expect((await Promise.all(both)).map(({ is }) => is).sort()).to.deep.equal(['ok', 'repeat']);
        expect((await log.append(next('a', head))).is).to.equal('ok');
        await other.close();
      },
    );
    ifShared(
      '8: answers missing for an unknown blob, and appends nothing',
      'the store itself looks up blobs',
      async ({ keepBlob }) => {
        await keepBlob('known');
        const blobs = { ...next('a', emptyHead), beside: { blobs: ['known', 'unknown'] } };
        expect(await log.append(blobs)).to.deep.equal({ is: 'missing', blobs: ['unknown'] });
        expect(await entriesOf('a')).to.deep.equal([]);
        expect((await log.append({ ...blobs, beside: { blobs: ['known'] } })).is).to.equal('ok');
      },
    );

    it('9: contains an append once that is sent twice, also after its place was taken', async () => {
      const head = await grow('a', 1);
      const append = next('a', head);
      const results = await Promise.all([log.append(append), log.append(append)]);
      expect(results.map(({ is }) => is)).to.deep.equal(['ok', 'conflict']);
      await grow('a', 2, headOf(results[0]));
      expect((await log.append(append)).is).to.equal('conflict');
      expect((await entriesOf('a')).filter(({ id }) => id === append.id)).to.have.length(1);
    });

    ifShared(
      '10: decides an append whose connection was cut before, during or after its commit',
      'the journal has no connection',
      async ({ cut, failOver }) => {
        let head = emptyHead;
        for (const failsOver of [false, true]) {
          for (const when of ['before', 'during', 'after'] as const) {
            cut(log, when);
            const appended = log.append(next('a', head, { when, failsOver }));
            // The fail-over comes at any moment of the call, and accepted entries survive it.
            if (failsOver) {
              for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
              await failOver();
            }
            head = headOf(await appended);
            expect((await entriesOf('a')).map(({ id }) => id).at(-1), `${when}, ${failsOver}`).to.equal(head.id);
          }
        }
        const entries = await entriesOf('a');
        expect(entries).to.have.length(6);
        expectChain(entries);
      },
    );

    it('11: ignores an append that arrives late, when its place is taken', async () => {
      const head = await grow('a', 1);
      const late = next('a', head);
      const taken = await grow('a', 1, head);
      expect((await log.append(late)).is).to.equal('conflict');
      await grow('a', 1, taken);
      expect((await log.append(late)).is).to.equal('conflict');
      expect((await entriesOf('a')).some(({ id }) => id === late.id)).to.equal(false);
    });

    it('12: ignores an append after an entry that was trimmed', async () => {
      const early = await grow('a', 2);
      const head = await grow('a', 3, early);
      await world.trim(log);
      expect((await log.append(next('a', early))).is).to.equal('conflict');
      expect((await log.append(next('a', head))).is).to.equal('ok');
    });

    it('13: appends entries of several projects together, all or none', async () => {
      const [a, b] = [await grow('a', 1), await grow('b', 2)];
      const conflicting = await log.appendTogether([next('a', a), next('b', emptyHead)]);
      expect(conflicting.is).to.equal('conflict');
      const pair = [next('a', a), next('b', b)];
      const [together, behind] = await Promise.all([
        log.appendTogether(pair),
        log.append(next('a', { seq: 2, id: pair[0]!.id })),
      ]);
      expect([together.is, behind.is]).to.deep.equal(['ok', 'ok']);
      await reopen();
      expect((await entriesOf('a')).map(({ seq }) => seq)).to.deep.equal([1, 2, 3]);
      expect((await entriesOf('b')).map(({ seq }) => seq)).to.deep.equal([1, 2, 3]);
      expectChain(await entriesOf('b'));
    });

    it('14: decides calls with many projects in any order', async () => {
      const random = new Random(Number(process.env['PLANNER_TEST_SEED'] ?? 12));
      const names = Array.from({ length: 8 }, (_, at) => `p${at}`);
      const heads = new Map(names.map((project) => [project, emptyHead]));
      for (let round = 0; round < 30; round++) {
        const order = [...names].sort(() => random.next() - 0.5);
        const appends = order.map((project) => next(project, heads.get(project)!));
        const pairs = [appends.slice(0, 2), appends.slice(2, 5)];
        const outcomes = await Promise.all([
          ...pairs.map((pair) => log.appendTogether(pair)),
          ...appends.slice(5).map((append) => log.append(append)),
        ]);
        expect(outcomes.map(({ is }) => is)).to.deep.equal(outcomes.map(() => 'ok'));
        for (const { project, after, id } of appends) heads.set(project, { seq: after.seq + 1, id });
      }
      for (const project of names) expectChain(await entriesOf(project));
    });

    ifShared(
      '14: decides the calls of many nodes, one winner a sequence',
      'one process appends',
      async ({ another }) => {
        const nodes = [log, await another(), await another()];
        const won = new Map<string, Head>();
        for (let round = 0; round < 20; round++) {
          const heads = new Map(['a', 'b', 'c'].map((project) => [project, won.get(project) ?? emptyHead]));
          const outcomes = await Promise.all(
            nodes.flatMap((node, at) =>
              [...heads.keys()]
                .sort(() => (at % 2 === 0 ? 1 : -1))
                .map(async (project) => [project, await node.append(next(project, heads.get(project)!))] as const),
            ),
          );
          for (const project of heads.keys()) {
            const answered = outcomes.filter(([name]) => name === project).map(([, outcome]) => outcome);
            expect(answered.map(({ is }) => is).sort()).to.deep.equal(['conflict', 'conflict', 'ok']);
            won.set(project, headOf(answered.find(({ is }) => is === 'ok')!));
          }
        }
        for (const project of won.keys()) expectChain(await entriesOf(project));
        for (const one of nodes.slice(1)) await one.close();
      },
    );

    it('15: returns everything that was acknowledged before it was asked, and nothing for a current replica', async () => {
      let known: Head = emptyHead;
      let head: Head = emptyHead;
      for (let round = 1; round <= 20; round++) {
        head = await grow('a', round % 3, head);
        const { entries, forked, trimmed } = await log.catchUp(new Map([['a', known]]));
        expect([forked, trimmed]).to.deep.equal([[], []]);
        expect(entries.map(({ seq }) => seq)).to.deep.equal(
          Array.from({ length: head.seq - known.seq }, (_, at) => known.seq + 1 + at),
        );
        known = entries.at(-1) ?? known;
        expect({ seq: known.seq, id: known.id }).to.deep.equal(head);
      }
      expect((await log.catchUp(new Map([['a', head]]))).entries).to.deep.equal([]);
      expect((await log.catchUp(new Map([['none', emptyHead]]))).entries).to.deep.equal([]);
    });

    ifShared(
      '16: returns everything that was acknowledged before another server took over',
      'the journal has no other server',
      async ({ another, failOver }) => {
        const other = await another();
        let head: Head = emptyHead;
        for (let round = 0; round < 3; round++) {
          head = headOf(await log.append(next('a', head)));
          await failOver();
          const { entries } = await other.catchUp(new Map([['a', emptyHead]]));
          expect(entries.map(({ seq }) => seq).at(-1)).to.equal(round + 1);
          expectChain(entries);
        }
        await other.close();
      },
    );
    ifShared(
      '17: returns everything that was acknowledged while this node was paused',
      'one process appends',
      async ({ another, pause, resume }) => {
        const other = await another();
        const head = await grow('a', 1);
        pause(other);
        const asked = other.catchUp(new Map([['a', head]]));
        const late = other.append(next('a', head));
        const last = await grow('a', 3, head);
        resume(other);
        expect((await late).is).to.equal('conflict');
        await asked;
        const { entries } = await other.catchUp(new Map([['a', head]]));
        expect(entries.map(({ id }) => id).at(-1)).to.equal(last.id);
        expect(entries).to.have.length(3);
        await other.close();
      },
    );

    it('18: names projects with further entries, and projects whose next entry is no longer kept', async () => {
      const early = await grow('a', 1);
      let head: Head = early;
      const appended: Promise<Appended>[] = [];
      for (let at = 0; at < 2500; at++) {
        const append = next('a', head);
        appended.push(log.append(append));
        head = { seq: head.seq + 1, id: append.id };
      }
      await Promise.all(appended);
      const first = await log.catchUp(new Map([['a', early]]));
      expect(first.more).to.deep.equal(['a']);
      expect(first.entries.length).to.be.within(1, 2499);
      expect(await entriesOf('a')).to.have.length(2501);
      await world.trim(log);
      const { entries, trimmed, forked } = await log.catchUp(
        new Map([
          ['a', early],
          ['b', emptyHead],
        ]),
      );
      expect([entries, trimmed, forked]).to.deep.equal([[], ['a'], []]);
      expect((await log.catchUp(new Map([['a', head]]))).trimmed).to.deep.equal([]);
    });

    it('19: says that a replica forked: the log is shorter, or has another entry at its head', async () => {
      const common = await grow('a', 2);
      await world.backup.keep();
      const lost = await grow('a', 2, common);
      await world.kill(log);
      await world.backup.restore();
      log = await world.open();
      expect((await log.catchUp(new Map([['a', lost]]))).forked).to.deep.equal(['a']);
      const other = await grow('a', 2, common);
      expect(other.seq).to.equal(lost.seq);
      expect((await log.catchUp(new Map([['a', lost]]))).forked).to.deep.equal(['a']);
      await grow('a', 2, other);
      expect((await log.catchUp(new Map([['a', lost]]))).forked, 'behind the fork').to.deep.equal(['a']);
      expect((await log.append(next('a', lost))).is).to.equal('conflict');
      expect((await log.catchUp(new Map([['a', common]]))).entries).to.have.length(4);
    });

    it('20: returns bodies as they were appended, whatever is in them, up to 32 MiB', async () => {
      const bodies = [
        { text: 'Größe\n\u2028\u0000"\\ 🜁', number: 0.1, none: null, list: [[], {}] },
        'x',
        null,
        { large: 'ü'.repeat(largeCharacters / 2) },
      ];
      let head = emptyHead;
      for (const body of bodies) {
        const append = {
          ...next('a', head, body),
          large: typeof body === 'object' && body !== null && 'large' in body,
        };
        head = headOf(await log.append(append));
      }
      await reopen();
      expect((await entriesOf('a')).map(({ body }) => body)).to.deep.equal(bodies);
    });

    it('21: has a clock that does not step back', async () => {
      expect(log.traits.shared).to.equal(isShared);
      let before = 0;
      for (let at = 0; at < 5; at++) {
        const { now } = await log.catchUp(new Map());
        expect(now).to.be.at.least(before);
        before = now;
      }
      expect(before).to.be.above(Date.parse('2020-01-01'));
    });

    it('22: has every acknowledged entry at its sequence after it was killed', async () => {
      const acknowledged = new Map<string, Head>();
      for (let round = 0; round < 5; round++) {
        const project = round % 2 === 0 ? 'a' : 'b';
        const from = acknowledged.get(project) ?? emptyHead;
        const head = await grow(project, 3, from);
        acknowledged.set(project, head);
        await reopen();
        for (const [name, { seq, id }] of acknowledged) {
          const entries = await entriesOf(name);
          expect(entries[seq - 1]?.id).to.equal(id);
          expectChain(entries);
        }
      }
    });

    it('23: refuses appends once the storage is full, and still returns the stored entries', async () => {
      const head = await grow('a', 2);
      await world.fill();
      const [first, second] = await Promise.all([
        log.append(next('a', head, 'x'.repeat(1000))),
        log.append(next('b', emptyHead)),
      ]);
      expect([first.is, second.is]).to.deep.equal(['refused', 'refused']);
      expect((first as Extract<Appended, { is: 'refused' }>).why).to.be.instanceOf(Error);
      expect((await log.append(next('a', head))).is).to.equal('refused');
      expect((await log.appendTogether([next('a', head), next('b', emptyHead)])).is).to.equal('refused');
      expect(await entriesOf('a')).to.have.length(2);
    });

    ifShared(
      '24: needs no session: the calls of a node may use any of several connections',
      'the journal has no connection',
      async ({ another }) => {
        const pool = [log, await another(), await another()];
        let head: Head = emptyHead;
        for (let at = 0; at < 12; at++) {
          head = headOf(await pool[at % 3]!.append(next('a', head)));
          const known = { seq: head.seq - 1, id: null };
          const { entries, forked } = await pool[(at + 1) % 3]!.catchUp(new Map([['a', at === 0 ? emptyHead : known]]));
          if (at === 0) expect(entries).to.have.length(1);
          else expect([entries.length + forked.length], 'the head is named with its id').to.deep.equal([1]);
        }
        expectChain(await entriesOf('a'));
        for (const one of pool.slice(1)) await one.close();
      },
    );

    it('25: decides the appends under way when it is closed, and refuses later ones', async () => {
      const pending = [log.append(next('a', emptyHead)), log.append(next('b', emptyHead))];
      await log.close();
      expect((await Promise.all(pending)).map(({ is }) => is)).to.deep.equal(['ok', 'ok']);
      expect((await log.append(next('c', emptyHead))).is).to.equal('refused');
      log = await world.open();
      for (const project of ['a', 'b']) expect(await entriesOf(project)).to.have.length(1);
      expect(await entriesOf('c')).to.deep.equal([]);
    });
  });
}
