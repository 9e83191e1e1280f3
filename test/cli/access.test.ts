import { expect } from 'chai';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { accessOf } from '../../src/cli/service/access.ts';
import { copyFromBucket, readEnvironment } from '../../src/base/config.ts';
import type { AccessVariables } from '../../src/base/config.ts';
import type { PlannerError } from '../../src/base/errors.ts';
import { InProcessCommand, runCommand } from '../support/in-process.ts';
import { bearer } from '../support/hosted-service.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { freePort } from '../support/server-process.ts';
import { shellTestMs } from './planner.ts';

const base = 'https://plan.example.org';
const variables = (env: NodeJS.ProcessEnv = {}): AccessVariables => readEnvironment(env).access;
const openId = {
  PLANNER_OIDC_ISSUER: 'https://id.example.org/realm',
  PLANNER_OIDC_CLIENT_ID: 'planner',
  PLANNER_OIDC_CLIENT_SECRET: 'secret',
  PLANNER_OWNERS: ' Ada@Example.org,grace@example.org ',
};

function refusal(env: NodeJS.ProcessEnv, options: Parameters<typeof accessOf>[1]): PlannerError {
  try {
    accessOf(variables(env), options);
  } catch (error) {
    return error as PlannerError;
  }
  return expect.fail(`${JSON.stringify([env, options])} was taken`);
}

describe('the settings of access', () => {
  it('make a service hosted if it listens on more than loopback, or by option [D10.bound, D10.hosted]', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1'])
      expect(accessOf(variables(), { host }).hosted).to.equal(undefined);
    for (const host of ['0.0.0.0', '::', '10.0.0.7', 'plan.example.org'])
      expect(accessOf(variables({ PLANNER_BASE_URL: base }), { host }).hosted?.baseUrl).to.equal(base);
    const byOption = accessOf(variables({ PLANNER_BASE_URL: 'https://other.example' }), {
      host: '::1',
      hosted: true,
      baseUrl: `${base}/`,
    });
    expect(byOption.hosted).to.deep.equal({ baseUrl: base, trustedProxies: 0 });
  });

  it('require a base URL of https, or of http on loopback, without a path [D10.base-url]', () => {
    const hosted = { host: '127.0.0.1', hosted: true };
    expect(refusal({}, hosted)).to.include({ code: 'invalid_argument', field: '--base-url' });
    expect(refusal({}, { host: '0.0.0.0' }).message).to.include('--host 0.0.0.0');
    const wrong = [
      'http://plan.example.org',
      'plan.example.org',
      `${base}/planner`,
      `${base}?x`,
      'https://u:p@plan.example.org',
      'ftp://x',
    ];
    for (const baseUrl of wrong) expect(refusal({}, { ...hosted, baseUrl }).field, baseUrl).to.equal('--base-url');
    expect(refusal({ PLANNER_BASE_URL: 'http://plan.example.org' }, hosted).field).to.equal('PLANNER_BASE_URL');
    expect(accessOf(variables(), { ...hosted, baseUrl: 'http://localhost:4321' }).hosted?.baseUrl).to.equal(
      'http://localhost:4321',
    );
  });

  it('count proxies [D10.trust-proxy]', () => {
    const hosted = { host: '127.0.0.1', hosted: true, baseUrl: base };
    expect(accessOf(variables({ PLANNER_TRUST_PROXY: '2' }), hosted).hosted?.trustedProxies).to.equal(2);
    for (const text of ['true', '-1', '1.5', '11', '10.0.0.0/8'])
      expect(refusal({ PLANNER_TRUST_PROXY: text }, hosted).field).to.equal('PLANNER_TRUST_PROXY');
  });

  it('name groups with their issuers and trusted tenants, no groups by default [D13.sign-in]', () => {
    const hosted = { host: '127.0.0.1', hosted: true, baseUrl: base };
    const read = (more: Record<string, string>): unknown =>
      accessOf(variables({ ...openId, ...more }), hosted).hosted?.openId;
    expect(read({})).to.not.have.any.keys('ownerGroups', 'trustedTenants');
    const groups = 'https://id.example.org/realm  plan owners, https://x.example b ,';
    expect(read({ PLANNER_OWNERS: '', PLANNER_OWNER_GROUPS: groups })).to.deep.include({
      owners: new Set(),
      ownerGroups: [
        { issuer: 'https://id.example.org/realm', group: 'plan owners' },
        { issuer: 'https://x.example', group: 'b' },
      ],
    });
    expect(read({ PLANNER_OIDC_TRUSTED_TENANTS: 'https://x.example/, t1' })).to.deep.include({
      trustedTenants: new Set(['https://x.example/', 't1']),
    });
    for (const wrong of ['owners', 'https://x.example', 'x owners'])
      expect(() => read({ PLANNER_OWNER_GROUPS: wrong })).to.throw('PLANNER_OWNER_GROUPS');
  });

  it('name an identity provider with its client and the owners [D10.oidc]', () => {
    const hosted = { host: '127.0.0.1', hosted: true, baseUrl: base };
    expect(accessOf(variables(openId), hosted).hosted?.openId).to.deep.equal({
      issuer: 'https://id.example.org/realm',
      clientId: 'planner',
      clientSecret: 'secret',
      owners: new Set(['ada@example.org', 'grace@example.org']),
    });
    const stateSecret = 's'.repeat(32);
    expect(
      accessOf(variables({ ...openId, PLANNER_OIDC_STATE_SECRET: stateSecret }), hosted).hosted?.openId,
    ).to.include({ stateSecret });
    const wrong: [NodeJS.ProcessEnv, string][] = [
      [{ PLANNER_OIDC_ISSUER: 'http://id.example.org' }, 'PLANNER_OIDC_ISSUER'],
      [{ PLANNER_OIDC_CLIENT_ID: '' }, 'PLANNER_OIDC_CLIENT_ID'],
      [{ PLANNER_OIDC_STATE_SECRET: 'too short' }, 'PLANNER_OIDC_STATE_SECRET'],
      [{ PLANNER_OWNERS: '' }, 'PLANNER_OWNERS'],
      [{ PLANNER_OWNERS: 'ada@example.org, grace' }, 'PLANNER_OWNERS'],
    ];
    for (const [env, field] of wrong) expect(refusal({ ...openId, ...env }, hosted).field).to.equal(field);
  });

  it('contain a password, and an admin credential that is new at each start [D10.basic, D10.admin]', () => {
    const first = accessOf(variables({ PLANNER_AUTH_PASSWORD: 'x' }), { host: '127.0.0.1' });
    expect(first).to.include({ password: 'x' });
    expect(first.admin).to.match(/^pln_admin_[\w-]{43}$/);
    expect(accessOf(variables(), { host: '127.0.0.1' }).admin).not.to.equal(first.admin);
  });
});

