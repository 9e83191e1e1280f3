import { expect } from 'chai';
import { connect } from 'node:net';
import { request } from 'node:http';
import { HostedService } from '../support/hosted-service.ts';
import { TestService } from '../support/service.ts';

/** The headers that browsers send besides Origin. fetch() does not let a program set them. */
function asBrowser(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      response.on('end', () => resolve({ status: response.statusCode!, body }));
    });
    sent.once('error', reject).end();
  });
}

const from = (site: string, mode = 'no-cors', dest = 'image'): Record<string, string> => ({
  'Sec-Fetch-Site': site,
  'Sec-Fetch-Mode': mode,
  'Sec-Fetch-Dest': dest,
});

describe('A request from a page of another site', () => {
  let service: TestService;
  let share: string;
  let file: string;
  before(async () => {
    service = await TestService.start();
    const project = await service.project();
    const body = { filename: 'a.png', mime: 'image/png', content_base64: 'AAAA' };
    file = (await service.rest.post(`/projects/${project}/files`, body)).body.url as string;
    const task = await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig', description: `![a](${file})` });
    share = (await service.rest.post(`/tasks/${task.body.id}/share`, {})).body.url as string;
  });
  after(() => service.stop());

  it('is rejected below /api, /mcp and /metrics, in any spelling, and does no work [A.hostile.other-sites]', async () => {
    const paths = ['/api/v1/doctor', '/api/v1/projects', '/API/v1/doctor', '/api/v1/health', '/mcp', '/metrics', file];
    for (const site of ['cross-site', 'same-site'])
      for (const path of paths) {
        const answer = await asBrowser(service.url + path, from(site));
        expect([path, answer.status]).to.deep.equal([path, 403]);
        expect(answer.body).to.include('Sec-Fetch-Site');
      }
    // Neither a link, a popup, a form nor a frame of another site makes the service do work.
    for (const [path, dest, method] of [
      ['/api/v1/doctor', 'document', 'GET'],
      ['/api/v1/projects', 'document', 'GET'],
      [file, 'iframe', 'GET'],
      [file, 'document', 'POST'],
    ] as const)
      expect((await asBrowser(service.url + path, from('cross-site', 'navigate', dest), method)).status).to.equal(403);
    const routes = service.log.filter((entry) => 'route' in entry && String(entry.route).endsWith('/doctor'));
    expect(routes).to.deep.equal([]);
  });

  it('is allowed for links that a user follows: pages, shares, files and the reference [A.hostile.other-sites]', async () => {
    const token = share.split('/').at(-1)!;
    const navigation = { ...from('cross-site', 'navigate', 'document'), Accept: 'text/html' };
    const paths = [`/s/${token}`, `/api/v1/share/${token}.md`, file, '/api/v1/docs', '/', '/goals'];
    for (const path of paths)
      expect([path, (await asBrowser(service.url + path, navigation)).status]).to.deep.equal([path, 200]);
    const id = file.split('/').at(-1)!;
    const image = await asBrowser(`${service.url}/api/v1/share/${token}/files/${id}`, from('cross-site'));
    expect(image.status).to.equal(200);
  });

  it('is allowed from own pages, typed URLs and programs [A.hostile.other-sites]', async () => {
    for (const headers of [from('same-origin', 'cors', 'empty'), from('none', 'navigate', 'document'), {}])
      expect((await asBrowser(`${service.url}/api/v1/projects`, headers)).status).to.equal(200);
  });

  it('isolates guest pages and assets from the page that opened them [S.web.policy]', async () => {
    const page = await fetch(`${service.url}/`, { headers: { Accept: 'text/html' } });
    const asset = /\/assets\/[^"]+\.js/.exec(await page.text())![0];
    for (const url of [share, service.url, service.url + asset]) {
      const { headers } = await fetch(url, { headers: { Accept: 'text/html' } });
      expect([url, headers.get('cross-origin-opener-policy')]).to.deep.equal([url, 'same-origin']);
      expect([url, headers.get('cross-origin-resource-policy')]).to.deep.equal([url, 'same-origin']);
      expect([url, headers.get('x-content-type-options')]).to.deep.equal([url, 'nosniff']);
      expect([url, headers.get('x-frame-options')]).to.deep.equal([url, 'DENY']);
    }
  });

  it('has one Host: a request with two gets 400, in either order [A.hostile.hosts]', async () => {
    const { hostname, port, host } = new URL(service.url);
    for (const path of ['/api/v1/health', '/mcp', '/'])
      for (const hosts of [`Host: ${host}\r\nhost: evil.example`, `HOST: ${host}\r\nHost: ${host}`]) {
        const socket = connect(Number(port), hostname);
        socket.write(`GET ${path} HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`);
        let received = '';
        for await (const chunk of socket) received += String(chunk);
        expect(received).to.match(/^HTTP\/1.1 400 .*"field":"Host"/s);
      }
  });

  it('logs an untrusted proxy once [A.hostile.untrusted-proxy]', async () => {
    for (const trustedProxies of [0, 1]) {
      const hosted = await HostedService.start({ trustedProxies });
      const warnings = (): object[] =>
        hosted.service.log.filter((entry) => JSON.stringify(entry).includes('PLANNER_TRUST_PROXY'));
      await fetch(`${hosted.url}/api/v1/health`);
      expect(warnings()).to.have.length(0);
      for (let n = 0; n < 3; n++)
        await fetch(`${hosted.url}/api/v1/health`, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
      expect(warnings()).to.have.length(trustedProxies === 0 ? 1 : 0);
      for (const entry of warnings()) expect(entry).to.include({ level: 'warn' });
      await hosted.stop();
    }
  });
});
