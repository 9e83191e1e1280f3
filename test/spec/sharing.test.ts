import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { Staging } from '../../src/store/files/checkpoint/staging.ts';
import { overBoth } from '../support/both.ts';
import type { Transport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Link {
  readonly id: string;
  readonly url: string;
  readonly markdown_url: string;
  readonly expires_at: string;
}

type Target = 'task' | 'document' | 'prototype';

/** Creates a link over a transport: each resource has its own route, and all of them one tool. */
function shareOver(transport: Transport, type: Target, id: string, more: object = {}): Promise<Link> {
  const operation = transport.name === 'REST' ? `share_${type}` : 'create_share_link';
  return transport.call(operation, { [`${type}_id`]: id, ...more }) as Promise<Link>;
}

/** Creates a prototype with its screens. */
async function prototype(service: TestService, project: string, screens: Record<string, string>): Promise<string> {
  return service.store.update(project, { author: 'system', source: 'system' }, (tx) => {
    const id = tx.newId('prototype');
    const viewport = { width: 390, height: 844 };
    tx.put('prototype', { id, created_at: tx.now, name: 'Checkout', viewport, links: [] });
    for (const [title, content] of Object.entries(screens)) {
      const screen = { id: tx.newId('artifact'), created_at: tx.now, title, content, links: [] };
      tx.put('artifact', { ...screen, kind: 'html', prototype_id: id });
    }
    return id;
  });
}

/** Uploads a file to a project. */
async function file(
  service: TestService,
  project: string,
  filename: string,
  mime: string,
  content: Buffer,
): Promise<string> {
  const staging = new Staging(nodeDisk, join(service.root, 'local'), systemClock);
  const staged = await staging.put([content]);
  return service.store.update(project, { author: 'system', source: 'system' }, (tx) => {
    return tx.put('file', { id: tx.newId('file'), created_at: tx.now, filename, mime, ...staged }).id;
  });
}

const hourMs = 3_600_000;
const hoursFromNow = (iso: string): number => Math.round((Date.parse(iso) - Date.now()) / hourMs);

describe('Share links', () => {
  overBoth(
    'share one task or document, for a day by default [D8.mint, S.share.one, S.limits.share, S.mcp.create_share_link, S.rest.POST /tasks/:id/share, S.rest.POST /documents/:id/share]',
    async (transport) => {
      const { id: project_id } = await transport.call('create_project', { name: 'Plan' });
      const task = await transport.call('create_task', { project_id, label: 'Dig' });
      const document = await transport.call('create_document', { project_id, title: 'Design', body: 'Deep.' });
      for (const [type, id] of [
        ['task', task.id],
        ['document', document.id],
      ] as const) {
        const link = await shareOver(transport, type, id);
        expect(link).to.have.all.keys('id', 'url', 'markdown_url', 'expires_at');
        expect(link.id).to.match(/^shr_/);
        expect(hoursFromNow(link.expires_at)).to.equal(24);
        const [, token] = /\/s\/([0-9a-z]{6}[A-Za-z0-9_-]{43})$/.exec(link.url)!;
        expect(link.url).to.equal(`${transport.service.url}/s/${token}`);
        expect(link.markdown_url).to.equal(`${transport.service.url}/api/v1/share/${token}.md`);
        expect((await fetch(link.markdown_url)).status).to.equal(200);
      }
    },
  );

  overBoth('share a prototype [D8.mint]', async (transport) => {
    const project = await transport.service.project();
    const link = await shareOver(
      transport,
      'prototype',
      await prototype(transport.service, project, { Start: '<p>Hi</p>' }),
    );
    expect(await (await fetch(link.markdown_url)).text()).to.include('# Checkout');
  });

  overBoth(
    'expire after 1 hour to 30 days, and never without limit [D8.expires, S.limits.share]',
    async (transport) => {
      const { id: project_id } = await transport.call('create_project', { name: 'Plan' });
      const { id } = await transport.call('create_task', { project_id, label: 'Dig' });
      for (const [expires, hours] of Object.entries({ '1h': 1, '48h': 48, '1d': 24, '30d': 720, '720h': 720 })) {
        expect(hoursFromNow((await shareOver(transport, 'task', id, { expires })).expires_at), expires).to.equal(hours);
      }
      const operation = transport.name === 'REST' ? 'share_task' : 'create_share_link';
      for (const expires of [
        '0h',
        '0d',
        '31d',
        '721h',
        'never',
        '1',
        '-1h',
        '1.5h',
        '24H',
        'none',
        24,
        false,
        // These count as omitted over MCP: the link expires after 24 hours.
        ...(transport.name === 'REST' ? ['', null] : []),
      ]) {
        const error = await transport.refusal(operation, { task_id: id, expires });
        expect(error, String(expires)).to.include({ error: 'invalid_argument', field: 'expires' });
      }
      expect((await transport.service.rest.get(`/projects/${project_id}/shares`)).body.shares).to.have.length(5);
    },
  );

  overBoth('are only of existing records [D2.not_found]', async (transport) => {
    await transport.call('create_project', { name: 'Plan' });
    const operation = transport.name === 'REST' ? 'share_task' : 'create_share_link';
    expect(await transport.refusal(operation, { task_id: 'tsk_none' })).to.include({
      error: 'not_found',
      id: 'tsk_none',
    });
  });
});

describe('create_share_link', () => {
  let service: TestService;
  let project: string;

  before(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  after(() => service.stop());

  it('accepts exactly one resource [D8.mint]', async () => {
    const client = await service.mcp();
    const { body: task } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
    const given = [{}, { project_id: project }, { task_id: task.id, document_id: 'doc_x' }];
    for (const input of given) {
      const { isError, value } = await client.call('create_share_link', input);
      expect(isError).to.equal(true);
      expect(value.error).to.equal('invalid_argument');
    }
    expect((await service.rest.get(`/projects/${project}/shares`)).body.shares).to.deep.equal([]);
  });
});

describe('A share link', () => {
  let service: TestService;
  let project: string;
  let task: string;
  /** How far the service's clock is ahead of the system's. */
  let aheadMs = 0;

  beforeEach(async () => {
    aheadMs = 0;
    service = await TestService.start({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } });
    project = await service.project();
    task = (await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;
  });
  afterEach(() => service.stop());

  const shareTask = async (body: object = {}, headers?: Record<string, string>): Promise<Link> =>
    (await service.rest.post(`/tasks/${task}/share`, body, headers)).body as Link;
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;
  const errorOf = async (url: string): Promise<string> =>
    ((await (await fetch(url)).json()) as { error: string }).error;
  const shares = async (query = ''): Promise<{ id: string; state: string }[]> =>
    (await service.rest.get(`/projects/${project}/shares${query}`)).body.shares as { id: string; state: string }[];

  it('is live, and 410 once it has expired [S.state.share, S.errors.share-expired, D2.gone]', async () => {
    const { markdown_url, url, id } = await shareTask({ expires: '1h' });
    aheadMs = hourMs - 60_000;
    expect(await statusOf(markdown_url)).to.equal(200);
    aheadMs = hourMs + 60_000;
    expect(await statusOf(markdown_url)).to.equal(410);
    expect(await errorOf(markdown_url)).to.equal('gone');
    expect(await statusOf(url)).to.equal(410);
    expect((await shares('?state=expired'))[0]).to.include({ id, state: 'expired' });
  });

  it('is 410 once it was revoked [S.state.share, S.errors.share-expired, D8.shares]', async () => {
    const { markdown_url, id } = await shareTask();
    for (const _ of ['once', 'twice']) expect((await service.rest.delete(`/shares/${id}`)).status).to.equal(204);
    expect(await statusOf(markdown_url)).to.equal(410);
    expect((await shares('?state=revoked')).map((share) => share.id)).to.deep.equal([id]);
    expect(await shares('?state=live')).to.deep.equal([]);
    expect((await service.rest.delete('/shares/shr_none')).body).to.include({ error: 'not_found', resource: 'share' });
  });

  it('is 410 once its resource or its project was deleted [D2.gone]', async () => {
    const { markdown_url } = await shareTask();
    await service.rest.delete(`/tasks/${task}`);
    expect(await statusOf(markdown_url)).to.equal(410);
    const other = (await service.rest.post(`/projects/${project}/tasks`, { label: 'Sow' })).body.id as string;
    const link = (await service.rest.post(`/tasks/${other}/share`, {})).body as Link;
    await service.rest.delete(`/projects/${project}`);
    expect(await statusOf(link.markdown_url)).to.equal(410);
  });

  it('that was never created is 404 [S.errors.share-unknown, S.state.share]', async () => {
    const { markdown_url } = await shareTask();
    for (const url of [markdown_url.replace(/.\.md$/, '~.md'), `${service.url}/api/v1/share/x.md`]) {
      expect(await statusOf(url), url).to.equal(404);
      expect(await errorOf(url)).to.equal('not_found');
    }
    expect(await statusOf(`${service.url}/api/v1/share/${'x'.repeat(5000)}.md`)).to.equal(404);
  });

  it('survives a restart of the service, which stores no token [D8.token]', async () => {
    const { markdown_url } = await shareTask({}, { 'Idempotency-Key': 'a-key-of-the-caller' });
    const token = /share\/(.+)\.md$/.exec(markdown_url)![1]!;
    const [code, secret] = [token.slice(0, 6), token.slice(6)];
    expect(code).to.match(/^[0-9a-z]{6}$/);
    expect(Buffer.from(secret, 'base64url')).to.have.length(32);
    const kept = (): string[] =>
      readdirSync(service.root, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile() && readFileSync(join(one.parentPath, one.name)).includes(token))
        .map(({ name }) => name);
    expect(kept()).to.deep.equal([]);
    await service.restart();
    expect(await statusOf(`${service.url}/api/v1/share/${token}.md`)).to.equal(200);
    expect(kept()).to.deep.equal([]);
  });

  it('is returned again to a retry with the same key, and to no other call [D8.token, D1.idempotency, D1.idempotency-restart]', async () => {
    const first = await shareTask({}, { 'Idempotency-Key': 'a-key-of-the-caller' });
    await service.restart();
    const second = await shareTask({}, { 'Idempotency-Key': 'a-key-of-the-caller' });
    expect(second).to.deep.equal(first);
    expect(JSON.stringify(await shares())).not.to.include(/s\/(.+)$/.exec(first.url)![1]);
    expect(await shares()).to.have.length(1);
  });

  it('is listed with its resource and state [D8.shares, D1.expiry-tag]', async () => {
    const link = await shareTask();
    const { body, headers } = await service.rest.get(`/projects/${project}/shares`);
    const [share] = body.shares;
    expect(share).to.deep.include({
      ...{ id: link.id, project_id: project, kind: 'resource', target_type: 'task', target_id: task, title: 'Dig' },
      ...{ audience_name: null, state: 'live', expires_at: link.expires_at, revoked_at: null },
    });
    const again = { 'If-None-Match': headers.get('etag')! };
    expect((await service.rest.get(`/projects/${project}/shares`, again)).status).to.equal(304);
    aheadMs = 25 * hourMs;
    expect((await service.rest.get(`/projects/${project}/shares`, again)).status).to.equal(200);
  });

  it('is listed page by page [D1.limit]', async () => {
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.push((await shareTask()).id);
    const first = (await service.rest.get(`/projects/${project}/shares?limit=2`)).body;
    const second = (await service.rest.get(`/projects/${project}/shares?limit=2&cursor=${first.next_cursor}`)).body;
    expect([...first.shares, ...second.shares].map(({ id }: Link) => id)).to.deep.equal(ids);
    expect(second).not.to.have.property('next_cursor');
  });

  it('gives access to nothing else, on any route [S.auth.3, D8.files]', async () => {
    const { markdown_url } = await shareTask();
    const token = /share\/(.+)\.md$/.exec(markdown_url)![1]!;
    const asKey = { Authorization: `Bearer ${token}` };
    expect((await service.rest.get('/projects', asKey)).status).to.equal(401);
    expect((await service.rest.get(`/participate/${token}`)).status).to.equal(404);
    const submitted = await service.rest.post(`/participate/${token}/submissions`, {
      participant_name: 'G',
      title: 'x',
    });
    expect(submitted.status).to.equal(404);
    expect((await service.rest.get(`/share/${token}.md?project_id=${project}`)).body.error).to.equal(
      'invalid_argument',
    );
    expect((await service.rest.post(`/share/${token}.md`, {})).status).to.equal(405);
    expect((await fetch(markdown_url, { headers: { Authorization: 'Bearer unknown' } })).status).to.equal(401);
  });
});

describe('Shared Markdown', () => {
  let service: TestService;
  let project: string;

  before(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  after(() => service.stop());

  const make = async (path: string, body: object): Promise<string> =>
    (await service.rest.post(`/projects/${project}/${path}`, body)).body.id as string;
  const read = async (path: string): Promise<Response> =>
    fetch(((await service.rest.post(`${path}/share`, {})).body as Link).markdown_url);

  it('is an instruction, the label, the status, the body and each linked document [D8.markdown, S.rule.10, S.share-route.1, S.share-route.2, S.share-route.3, S.rest.GET /share/:token.md]', async () => {
    const task = await make('tasks', {
      label: 'Dig\tthe *pond*',
      description: 'Two metres.\n\n- deep',
      status: 'in_progress',
    });
    await make('documents', { title: 'Soil', body: 'Clay.', link_to: task });
    const plan = await make('documents', { title: 'Plan', body: 'Round.' });
    const far = await make('documents', { title: 'Far away', body: 'Two steps.', link_to: plan });
    expect(far).to.match(/^doc_/);
    await service.rest.post(`/projects/${project}/edges`, {
      ...{ from_type: 'task', from_id: task, to_type: 'document', to_id: plan },
    });
    const text = await (await read(`/tasks/${task}`)).text();
    const [instruction, ...rest] = text.split('\n');
    expect(instruction).to.match(/^> .*one task.*Fetch every embedded image/);
    expect(rest.join('\n')).to.equal(
      '\n# Dig the *pond*\n\nStatus: in_progress\n\nTwo metres.\n\n- deep\n\n' +
        '## Linked document: Plan\n\nRound.\n\n## Linked document: Soil\n\nClay.\n',
    );
  });

  it('of a document has its status line and the documents linked in either direction [D8.markdown]', async () => {
    const body = 'First.';
    const { id } = (await service.rest.post(`/projects/${project}/documents`, { title: 'A', body, status: 'Draft' }))
      .body;
    await make('documents', { title: 'B', body: 'Second.', link_to: id });
    await make('documents', { title: 'C', body: '', link_to: id });
    const text = await (await read(`/documents/${id}`)).text();
    const [own, ...linked] = text.split('\n\n## Linked document: ');
    expect(own).to.match(/\n\n# A\n\nStatus: Draft\n\nFirst\.$/);
    // Links of one millisecond are in the order of their derived ids.
    expect(linked.map((each) => each.trimEnd())).to.have.members(['B\n\nSecond.', 'C']);
  });

  it('is Markdown in UTF-8 that no cache stores [D8.no-store]', async () => {
    const { headers } = await read(`/tasks/${await make('tasks', { label: 'Dig' })}`);
    expect(headers.get('content-type')).to.equal('text/markdown; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('etag')).to.match(/^"[^".]+\.[^".]+"$/);
  });

  it('changes its tag with its content, and with nothing else [D1.etag, A.hostile.guests-count]', async () => {
    const task = await make('tasks', { label: 'Dig' });
    const document = await make('documents', { title: 'Soil', body: 'Clay.', link_to: task });
    const { markdown_url } = (await service.rest.post(`/tasks/${task}/share`, {})).body as Link;
    const { headers } = await fetch(markdown_url);
    expect(headers.get('x-planner-cursor')).to.equal(null);
    const etag = headers.get('etag')!;
    const again = async (): Promise<number> =>
      (await fetch(markdown_url, { headers: { 'If-None-Match': etag } })).status;
    expect(await again()).to.equal(304);
    await service.rest.patch(`/tasks/${task}`, { priority: 'high', assignee: 'Ada' });
    await service.rest.patch(`/documents/${document}`, { status: 'Draft' });
    expect(await again()).to.equal(304);
    await service.rest.patch(`/documents/${document}`, { body: 'Sand.' });
    expect(await again()).to.equal(200);
  });

  it('has every relative URL absolute, also in linked documents [D8.absolute, S.share-route.4]', async () => {
    const task = await make('tasks', { label: 'Dig', description: '![a](/x.png) [b](y.md) [c](#z) `[d](/d)`' });
    await make('documents', {
      title: 'Soil',
      body: '<img src="/s.png" srcset="t.png 2x">\n\n[r]\n\n[r]: /r',
      link_to: task,
    });
    const response = await read(`/tasks/${task}`);
    const text = await response.text();
    const { url } = service;
    expect(text).to.include(`![a](${url}/x.png) [b](${url}/y.md) [c](${response.url}#z) \`[d](/d)\``);
    expect(text).to.include(`<img src="${url}/s.png" srcset="${url}/t.png 2x">\n\n[r]\n\n[r]: ${url}/r`);
  });

  it('isolates its texts: open constructs and definitions of one do not affect the next [D8.markdown]', async () => {
    const task = await make('tasks', {
      label: 'Dig',
      description: '[a][1] and [1]\n\n[1]: https://one.example\n\n```\nopen',
    });
    await make('documents', { title: 'Soil', body: '[b][1], ![1][], [1]\n\n[1]: https://two.example', link_to: task });
    const text = await (await read(`/tasks/${task}`)).text();
    expect(text).to.include('[1]: https://one.example\n\n```\nopen\n```\n\n## Linked document: Soil');
    expect(text).to.include('[b][1-2], ![1][1-2], [1][1-2]\n\n[1-2]: https://two.example');
  });

  it('of a prototype has its screens as fenced HTML, the fence longer than any inside [D8.markdown]', async () => {
    const id = await prototype(service, project, {
      Start: '<a href="planner://artifact/End">on</a><img src="/logo.png">',
      End: '<pre>````md</pre>\n',
    });
    const text = await (await read(`/prototypes/${id}`)).text();
    expect(text).to.include('# Checkout\n\nViewport: 390 × 844 CSS pixels\n\n## Screen: ');
    expect(text).to.include(
      `## Screen: Start\n\n\`\`\`html\n<a href="planner://artifact/End">on</a><img src="${service.url}/logo.png">\n\`\`\`\n`,
    );
    expect(text).to.include('## Screen: End\n\n`````html\n<pre>````md</pre>\n`````\n');
  });

  it('references its embedded files by its own token, which serves them and no others [D8.files]', async () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    const image = await file(service, project, 'plän.png', 'image/png', png);
    const page = await file(service, project, 'page.html', 'text/html', Buffer.from('<script>alert(1)</script>'));
    const other = await file(service, project, 'other.png', 'image/png', Buffer.from('other'));
    const description = `![a](/api/v1/files/${image}) [b](/api/v1/files/${page}) \`/api/v1/files/${other}\``;
    const task = await make('tasks', { label: 'Dig', description });
    const { markdown_url } = (await service.rest.post(`/tasks/${task}/share`, {})).body as Link;
    const below = `${markdown_url.replace(/\.md$/, '')}/files`;
    const text = await (await fetch(markdown_url)).text();
    expect(text).to.include(`![a](${below}/${image}) [b](${below}/${page}) \`/api/v1/files/${other}\``);

    const shown = await fetch(`${below}/${image}`);
    expect(Buffer.from(await shown.arrayBuffer())).to.deep.equal(png);
    expect(shown.headers.get('content-type')).to.equal('image/png');
    expect(shown.headers.get('content-disposition')).to.equal(
      `inline; filename="pl_n.png"; filename*=UTF-8''pl%C3%A4n.png`,
    );
    expect(shown.headers.get('x-content-type-options')).to.equal('nosniff');
    const again = await fetch(`${below}/${image}`, { headers: { 'If-None-Match': shown.headers.get('etag')! } });
    expect(again.status).to.equal(304);
    const kept = await fetch(`${below}/${page}`);
    expect(kept.headers.get('content-disposition')).to.equal('attachment; filename="page.html"');
    expect(kept.headers.get('content-security-policy')).to.match(/^sandbox; default-src 'none'/);
    await kept.body?.cancel();

    for (const id of [other, task, 'fil_none']) expect((await fetch(`${below}/${id}`)).status, id).to.equal(404);
    expect((await fetch(below.replace(/share\/.+\/files/, `share/unknown/files/${image}`))).status).to.equal(404);
    const { shares } = (await service.rest.get(`/projects/${project}/shares`)).body;
    for (const { id } of shares as Link[]) await service.rest.delete(`/shares/${id}`);
    expect((await fetch(`${below}/${image}`)).status).to.equal(410);
  });
});
