import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { HostedService } from '../support/hosted-service.ts';
import { TestService } from '../support/service.ts';

/** Log entries of requests. */
interface LogEntry {
  readonly route?: string;
  readonly caller?: string | null;
  readonly status?: number;
}

describe('Requests with a link', function () {
  this.timeout(60_000);
  let service: TestService;
  let project: string;
  let share: string;
  let invitation: string;
  let task: string;
  let screens: { readonly url: string; readonly start: string };

  before(async () => {
    service = await TestService.start();
    project = await service.project('Garden');
    task = await make(`projects/${project}/tasks`, { label: 'Dig', status: 'todo' });
    share = (await service.rest.post(`/tasks/${task}/share`, {})).body.url as string;
    invitation = await invite();
    const prototype = await make(`projects/${project}/prototypes`, { name: 'Flow', viewport: { width: 9, height: 9 } });
    const screen = { title: 'Start', kind: 'html', content: '<p>Start</p>', prototype_id: prototype };
    const start = await make(`projects/${project}/artifacts`, screen);
    screens = { url: (await service.rest.post(`/prototypes/${prototype}/share`, {})).body.url as string, start };
  });
  after(() => service.stop());

  const make = async (path: string, body: object): Promise<string> => {
    const answer = await service.rest.post(`/${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id as string;
  };
  const invite = async (): Promise<string> =>
    (await service.rest.post(`/projects/${project}/participant-links`, {})).body.url as string;
  const form = (url: string, fields: Record<string, string> | string, headers: object = {}): Promise<Response> =>
    fetch(url, { method: 'POST', redirect: 'manual', headers: { ...headers }, body: new URLSearchParams(fields) });
  const json = (url: string, body: string, headers: object = {}): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body });
  const titleOf = (page: string): string | undefined => /<h1>(.*?)<\/h1>/.exec(page)?.[1];
  const sectionOf = (page: string): string | undefined => /<section>(.*?)<\/section>/.exec(page)?.[1];
  const inbox = async (): Promise<{ title: string; body: string; severity: string | null }[]> =>
    (await service.rest.get(`/projects/${project}/submissions`)).body.submissions;

  it('are logged by route pattern, with the caller guest [D8.token]', async () => {
    for (const [url, route] of [
      [share, '/s/:token'],
      [`${share}/`, '/s/:token'],
      [`${screens.url}/screens/${screens.start}`, '/s/:token/screens/:artifact_id'],
      [invitation, '/p/:token'],
      [`${invitation}/?x`, '/p/:token'],
    ] as const) {
      service.log.length = 0;
      const response = await fetch(url);
      expect(response.status, url).to.equal(200);
      await response.text();
      const entry = (service.log as LogEntry[]).find((entry) => entry.route !== undefined);
      expect(entry, url).to.include({ route, caller: 'guest', status: 200 });
    }
  });

  it('are handled only at their own paths', async () => {
    const token = new URL(share).pathname;
    const others = [
      `/x${token}`,
      `${token}/x`,
      `${token}/screens/a/b`,
      `/x${token}/screens/a`,
      '/p/a/b',
      '/x/p/a',
      '/s',
    ];
    for (const path of [...others, '/p/']) {
      service.log.length = 0;
      // The web page itself, built or not.
      const response = await fetch(service.url + path, { headers: { Accept: 'text/html' } });
      await response.text();
      expect(response.status, path).to.be.oneOf([200, 503]);
      const entry = (service.log as LogEntry[]).find((entry) => entry.route !== undefined);
      expect([entry?.route, entry?.caller === 'guest'], path).to.deep.equal(['/', false]);
    }
  });

  it('can read or submit, and nothing else', async () => {
    for (const [url, method, allow] of [
      [share, 'POST', 'GET, HEAD'],
      [`${screens.url}/screens/${screens.start}`, 'POST', 'GET, HEAD'],
      [invitation, 'DELETE', 'GET, HEAD, POST'],
    ] as const) {
      const response = await fetch(url, { method });
      expect([response.status, response.headers.get('allow')], url).to.deep.equal([405, allow]);
      if (method === 'POST') expect(response.headers.get('content-type')).to.match(/^application\/json/);
      else expect(sectionOf(await response.text())).to.equal('This page does not support DELETE.');
    }
    for (const url of [share, invitation, `${screens.url}/screens/${screens.start}`]) {
      const head = await fetch(url, { method: 'HEAD' });
      expect([head.status, await head.text()]).to.deep.equal([200, '']);
      expect(Number(head.headers.get('content-length'))).to.be.above(100);
    }
  });

  it('get errors as a page for people [S.errors.share-unknown, S.errors.share-expired, D10.sent]', async () => {
    const unknown = await (await fetch(`${service.url}/s/unknown`)).text();
    expect([titleOf(unknown), sectionOf(unknown)]).to.deep.equal([
      ...['There is no such page', 'This link does not exist here. Ask the sender for a new one.'],
    ]);
    expect(unknown)
      .to.include('<header><p class="kind">Planner</p>')
      .and.include('<title>There is no such page</title>');
    const other = await make(`projects/${project}/tasks`, { label: 'Gone' });
    const { url } = (await service.rest.post(`/tasks/${other}/share`, {})).body as { url: string };
    await service.rest.delete(`/tasks/${other}`);
    const gone = await (await fetch(url)).text();
    expect([titleOf(gone), sectionOf(gone)]).to.deep.equal([
      'This link has ended',
      'The task of this link was deleted.',
    ]);
    for (const page of [share, invitation]) {
      const refused = await fetch(page, { headers: { Authorization: 'Bearer unknown' } });
      expect([refused.status, titleOf(await refused.text())]).to.deep.equal([401, 'This credential is not valid']);
      expect(refused.headers.get('www-authenticate')).to.equal('Bearer realm="planner"');
    }
    const { secret } = (await service.rest.post('/keys', { kind: 'owner', name: 'a' })).body as { secret: string };
    expect((await fetch(share, { headers: { Authorization: `Bearer ${secret}` } })).status).to.equal(200);
    // An invalid percent-encoding matches nothing; a token is decoded.
    for (const path of ['/s/%zz', '/p/%', `${new URL(screens.url).pathname}/screens/%zz`])
      expect((await fetch(service.url + path)).status, path).to.equal(404);
    const token = new URL(share).pathname.slice('/s/'.length);
    const encoded = `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`;
    expect((await fetch(`${service.url}/s/${encoded}`)).status).to.equal(200);
  });

  it('get a screen in a frame, whose URL differs from that of its page [D8.mint]', async () => {
    const address = `${new URL(screens.url).pathname}/screens/${screens.start}`;
    expect(await (await fetch(screens.url)).text()).to.include(`<iframe src="${address}"`);
    const alone = { headers: { 'Sec-Fetch-Dest': 'document' } };
    const framing = await (await fetch(`${service.url}${address}?x`, alone)).text();
    expect(framing).to.include(`src="${address}?framed"`).and.not.include('Start');
    const framed = await fetch(`${service.url}${address}?framed`, { headers: { 'Sec-Fetch-Dest': 'iframe' } });
    expect(framed.headers.get('content-security-policy')).to.match(/^sandbox allow-scripts;/);
    expect(await framed.text()).to.include('<p>Start</p>');
  });

  it('submit as JSON, without the members that are in the URL [D8.participants]', async () => {
    const url = await invite();
    const submission = { participant_name: 'Grace', title: 'By JSON' };
    for (const body of ['[]', 'null', '7', '"x"']) {
      const refused = await json(url, body);
      const { error, message } = (await refused.json()) as { error: string; message: string };
      expect([refused.status, error, message], body).to.deep.equal([
        ...[400, 'invalid_argument', 'The body is not a JSON object: send the members in {}.'],
      ]);
    }
    const repeated = await json(url, JSON.stringify({ ...submission, token: 'x' }));
    expect(await repeated.json()).to.include({ error: 'invalid_argument', field: 'token' });
    const foreign = await json(url, JSON.stringify(submission), { Origin: 'https://evil.example' });
    expect([foreign.status, foreign.headers.get('content-type')?.startsWith('application/json')]).to.deep.equal([
      ...[403, true],
    ]);
    const large = await json(url, JSON.stringify({ ...submission, body: 'x'.repeat(300_000) }));
    expect(large.status).to.equal(413);
    const sent = await json(url, JSON.stringify(submission), { Origin: service.url });
    expect([sent.status, ((await sent.json()) as { title: string }).title]).to.deep.equal([201, 'By JSON']);
    expect((await inbox()).map(({ title }) => title)).to.deep.equal(['By JSON']);
  });

  it('submit by the form, whose empty fields count as absent [D8.participants]', async () => {
    const url = await invite();
    const { pathname } = new URL(url);
    const fields = { participant_name: 'Grace', title: 'By form', body: ' ', severity: '', task_ref: ' ' };
    const sent = await form(url, fields);
    expect([sent.status, sent.headers.get('location'), await sent.text()]).to.deep.equal([
      ...[303, `${pathname}?sent=1`, ''],
    ]);
    expect(sent.headers.get('content-security-policy')).to.include("form-action 'self'");
    expect(sent.headers.get('referrer-policy')).to.equal('same-origin');
    for (const { headers } of [sent, await fetch(url)])
      expect([headers.get('x-robots-tag'), headers.get('cache-control')]).to.deep.equal(['noindex', 'no-store']);
    expect(await (await fetch(url)).text()).to.include(`<form method="post" action="${pathname}"`);
    expect((await inbox()).find(({ title }) => title === 'By form')).to.include({ body: '', severity: null });
    for (const [query, thanks] of [
      ['?sent=1', true],
      ['', false],
      ['?cursor=', false],
    ] as const)
      expect((await (await fetch(url + query)).text()).includes('has arrived'), query).to.equal(thanks);
    expect((await fetch(`${url}?cursor=x`)).status).to.equal(400);
    for (const [missing, field] of [
      [{ ...fields, participant_name: ' ' }, 'participant_name'],
      [{ ...fields, title: '' }, 'title'],
      [{ ...fields, severity: 'x' }, 'severity'],
    ] as const) {
      const refused = await form(url, missing);
      const page = await refused.text();
      expect(refused.status).to.equal(400);
      expect(/role="alert">(.*?)<\/section>/.exec(page)?.[1], field).to.include(`${field} must`);
      expect(page).to.include(`<form method="post" action="${pathname}"`);
      expect(page).to.include('<h1>Garden</h1>');
    }
    expect((await form(url, fields, { Origin: 'https://evil.example' })).status).to.equal(403);
    // Another name of this machine is another site, whose page may belong to another program.
    const other = await form(url, fields, { Origin: service.url.replace('127.0.0.1', 'localhost') });
    expect([other.status, titleOf(await other.text())]).to.deep.equal([403, 'This request was rejected']);
    // Errors that a guest cannot correct are shown without the form.
    for (const [response, status, title] of [
      [await form(url, { ...fields, body: 'x'.repeat(300_000) }), 413, 'This request was rejected'],
      [await form(url, 'title=a&title=b'), 400, 'This request was rejected'],
      [await form(`${service.url}/p/unknown`, fields), 404, 'There is no such page'],
    ] as const)
      expect([response.status, titleOf(await response.text())]).to.deep.equal([status, title]);
  });

  it('are limited to ten submissions a minute, with the form shown again [D8.guests]', async () => {
    const url = await invite();
    const fields = { participant_name: 'G', title: 'Often', body: 'kept' };
    for (let times = 0; times < 10; times++) expect((await form(url, fields)).status).to.equal(303);
    const refused = await form(url, fields);
    const page = await refused.text();
    expect([refused.status, titleOf(page)]).to.deep.equal([429, 'Garden']);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(page).to.include('Try again in').and.include('kept</textarea>');
  });
});

describe('Forms of guests while the disk is nearly full', function () {
  this.timeout(60_000);

  it('are rejected without the form, since a retry would not help [A.hostile.owner-reserve]', async () => {
    const totalBytes = 1024 ** 4;
    let freeBytes = totalBytes / 2;
    const service = await TestService.start({ disk: { ...nodeDisk, space: () => ({ freeBytes, totalBytes }) } });
    try {
      const project = await service.project('Garden');
      const { url } = (await service.rest.post(`/projects/${project}/participant-links`, {})).body as { url: string };
      freeBytes = limits.ownerReserveBytes - 1;
      const body = new URLSearchParams({ participant_name: 'G', title: 'x' });
      const refused = await fetch(url, { method: 'POST', redirect: 'manual', body });
      expect(refused.status).to.be.at.least(400);
      expect(await refused.text())
        .to.include('<h1>This request was rejected</h1>')
        .and.not.include('<form');
      expect(await (await fetch(url)).text()).to.include('<form');
    } finally {
      await service.stop();
    }
  });
});

describe('Requests with a link to a hosted service', function () {
  this.timeout(60_000);
  let hosted: HostedService;
  let url: string;

  before(async () => {
    hosted = await HostedService.start();
    const project = await hosted.project();
    url = (await hosted.owner.post(`/projects/${project}/participant-links`, {})).body.url as string;
  });
  after(() => hosted.stop());

  const titleOf = async (response: Response): Promise<string | undefined> =>
    /<h1>(.*?)<\/h1>/.exec(await response.text())?.[1];

  it('need no credential [D10.hosted]', async () => {
    const page = await fetch(url);
    expect([page.status, await titleOf(page)]).to.deep.equal([200, 'Plan']);
  });

  it('are limited after too many invalid credentials [A.hostile.guessing]', async () => {
    const headers = { Authorization: 'Bearer unknown' };
    for (let times = 0; times < limits.failedCredentialsPerMinuteMax; times++)
      expect((await fetch(url, { headers })).status).to.equal(401);
    const refused = await fetch(url, { headers });
    expect([refused.status, await titleOf(refused)]).to.deep.equal([429, 'Too many requests']);
  });
});