describe('PLANNER_BLOBS', () => {
  it('ends every start, and says how files leave a bucket, unless it is empty [A.nodes.bucket]', async () => {
    const database = { PLANNER_DATABASE: 'postgres://127.0.0.1:1/planner' };
    for (const argv of [['serve', '--hosted', '--base-url', base], ['projects']])
      for (const more of [{}, database]) {
        const environment = { ...more, PLANNER_BLOBS: 's3://plans/garden' };
        const { code, output, errors } = await runCommand(argv, { environment });
        expect([code, output]).to.deep.equal([2, '']);
        expect(errors).to.include('PLANNER_BLOBS').and.to.include(copyFromBucket);
      }
    expect(copyFromBucket).to.match(/Planner 0\.1\.0 .*commit [0-9a-f]{8} .*curl --form file=@/);
    expect(readEnvironment({ PLANNER_BLOBS: '' }).database).to.deep.equal(readEnvironment({}).database);
  });
});

describe('planner serve --hosted', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let running: InProcessCommand | undefined;

  afterEach(() => running?.stop());

  async function serve(environment: Record<string, string> = {}): Promise<{ url: string; line: string }> {
    const port = await freePort();
    const argv = ['serve', '--root', scratch.path, '--port', String(port), '--hosted', '--base-url', base];
    running = new InProcessCommand(argv, { environment });
    return { line: await running.firstLine(), url: `http://127.0.0.1:${port}` };
  }

  it('prints its base URL and its listening address, and writes a credential for those who can read the root [D10.admin, D10.hosted]', async () => {
    const { url, line } = await serve();
    expect(line).to.include(`at ${base} `).and.include(`listening at ${url}`);
    const admin = join(scratch.path, '.planner/local/admin');
    expect(statSync(admin).mode & 0o777).to.equal(0o600);
    const secret = readFileSync(admin, 'utf8').trim();
    expect((await new RestClient(url).get('/projects')).status).to.equal(401);
    const owner = new RestClient(url, bearer(secret));
    expect((await owner.post('/projects', { name: 'Plan' })).status).to.equal(201);
    expect(await runCommand(['flush', '--root', scratch.path])).to.include({ code: 0 });
    expect((await running!.stop()).code).to.equal(0);
    expect(existsSync(admin)).to.equal(false);
    const again = await serve({ PLANNER_AUTH_PASSWORD: 'hush' });
    expect(readFileSync(admin, 'utf8').trim()).not.to.equal(secret);
    expect((await new RestClient(again.url, bearer(secret)).get('/projects')).status).to.equal(401);
    expect(await runCommand(['flush', '--root', scratch.path])).to.include({ code: 0 });
  });
});
