import { expect } from 'chai';
import type { PgLog } from '../../../src/store/hosted/postgres/pg-log.ts';
import { type Append, type Appended, emptyHead, type Head } from '../../../src/store/record/log.ts';
import { PostgresCluster } from '../../support/postgres-cluster.ts';
import { postgresTests } from '../../support/postgres.ts';
import { PostgresWorld } from './postgres-world.ts';
import { rarely } from '../../support/rarely.ts';

/** Backends that wait for the standby to have their commit. */
const waiting = `SELECT pid, query FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;

postgresTests('The log on PostgreSQL, when the standby or the primary fails', () => {
  let cluster: PostgresCluster;
  let world: PostgresWorld;
  let log: PgLog;
  let ids = 0;

  before(async () => {
    cluster = await PostgresCluster.startPair();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    world = new PostgresWorld(cluster);
    log = await world.open();
  });
  afterEach(async () => {
    await log.close();
    await world.remove();
  });

  const next = (after: Head, body: unknown = {}, project = 'a'): Append => ({
    ...{ project, after, body },
    id: `evt_${++ids}`,
  });
  const headOf = (appended: Appended): Head => {
    expect(appended.is).to.equal('ok');
    return (appended as Extract<Appended, { is: 'ok' }>).head;
  };
  const grow = async (head: Head): Promise<Head> => headOf(await log.append(next(head)));
  /** The ids of the entries that the primary shows. */
  const visible = async (): Promise<readonly string[]> => {
    const rows = await cluster.primary.query(`SELECT id FROM ${world.schema}.log WHERE project = 'a' ORDER BY seq`);
    return rows.map(({ id }) => id as string);
  };
  /** The process ids of backends that wait for the standby in a statement with this text. */
  const whenWaiting = async (text: string): Promise<readonly number[]> => {
    let found: readonly number[] = [];
    await cluster.primary.until(async () => {
      const rows = await cluster.primary.query(waiting);
      found = rows.filter(({ query }) => String(query).includes(text)).map(({ pid }) => pid as number);
      return found.length > 0;
    });
    return found;
  };
  /** Pauses the standby, appends, and resolves when the commit waits for the standby. */
  const appendStalled = async (
    append: Append,
  ): Promise<{ readonly outcome: Promise<Appended>; readonly pid: number }> => {
    cluster.standby.pause();
    const outcome = log.append(append);
    const [pid] = await whenWaiting('INSERT INTO');
    return { outcome, pid: pid! };
  };
  const isSettled = async (promise: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(resolve))])) === true;

  for (const end of ['pg_terminate_backend', 'pg_cancel_backend'])
    it(`does not acknowledge a commit that is visible and not replicated, after ${end}, until it is`, async () => {
      const head = await grow(emptyHead);
      const append = next(head);
      const { outcome, pid } = await appendStalled(append);
      await cluster.primary.query(`SELECT ${end}($1)`, [pid]);
      await whenWaiting('pg_logical_emit_message');
      expect(await visible()).to.include(append.id);
      expect(await isSettled(outcome)).to.equal(false);
      cluster.standby.resume();
      expect(await outcome).to.deep.equal({ is: 'ok', head: { seq: 2, id: append.id } });
      expect(await visible()).to.have.length(2);
    });

  rarely('appends such an entry again if the primary is lost before it was replicated', async () => {
    const head = await grow(emptyHead);
    const append = next(head);
    const { outcome, pid } = await appendStalled(append);
    await cluster.primary.query('SELECT pg_terminate_backend($1)', [pid]);
    await whenWaiting('pg_logical_emit_message');
    expect(await visible()).to.include(append.id);
    world.shared.pause(log);
    await cluster.failOver();
    expect(await visible()).to.deep.equal([head.id]);
    world.shared.resume(log);
    expect(await outcome).to.deep.equal({ is: 'ok', head: { seq: 2, id: append.id } });
    await cluster.failOver();
    expect(await visible()).to.deep.equal([head.id, append.id]);
  });

  it('answers conflict if another node took the place on the new primary', async () => {
    const head = await grow(emptyHead);
    const lost = next(head);
    const { outcome, pid } = await appendStalled(lost);
    await cluster.primary.query('SELECT pg_terminate_backend($1)', [pid]);
    await whenWaiting('pg_logical_emit_message');
    world.shared.pause(log);
    await cluster.failOver();
    const other = await world.open();
    const won = headOf(await other.append(next(head)));
    world.shared.resume(log);
    expect((await outcome).is).to.equal('conflict');
    expect(await visible()).to.deep.equal([head.id, won.id]);
    await other.close();
  });

  it('decides an append once whose connection is cut while the standby does not answer', async () => {
    for (const failsOver of [false, true]) {
      const head: Head = (await log.catchUp(new Map([['a', emptyHead]]))).entries.at(-1) ?? emptyHead;
      const append = next({ seq: head.seq, id: head.id });
      cluster.standby.pause();
      const isCut = world.cut(log, 'during');
      const outcome = log.append(append);
      await isCut;
      await whenWaiting('INSERT INTO');
      // The node asks for the stored entries while the commit is not visible yet.
      await whenWaiting('pg_logical_emit_message');
      if (failsOver) await cluster.failOver();
      else cluster.standby.resume();
      expect(headOf(await outcome).id).to.equal(append.id);
      expect((await visible()).filter((id) => id === append.id)).to.have.length(1);
    }
  });

  it('returns only replicated entries to strict reads', async () => {
    const strict = await world.open({ reads: 'barrier' });
    const head = await grow(emptyHead);
    const append = next(head);
    const { outcome, pid } = await appendStalled(append);
    await cluster.primary.query('SELECT pg_terminate_backend($1)', [pid]);
    await whenWaiting('pg_logical_emit_message');
    const known = new Map([['a', head]]);
    expect((await log.catchUp(known)).entries.map(({ id }) => id)).to.deep.equal([append.id]);
    const asked = strict.catchUp(known);
    await cluster.primary.until(async () => (await cluster.primary.query(waiting)).length === 2);
    expect(await isSettled(asked)).to.equal(false);
    cluster.standby.resume();
    expect((await asked).entries.map(({ id }) => id)).to.deep.equal([append.id]);
    await outcome;
    await strict.close();
  });

  it('answers that the outcome is unknown if no server answers in time, refuses later entries, and goes on later', async () => {
    const quick = await world.open({ resolveMs: 300, answerMs: 100 });
    const head = headOf(await quick.append(next(emptyHead)));
    cluster.standby.pause();
    const first = next(head);
    const appended = quick.append(first);
    await whenWaiting('INSERT INTO');
    const behind = quick.append(next({ seq: 2, id: first.id }));
    expect(await appended).to.include({ is: 'refused', isUndecided: true });
    expect(await behind).to.include({ is: 'refused', isUndecided: false });
    cluster.standby.resume();
    await cluster.primary.until(async () => (await cluster.primary.query(waiting)).length === 0);
    const { entries } = await quick.catchUp(new Map([['a', head]]));
    expect(entries.map(({ id }) => id)).to.deep.equal([first.id]);
    expect((await quick.append(next({ seq: 2, id: first.id }))).is).to.equal('ok');
    await quick.close();
  });

  it('answers that nothing was appended, and does not read, if no server can be reached', async () => {
    const quick = await world.open({ resolveMs: 100 });
    const head = headOf(await quick.append(next(emptyHead)));
    await world.disconnect(quick);
    // The entry may have been sent when the connection was found to be lost.
    expect((await quick.append(next(head))).is).to.equal('refused');
    expect(await quick.append(next(head))).to.include({ is: 'refused', isUndecided: false });
    const failure = await quick.catchUp(new Map([['a', emptyHead]])).catch((error: unknown) => error);
    expect(failure).to.include({ code: 'unavailable' });
    await quick.close();
  });

  it('appends to the server that was promoted if the one before it is still there, once that has a standby [A.nodes.safe]', async () => {
    const node = await world.open({ answerMs: 300 });
    const head = headOf(await node.append(next(emptyHead)));
    const replaced = cluster.primary;
    await cluster.promoteStandby();
    const append = next(head);
    const appended = node.append(append);
    await replaced.until(async () => (await replaced.query(waiting)).length > 0);
    const onOld = await replaced.query(`SELECT id FROM ${world.schema}.log WHERE project = 'a' AND seq = 2`);
    expect(onOld, 'not visible where it cannot be replicated').to.deep.equal([]);
    expect(await isSettled(appended)).to.equal(false);
    await cluster.replaceStandby();
    expect(headOf(await appended).id).to.equal(append.id);
    expect(await visible()).to.deep.equal([head.id, append.id]);
    await node.close();
  });
});
