import { expect } from 'chai';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { browserPath, launchBrowser, noBrowser } from '../support/chromium.ts';
import { TestService } from '../support/service.ts';

/** A server of another origin that records requests and datagrams that reach it. */
async function startListener(): Promise<{ url: string; stun: string; received: string[]; close: () => void }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.setHeader('Access-Control-Allow-Origin', '*').end('<title>elsewhere</title>');
  }).listen(0, '127.0.0.1');
  const socket = createSocket('udp4').on('message', () => received.push('datagram'));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
    socket.close();
  };
  return { url, stun: `stun:127.0.0.1:${socket.address().port}`, received, close };
}

/** The script of each attempt, run in an artifact. */
const attempts = {
  fetch: (url: string) => `fetch('${url}/fetch').catch(() => 0)`,
  image: (url: string) => `new Image().src = '${url}/image'`,
  navigation: (url: string) => `location = '${url}/navigation'`,
  'a link': (url: string) =>
    `const a = document.createElement('a'); a.href = '${url}/link'; document.body.append(a); a.click()`,
  'speculation rules': (url: string) =>
    `const s = document.createElement('script'); s.type = 'speculationrules';
     s.textContent = JSON.stringify({ prefetch: [{ urls: ['${url}/prefetch'], eagerness: 'immediate' }] }); document.body.append(s)`,
  WebRTC: (_: string, stun: string) =>
    `const p = new RTCPeerConnection({ iceServers: [{ urls: '${stun}' }] });
     p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))`,
  'WebRTC of a frame that it makes': (_: string, stun: string) =>
    `const f = document.createElement('iframe'); f.srcdoc = "<scr" + "ipt>const p = new RTCPeerConnection({ iceServers: [{ urls: '${stun}' }] });" +
     "p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))</scr" + "ipt>"; document.body.append(f)`,
} as const;

/** Each attempt has a script of its own: one that throws ends no other. */
const scriptBreak = '</script><script>';

describe('A page of another author', function () {
  this.timeout(120_000);
  let service: TestService;
  let browser: Browser;
  let project: string;
  let listener: Awaited<ReturnType<typeof startListener>>;

  before(async function () {
    if (browserPath() === undefined) {
      console.log(`      SKIPPED: ${noBrowser}`);
      return this.skip();
    }
    [service, browser, listener] = await Promise.all([TestService.start(), launchBrowser(), startListener()]);
    project = await service.project();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    listener?.close();
  });

  /** The URLs of one page: of the artifact, and of a screen of a share link. */
  const addresses = async (script: string): Promise<string[]> => {
    const content = `<!doctype html><title>x</title><body><h1>Content</h1><script>${script}</script>`;
    const prototype = (await service.rest.post(`/projects/${project}/prototypes`, { name: 'P' })).body.id as string;
    const screen = { title: 'S', kind: 'html', content, prototype_id: prototype };
    const { id } = (await service.rest.post(`/projects/${project}/artifacts`, screen)).body;
    const { url } = (await service.rest.post(`/prototypes/${prototype}/share`, {})).body;
    return [`${service.url}/api/v1/artifacts/${id}/render`, `${url}/screens/${id}`];
  };

  /** Opens a URL in its own tab, like a user who follows a link. */
  const open = async (address: string): Promise<void> => {
    const page = await browser.newPage();
    await page.goto(address);
    await page.waitForTimeout(1500);
    expect(page.url()).to.equal(address);
    await page.close();
  };

  it(`that is opened at top level reaches no other server by ${Object.keys(attempts).join(', ')} [A.hostile.sandbox]`, async () => {
    const { navigation, 'a link': link, ...staying } = attempts;
    const scripts = [[navigation], [link], Object.values(staying)].map((together) =>
      together.map((attempt) => `{ ${attempt(listener.url, listener.stun)} }`).join(scriptBreak),
    );
    // All run together: each waits for a request that must not come.
    await Promise.all(scripts.map(async (script) => Promise.all((await addresses(script)).map(open))));
    expect(listener.received).to.deep.equal([]);
  });

  it('is shown in the frame, and would reach the listener without one [A.hostile.sandbox]', async () => {
    const [address = '', screen = ''] = await addresses('0');
    const page = await browser.newPage();
    for (const one of [address, screen]) {
      await page.goto(one);
      await page.frameLocator('iframe').getByRole('heading', { name: 'Content' }).waitFor();
      expect(await page.locator('iframe').getAttribute('sandbox')).to.equal('allow-scripts');
    }
    const before = listener.received.length;
    await page.goto('about:blank');
    await page.evaluate(`{ ${attempts.WebRTC('', listener.stun)} }`);
    for (let i = 0; i < 100 && !listener.received.includes('datagram'); i++) await page.waitForTimeout(100);
    await page.goto(`${listener.url}/control`);
    expect(listener.received.slice(before)).to.include('datagram').and.include('GET /control');
    listener.received.length = 0;
    await page.close();
  });
});
