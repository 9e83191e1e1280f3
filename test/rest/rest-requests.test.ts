import { expect } from 'chai';
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { limits } from '../../src/base/limits.ts';
import { requireFiles } from '../support/hosted-mode.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { RestClient } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

describe('REST requests', () => {
  const original = { ...limits };
  let service: HostedService;
  let project: string;
  let owner: RestClient;
  let agent: RestClient;
  let token: string;

  before(async () => {
    service = await HostedService.start({ trustedProxies: 1 });
    ({ owner } = service);
    project = await service.project();
    agent = new RestClient(service.url, bearer((await service.key('agent', { project_id: project })).secret));
    const link = await owner.post(`/projects/${project}/participant-links`, {});
    token = (link.body.url as string).split('/').at(-1)!;
  });
  afterEach(() => Object.assign(limits, original));
  after(() => service.stop());

  const guest = (): RestClient => new RestClient(service.url);
  const submit = (body: object, headers: Record<string, string> = {}): Promise<RestResponse> =>
    guest().post(
      `/participate/${token}/submissions`,
      { participant_name: 'Grace', title: 'Light', body: 'Dark', ...body },
      headers,
    );

  it('are logged with their route and the kind of their caller [A.log-line]', async () => {
    const { body } = await owner.post(`/projects/${project}/tasks`, { label: 'Dig' });
    const id = body.id as string;
    const requests: readonly (readonly [client: RestClient, path: string, route: string, caller: string | null])[] = [
      [owner, `/tasks/${id}`, '/api/v1/tasks/:task_id', 'owner'],
      [agent, `/tasks/${id}?project_id=${project}`, '/api/v1/tasks/:task_id', 'agent'],
      [guest(), `/participate/${token}`, '/api/v1/participate/:token', 'guest'],
      [owner, `/participate/${token}`, '/api/v1/participate/:token', 'owner'],
      [guest(), `/tasks/${id}`, '/api/v1/tasks/:task_id', null],
      [guest(), '/health', '/api/v1/health', 'guest'],
      [owner, '/nothing', 'unmatched', 'owner'],
    ];
    for (const [at, [client, path, route, caller]] of requests.entries()) {
      await client.get(path, { 'X-Request-Id': `requests-${at}` });
      const entry = (): object | undefined =>
        service.service.log.find((one) => (one as { id?: unknown }).id === `requests-${at}`);
      while (entry() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(entry(), path).to.include({ route, caller });
    }
  });

  it('of guests need no credential; one that is sent is checked nevertheless [D8.participants, D10.sent]', async () => {
    expect((await submit({})).status).to.equal(201);
    expect((await submit({}, bearer('pln_agent_none'))).status).to.equal(401);
    expect((await guest().get(`/projects/${project}`)).status).to.equal(401);
    expect((await guest().get('/nothing')).status).to.equal(401);
    expect((await guest().get('/projects', bearer('pln_agent_none'))).status).to.equal(401);
  });

  it("of guests are short, and are accepted only from pages at the link's own address [D8.participants]", async () => {
    const long = { body: 'x'.repeat(limits.guestRequestBytesMax) };
    expect((await submit(long)).status).to.equal(413);
    const task = { label: 'Long', description: long.body };
    expect((await owner.post(`/projects/${project}/tasks`, task)).status).to.equal(201);
    const local = await TestService.start();
    try {
      const { rest } = local;
      const plan = `/projects/${await local.project()}`;
      const { url } = (await rest.post(`${plan}/participant-links`, {})).body as { url: string };
      const path = `/participate/${url.split('/').at(-1)!}`;
      // Another name of this service, whose pages the owner may use.
      const origin = { Origin: local.url.replace('127.0.0.1', 'localhost') };
      const sent = { participant_name: 'Grace', title: 'Light', body: 'Dark' };
      expect((await rest.post(`${path}/submissions`, sent, origin)).body).to.include({ error: 'forbidden' });
      expect((await rest.post(`${path}/submissions`, sent, { Origin: local.url })).status).to.equal(201);
      expect((await rest.get(path, origin)).status).to.equal(200);
      expect((await rest.post('/projects', { name: 'Own' }, origin)).status).to.equal(201);
    } finally {
      await local.stop();
    }
  });

  it('have bodies that are counted per credential, and those of guests per address [A.hostile.body-budget]', async () => {
    Object.assign(limits, { bodiesOfOneBytesMax: 1000 });
    const paths = { agent: `/projects/${project}/tasks`, guest: `/participate/${token}/submissions` };
    const begun: ClientRequest[] = [];
    /** Announces 800 bytes, and sends one. */
    const begin = (path: string, headers: Record<string, string>): Promise<void> =>
      new Promise((resolve) => {
        const one = request(`${service.url}/api/v1${path}`, {
          ...{ method: 'POST', agent: false },
          headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': 800 },
        });
        one.once('error', () => undefined).write('{', () => resolve());
        begun.push(one);
      });
    const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });
    const task = { label: 'Dig', description: 'x'.repeat(300) };
    try {
      await begin(paths.agent, { ...agent.headers, ...from('192.0.2.1') });
      await begin(paths.guest, from('192.0.2.1'));
      while ((await agent.post(paths.agent, task, from('192.0.2.2'))).status !== 429);
      while ((await submit(task, from('192.0.2.1'))).status !== 429);
      expect((await owner.post(paths.agent, task, from('192.0.2.1'))).status).to.equal(201);
      expect((await submit({ body: 'x'.repeat(300) }, from('192.0.2.3'))).status).to.equal(201);
    } finally {
      for (const one of begun) one.destroy();
    }
  });

  it('are rejected if they have a body and none is read, or a form and no file is accepted', async () => {
    const read = await new Promise<number>((resolve, reject) => {
      const headers = { ...owner.headers, 'Content-Type': 'application/json', 'Content-Length': 2 };
      const one = request(`${service.url}/api/v1/projects`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
      one.once('error', reject).end('{}');
    });
    expect(read).to.equal(400);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const path of ['/projects', '/call/list_projects', '/flush', '/doctor'])
      expect((await owner.post(path, 'name=x', form)).body, path).to.include({ error: 'unsupported_media_type' });
  });

  it('name the editing session that they belong to in 1 to 64 letters, digits, - and _ [S.web.session]', async () => {
    const { body } = await owner.post(`/projects/${project}/documents`, { title: 'Soil', body: '0' });
    const change = (session: string): Promise<RestResponse> =>
      owner.patch(`/documents/${body.id}`, { body: session }, { 'Editing-Session': session });
    for (const session of ['a', 'A-9_z', 'x'.repeat(64)]) expect((await change(session)).status).to.equal(200);
    for (const session of ['', 'x'.repeat(65), 'a b', ' a!', '!a', 'a!', 'a, b']) {
      const refused = await change(session);
      expect([refused.status, refused.body.error, refused.body.field], session).to.deep.equal([
        ...[400, 'invalid_argument', 'Editing-Session'],
      ]);
    }
  });

  it('upload a file as a form or in JSON, named by its fields or on its own [D6.file-forms]', async () => {
    const path = `/projects/${project}/files`;
    const send = async (fields: Record<string, string>, client = owner): Promise<RestResponse> => {
      const data = new FormData();
      for (const [name, value] of Object.entries(fields)) data.append(name, value);
      data.append('file', new Blob([`text ${JSON.stringify(fields)}`], { type: 'text/plain' }), 'a.txt');
      const response = await fetch(`${service.url}/api/v1${path}`, {
        ...{ method: 'POST', body: data },
        headers: client.headers,
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    expect((await send({})).body).to.include({ filename: 'a.txt', mime: 'text/plain', size: 7 });
    const named = await send({ filename: 'b.md', mime: 'text/markdown' });
    expect(named.body).to.include({ filename: 'b.md', mime: 'text/markdown' });
    expect((await send({ content_base64: 'AAAA' })).body).to.include({
      ...{ error: 'invalid_argument', field: 'content_base64' },
    });
    const inJson = { filename: 'c.bin', mime: 'application/octet-stream', content_base64: 'AAAA' };
    expect((await owner.post(path, inJson)).body).to.include({ filename: 'c.bin', size: 3 });
    const early = { content_base64: 'AAAAAAAA', filename: 'd.bin', mime: 'application/octet-stream' };
    expect((await owner.post(path, early)).body).to.include({ filename: 'd.bin', size: 6 });
    expect((await owner.post(path)).body).to.include({ error: 'invalid_argument' });
    const refused = await owner.send('POST', path, '{}', { 'Content-Type': 'multipart/form-data; boundary=b' });
    expect(refused.body).to.include({ error: 'invalid_argument', field: 'file' });
    const tasks = await fetch(`${service.url}/api/v1/projects/${project}/tasks`, {
      ...{ method: 'POST', body: new FormData(), headers: owner.headers },
    });
    expect(tasks.status).to.equal(415);
    const exported = await owner.get(`/projects/${project}/export`);
    const data = new FormData();
    data.append('file', new Blob([JSON.stringify(exported.body)], { type: 'application/json' }), 'plan.json');
    const imported = await fetch(`${service.url}/api/v1/projects/import`, {
      ...{ method: 'POST', body: data, headers: owner.headers },
    });
    expect(imported.status).to.equal(201);
    expect(await imported.json()).to.include({ name: exported.body.project.name });
  });

  it('upload a file in JSON without memory of its size [A.hostile.body-budget]', async () => {
    Object.assign(limits, { bodiesOfOneBytesMax: 1000 });
    const fields = { filename: 'e.bin', mime: 'application/octet-stream' };
    const large = { ...fields, content_base64: 'AAAA'.repeat(1000) };
    expect((await agent.post(`/projects/${project}/files`, large)).body).to.include({ size: 3000 });
    const over = { ...fields, content_base64: 'AAAA'.repeat(limits.uploadBytesMax / 3 + 1) };
    expect((await agent.post(`/projects/${project}/files`, over)).body).to.include({ error: 'payload_too_large' });
  });

  it('that delete get no body, and files are sent unchanged', async () => {
    const inJson = { filename: 'f.txt', mime: 'text/plain', content_base64: 'QUJD' };
    const { body } = await owner.post(`/projects/${project}/files`, inJson);
    const { status, headers, body: text } = await owner.get(`/files/${body.id}`);
    expect([status, headers.get('content-type'), text]).to.deep.equal([200, 'text/plain', 'ABC']);
    const folder = await owner.post(`/projects/${project}/folders`, { name: 'Shed' });
    const gone = await owner.delete(`/folders/${folder.body.id}`);
    expect([gone.status, gone.body]).to.deep.equal([204, undefined]);
  });

  it('for a file that is truncated during it end without the rest of it, and the service continues', async () => {
    requireFiles();
    const size = limits.uploadBytesMax - 2;
    const fields = { filename: 'cut.bin', mime: 'application/octet-stream' };
    const content_base64 = Buffer.alloc(size).toString('base64');
    const { body } = await owner.post(`/projects/${project}/files`, { ...fields, content_base64 });
    expect((await owner.post('/flush')).status).to.equal(200);
    const { root } = service.service;
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path));
    const stored = paths.filter((path) => statSync(path).size === size);
    expect(stored).not.to.be.empty;
    const outcome = await new Promise<string>((resolve, reject) => {
      const one = request(`${service.url}/api/v1/files/${body.id}`, { headers: owner.headers }, (response) => {
        expect(response.headers['content-length']).to.equal(String(size));
        for (const path of stored) truncateSync(path, 0);
        response.once('end', () => resolve('ended')).once('error', (error) => resolve(error.message));
        response.resume();
      });
      one.once('error', reject).end();
    });
    expect(outcome).to.equal('aborted');
    expect((await owner.get('/projects')).status).to.equal(200);
  });

  it('for a long list get it in chunks', async () => {
    const description = 'x'.repeat(10_000);
    const made = Array.from({ length: 20 }, (_, at) => ({ key: `t${at}`, label: `Task ${at}`, description }));
    expect((await owner.post(`/projects/${project}/scaffold`, { tasks: made, edges: [] })).status).to.equal(201);
    const list = await owner.get(`/projects/${project}/tasks?limit=100`);
    expect(list.headers.get('transfer-encoding')).to.equal('chunked');
  });

  it('for an artifact at top level get a page that frames it, with the query that was sent [A.hostile.html]', async () => {
    const { body } = await owner.post(`/projects/${project}/artifacts`, { title: 'A', content: '*a*' });
    const path = `/api/v1/artifacts/${body.id}/render`;
    const open = (query: string, dest: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const headers = { ...owner.headers, 'Sec-Fetch-Dest': dest };
        const one = request(`${service.url}${path}${query}`, { headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.once('end', () => resolve(text));
        });
        one.once('error', reject).end();
      });
    expect(await open('', 'document')).to.include(`<iframe src="${path}?embed=true"`);
    expect(await open('?embed=false', 'document')).to.include(`<iframe src="${path}?embed=true"`);
    expect(await open('', 'iframe'))
      .to.include('<em>a</em>')
      .and.not.include('<iframe');
    const json = await owner.get(`/artifacts/${body.id}`, { 'Sec-Fetch-Dest': 'document' });
    expect(json.body).to.include({ title: 'A' });
  });
});
