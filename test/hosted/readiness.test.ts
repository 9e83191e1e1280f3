import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { type Clock, delay, systemClock } from '../../src/base/clock.ts';
import type { AccessSettings } from '../../src/base/config.ts';
import { startHostedService } from '../../src/main/hosted-service.ts';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import type { SharedLog } from '../../src/store/hosted/storage/shared-log.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { RestClient } from '../support/rest-client.ts';

const hosted: AccessSettings = { hosted: { baseUrl: 'https://plan.example.org', trustedProxies: 0 } };
/** The clock of a node that neither follows logs nor loads projects on its own. */
const still: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms < 2000 ? dayMs : ms, run) };
const dayMs = 86_400_000;
const probes = 10;
const projects = 30;
const unknownToken = 'abcdef' + 'x'.repeat(43);

postgresTests('What anybody may ask a node', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;
  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  afterEach(() => nodes.stop());

  it('costs the same whatever the number of projects, and one question for all simultaneous callers [A.nodes.ready, A.nodes.links]', async () => {
    nodes = await HostedNodes.start(cluster, 1);
    for (let at = 0; at < 5; at++) await nodes.rest(0).post('/projects', { name: `Plan ${at}` });
    const storage = await openPgStorage({ url: cluster.primary.url, schema: nodes.schema, durability: 'disk' });
    /** How many logs each question was about. */
    const asked: number[] = [];
    const { promise: whenAllAsk, resolve: answer } = Promise.withResolvers<void>();
    let arrived = 0;
    const arrives = (): void => void (++arrived === probes && setImmediate(answer));
    const { log: real } = storage;
    const log: SharedLog = {
      ...noting(real, []),
      catchUp: async (known) => {
        asked.push(known.size);
        if (known.size === 0) await whenAllAsk;
        return real.catchUp(known);
      },
    };
    const node = await startHostedService({
      ...{ storage: { ...storage, log }, host: '127.0.0.1', port: 0, owner: 'Ada', defaultProject: undefined },
      ...{ access: hosted, clock: still, log: () => undefined },
    });
    const anyone = new RestClient(node.url);
    // The projects are begun behind the start.
    while (!asked.some((logs) => logs > 1)) await delay(systemClock, 5);
    asked.splice(0);
    subscribe('http.server.request.start', arrives);
    const ready = await Promise.all(Array.from({ length: probes }, () => anyone.get('/ready')));
    unsubscribe('http.server.request.start', arrives);
    expect(ready.map(({ body }) => body)).to.deep.equal(ready.map(() => ({ ready: true })));
    expect(asked.splice(0)).to.deep.equal([0]);
    for (const path of ['/share/', '/participate/'])
      expect((await anyone.get(`${path}${unknownToken}${path === '/share/' ? '.md' : ''}`)).status).to.equal(404);
    // The service's log alone.
    expect(new Set(asked)).to.deep.equal(new Set([1]));
    await node.close();
  });

  it('is answered soon while the database is away, whatever credential is sent, and names no server [A.nodes.ready, A.nodes.away]', async function () {
    // Calls wait for 30 s.
    this.timeout(20_000);
    nodes = await HostedNodes.start(cluster, 0, { access: hosted });
    const link = await cluster.link();
    await nodes.add({}, { url: link.url });
    const servers = new URL(link.url).host;
    await link.stop();
    const answers = await Promise.all(
      [undefined, { Authorization: 'Bearer pln_owner_wrong' }].map((headers) => nodes.rest(0, headers).get('/ready')),
    );
    for (const { status, body } of answers) {
      expect([status, body.error, body.ready]).to.deep.equal([503, 'unavailable', false]);
      expect(JSON.stringify(body)).not.to.include(servers).and.not.to.include('127.0.0.1');
    }
    await nodes.stop();
  });

  it('is answered without names of servers once a call has waited in vain, which the log has [A.nodes.away, A.nodes.ready]', async () => {
    nodes = await HostedNodes.start(cluster, 0);
    const link = await cluster.link();
    await nodes.add({}, { url: link.url, resolveMs: 100 });
    const servers = new URL(link.url).host;
    await link.stop();
    for (const path of ['/projects', '/ready']) {
      const { status, body } = await nodes.rest(0).get(path);
      expect([status, body.message]).to.deep.equal([503, 'No server of the database takes writes.']);
    }
    expect(JSON.stringify(nodes.log)).to.include(`${servers} does not answer`);
    await nodes.stop();
  });
});

