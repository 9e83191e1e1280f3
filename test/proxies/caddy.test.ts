import { expect } from 'chai';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { EventStream } from '../support/event-stream.ts';
import { freePort } from '../support/server-process.ts';
import { RestClient } from '../support/rest-client.ts';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { selfSigned } from '../support/self-signed.ts';
import { documentedConfiguration, proxyTests, startProxy } from './proxy-program.ts';
import { hostDefault, portDefault } from '../../src/base/config.ts';

proxyTests('A hosted service behind Caddy, as documented', '/usr/bin/caddy', () => {
  const trusted = getCACertificates('default');
  let hosted: HostedService;
  /** Empty if the tests are skipped. */
  const ends: (() => Promise<unknown>)[] = [];
  let url: string;

  before(async () => {
    const { key, cert } = selfSigned('127.0.0.1');
    const [port, servicePort] = [await freePort(), await freePort()];
    url = `https://127.0.0.1:${port}`;
    setDefaultCACertificates([...trusted, cert]);
    hosted = await HostedService.start({ baseUrl: url, trustedProxies: 1, port: servicePort });
    ends.push(() => hosted.stop());
    const site = documentedConfiguration(`reverse_proxy ${hostDefault}:${portDefault}`, [
      // Replaces the certificate that it obtains.
      ['plan.example.org {', `${url} {\n  tls proxy.pem proxy.key`],
      [`${hostDefault}:${portDefault}`, new URL(hosted.url).host],
    ]);
    const proxy = await startProxy({
      program: '/usr/bin/caddy',
      argv: ['run', '--adapter', 'caddyfile', '--config', 'Caddyfile'],
      files: {
        Caddyfile: `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`,
        'proxy.pem': cert,
        'proxy.key': key,
      },
      ready: /serving initial configuration/,
    });
    ends.push(proxy.stop);
  });

  after(async () => {
    for (const end of ends.reverse()) await end();
    setDefaultCACertificates(trusted);
  });

  it('knows the tags of what Caddy compressed, and sends each event while the stream is open [D13.caddy, D13.if-match]', async () => {
    const authorization = bearer((await hosted.key('owner')).secret);
    const rest = new RestClient(url, authorization);
    const project = await hosted.project('Garden');
    const { id } = (await rest.post(`/projects/${project}/notes`, { title: 'Soil', body: 'Clay. '.repeat(400) })).body;
    const { headers } = await rest.get(`/notes/${id}`, { 'Accept-Encoding': 'gzip' });
    expect(headers.get('content-encoding')).to.equal('gzip');
    const tag = headers.get('etag')!;
    expect((await rest.get(`/notes/${id}`, { 'If-None-Match': tag })).status).to.equal(304);
    expect((await rest.patch(`/notes/${id}`, { title: 'Loam' }, { 'If-Match': tag })).status).to.equal(200);
    const following = { ...authorization, 'Accept-Encoding': 'gzip' };
    const stream = await EventStream.open(url, `/projects/${project}/events?types=task`, following);
    expect(stream.headers).to.not.have.property('content-encoding');
    for (const label of ['Dig', 'Sow']) {
      await hosted.owner.post(`/projects/${project}/tasks`, { label });
      expect((await stream.take(1))[0]!.resource.label).to.equal(label);
    }
    stream.close();
  });

  /** Typing, saving and following in a browser are tested through nginx: both proxies pass the same requests. */
  it('passes a sign-in on, and the page with everything that it loads, whole [D13.caddy]', async () => {
    const { secret } = await hosted.key('owner', { name: 'Ada' });
    const body = new URLSearchParams({ key: secret, to: '/' });
    const signIn = { method: 'POST', body, headers: { Origin: url }, redirect: 'manual' } as const;
    const { status, headers } = await fetch(`${url}/sign-in`, signIn);
    expect([status, headers.get('location')]).to.deep.equal([303, `${url}/`]);
    const [cookie] = headers.getSetCookie();
    expect(cookie).to.match(/; Secure\b/);
    const page = await fetch(url, { headers: { Cookie: cookie!.split(';')[0]! } });
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    const loaded = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(loaded.join()).to.include('.js').and.to.include('.css');
    for (const path of loaded) {
      const bytes = async (from: string): Promise<Buffer> =>
        Buffer.from(await (await fetch(from + path)).arrayBuffer());
      expect((await bytes(url)).equals(await bytes(hosted.url)), path).to.equal(true);
    }
  });
});
