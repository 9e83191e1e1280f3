import { expect } from 'chai';
import { type Append, type Appended, emptyHead, type Entry, type Head, type Log } from '../../../src/store/log.ts';
import { Random } from '../../support/random.ts';

/** A log of an implementation, over a storage of its own that outlives it. */
export interface LogWorld {
  /** Opens the log over what the storage has; the one opened before is closed or lost. */
  open(): Promise<Log>;
  /** Ends the log as a killed process would. */
  kill(log: Log): Promise<void>;
  /** Removes the entries of all projects from the front of the log, up to the present. */
  trim(log: Log): Promise<void>;
  /** Replaces the storage by that of an earlier moment, as restoring a backup does: `keep` is called at that moment. */
  readonly backup: { keep(): void; restore(): void };
  /** The storage accepts nothing more. */
  fill(): void;
  remove(): Promise<void>;
}

interface LogFactory {
  readonly name: string;
  readonly make: () => LogWorld;
  /** Several nodes append over connections, and the log checks the answers and blobs that belong to an entry. */
  readonly isShared: boolean;
}

const appenders = 20;
const largeCharacters = 32 * 1024 * 1024;

/** What every log promises. Some promises concern shared logs alone, which bring the tests of them. */
export function describeLog({ name, make, isShared }: LogFactory): void {
  describe(`The log: ${name}`, () => {
    let world: LogWorld;
    let log: Log;
    let ids = 0;

    beforeEach(async () => {
      world = make();
      log = await world.open();
    });
    afterEach(async () => {
      await log.close();
      await world.remove();
    });

    const ifShared = (title: string, why: string): void => {
      if (isShared) it(title, () => expect.fail('A shared log comes with this test.'));
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
    /** Appends one by one behind a head; returns the last head. */
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

    it('has one winner for each sequence, and answers the others with conflict', async () => {
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

    it('has no gaps, whatever the order of appends that win and lose', async () => {
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

    it('accepts entries behind those in progress, in one order, and refuses to skip one', async () => {
      const appends: Append[] = [];
      for (let at = 0; at < appenders; at++)
        appends.push(next('a', at === 0 ? emptyHead : { seq: at, id: appends[at - 1]!.id }));
      const skipping = next('a', { seq: appenders + 1, id: 'evt_unknown' });
      const results = await Promise.all([...appends, skipping].map((append) => log.append(append)));
      expect(results.map(({ is }) => is)).to.deep.equal([...appends.map(() => 'ok'), 'conflict']);
      expect((await entriesOf('a')).map(({ id }) => id)).to.deep.equal(appends.map(({ id }) => id));
    });

    it('leaves the entries of other projects alone if one conflicts', async () => {
      const head = await grow('a', 2);
      const results = await Promise.all([
        log.append(next('a', emptyHead)),
        log.append(next('b', emptyHead)),
        log.append(next('a', head)),
        log.append(next('c', emptyHead)),
      ]);
      expect(results.map(({ is }) => is)).to.deep.equal(['conflict', 'ok', 'ok', 'ok']);
    });

    it('never accepts an entry behind the right sequence with another id', async () => {
      const head = await grow('a', 3);
      for (const id of ['evt_other', null])
        expect((await log.append(next('a', { ...head, id }))).is).to.equal('conflict');
      expect((await log.append(next('b', { seq: 0, id: 'evt_other' }))).is).to.equal('conflict');
      expect((await log.append(next('a', head))).is).to.equal('ok');
    });

    ifShared(
      'stores what is beside an entry if and only if it stores the entry',
      'the entry of the journal contains it',
    );
    ifShared(
      'answers repeat to a call that was answered before, and appends nothing',
      'the store itself looks up answers',
    );
    ifShared('answers missing for an unknown blob, and appends nothing', 'the store itself looks up blobs');

    it('contains an append once that is sent twice, also after its place was taken', async () => {
      const head = await grow('a', 1);
      const append = next('a', head);
      const results = await Promise.all([log.append(append), log.append(append)]);
      expect(results.map(({ is }) => is)).to.deep.equal(['ok', 'conflict']);
      await grow('a', 2, headOf(results[0]));
      expect((await log.append(append)).is).to.equal('conflict');
      expect((await entriesOf('a')).filter(({ id }) => id === append.id)).to.have.length(1);
    });

    ifShared(
      'decides an append whose connection was cut before, during or after its commit',
      'the journal has no connection',
    );

    it('ignores an append behind an entry that was trimmed', async () => {
      const early = await grow('a', 2);
      const head = await grow('a', 3, early);
      await world.trim(log);
      expect((await log.append(next('a', early))).is).to.equal('conflict');
      expect((await log.append(next('a', head))).is).to.equal('ok');
    });

    it('appends entries of several projects together, all or none', async () => {
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

    it('decides calls with many projects in any order', async () => {
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

    it('returns everything that was acknowledged before it was asked, and nothing for a current replica', async () => {
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
      'returns everything that was acknowledged before another server took over',
      'the journal has no other server',
    );
    ifShared('returns everything that was acknowledged while this node was paused', 'one process appends');

    it('names projects with further entries, and those whose next entry is no longer kept', async () => {
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

    it('says that a replica forked: the log is shorter, or has another entry at its head', async () => {
      const common = await grow('a', 2);
      world.backup.keep();
      const lost = await grow('a', 2, common);
      await world.kill(log);
      world.backup.restore();
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

    it('returns bodies as they were appended, whatever is in them, up to 32 MiB', async () => {
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

    it('has a clock that does not step back', async () => {
      expect(log.traits.shared).to.equal(isShared);
      let before = 0;
      for (let at = 0; at < 5; at++) {
        const { now } = await log.catchUp(new Map());
        expect(now).to.be.at.least(before);
        before = now;
      }
      expect(before).to.be.above(Date.parse('2020-01-01'));
    });

    it('has every acknowledged entry at its sequence after it was killed', async () => {
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

    it('refuses appends once the storage is full, and still returns what it has', async () => {
      const head = await grow('a', 2);
      world.fill();
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

    ifShared('needs no session: it works through a pool of connections', 'the journal has no connection');

    it('decides the appends under way when it is closed, and refuses later ones', async () => {
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
