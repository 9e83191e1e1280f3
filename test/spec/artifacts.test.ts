import { guardedPage } from '../../src/domain/text/guarded-page.ts';
import { expect } from 'chai';
import { type Transport, overBoth, restTransport } from '../support/both.ts';
import { nastyTexts } from '../support/nasty-texts.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { TestService } from '../support/service.ts';

const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function made(transport: Transport, project_id: string, fields: Record<string, unknown> = {}): Promise<string> {
  return (await transport.call('create_artifact', { project_id, title: 'Report', ...fields })).id as string;
}

describe('Artifacts', () => {
  overBoth(
    'have a title, a kind and a content, kept as it was written [D6.artifact, S.mcp.create_artifact, S.mcp.get_artifact]',
    async (transport) => {
      const project_id = await transport.service.project();
      const artifact = await transport.call('create_artifact', { project_id, title: 'Report' });
      expect(artifact).to.include({ project_id, title: 'Report', kind: 'markdown', prototype_id: null });
      expect(artifact.id).to.match(/^art_[0-9a-z]{16}$/);
      for (const content of ['<!doctype html>\r\n<p>Hi</p>\n\n', '--> <!-- planner {"id": "art_1"} -->\n', '']) {
        const artifact_id = await made(transport, project_id, { kind: 'html', content });
        const read = await transport.call('get_artifact', { artifact_id });
        expect(read).to.have.all.keys(
          ...['id', 'project_id', 'title', 'kind', 'content', 'prototype_id', 'links', 'backlinks'],
          ...['created_at', 'updated_at'],
        );
        expect(read).to.include({ kind: 'html', content });
      }
      for (const [input, field] of [
        [{}, 'title'],
        [{ title: ' ' }, 'title'],
        [{ title: 'x'.repeat(501) }, 'title'],
        [{ title: 'x', kind: 'pdf' }, 'kind'],
        [{ title: 'x', content: 7 }, 'content'],
        [{ title: 'x', content: 'x'.repeat(2 * 1024 * 1024 + 1) }, 'content'],
        [{ title: 'x', prototype_id: 'pro_none', kind: 'html' }, 'prototype_id'],
        [{ title: 'x', body: '' }, 'body'],
      ] as const) {
        const refused = await transport.refusal('create_artifact', { project_id, ...input });
        expect(refused, field).to.include({ error: 'invalid_argument', field });
      }
      expect((await transport.call('list_artifacts', { project_id })).artifacts).to.have.length(4);
    },
  );

  overBoth(
    'are revised under their id: comments stay, every revision can be read [S.mcp.update_artifact, S.artifact.loop, D7.versioned-others]',
    async (transport) => {
      const project_id = await transport.service.project();
      const artifact_id = await made(transport, project_id, { content: 'one' });
      await transport.call('add_artifact_comment', { project_id, artifact_id, body: 'Say two.' });
      const { comments } = await transport.call('list_artifact_comments', { project_id, artifact_id });
      expect(comments).to.have.length(1);
      await transport.call('update_artifact', { artifact_id, content: 'two', title: 'Better' });
      expect(await transport.call('get_artifact', { artifact_id })).to.include({ title: 'Better', content: 'two' });
      expect((await transport.call('list_artifact_comments', { project_id, artifact_id })).comments).to.have.length(1);
      await transport.call('update_artifact', { artifact_id, kind: 'html' });
      expect(await transport.call('get_artifact', { artifact_id })).to.include({ kind: 'html', content: 'two' });
      const { revisions } = await transport.call('list_revisions', {
        project_id,
        target_type: 'artifact',
        target_id: artifact_id,
      });
      expect(revisions.map(({ changed_fields: fields }: { changed_fields: string[] }) => fields.sort())).to.deep.equal([
        ['kind'],
        ['content', 'title'],
      ]);
      const first = await transport.call('get_revision', { revision_id: revisions[1].id });
      expect(first.snapshot).to.include({ title: 'Report', content: 'one' });
      expect(await transport.refusal('update_artifact', { artifact_id: 'art_none', title: 'x' })).to.include({
        error: 'not_found',
        resource: 'artifact',
      });
      const wrong = transport.name === 'REST' ? null : 5;
      expect(await transport.refusal('update_artifact', { artifact_id, title: wrong })).to.include({ field: 'title' });
    },
  );

  overBoth(
    'are listed as id, title, kind and updated_at, oldest first [S.mcp.list_artifacts, D2.mcp-rows]',
    async (transport) => {
      const project_id = await transport.service.project();
      const ids = [];
      for (const title of ['A', 'B', 'C']) ids.push(await made(transport, project_id, { title, content: 'x' }));
      const { artifacts } = await transport.call('list_artifacts', { project_id });
      expect(artifacts.map(({ id }: { id: string }) => id)).to.deep.equal(ids);
      expect(artifacts[0]).to.have.all.keys('id', 'title', 'kind', 'updated_at');
      const page = await transport.call('list_artifacts', { project_id, limit: 2 });
      const rest = await transport.call('list_artifacts', { project_id, cursor: page.next_cursor });
      expect([...page.artifacts, ...rest.artifacts]).to.deep.equal(artifacts);
    },
  );

  overBoth('are joined to tasks and documents by edges, seen from both ends [D5.other-types]', async (transport) => {
    const project_id = await transport.service.project();
    const artifact_id = await made(transport, project_id);
    const task = await transport.call('create_task', { project_id, label: 'Plant' });
    const prototype = await transport.call('create_prototype', { project_id, name: 'Flow' });
    const edge = await transport.call('create_edge', {
      project_id,
      from_type: 'artifact',
      from_id: artifact_id,
      to_type: 'task',
      to_id: task.id,
      label: 'shows',
    });
    await transport.call('create_edge', {
      project_id,
      from_type: 'task',
      from_id: task.id,
      to_type: 'prototype',
      to_id: prototype.id,
    });
    const { links } = await transport.call('get_artifact', { artifact_id });
    expect(links).to.deep.equal([{ type: 'task', id: task.id, title: 'Plant', label: 'shows', edge_id: edge.edge_id }]);
    expect((await transport.call('get_prototype', { prototype_id: prototype.id })).backlinks[0]).to.include({
      type: 'task',
      title: 'Plant',
    });
    expect((await transport.call('list_edges', { project_id })).edges).to.have.length(2);
    const wrong = { project_id, from_type: 'document', from_id: artifact_id, to_type: 'task', to_id: task.id };
    expect(await transport.refusal('create_edge', wrong)).to.include({ error: 'invalid_argument', field: 'from_type' });
    await transport.call('delete_edge', { project_id, edge_id: edge.edge_id });
    expect((await transport.call('get_artifact', { artifact_id })).links).to.deep.equal([]);
  });
});

