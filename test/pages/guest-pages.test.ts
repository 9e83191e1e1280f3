import { guardedPage } from '../../src/domain/text/guarded-page.ts';
import { expect } from 'chai';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pageTokens } from '../../src/http/page-style.ts';
import { TestService } from '../support/service.ts';

describe('Pages of share and participant links', () => {
  let service: TestService;
  let project: string;

  beforeEach(async () => {
    service = await TestService.start();
    project = await service.project('Garden & <pond>');
  });
  afterEach(() => service.stop());

  const make = async (path: string, body: object): Promise<string> =>
    (await service.rest.post(`/projects/${project}/${path}`, body)).body.id as string;
  const shared = async (path: string): Promise<string> =>
    (await service.rest.post(`${path}/share`, {})).body.url as string;
  const invited = async (body: object = {}): Promise<string> =>
    (await service.rest.post(`/projects/${project}/participant-links`, body)).body.url as string;
  const inbox = async (): Promise<object[]> =>
    (await service.rest.get(`/projects/${project}/submissions`)).body.submissions;
  const send = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(fields) });

  /** The directives of a policy by name. */
  function policyOf({ headers }: Response): Map<string, string> {
    const directives = headers.get('content-security-policy')!.split('; ');
    return new Map(directives.map((one) => [one.split(' ', 1)[0]!, one.slice(one.indexOf(' ') + 1)]));
  }

  it('show a shared task with its links [D8.mint]', async () => {
    const task = await make('tasks', {
      label: 'Dig <deep>',
      description: '**Two** metres & ![plan](/p.png)\n\n| a |\n| - |\n| b |',
    });
    const soil = await make('documents', { title: 'Soil', body: `[Back](planner://document/Soil)`, link_to: task });
    const url = await shared(`/tasks/${task}`);
    const response = await fetch(url);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const page = await response.text();
    expect(page).to.include('<h1>Dig &lt;deep&gt;</h1>').and.include('>To do</span>');
    expect(page).to.include('<strong>Two</strong> metres &amp;').and.include('<td>b</td>');
    expect(page).to.include(`src="${service.url}/p.png"`);
    const { pathname } = new URL(url);
    expect(page).to.include(`<a href="${pathname}?document=${soil}">Soil</a>`).and.not.include('Back');
    const linked = await (await fetch(`${url}?document=${soil}`)).text();
    expect(linked).to.include('<h1>Soil</h1>').and.include(`<a href="${pathname}">Dig &lt;deep&gt;</a>`);
    expect(linked).to.include(`<a href="${url}?document=${soil}" rel="nofollow noopener noreferrer">Back</a>`);
  });

  it('can be used by keys, and have no link that leads nowhere [S.web.guests]', async () => {
    const body = '- [x] dug\n- [ ] sown\n\n```\ncode\n```\n\n[elsewhere](planner://task/tsk_1)';
    const page = await (
      await fetch(await shared(`/documents/${await make('documents', { title: 'Soil', body })}`))
    ).text();
    expect(page).to.include('aria-label="Done"').and.include('aria-label="Not done"').and.include('<pre tabindex="0">');
    expect(page).to.include('<span>elsewhere</span>');
  });

  it('run no script, load nothing from other sites but images, and are not cached [D8.mint, D8.no-store]', async () => {
    for (const url of [await shared(`/tasks/${await make('tasks', { label: 'Dig' })}`), await invited()]) {
      const response = await fetch(url);
      const policy = policyOf(response);
      const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(await response.text()) ?? [];
      expect(policy.get('default-src')).to.equal("'none'");
      expect(policy.get('style-src')).to.equal(`'sha256-${hash('sha256', style, 'base64')}'`);
      expect(policy.get('frame-ancestors')).to.equal("'none'");
      expect(policy.get('base-uri')).to.equal("'none'");
      expect(policy.has('script-src')).to.equal(false);
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(response.headers.get('x-robots-tag')).to.equal('noindex');
    }
  });

  it('have the colours of the web page [S.web.guests]', () => {
    const tokens = readFileSync(new URL('../../src/web/styles/tokens.css', import.meta.url), 'utf8');
    const lines = pageTokens.split('\n').filter((line) => line.startsWith('--'));
    expect(lines).to.have.length.above(20);
    for (const line of lines) expect(tokens).to.include(line);
  });

  it('contain nothing from a text that could run, submit or frame [D8.mint]', async () => {
    const description =
      '<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">a</a>\n\n[b](javascript:alert(1))\n\n' +
      '<iframe src="https://evil.example"></iframe><form action="/x"><button>go</button></form><style>p{}</style>\n\n- [x] done';
    const page = await (
      await fetch(await shared(`/tasks/${await make('tasks', { label: 'Dig', description })}`))
    ).text();
    const body = page.slice(page.indexOf('class="body"'));
    expect(body).not.to.match(/<script|onerror|javascript:|<iframe|<form|<button|<style/i);
    expect(body).to.include('type="checkbox"');
    const deep = await make('tasks', { label: 'Deep', description: `${'> '.repeat(50_000)}x` });
    expect((await fetch(await shared(`/tasks/${deep}`))).status).to.equal(200);
  });

  it('show the screens of a prototype, each in its own sandbox [D8.mint]', async () => {
    const { prototype, screens } = await service.store.update(project, { author: 'system', source: 'system' }, (tx) => {
      const id = tx.newId('prototype');
      tx.put('prototype', {
        id,
        created_at: tx.now,
        name: 'Checkout',
        viewport: { width: 390, height: 844 },
        links: [],
      });
      const put = (title: string, content: string): string => {
        const screen = { id: tx.newId('artifact'), created_at: tx.now, title, content, links: [] };
        return tx.put('artifact', { ...screen, kind: 'html', prototype_id: id }).id;
      };
      const end = put('The end', '<!doctype html><p>End</p>');
      const start = put(
        'Start',
        `<a href="planner://artifact/The%20end">1</a><a href="planner://artifact/${end}">2</a>`,
      );
      put('Elsewhere', '');
      return { prototype: id, screens: { start, end } };
    });
    const other = await service.store.update(project, { author: 'system', source: 'system' }, (tx) => {
      const artifact = { id: tx.newId('artifact'), created_at: tx.now, title: 'Secret', content: '<p>', links: [] };
      return tx.put('artifact', { ...artifact, kind: 'html', prototype_id: null }).id;
    });
    const url = await shared(`/prototypes/${prototype}`);
    const page = await (await fetch(url)).text();
    const path = new URL(url).pathname;
    expect(page).to.include(
      `<iframe src="${path}/screens/${screens.start}" title="Start" width="390" height="844" sandbox="allow-scripts"`,
    );
    const screen = await fetch(`${url}/screens/${screens.start}`);
    const policy = policyOf(screen);
    expect(policy.get('sandbox')).to.equal('allow-scripts');
    expect(policy.get('default-src')).to.equal("'none'");
    expect(policy.get('frame-ancestors')).to.equal(service.url);
    const text = await screen.text();
    const target = `${service.url}${path}/screens/${screens.end}`;
    expect(text).to.include(`<a href="${target}">1</a><a href="${target}">2</a>`);
    expect(await (await fetch(target)).text()).to.equal(guardedPage('<!doctype html><p>End</p>'));
    for (const id of [other, prototype, 'art_none', '%zz']) {
      expect((await fetch(`${url}/screens/${id}`)).status, id).to.equal(404);
    }
  });

  it('report an unknown or ended link, with a matching status [S.errors.share-unknown, S.errors.share-expired]', async () => {
    for (const path of ['/s/unknown', '/p/unknown', '/s/unknown/screens/x']) {
      const response = await fetch(service.url + path);
      expect(response.status, path).to.equal(404);
      expect(await response.text())
        .to.include('does not exist here')
        .and.not.include('unknown"');
    }
    const task = await make('tasks', { label: 'Dig' });
    const url = await shared(`/tasks/${task}`);
    await service.rest.delete(`/tasks/${task}`);
    const gone = await fetch(url);
    expect(gone.status).to.equal(410);
    expect(await gone.text()).to.include('The task of this link was deleted.');
    expect((await fetch(url, { method: 'POST' })).status).to.equal(405);
    expect((await fetch(url, { method: 'POST' })).headers.get('allow')).to.equal('GET, HEAD');
    expect((await fetch(url, { method: 'HEAD' })).status).to.equal(410);
  });

  it('show participants names, labels and statuses, and nothing else [D8.participants]', async () => {
    await make('goals', { name: 'Spring', objective: 'Secret objective' });
    const task = await make('tasks', { label: 'Dig <deep>', description: 'Secret text', status: 'in_progress' });
    await make('documents', { title: 'Secret title', body: '' });
    const page = await (await fetch(await invited({ audience_name: 'The client' }))).text();
    expect(page).to.include('<h1>Garden &amp; &lt;pond&gt;</h1>').and.include('For The client.');
    expect(page)
      .to.include('<li>Spring</li>')
      .and.include('<td>Dig &lt;deep&gt;</td>')
      .and.include('>In progress</span>');
    expect(page).not.to.match(/Secret/);
    expect(page).not.to.include(task).and.not.include(project);
  });

  it('paginate long plans [D8.participants]', async () => {
    const tasks = Array.from({ length: 201 }, (_, at) => ({ key: `k${at}`, label: `Task no. ${at}.` }));
    await service.rest.post('/scaffold', { project_id: project, tasks });
    const url = await invited();
    const first = await (await fetch(url)).text();
    expect(first.match(/<td>Task no\./g)).to.have.length(200);
    const [, next = ''] = /href="([^"]*\?cursor=[^"]*)"/.exec(first)!;
    const second = await (await fetch(new URL(next, url))).text();
    expect(second.match(/<td>Task no\. \d+/g)).to.deep.equal(['<td>Task no. 200']);
  });

  it('accept a submission without script, once even if the page is reloaded [D8.participants]', async () => {
    const url = await invited();
    const fields = { participant_name: 'Grace', title: 'Light', body: 'a\r\nb', severity: '', task_ref: ' ' };
    const sent = await send(url, fields, { Origin: service.url });
    expect(sent.status).to.equal(303);
    const thanks = await fetch(new URL(sent.headers.get('location')!, url));
    expect(await thanks.text()).to.include('your submission has arrived');
    const [submission] = await inbox();
    expect(submission).to.include({
      participant_name: 'Grace',
      title: 'Light',
      body: 'a\nb',
      severity: null,
      task_ref: null,
    });
    expect(await inbox()).to.have.length(1);
    const { headers } = await fetch(url);
    // With no-referrer, a browser would send the form with the Origin "null".
    expect(headers.get('referrer-policy')).to.equal('same-origin');
    expect(policyOf(await fetch(url)).get('form-action')).to.equal("'self'");
  });

  it('accept a submission as JSON [D8.participants]', async () => {
    const url = await invited();
    const post = (body: string): Promise<Response> =>
      fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const sent = await post(JSON.stringify({ participant_name: 'Grace', title: 'Light' }));
    expect(sent.status).to.equal(201);
    expect(await inbox()).to.deep.equal([await sent.json()]);
    const wrong = await post('{"participant_name":"Grace"}');
    expect(wrong.status).to.equal(400);
    expect(await wrong.json()).to.include({ error: 'invalid_argument', field: 'title' });
    expect(((await (await post('[]')).json()) as { error: string }).error).to.equal('invalid_argument');
    expect((await fetch(url, { method: 'POST', body: 'x' })).status).to.equal(415);
  });

  it('show a rejected form again with its content and the error [D8.participants]', async () => {
    const url = await invited();
    const refused = await send(url, {
      participant_name: 'Grace "G"',
      title: '  ',
      body: '</textarea><script>',
      severity: 'low',
    });
    expect(refused.status).to.equal(400);
    const page = await refused.text();
    expect(page).to.include('role="alert"').and.include('title must');
    expect(page).to.include('value="Grace &quot;G&quot;"').and.include('&lt;/textarea&gt;&lt;script&gt;');
    expect(page).to.include('<option value="low" selected>');
    expect((await send(url, { participant_name: 'G', title: 'x', token: 'y' })).status).to.equal(400);
    expect((await send(url, { participant_name: 'G', title: 'x', linked_task_id: 'y' })).status).to.equal(400);
    expect((await send(url, { participant_name: 'G', title: 'x', body: 'y'.repeat(70_000) })).status).to.equal(400);
    expect((await send(url, { participant_name: 'G', title: 'x', body: 'y'.repeat(300_000) })).status).to.equal(413);
    const twice = await fetch(url, { method: 'POST', body: new URLSearchParams('title=a&title=b') });
    expect(twice.status).to.equal(400);
    expect(await inbox()).to.deep.equal([]);
  });

  it('limit submissions to ten a minute, and reject forms of other origins [D8.guests]', async () => {
    const url = await invited();
    const fields = { participant_name: 'G', title: 'x' };
    for (const Origin of ['https://evil.example', 'null'])
      expect((await send(url, fields, { Origin })).status).to.equal(403);
    for (let at = 0; at < 10; at++) expect((await send(url, fields)).status).to.equal(303);
    const refused = await send(url, fields);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(await refused.text()).to.include('Try again in');
    expect(await inbox()).to.have.length(10);
  });

  it('need no credential, and check one that is sent [D10.sent]', async () => {
    const url = await invited();
    const response = await fetch(url, { headers: { Authorization: 'Bearer unknown' } });
    expect(response.status).to.equal(401);
    expect(response.headers.get('www-authenticate')).to.include('Bearer');
    expect(await response.text()).not.to.include('Garden');
  });

  it('leave no token in the log [D8.token]', async () => {
    const url = await invited();
    const token = new URL(url).pathname.slice('/p/'.length);
    await fetch(url);
    await service.rest.get(`/participate/${token}`);
    await fetch(`${service.url}/s/${token}/screens/x`);
    await fetch(`${service.url}/p/${token}/nowhere`);
    expect(service.log).not.to.be.empty;
    expect(JSON.stringify(service.log)).not.to.include(token);
  });
});