/** A log that records the logs of each question about heads, and the questions about changes. */
function noting(real: SharedLog, asked: (readonly string[] | 'changes')[]): SharedLog {
  return {
    traits: real.traits,
    append: (append) => real.append(append),
    appendTogether: (appends) => real.appendTogether(appends),
    catchUp: (known) => {
      asked.push([...known.keys()]);
      return real.catchUp(known);
    },
    changes: (mark) => {
      asked.push('changes');
      return real.changes(mark);
    },
    close: () => real.close(),
  };
}

postgresTests('Catching up with all projects', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;
  before(async () => {
    cluster = await PostgresCluster.startSingle({ max_prepared_transactions: '4' });
  });
  after(() => cluster.remove());
  afterEach(() => nodes.stop());

  it('asks one question, and for the entries of what has changed, while a transaction hangs, too [A.nodes.catch-up]', async () => {
    nodes = await HostedNodes.start(cluster, 1);
    const other = nodes.rest(0);
    const made: string[] = [];
    for (let at = 0; at < projects; at++) made.push((await other.post('/projects', { name: `Plan ${at}` })).body.id);
    const storage = await openPgStorage({ url: cluster.primary.url, schema: nodes.schema, durability: 'disk' });
    const { log: real } = storage;
    /** The logs of each question about heads, and the questions about changes. */
    const asked: (readonly string[] | 'changes')[] = [];
    const log = noting(real, asked);
    // The service's own log, to which each node writes, may have changed meanwhile.
    const ofProjects = (): typeof asked =>
      asked.splice(0).filter((one) => one === 'changes' || one.join() !== '$service');
    const node = await startHostedService({
      ...{ storage: { ...storage, log }, host: '127.0.0.1', port: 0, owner: 'Ada', defaultProject: undefined },
      ...{ clock: still, log: () => undefined },
    });
    const rest = new RestClient(node.url);
    const namesIn = async (): Promise<readonly string[]> =>
      (await rest.get('/projects?limit=100')).body.projects.map(({ name }: { name: string }) => name);
    expect(await namesIn()).to.have.length(projects);
    await cluster.primary.query(
      `BEGIN; INSERT INTO ${nodes.schema}.log (project, seq, id, v, body) VALUES ('late', 1, 'evt_late', 1, '{}');
        PREPARE TRANSACTION 'hangs'`,
    );
    for (let round = 0; round < 3; round++) {
      asked.splice(0);
      expect(await namesIn()).to.have.length(projects);
      expect(ofProjects()).to.deep.equal(['changes']);
      const [first, second] = [made[round]!, made[round + 10]!];
      await other.patch(`/projects/${first}`, { name: `Changed ${round}` });
      await other.patch(`/projects/${second}`, { name: `Also ${round}` });
      expect(await namesIn()).to.include.members([`Changed ${round}`, `Also ${round}`]);
      const [question, entries, ...others] = ofProjects();
      expect([question, ...others]).to.deep.equal(['changes']);
      expect(entries).to.have.members(['$service', first, second]);
    }
    expect((await rest.get('/tasks/tsk_nobodyhas')).status).to.equal(404);
    // Its own change is no news.
    await rest.patch(`/projects/${made[0]}`, { name: 'Own' });
    asked.splice(0);
    expect(await namesIn()).to.include('Own');
    expect(ofProjects()).to.deep.equal(['changes']);
    await cluster.primary.query(`ROLLBACK PREPARED 'hangs'`);
    await node.close();
  });
});
