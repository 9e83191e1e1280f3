import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { builtProgram } from '../support/build.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Browser } from '../support/browser.ts';
import type { Page } from '../support/browser.ts';
import { environmentWith } from '../support/child-environment.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { client, IdentityProvider } from '../support/identity-provider.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { freePort } from '../support/server-process.ts';
import { until } from '../web/support/until.ts';
import { Shell, shellTestMs } from './planner.ts';

const verifier = 'v'.repeat(43);
const request = {
  state: 's'.repeat(24),
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
  device: 'laptop',
};

/** The values of a form's fields. */
function fieldsOf({ text }: Page): Record<string, string> {
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]));
}

describe('planner login where people sign in at an identity provider', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let provider: IdentityProvider;
  let hosted: HostedService;
  let browser: Browser;

  beforeEach(async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    provider = await IdentityProvider.start(`${baseUrl}/sign-in/callback`);
    const owners = new Set(['ada@example.org']);
    const openId = { issuer: provider.issuer, clientId: client.id, clientSecret: client.secret, owners };
    hosted = await HostedService.start({ port, baseUrl, openId, clock: systemClock });
    browser = new Browser();
    shell = new Shell(scratch.path);
  });

  afterEach(async () => {
    await hosted.stop();
    await provider.stop();
  });

  /** Opens a page as the person who signs in on the way. */
  async function signedIn(address: string): Promise<Page> {
    const page = await browser.get(address);
    const [, way] = /href="(\/sign-in\/start[^"]+)"/.exec(page.text) ?? [];
    return way === undefined ? page : browser.get(new URL(way, hosted.url).href);
  }

  const allow = (fields: Record<string, string>): Promise<Page> =>
    browser.submit(`${hosted.url}/sign-in/program`, fields);
  const exchange = (fields: Record<string, string>): Promise<Response> =>
    fetch(`${hosted.url}/sign-in/program/key`, { method: 'POST', body: new URLSearchParams(fields) });

  it('opens the browser, in which the person signs in and allows it, and saves the key [D11.login]', async () => {
    const opened = join(scratch.path, 'opened');
    const program = join(scratch.path, 'browser');
    writeFileSync(program, `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`);
    chmodSync(program, 0o755);
    const login = new InProcessCommand(['login', hosted.url], shell.options({ environment: { BROWSER: program } }));
    await until(() => Promise.resolve(existsSync(opened)));
    const address = readFileSync(opened, 'utf8');
    expect(address.startsWith(`${hosted.url}/sign-in/program?`)).to.equal(true);
    const page = await signedIn(address);
    expect(page.text).to.include('signed in as Ada Lovelace').and.include('planner login').and.not.include('<script');
    const fields = fieldsOf(page);
    const { origin } = new URL(fields['redirect_uri']!);
    expect(page.headers.get('content-security-policy')).to.include(`form-action 'self' ${origin};`);
    expect((await allow(fields)).text).to.include('planner is signed in');
    const { code, output, errors } = await login.finished;
    expect({ code, output }).to.deep.include({ code: 0 });
    expect(output).to.include(`Logged in to ${hosted.url}`);
    expect(errors).to.include(address);
    const kept = JSON.parse(readFileSync(join(shell.home, '.config/planner/credentials.json'), 'utf8'));
    const { body } = await new RestClient(hosted.url, bearer(kept[hosted.url])).get('/keys');
    expect(body.keys.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['owner']);
    expect(body.keys[0].name).to.match(/^Ada Lovelace on /);
    expect(await shell.ok(['login', hosted.url])).to.include('already logged in');
  });

  it("asks only owners, and sends the code only to a port of the person's machine", async () => {
    const addressWith = (more: Record<string, string>): string =>
      `${hosted.url}/sign-in/program?${new URLSearchParams({ ...request, ...more }).toString()}`;
    const ask = (more: Record<string, string>): Promise<Page> => browser.get(addressWith(more));
    for (const redirect_uri of ['https://evil.example/callback', 'http://127.0.0.1:80@evil.example/callback'])
      expect((await ask({ redirect_uri })).status, redirect_uri).to.equal(400);
    for (const [field, value] of Object.entries({
      code_challenge_method: 'plain',
      code_challenge: 'x',
      state: '',
      device: '',
    }))
      expect((await ask({ [field]: value })).status, field).to.equal(400);
    const fields = fieldsOf(await signedIn(addressWith({})));
    const submit = `${hosted.url}/sign-in/program`;
    expect((await browser.submit(submit, fields, 'https://evil.example')).status).to.equal(403);
    expect((await new Browser().submit(submit, fields)).status).to.equal(401);
    provider.person = { sub: 'eve', email: 'eve@example.org', email_verified: true };
    browser = new Browser();
    expect((await signedIn(addressWith({}))).status).to.equal(403);
    expect((await hosted.owner.get('/keys')).body.keys).to.deep.equal([]);
  });

  it('gives the key once, for the right code and verifier, while the person is signed in', async () => {
    const newCode = async (): Promise<string> => {
      const page = await signedIn(`${hosted.url}/sign-in/program?${new URLSearchParams(request).toString()}`);
      return /<code>([\w-]{43})<\/code>/.exec((await allow(fieldsOf(page))).text)![1]!;
    };
    expect((await exchange({ code: 'x'.repeat(43), code_verifier: verifier })).status).to.equal(401);
    const stolen = await newCode();
    expect((await exchange({ code: stolen, code_verifier: 'another' })).status).to.equal(401);
    expect((await exchange({ code: stolen, code_verifier: verifier })).status, 'used').to.equal(401);
    const elsewhere = { code: await newCode(), code_verifier: verifier, redirect_uri: 'http://127.0.0.1:1/callback' };
    expect((await exchange(elsewhere)).status).to.equal(401);
    const code = await newCode();
    const response = await exchange({ code, code_verifier: verifier });
    expect(response.status).to.equal(201);
    expect(((await response.json()) as { name: string }).name).to.equal('Ada Lovelace on laptop');
    const late = await newCode();
    for (const { id } of (await hosted.owner.get('/sign-ins')).body.sign_ins)
      await hosted.owner.delete(`/sign-ins/${id}`);
    expect((await exchange({ code: late, code_verifier: verifier })).status, 'signed out').to.equal(401);
    expect((await hosted.owner.get('/keys')).body.keys).to.have.length(1);
  });

  it('says what to do without a terminal and a browser', async () => {
    const errors = await shell.refused(1, ['login', hosted.url, '--no-browser']);
    expect(errors).to.include('no terminal').and.include('--with-key');
  });
});

