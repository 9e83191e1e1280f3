import { expect } from 'chai';
import { catalogue } from '../../src/operations/catalogue.ts';
import { type Transport, mcpTransport, overBoth, restTransport } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { TestService } from '../support/service.ts';

interface Comment {
  readonly id: string;
  readonly body: string;
  readonly [field: string]: unknown;
}

type TargetType = 'document' | 'task' | 'note' | 'submission';

const fields = [
  ...['id', 'project_id', 'target_type', 'target_id', 'body', 'source', 'passage', 'anchor', 'author', 'resolved'],
  ...['created_at', 'updated_at'],
];

/** One target of each kind, by id. */
async function targets(service: TestService, project_id: string): Promise<Record<TargetType, string>> {
  const rest = restTransport(service);
  const id = async (operation: string, input: object): Promise<string> =>
    (await rest.call(operation, { project_id, ...input })).id as string;
  return {
    document: await id('create_document', { title: 'Soil', body: 'x' }),
    task: await id('create_task', { label: 'Dig' }),
    note: await id('create_note', { title: 'Frost' }),
    submission: await id('create_submission', { participant_name: 'Bo', title: 'Plums', body: '' }),
  };
}

const bodies = (comments: readonly Comment[]): string[] => comments.map(({ body }) => body);

describe('Comments', () => {
  overBoth(
    'are about a document, task, note, submission or file, optionally about a passage [S.comment.targets, D7.comment, S.mcp.add_comment]',
    async (transport) => {
      const project_id = await transport.service.project();
      const all = { ...(await targets(transport.service, project_id)), artifact: 'docs/plan.pdf' };
      for (const [target_type, target_id] of Object.entries(all)) {
        const input = { project_id, target_type, target_id, body: 'Why *this*?' };
        const comment = await transport.call('add_comment', { ...input, passage: 'the "first" bed' });
        expect(comment).to.have.all.keys(...fields);
        expect(comment).to.include({ project_id, target_type, target_id, passage: 'the "first" bed', anchor: null });
        expect(comment).to.include({ body: '<p>Why <em>this</em>?</p>', resolved: false });
        expect(comment.author).to.equal(transport.name === 'REST' ? 'human:Ada' : 'agent:tester');
        expect(comment.id).to.match(/^cmt_[0-9a-z]{16}$/);
        expect(await transport.call('add_comment', input)).to.include({ passage: null });
        expect((await transport.call('list_comments', { project_id, target_type, target_id })).comments).to.have.length(
          2,
        );
      }
      expect((await transport.call('list_comments', { project_id })).comments).to.have.length(10);
      expect((await transport.call('list_comments', { project_id, target_type: 'note' })).comments).to.have.length(2);
      expect(await transport.refusal('list_comments', { project_id, target_id: all.task })).to.include({
        error: 'invalid_argument',
        field: 'target_type',
      });
    },
  );

  overBoth(
    'are rejected if nothing could be shown or their target does not exist [D1.blank-comment]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { task, note } = await targets(transport.service, project_id);
      const input = { project_id, target_type: 'task', target_id: task, body: 'x' };
      for (const body of [
        '',
        ' \n',
        '<p></p>',
        '<script>x</script>',
        '<p>&nbsp;<br></p>',
        '\u200b',
        'x'.repeat(2_097_153),
      ])
        expect(await transport.refusal('add_comment', { ...input, body }), body.slice(0, 20)).to.include({
          error: 'invalid_argument',
          field: 'body',
        });
      await transport.call('add_comment', input);
      for (const [wrong, error] of [
        [{ target_id: 'tsk_none' }, { error: 'not_found', resource: 'task', id: 'tsk_none' }],
        [{ target_id: note }, { error: 'not_found', resource: 'task', id: note }],
        [{ target_type: 'goal' }, { error: 'invalid_argument', field: 'target_type' }],
        [
          { target_type: 'artifact', target_id: '' },
          { error: 'invalid_argument', field: 'target_id' },
        ],
        [{ passage: 7 }, { error: 'invalid_argument', field: 'passage' }],
        [{ passage: 'x'.repeat(10_001) }, { error: 'invalid_argument', field: 'passage' }],
        [{ author: 'human:Eve' }, { error: 'invalid_argument', field: 'author' }],
      ] as const)
        expect(await transport.refusal('add_comment', { ...input, ...wrong }), JSON.stringify(error)).to.include(error);
      const whole = await transport.call('add_comment', { ...input, body: 'x'.repeat(2_097_152) });
      const rest = (await transport.service.rest.get(`/comments/${whole.id}`)).body;
      expect(rest.body).to.equal(`<pre>${'x'.repeat(2_097_152)}</pre>`);
      expect((await transport.call('get_project', { project_id })).summary).to.include({ open_comments: 2 });
    },
  );

  overBoth('are sanitised when they are written [D7.comment-html]', async (transport) => {
    const project_id = await transport.service.project();
    const { task: target_id } = await targets(transport.service, project_id);
    const body = '<p onclick="x()">See <b>this</b><script>x()</script> <a href="javascript:x()">or</a></p>';
    const input = { project_id, target_type: 'task', target_id };
    const { body: shown } = await transport.call('add_comment', { ...input, body });
    expect(shown).to.equal('<p>See <b>this</b> <a>or</a></p>');
    expect((await transport.call('list_comments', { project_id })).comments[0].body).to.equal(shown);
    const image = '![plan](/api/v1/files/fil_1) for [the task](planner://task/tsk_1)';
    expect(await transport.call('add_comment', { ...input, body: image })).to.include({
      body: '<p><img src="/api/v1/files/fil_1" alt="plan" /> for <a href="planner://task/tsk_1">the task</a></p>',
    });
  });

  overBoth(
    'keep the sent text in addition to the HTML, also in an export [D7.comment-source, D7.comment-text]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { task: target_id } = await targets(transport.service, project_id);
      const source = 'Vec<String> and <script>x()</script>';
      const made = await transport.call('add_comment', { project_id, target_type: 'task', target_id, body: source });
      expect(made).to.include({ body: '<p>Vec&lt;String&gt; and </p>', source });
      const { rest } = transport.service;
      const { body: document } = await rest.get(`/projects/${project_id}/export`);
      expect(document.comments[0]).to.include({ body: made.body, source });
      const { body: copy } = await rest.post('/projects/import', document);
      expect((await rest.get(`/projects/${copy.id}/comments`)).body.comments[0]).to.include({
        body: made.body,
        source,
      });
      const path = `/comments/${made.id}`;
      expect((await rest.patch(path, { resolved: true })).body).to.include({ body: made.body, source });
      expect((await rest.patch(path, { body: made.body })).body).to.include({ body: made.body, source });
      const html = '<p>b</p>';
      expect((await rest.patch(path, { body: html })).body).to.include({ body: html, source: html });
      expect((await rest.patch(path, { body: '<p>b<i></p>' })).body).to.include({ source: '<p>b<i></p>' });
    },
  );

  overBoth(
    'are listed oldest first and leave the lists when they are resolved [D7.comment-resolved, S.mcp.list_comments, S.mcp.resolve_comment]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { task: target_id } = await targets(transport.service, project_id);
      const of = { project_id, target_type: 'task', target_id };
      const made = [];
      for (const body of ['<p>a</p>', '<p>b</p>', '<p>c</p>'])
        made.push(await transport.call('add_comment', { ...of, body }));
      const listed = async (input: object): Promise<Comment[]> =>
        (await transport.call('list_comments', { project_id, ...input })).comments as Comment[];
      expect(bodies(await listed(of))).to.deep.equal(['<p>a</p>', '<p>b</p>', '<p>c</p>']);
      const resolved = await transport.call('resolve_comment', { comment_id: made[1].id });
      expect(resolved).to.include({ id: made[1].id, resolved: true, body: '<p>b</p>' });
      expect(await transport.call('resolve_comment', { comment_id: made[1].id })).to.include({ resolved: true });
      for (const input of [of, {}]) {
        expect(bodies(await listed(input))).to.deep.equal(['<p>a</p>', '<p>c</p>']);
        const all = await listed({ ...input, include_resolved: true });
        expect(bodies(all)).to.deep.equal(['<p>a</p>', '<p>b</p>', '<p>c</p>']);
        expect(all[1]).to.include({ resolved: true });
      }
      const first = await transport.call('list_comments', { ...of, limit: 1 });
      const next = await transport.call('list_comments', { ...of, limit: 1, cursor: first.next_cursor });
      expect(bodies([...first.comments, ...next.comments])).to.deep.equal(['<p>a</p>', '<p>c</p>']);
      expect(next.next_cursor).to.equal(undefined);
      expect(await transport.refusal('resolve_comment', { comment_id: 'cmt_none' })).to.include({
        error: 'not_found',
        resource: 'comment',
        id: 'cmt_none',
      });
    },
  );

  overBoth(
    'annotate any file of the project, anchored by a selector [S.comment.artifact, D7.artifact_id, S.mcp.add_artifact_comment, S.mcp.list_artifact_comments]',
    async (transport) => {
      const project_id = await transport.service.project();
      const anchor = { type: 'TextQuoteSelector', exact: 'beds', prefix: 'the ', refinedBy: { type: 'x', start: 1 } };
      for (const artifact_id of ['docs/plan.pdf', '/a b/ü?#%.html', 'art_none', '..', 'x'.repeat(1000)]) {
        const about = { project_id, artifact_id };
        const comment = await transport.call('add_artifact_comment', {
          ...about,
          body: 'Wider',
          anchor,
          passage: 'beds',
        });
        expect(comment).to.deep.include({ target_type: 'artifact', target_id: artifact_id, anchor, passage: 'beds' });
        expect(await transport.call('add_artifact_comment', { ...about, body: 'x' })).to.include({ anchor: null });
        const { comments } = await transport.call('list_artifact_comments', about);
        expect(bodies(comments)).to.deep.equal(['<p>Wider</p>', '<p>x</p>']);
        expect(comments[0].anchor).to.deep.equal(anchor);
        await transport.call('resolve_comment', { comment_id: comment.id });
        expect((await transport.call('list_artifact_comments', about)).comments).to.have.length(1);
        const all = await transport.call('list_artifact_comments', { ...about, include_resolved: true });
        expect(all.comments).to.have.length(2);
      }
      await transport.service.store.flush();
      expect(transport.service.store.check()).to.deep.equal([]);
      const about = { project_id, artifact_id: 'a', body: 'x' };
      for (const [wrong, field] of [
        [{ artifact_id: '' }, 'artifact_id'],
        [{ artifact_id: 'x'.repeat(1001) }, 'artifact_id'],
        [{ anchor: 'x' }, 'anchor'],
        [{ anchor: { exact: 'x' } }, 'anchor.type'],
        [{ anchor: { type: 'TextQuoteSelector', exact: 'x'.repeat(16 * 1024) } }, 'anchor'],
      ] as const)
        expect(await transport.refusal('add_artifact_comment', { ...about, ...wrong }), field).to.include({
          error: 'invalid_argument',
          field,
        });
      expect((await transport.call('list_artifact_comments', { project_id, artifact_id: 'a' })).comments).to.deep.equal(
        [],
      );
    },
  );
});