describe('Artifacts over REST', () => {
  let service: TestService;
  let project_id: string;
  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
  });
  afterEach(() => service.stop());

  const post = async (fields: Record<string, unknown>): Promise<string> =>
    (await service.rest.post(`/projects/${project_id}/artifacts`, { title: 'Page', kind: 'html', ...fields })).body
      .id as string;
  const render = (id: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.url}/api/v1/artifacts/${id}/render`, { headers });

  it('are created, read, changed and deleted, and a deletion can be restored with its comments [S.rest.POST /projects/:id/artifacts, S.rest.GET /artifacts/:id, S.rest.PATCH /artifacts/:id, S.rest.GET /projects/:id/artifacts, D6.artifact, D3.delete-restore]', async () => {
    const made = await service.rest.post(`/projects/${project_id}/artifacts`, { title: 'T', content: '# Hi' });
    expect(made.status).to.equal(201);
    const { id } = made.body;
    expect(made.body.content).to.equal('# Hi');
    expect((await service.rest.patch(`/artifacts/${id}`, { content: '# Ho' })).body.content).to.equal('# Ho');
    await service.rest.post(`/projects/${project_id}/artifact-comments`, { artifact_id: id, body: 'Good.' });
    const task = await service.rest.post(`/projects/${project_id}/tasks`, { label: 'Plant' });
    await service.rest.post(`/projects/${project_id}/edges`, {
      from_type: 'task',
      from_id: task.body.id,
      to_type: 'artifact',
      to_id: id,
    });
    expect((await service.rest.delete(`/artifacts/${id}`)).status).to.equal(204);
    expect((await service.rest.get(`/artifacts/${id}`)).status).to.equal(404);
    expect((await service.rest.get(`/projects/${project_id}/comments`)).body.comments).to.deep.equal([]);
    expect((await service.rest.get(`/projects/${project_id}/edges`)).body.edges).to.deep.equal([]);
    const { revisions } = (
      await service.rest.get(`/projects/${project_id}/revisions?target_type=artifact&target_id=${id}`)
    ).body;
    await service.rest.post(`/revisions/${revisions[0].id}/restore`);
    const back = (await service.rest.get(`/artifacts/${id}`)).body;
    expect(back).to.include({ title: 'T', content: '# Ho' });
    expect(back.backlinks).to.have.length(1);
    expect((await service.rest.get(`/projects/${project_id}/comments`)).body.comments).to.have.length(1);
  });

  it('return 304 if unchanged, and only changes since a tag [D1.etag]', async () => {
    const id = await post({ content: 'x' });
    for (const path of [`/artifacts/${id}`, `/artifacts/${id}/render`, `/projects/${project_id}/artifacts`]) {
      const { headers } = await service.rest.get(path);
      const again = await service.rest.get(path, { 'If-None-Match': headers.get('etag')! });
      expect(again.status, path).to.equal(304);
    }
    const tag = (await service.rest.get(`/projects/${project_id}/artifacts`)).headers.get('etag')!;
    const other = await post({ title: 'Other' });
    const since = await service.rest.get(`/projects/${project_id}/artifacts?since=${encodeURIComponent(tag)}`);
    expect(since.body.artifacts.map((row: { id: string }) => row.id)).to.deep.equal([other]);
    const stale = await service.rest.send('PATCH', `/artifacts/${id}`, { title: 'y' }, { 'If-Match': '"x.y"' });
    expect(stale.status).to.equal(412);
  });

  it("are rendered in a sandbox without the service's origin, network or forms [D6.render, A.trust.html]", async () => {
    const content = '<!doctype html>\n<script>document.title = 1</script>\n<form action="/x">';
    const id = await post({ content });
    const page = await render(id);
    expect(page.status).to.equal(200);
    expect(await page.text()).to.equal(guardedPage(content));
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('x-content-type-options')).to.equal('nosniff');
    const policy = page.headers.get('content-security-policy')!.split('; ');
    expect(policy).to.include.members([
      'sandbox allow-scripts',
      "default-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ]);
    expect(policy.join()).to.not.match(/allow-same-origin|https?:|\*|connect-src/);
  });

  it('keep their sandbox when they are requested again [D6.render, A.trust.html]', async () => {
    const id = await post({ content: '<p>a</p>' });
    const first = await render(id);
    const again = await render(id, { 'If-None-Match': first.headers.get('etag')! });
    // Headers of a 304 would replace the headers of the first response.
    expect([again.status, again.headers.get('content-security-policy')]).to.deep.equal([304, null]);
    expect(first.headers.get('content-security-policy')).to.match(/^sandbox allow-scripts;/);
  });

  it('communicate with the page that frames them on request, and with no other [D6.render]', async () => {
    const second = await post({ title: 'Second' });
    const id = await post({ content: `<a href="planner://artifact/${second}">on</a>` });
    const embedded = await (await fetch(`${service.url}/api/v1/artifacts/${id}/render?embed=true`)).text();
    const plain = await (await render(id)).text();
    expect(embedded.startsWith(plain)).to.equal(true);
    expect(embedded.slice(plain.length))
      .to.match(/^<script>[^]*<\/script>$/)
      .and.to.include(`("${id}")`);
    expect(plain).to.equal(guardedPage(`<a href="/api/v1/artifacts/${second}/render">on</a>`));
  });

  it('of Markdown are rendered and sanitised [D6.render, A.trust.html]', async () => {
    const content =
      '# Hi <script>alert(1)</script>\n\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>\n\n| a |\n|---|\n| 1 |\n';
    const id = await post({ kind: 'markdown', title: '</title><script>', content });
    const page = await (await render(id)).text();
    expect(page).to.contain('<h1>Hi').and.to.contain('<td>1</td>').and.to.contain('&lt;/title&gt;');
    expect(page).to.not.match(/<script|javascript:|onerror/);
    const long = await post({ kind: 'markdown', content: `${'*a '.repeat(300_000)}` });
    expect((await render(long)).status).to.equal(200);
  });

  it('link to each other by id or title, and inline the images of the project [D6.screen-links, D6.render]', async () => {
    const upload = await service.rest.post(`/projects/${project_id}/files`, {
      filename: 'a.png',
      mime: 'image/png',
      content_base64: dot.toString('base64'),
    });
    const text = await service.rest.post(`/projects/${project_id}/files`, {
      filename: 'a.txt',
      mime: 'text/plain',
      content_base64: 'QQ==',
    });
    const second = await post({ title: 'Sign in & up' });
    const id = await post({
      content:
        `<a href="planner://artifact/${second}#top">1</a> <a href='planner://artifact/Sign%20in%20%26%20up'>2</a> ` +
        `<a href=planner://artifact/none>3</a> <img src="${upload.body.url}"> <img src="${service.url}${upload.body.url}" srcset="${upload.body.url} 2x"> ` +
        `<img src="${text.body.url}"> <a href="https://example.org/a">4</a>`,
    });
    const page = await (await render(id)).text();
    const data = `data:image/png;base64,${dot.toString('base64')}`;
    expect(page).to.equal(
      guardedPage(
        `<a href="/api/v1/artifacts/${second}/render#top">1</a> <a href='/api/v1/artifacts/${second}/render'>2</a> ` +
          `<a href=planner://artifact/none>3</a> <img src="${data}"> <img src="${data}" srcset="${data} 2x"> ` +
          `<img src="${text.body.url}"> <a href="https://example.org/a">4</a>`,
      ),
    );
    const markdown = await post({
      kind: 'markdown',
      content: `[go](planner://artifact/${second}) ![x](${upload.body.url})`,
    });
    expect(await (await render(markdown)).text())
      .to.contain(`href="/api/v1/artifacts/${second}/render"`)
      .and.to.contain(data);
  });

  it('are readable files, each in the format of its kind, byte for byte [A.format.html, A.format.body]', async () => {
    const files = new PlanFiles(service);
    const kept = new Map<string, string>();
    for (const [at, text] of nastyTexts.filter((one) => one.isWellFormed()).entries()) {
      const title = `Page ${at}`;
      const id = await post({ title, content: text });
      kept.set(id, text);
      const other = await post({ title, content: text, kind: 'markdown' });
      kept.set(other, text);
    }
    const [first] = [...kept.keys()];
    await service.store.flush();
    expect(files.paths().find((path) => path.includes(first!))).to.match(/^artifacts\/page-0\..*\.html$/);
    await service.restart();
    for (const [id, content] of kept) {
      const read = (await service.rest.get(`/artifacts/${id}`)).body;
      expect(read.content).to.equal(content);
    }
    expect((await service.rest.get(`/projects/${project_id}/problems`)).body.problems).to.deep.equal([]);
  });

  it('reject content over their limit, also in a file, over any transport [D2.payload_too_large]', async () => {
    const transport = restTransport(service);
    expect(
      await transport.refusal('create_artifact', { project_id, title: 'x', content: 'é'.repeat(1024 * 1024 + 1) }),
    ).to.include({ field: 'content' });
  });
});
