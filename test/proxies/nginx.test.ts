import { type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { EventStream } from '../support/event-stream.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { McpClient } from '../support/mcp-client.ts';
import { answerOf, RestClient } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { selfSigned } from '../support/self-signed.ts';
import { freePort } from '../support/server-process.ts';
import { Updates } from '../support/updates.ts';
import { isSigned, WebhookReceiver } from '../support/webhook-receiver.ts';
import { browserTestsInOneTab } from '../web/support/browser.ts';
import { editThrough } from './editing.ts';
import {
  documentedConfiguration,
  nginx as program,
  nginxAround as around,
  proxyTests,
  startProxy,
} from './proxy-program.ts';
import { hostDefault, portDefault } from '../../src/base/config.ts';
import { rarely } from '../support/rarely.ts';

/** A request of a client at an address of its own. */
function statusFor(address: string, url: string, headers: IncomingHttpHeaders): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { localAddress: address, agent: false, headers: { ...headers } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!));
    })
      .once('error', reject)
      .end();
  });
}

proxyTests('A hosted service behind nginx, as documented, with gzip', program, () => {
  const trusted = getCACertificates('default');
  let receiver: WebhookReceiver;
  let hosted: HostedService;
  /** Empty if the tests are skipped. */
  const ends: (() => Promise<unknown>)[] = [];
  let url: string;
  /** The receiver of webhooks at the address of the proxy. */
  let hook: string;
  let rest: RestClient;
  let project: string;
  let authorization: { readonly Authorization: string };

  before(async () => {
    const { key, cert } = selfSigned('127.0.0.1');
    const [port, hookPort, servicePort] = [await freePort(), await freePort(), await freePort()];
    url = `https://127.0.0.1:${port}`;
    hook = `https://127.0.0.1:${hookPort}/hook`;
    setDefaultCACertificates([...trusted, cert]);
    receiver = await WebhookReceiver.open();
    ends.push(() => receiver.close());
    hosted = await HostedService.start({
      ...{ baseUrl: url, trustedProxies: 1, port: servicePort },
      webhookHosts: { allowed: new Set([new URL(hook).host]) },
    });
    ends.push(() => hosted.stop());
    const server = documentedConfiguration('server_name plan.example.org', [
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['plan.example.org;', '127.0.0.1;'],
      ['/etc/ssl/plan.example.org', 'proxy'],
      [`http://${hostDefault}:${portDefault}`, hosted.url],
    ]);
    const beforeReceiver = server
      .replace(`127.0.0.1:${port}`, new URL(hook).host)
      .replace(hosted.url, `https://${receiver.host}`);
    const proxy = await startProxy({
      program,
      argv: ['-p', '.', '-e', 'stderr', '-c', 'nginx.conf'],
      files: { 'nginx.conf': around(`${server}\n${beforeReceiver}`), 'proxy.pem': cert, 'proxy.key': key },
      ready: /start worker process /,
    });
    ends.push(proxy.stop);
    authorization = bearer((await hosted.key('owner', { name: 'Ada' })).secret);
    rest = new RestClient(url, authorization);
    project = await hosted.project('Garden');
  });

  after(async () => {
    for (const end of ends.reverse()) await end();
    setDefaultCACertificates(trusted);
  });

  const sendForm = async (path: string, content: string | Buffer<ArrayBuffer>, name: string): Promise<RestResponse> => {
    const body = new FormData();
    body.append('file', new Blob([content]), name);
    return answerOf(await fetch(`${url}/api/v1${path}`, { method: 'POST', body, headers: authorization }));
  };

  it('answers conditional requests with the tags that it made weak [D13.nginx, D13.if-match]', async () => {
    const { id } = (await rest.post(`/projects/${project}/notes`, { title: 'Soil', body: 'Clay. '.repeat(100) })).body;
    const read = await rest.get(`/notes/${id}`);
    const tag = read.headers.get('etag')!;
    expect(tag).to.match(/^W\/"/);
    expect(read.headers.get('content-encoding')).to.equal('gzip');
    expect((await rest.get(`/notes/${id}`, { 'If-None-Match': tag })).status).to.equal(304);
    const list = await rest.get(`/projects/${project}/notes`);
    const known = { 'If-None-Match': list.headers.get('etag')! };
    expect((await rest.get(`/projects/${project}/notes`, known)).status).to.equal(304);
    expect((await rest.patch(`/notes/${id}`, { title: 'Loam' }, { 'If-Match': tag })).status).to.equal(200);
    expect((await rest.patch(`/notes/${id}`, { title: 'Sand' }, { 'If-Match': tag })).status).to.equal(412);
    expect((await rest.get(`/projects/${project}/notes`, known)).status).to.equal(200);
  });

  it('takes the largest upload, and says itself which is too large [D13.nginx]', async () => {
    const content = Buffer.alloc(limits.uploadBytesMax, 'soil ');
    const json = { filename: 'bed.txt', mime: 'text/plain', content_base64: content.toString('base64') };
    for (const { status, body } of [
      await rest.post(`/projects/${project}/files`, json),
      await sendForm(`/projects/${project}/files`, content, 'bed.txt'),
    ]) {
      expect(status, JSON.stringify(body)).to.equal(201);
      expect(body.size).to.equal(content.length);
    }
    // Planner answers before the whole body has arrived.
    const larger = Buffer.alloc(1.5 * limits.uploadBytesMax);
    const { status, body } = await sendForm(`/projects/${project}/files`, larger, 'bed.txt');
    expect([status, body.error]).to.deep.equal([413, 'payload_too_large']);
  });

  it('waits as long as reading a plan may take [D13.nginx]', () => {
    const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(documentedConfiguration('server_name plan.example.org', []))!;
    // An import of the same credential may wait for the one before it.
    expect(Number(seconds) * 1000).to.be.at.least(limits.importsOfOneMax * limits.importReadMs);
  });

  it('imports an export that is larger than other requests may be [D13.nginx]', async () => {
    const plan = JSON.stringify((await hosted.owner.get(`/projects/${project}/export`)).body);
    const padded = plan.padEnd(limits.requestBytesMax + 1000);
    const { status, body } = await sendForm('/projects/import', padded, 'garden.json');
    expect(status, JSON.stringify(body)).to.equal(201);
  });

  it('sends a download whole, also for a request of a range [D13.nginx]', async () => {
    const content = Buffer.from('Clay and sand. '.repeat(10_000));
    const file = { filename: 'soil.txt', mime: 'text/plain', content_base64: content.toString('base64') };
    const { body } = await rest.post(`/projects/${project}/files`, file);
    for (const headers of [authorization, { ...authorization, Range: 'bytes=10-99' }]) {
      const answer = await fetch(`${url}${body.url}`, { headers });
      expect(answer.status).to.equal(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(content)).to.equal(true);
    }
  });

  it('sends each event while the stream is open [D13.nginx]', async () => {
    const following = { ...authorization, 'Accept-Encoding': 'gzip' };
    const stream = await EventStream.open(url, `/projects/${project}/events?types=task`, following);
    expect(stream.headers).to.not.have.property('content-encoding');
    for (const label of ['Dig', 'Sow']) {
      await hosted.owner.post(`/projects/${project}/tasks`, { label });
      expect((await stream.take(1))[0]!.resource.label).to.equal(label);
    }
    stream.close();
  });

  it('serves clients of MCP: calls, and notifications [D13.nginx]', async () => {
    const client = await McpClient.connect(url, { headers: authorization });
    try {
      const updates = new Updates();
      client.sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updates.add(params.uri));
      const { id } = (await rest.post(`/projects/${project}/tasks`, { label: 'Water' })).body;
      expect((await client.get('get_task', { task_id: id })).task).to.include({ id, label: 'Water' });
      const uri = `planner://${project}/task/${id}`;
      await client.sdk.subscribeResource({ uri });
      await hosted.owner.patch(`/tasks/${id}`, { label: 'Water at six' });
      await updates.of(uri);
    } finally {
      await client.close();
    }
  });

  it('delivers webhooks to a receiver at nginx, signed [D13.nginx]', async () => {
    const { body } = await rest.post(`/projects/${project}/webhooks`, { url: hook, types: ['task.created'] });
    await rest.post(`/projects/${project}/tasks`, { label: 'Mow "the lawn" – ½' });
    await receiver.count(1);
    expect(receiver.labels).to.deep.equal(['Mow "the lawn" – ½']);
    expect(isSigned(receiver.received[0]!, body.secret)).to.equal(true);
  });

  it('gives links their public addresses [D13.nginx, D10.base-url]', async () => {
    const { id } = (await rest.post(`/projects/${project}/tasks`, { label: 'Prune' })).body;
    const { body: share } = await rest.post(`/tasks/${id}/share`, {});
    const { body: invited } = await rest.post(`/projects/${project}/participant-links`, {});
    for (const link of [share.url, share.markdown_url, invited.url]) {
      expect(new URL(link as string).origin).to.equal(url);
      const answer = await fetch(link as string);
      expect([answer.status, await answer.text()].join(' ')).to.match(/^200 [^]*Prune/);
    }
    const page = await fetch(`${url}/`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
    expect(page.status).to.equal(303);
    expect(new URL(page.headers.get('location')!, url).origin).to.equal(url);
  });

  it('counts wrong credentials by the address that nginx saw, whatever a client says [D13.nginx, D10.trust-proxy]', async () => {
    const guess = (address: string, n: number): Promise<number> =>
      statusFor(address, `${url}/api/v1/projects`, {
        ...{ authorization: `Bearer pln_owner_${n}`, 'x-forwarded-for': `203.0.113.${n}` },
      });
    for (let n = 0; n < limits.failedCredentialsPerMinuteMax; n++) expect(await guess('127.0.0.2', n)).to.equal(401);
    expect(await guess('127.0.0.2', 99)).to.equal(429);
    expect(await guess('127.0.0.3', 99)).to.equal(401);
    expect(hosted.service.log.filter((entry) => JSON.stringify(entry).includes('no proxy is trusted'))).to.deep.equal(
      [],
    );
  });

  browserTestsInOneTab('in a browser', ({ app }) => {
    rarely('saves typed text, and shows changes of others [D13.nginx, S.web.autosave, S.web.stream]', async () => {
      const { context } = await app({ path: '/icon.svg' });
      await editThrough(context.browser()!, url, hosted);
    });
  });
});