describe('Comments, over REST and in files', () => {
  let service: TestService;
  let project_id: string;
  let rest: Transport;
  let ids: Record<TargetType, string>;
  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
    rest = restTransport(service);
    ids = await targets(service, project_id);
  });
  afterEach(() => service.stop());

  const add = async (target_type: string, target_id: string, body: string): Promise<Comment> =>
    (await rest.call('add_comment', { project_id, target_type, target_id, body })) as Comment;

  it('have a route for each kind of target [S.rest.POST /documents/:id/comments, S.rest.GET /documents/:id/comments, S.rest.POST /tasks/:id/comments, S.rest.GET /tasks/:id/comments, S.rest.POST /notes/:id/comments, S.rest.GET /notes/:id/comments, S.rest.POST /submissions/:id/comments, S.rest.GET /submissions/:id/comments]', async () => {
    for (const [type, id] of Object.entries(ids)) {
      const path = `/${type}s/${id}/comments`;
      const made = await service.rest.post(path, { body: 'Why?', passage: 'this' });
      expect(made.status, path).to.equal(201);
      expect(made.body).to.include({ target_type: type, target_id: id, body: '<p>Why?</p>', passage: 'this' });
      const listed = await service.rest.get(path);
      expect(listed.body.comments).to.deep.equal([made.body]);
      const etag = listed.headers.get('etag')!;
      expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(304);
      await service.rest.patch(`/comments/${made.body.id}`, { resolved: true });
      expect((await service.rest.get(path)).body.comments).to.deep.equal([]);
      expect((await service.rest.get(`${path}?include_resolved=true`)).body.comments).to.have.length(1);
      const since = await service.rest.get(`${path}?since=${encodeURIComponent(etag)}`);
      expect(since.body).to.deep.include({ comments: [], removed: [made.body.id] });
      const nowhere = `/${type}s/${id.slice(0, 4)}none/comments`;
      for (const answer of [await service.rest.get(nowhere), await service.rest.post(nowhere, { body: 'x' })])
        expect([answer.status, answer.body.resource]).to.deep.equal([404, type]);
      expect((await service.rest.post(path, { body: ' ' })).body).to.include({ field: 'body' });
    }
  });

  it('are listed across the project, and as annotations of a file [S.rest.GET /projects/:id/comments, S.rest.POST /projects/:id/artifact-comments, S.rest.GET /projects/:id/artifact-comments]', async () => {
    const path = `/projects/${project_id}`;
    for (const [type, id] of Object.entries(ids)) await add(type, id, type);
    const artifact_id = 'site/home page.html';
    const anchor = { type: 'CssSelector', value: '#main > p' };
    const made = await service.rest.post(`${path}/artifact-comments`, { artifact_id, body: 'Bigger', anchor });
    expect(made.status).to.equal(201);
    expect((await service.rest.get(`${path}/comments`)).body.comments).to.have.length(5);
    const query = `artifact_id=${encodeURIComponent(artifact_id)}`;
    const listed = await service.rest.get(`${path}/artifact-comments?${query}`);
    expect(listed.body.comments).to.deep.equal([made.body]);
    await service.rest.patch(`/comments/${made.body.id}`, { resolved: true });
    expect((await service.rest.get(`${path}/artifact-comments?${query}`)).body.comments).to.deep.equal([]);
    const all = await service.rest.get(`${path}/artifact-comments?${query}&include_resolved=true`);
    expect(all.body.comments).to.have.length(1);
    expect((await service.rest.get(`${path}/artifact-comments`)).body).to.include({ field: 'artifact_id' });
  });

  it('are edited, resolved, reopened and deleted [S.rest.PATCH /comments/:id, S.rest.DELETE /comments/:id]', async () => {
    const comment = await add('task', ids.task, '<p>a</p>');
    const path = `/comments/${comment.id}`;
    const got = await service.rest.get(path);
    expect(got.body).to.deep.equal(comment);
    const etag = got.headers.get('etag')!;
    const edited = await service.rest.patch(path, { body: '**b**' }, { 'If-Match': etag });
    expect(edited.body).to.include({ body: '<p><strong>b</strong></p>', resolved: false, author: 'human:Ada' });
    expect((await service.rest.patch(path, { resolved: true }, { 'If-Match': etag })).status).to.equal(412);
    expect((await service.rest.patch(path, { resolved: true })).body).to.include({ resolved: true });
    expect((await service.rest.patch(path, { resolved: false })).body).to.include({ resolved: false });
    for (const [body, field] of [
      [{ body: '<p></p>' }, 'body'],
      [{ resolved: 1 }, 'resolved'],
      [{ passage: 'x' }, 'passage'],
    ] as const)
      expect((await service.rest.patch(path, body)).body).to.include({ error: 'invalid_argument', field });
    const again = (await service.rest.get(path)).body as Comment;
    expect((await service.rest.patch(path, { body: again.body })).body).to.deep.equal(again);
    expect((await service.rest.delete(path)).status).to.equal(204);
    expect((await service.rest.get(path)).status).to.equal(404);
  });

  it('cannot be deleted by an agent, which resolves them [S.rule.6]', async () => {
    const { id } = await add('task', ids.task, 'a');
    const { tools } = await (await service.mcp()).sdk.listTools();
    const names = tools.map(({ name }) => name).filter((name) => name.includes('comment'));
    expect(names).to.deep.equal([
      ...['list_comments', 'add_comment', 'resolve_comment', 'list_artifact_comments', 'add_artifact_comment'],
    ]);
    expect(catalogue.find(({ name }) => name === 'delete_comment')).to.include({ peopleOnly: true });
    const agent = await service.mcp();
    const { comment } = await agent.get('resolve_comment', { comment_id: id });
    expect(comment).to.include({ id, resolved: true });
    expect((await service.rest.get(`/comments/${id}`)).status).to.equal(200);
  });

  it('find the project by their target if none is named', async () => {
    const agent = mcpTransport(service, await service.mcp());
    for (const [target_type, target_id] of Object.entries(ids)) {
      const comment = await agent.call('add_comment', { target_type, target_id, body: 'x' });
      expect(comment).to.include({ project_id, target_id });
      expect((await agent.call('list_comments', { target_type, target_id })).comments).to.have.length(1);
    }
    const unknown = { target_type: 'task', target_id: 'tsk_none' };
    expect(await agent.refusal('add_comment', { ...unknown, body: 'x' })).to.include({
      error: 'not_found',
      resource: 'task',
    });
    const file = { target_type: 'artifact', target_id: 'a.pdf' };
    expect(await agent.refusal('list_comments', file)).to.include({ field: 'project_id' });
    expect(await agent.refusal('list_comments')).to.include({ field: 'project_id' });
    await service.restart({ defaultProject: project_id });
    const bound = mcpTransport(service, await service.mcp());
    expect(await bound.call('add_comment', { ...file, body: 'x' })).to.include({ project_id, target_id: 'a.pdf' });
    expect(await bound.call('add_artifact_comment', { artifact_id: 'a.pdf', body: 'y' })).to.include({ project_id });
    expect((await bound.call('list_artifact_comments', { artifact_id: 'a.pdf' })).comments).to.have.length(2);
  });

  it('show an agent a long one in parts, each naming the next [D13.light-answers]', async () => {
    const body = `<p>${'long &amp; <b>bold</b> '.repeat(5000)}</p>`;
    const { id } = await add('task', ids.task, body);
    await add('task', ids.task, 'short');
    const client = await service.mcp();
    let read = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part = (await client.get('list_comments', { project_id, offset })) as {
        readonly comments: readonly { readonly id: string; readonly body: string }[];
        readonly next_cursor: string;
        readonly next_offset?: number;
      };
      expect(part.comments.map((comment) => comment.id)).to.deep.equal([id]);
      expect(JSON.stringify(part).length).to.be.below(40_000);
      read += part.comments[0]!.body;
      offset = part.next_offset;
      if (offset === undefined) {
        const { comments } = (await client.get('list_comments', {
          project_id,
          cursor: part.next_cursor,
        })) as typeof part;
        expect(comments).to.have.length(1);
        expect(comments[0]).to.include({ body: '<p>short</p>' });
      }
    }
    expect(read).to.equal(body);
  });

  it('are deleted and restored with their target [D3.delete-comments]', async () => {
    const kept = await add('note', ids.note, 'stays');
    for (const type of ['task', 'document', 'note'] as const) {
      const id = ids[type];
      if (type !== 'note') await add(type, id, 'first');
      const { id: second } = await add(type, id, 'second');
      await service.rest.patch(`/comments/${second}`, { resolved: true });
      const listed = async (): Promise<Comment[]> =>
        (await rest.call(`list_${type}_comments`, { [`${type}_id`]: id, include_resolved: true }))
          .comments as Comment[];
      const before = await listed();
      expect(before).to.have.length(2);
      expect((await service.rest.delete(`/${type}s/${id}`)).status).to.equal(204);
      for (const { id: gone } of before) expect((await service.rest.get(`/comments/${gone}`)).status).to.equal(404);
      const [deletion] = (await rest.call('list_revisions', { project_id, target_id: id })).revisions;
      const { snapshot } = await rest.call('get_revision', { revision_id: deletion.id });
      expect(snapshot.comments).to.deep.equal(before);
      await service.restart();
      rest = restTransport(service);
      await rest.call('restore_revision', { revision_id: deletion.id });
      expect(await listed(), type).to.deep.equal(before);
      await service.restart();
      rest = restTransport(service);
      expect(await listed(), `${type}, after a restart`).to.deep.equal(before);
    }
    expect((await service.rest.get(`/comments/${kept.id}`)).body).to.deep.equal(kept);
  });

  it('on a deleted task leave no file [D3.delete-comments]', async () => {
    const files = await PlanFiles.of(service);
    await add('task', ids.task, 'a');
    await service.store.flush();
    const comments = (): string[] => files.paths().filter((path) => path.startsWith('comments/'));
    expect(comments()).to.have.length(1);
    expect(comments()[0]).to.include(`comments/${ids.task}/`);
    await service.rest.delete(`/tasks/${ids.task}`);
    await service.store.flush();
    expect(comments()).to.deep.equal([]);
  });

  it('are sanitised if a person edited their file [D7.comment-html]', async () => {
    const { id } = await add('task', ids.task, 'a');
    const files = await PlanFiles.of(service);
    await files.edit(id, '<p>a</p>', '<p onclick=\\"x()\\">edited<script>x()</script></p>');
    await files.until(async () =>
      expect((await service.rest.get(`/comments/${id}`)).body).to.include({ body: '<p>edited</p>' }),
    );
    expect((await rest.call('list_comments', { project_id })).comments[0]).to.include({ body: '<p>edited</p>' });
    const { comments } = await mcpTransport(service, await service.mcp()).call('list_comments', { project_id });
    expect(comments[0]).to.include({ body: '<p>edited</p>' });
    await service.rest.delete(`/tasks/${ids.task}`);
    const [deletion] = (await rest.call('list_revisions', { project_id, target_id: ids.task })).revisions;
    const { snapshot } = await rest.call('get_revision', { revision_id: deletion.id });
    expect(snapshot.comments[0]).to.include({ body: '<p>edited</p>' });
  });
});
