import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { AttemptLimiter } from '../../src/operations/access/attempt-limiter.ts';
import { GuestLimiter } from '../../src/operations/access/guest-limiter.ts';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import type { SharedStorage } from '../../src/store/hosted/storage/shared-storage.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';

const admin = 'pln_admin_of-this-test';
const access = { hosted: { baseUrl: 'https://plan.example.org', trustedProxies: 1 }, admin };
const bearer = (secret: string): Record<string, string> => ({ Authorization: `Bearer ${secret}` });
const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });

postgresTests('Limits of a service with several nodes', () => {
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());

  describe('over REST', () => {
    let nodes: HostedNodes;

    before(async () => {
      nodes = await HostedNodes.start(cluster, 2, { access, agentBytesPerDay: 20_000 });
    });
    after(() => nodes.stop());

    it('count failed credentials of an address at all nodes together [A.nodes.limits, D2.rate_limited]', async () => {
      const guess = async (node: number, address: string, n: number): Promise<number> =>
        (await nodes.rest(node, bearer(`pln_owner_${n}`)).get('/projects', from(address))).status;
      for (let n = 0; n < limits.failedCredentialsPerMinuteMax; n++)
        expect(await guess(n % 2, '192.0.2.1', n), `attempt ${n}`).to.equal(401);
      expect([await guess(0, '192.0.2.1', -1), await guess(1, '192.0.2.1', -2)]).to.deep.equal([429, 429]);
      expect([await guess(0, '192.0.2.2', -1), await guess(1, '192.0.2.2', -2)]).to.deep.equal([401, 401]);
      expect((await nodes.rest(1, bearer(admin)).get('/projects', from('192.0.2.1'))).status).to.equal(200);
    });

    it('count the bytes that an agent writes at all nodes together [A.nodes.limits, A.hostile.agent-quota]', async () => {
      const rest = nodes.rest(0, bearer(admin));
      const { id } = (await rest.post('/projects', { name: 'Garden' })).body as { readonly id: string };
      const key = (await rest.post('/keys', { kind: 'agent', name: 'helper', project_id: id })).body;
      const write = (node: number): Promise<number> =>
        nodes
          .rest(node, bearer(key.secret as string))
          .post(`/projects/${id}/tasks`, { label: 'Long', description: 'x'.repeat(9000) })
          .then(({ status }) => status);
      expect([await write(0), await write(0), await write(0)]).to.deep.equal([201, 201, 201]);
      expect(await write(0)).to.equal(429);
      // A node adds its counts to the shared counts a little later.
      const counted = `SELECT points::int FROM ${nodes.schema}.rate WHERE key = 'bytes:${key.id}'`;
      await cluster.primary.until(
        async () => Number((await cluster.primary.query(counted))[0]?.['points'] ?? 0) > 20_000,
      );
      expect(await write(1)).to.equal(429);
    });
  });

  describe('in the database', () => {
    const opened: SharedStorage[] = [];
    const open = async (schema: string, url = cluster.primary.url): Promise<NonNullable<SharedStorage['limiters']>> => {
      const storage = await openPgStorage({ url, schema, durability: 'disk', resolveMs: 100 });
      opened.push(storage);
      return storage.limiters!;
    };
    const isTaken = (taken: Promise<void>): Promise<boolean> =>
      taken.then(
        () => true,
        (error: unknown) => {
          expect(error).to.include({ code: 'rate_limited' });
          return false;
        },
      );
    afterEach(async () => {
      for (const storage of opened.splice(0)) await storage.close();
    });

    it('count calls of guests by link and address, and each name separately [A.nodes.limits, D8.guests]', async () => {
      const [one, other] = [await open('any "name"'), await open('any "name"')];
      const guests = [new GuestLimiter(one), new GuestLimiter(other)];
      const taken = (node: number, link: string): Promise<boolean> => isTaken(guests[node]!.take(link, '192.0.2.1', 3));
      expect([await taken(0, 'a'), await taken(1, 'a'), await taken(0, 'a'), await taken(1, 'a')]).to.deep.equal([
        ...[true, true, true],
        false,
      ]);
      expect([await taken(0, 'a'), await taken(0, 'b')]).to.deep.equal([false, true]);
      const signIns = new AttemptLimiter('sign-ins', 1, one);
      const credentials = new AttemptLimiter('credentials', 1, other);
      expect([await isTaken(signIns.take('192.0.2.1')), await isTaken(credentials.take('192.0.2.1'))]).to.deep.equal([
        ...[true, true],
      ]);
    });

    it('are counted by each node while the database is away [A.nodes.limits]', async () => {
      const link = await cluster.link();
      const attempts = new AttemptLimiter('sign-ins', 2, await open('away', link.url));
      expect(await isTaken(attempts.take('192.0.2.1'))).to.equal(true);
      await link.stop();
      expect(await isTaken(attempts.take('192.0.2.1'))).to.equal(true);
      expect(await isTaken(attempts.take('192.0.2.1'))).to.equal(true);
      expect(await isTaken(attempts.take('192.0.2.1'))).to.equal(false);
    });

    it('are swept once they have expired [A.nodes.limits]', async () => {
      const limiters = await open('swept');
      await new AttemptLimiter('sign-ins', 2, limiters).take('192.0.2.1');
      await limiters.sweep();
      const keys = (): Promise<readonly object[]> => cluster.primary.query('SELECT key FROM swept.rate');
      expect(await keys()).to.deep.equal([{ key: 'sign-ins:192.0.2.1' }]);
      await cluster.primary.query('UPDATE swept.rate SET expire = expire - 3600000');
      await limiters.sweep();
      expect(await keys()).to.deep.equal([]);
    });
  });
});
