import { expect } from 'chai';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { EventStream } from '../support/event-stream.ts';
import { freePort } from '../support/server-process.ts';
import { RestClient } from '../support/rest-client.ts';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { selfSigned } from '../support/self-signed.ts';
import { browserTestsInOneTab } from '../web/support/browser.ts';
import { editThrough } from './editing.ts';
import { documentedConfiguration, proxyTests, startProxy } from './proxy-program.ts';

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
    const site = documentedConfiguration('reverse_proxy 127.0.0.1:4747', [
      // Replaces the certificate that it obtains.
      ['plan.example.org {', `${url} {\n  tls proxy.pem proxy.key`],
      ['127.0.0.1:4747', new URL(hosted.url).host],
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

  browserTestsInOneTab('in a browser', ({ app }) => {
    it('saves typed text, and shows changes of others [D13.caddy, S.web.autosave, S.web.stream]', async () => {
      const { context } = await app({ path: '/icon.svg' });
      await editThrough(context.browser()!, url, hosted);
    });
  });
});