describe('planner login at a terminal', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let hosted: HostedService;

  beforeEach(async () => {
    hosted = await HostedService.start();
  });

  afterEach(() => hosted.stop());

  it('asks for the owner key without showing it [D11.login]', async function () {
    const shell = new Shell(scratch.path);
    const { secret } = await hosted.key('owner', { name: 'laptop' });
    const { cwd, environment } = shell.options();
    const command = `'${process.execPath}' '${builtProgram()}' login ${hosted.url}`;
    const terminal = spawn('script', ['--quiet', '--return', '--command', command, join(scratch.path, 'typescript')], {
      cwd,
      env: environmentWith(environment ?? {}),
    });
    let shown = '';
    const missing = new Promise<boolean>((resolve) => {
      terminal.once('error', () => resolve(true));
      terminal.once('spawn', () => resolve(false));
    });
    if (await missing) return this.skip();
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const ended = new Promise((resolve) => terminal.once('close', resolve));
    await until(() => Promise.resolve(shown.includes('Owner key of')));
    terminal.stdin.write(`${secret}\r`);
    expect(await ended, shown).to.equal(0);
    expect(shown).to.include(`Logged in to ${hosted.url}`).and.not.include(secret);
  });

  it('says what to do without one', async () => {
    const shell = new Shell(scratch.path);
    const errors = await shell.refused(1, ['login', hosted.url]);
    expect(errors).to.include('--with-key').and.include('planner keys create').and.not.include('planner login');
  });
});
