import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { inlined } from '../../src/schema/inline.ts';
import { restTransport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

const form = /^"([\w-]+)\.([\w-]+)"$/;

describe('Polling over REST', () => {
  /** How far the service's clock is ahead of the system's. */
  let aheadMs = 0;
  let service: TestService;
  /** Ids by the members that paths are made of. */
  let ids: Record<string, string>;

  before(async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    service = await TestService.start({ clock });
    const rest = restTransport(service);
    const project_id = await service.project();
    const make = async (operation: string, input: object): Promise<string> =>
      (await rest.call(operation, { project_id, ...input })).id as string;
    const task_id = await make('create_task', { label: 'Dig', tags: ['bed'] });
    const document_id = await make('create_document', { title: 'Soil', body: 'x' });
    await rest.call('update_task', { task_id, label: 'Dig on' });
    ids = {
      ...{ project_id, task_id, document_id },
      goal_id: await make('create_goal', { objective: 'Harvest' }),
      folder_id: await make('create_folder', { name: 'Notes' }),
      tag_id: (await rest.call('list_tags', { project_id })).tags[0].id as string,
      revision_id: (await rest.call('list_revisions', { project_id })).revisions[0].id as string,
      note_id: await make('create_note', { title: 'Frost' }),
      view_id: await make('create_view', { name: 'Mine' }),
      run_id: await make('start_agent_run', {}),
      submission_id: await make('create_submission', { participant_name: 'Bo', title: 'Plums', body: '' }),
      comment_id: await make('add_comment', { target_type: 'task', target_id: task_id, body: 'Why?' }),
      artifact_id: await make('create_artifact', { title: 'Beds', kind: 'html', content: '<h1>Beds</h1>' }),
      prototype_id: await make('create_prototype', { name: 'Shop', viewport: { width: 390, height: 844 } }),
      webhook_id: await make('create_webhook', { url: 'https://example.invalid/hook', types: ['run'] }),
      file_id: await make('create_file', { filename: 'a.txt', mime: 'text/plain', content_base64: 'QUJD' }),
      record_id: task_id,
      ids: (await rest.call('list_revisions', { project_id })).revisions[0].id as string,
      query: 'Dig',
      text: task_id,
    };
    await service.store.flush();
  });
  after(() => service.stop());

  async function tag(path: string): Promise<{ own: string; rest: string; etag: string }> {
    const { status, headers, body } = await service.rest.get(path);
    expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200);
    const etag = headers.get('etag') ?? '';
    const [, own, rest] = form.exec(etag) ?? [];
    expect([own, rest], `${path} has ${etag}`).to.not.include(undefined);
    return { own: own!, rest: rest!, etag };
  }

  /** The path of a route with its required members. */
  function pathOf({ rest, input }: AnyOperation): string {
    const path = rest!.path.replace(/:(\w+)/g, (whole: string, member: string) => ids[member] ?? whole);
    const { required = [] } = inlined(input) as { required?: readonly string[] };
    const wireName = (member: string): string =>
      Object.entries(rest!.names ?? {}).find(([, name]) => name === member)?.[0] ?? member;
    const query = required
      .filter((member) => !rest!.path.includes(`:${member}`))
      .map((member) => `${wireName(member)}=${ids[member]}`);
    return query.length === 0 ? path : `${path}?${query.join('&')}`;
  }

  it('returns a strong tag of two parts for every resource, and 304 without a body while it matches [D1.etag, D1.304]', async () => {
    const paths = catalogue
      // Pages of guests are not polled.
      .filter(({ rest, link }) => rest?.method === 'GET' && link === undefined)
      .map(pathOf);
    expect(paths).to.include.members([`/projects/${ids['project_id']}`, '/projects', `/tags/${ids['tag_id']}`]);
    for (const path of paths) {
      const { etag } = await tag(path);
      for (const sent of [etag, `W/${etag}`, `"x.y", ${etag}`, '*']) {
        const { status, body, headers } = await service.rest.get(path, { 'If-None-Match': sent });
        expect([status, body, headers.get('etag')], `${path} ${sent}`).to.deep.equal([304, undefined, etag]);
      }
      for (const sent of ['"x.y"', etag.replace('.', '.x'), etag.replace('"', '"x')]) {
        const { status, body } = await service.rest.get(path, { 'If-None-Match': sent });
        expect([status, body === undefined], `${path} ${sent}`).to.deep.equal([200, false]);
      }
    }
  });

  it('sees the own part change with the fields of the resource, and the rest with other shown values [D1.etag]', async () => {
    const { project_id, task_id, document_id, goal_id, tag_id } = ids;
    const rest = restTransport(service);
    const other = (await rest.call('create_task', { project_id, goal_id, label: 'Plant' })).id as string;
    const edge = (from_type: string, from_id: string, to_type: string, to_id: string) => async (): Promise<unknown> =>
      rest.call('create_edge', { project_id, from_type, from_id, to_type, to_id });
    const call = (operation: string, input: object) => (): Promise<unknown> => rest.call(operation, { ...input });
    const cases: [string, 'own' | 'rest', string, () => Promise<unknown>][] = [
      [`/tasks/${task_id}`, 'own', 'its label', call('update_task', { task_id, label: 'New' })],
      [`/tasks/${task_id}`, 'own', 'its tags', call('update_task', { task_id, tags: ['bed', 'path'] })],
      [`/tasks/${task_id}`, 'own', 'its position', call('update_task', { task_id, position: { x: 9, y: 9 } })],
      [`/tasks/${task_id}`, 'rest', 'a prerequisite', edge('task', other, 'task', task_id!)],
      [`/tasks/${task_id}`, 'rest', 'the prerequisite done', call('update_task', { task_id: other, status: 'done' })],
      [`/tasks/${task_id}`, 'rest', 'the color of a tag', call('update_tag', { tag_id, color: '#123456' })],
      [`/tasks/${task_id}/backlinks`, 'rest', 'a link to it', edge('document', document_id!, 'task', task_id!)],
      [`/projects/${project_id}`, 'own', 'its name', call('update_project', { project_id, name: 'New' })],
      [`/projects/${project_id}`, 'rest', 'a task more', call('create_task', { project_id, label: 'x' })],
      [`/documents/${document_id}`, 'own', 'its body', call('update_document', { document_id, body: 'new' })],
      [`/documents/${document_id}`, 'rest', 'a backlink', edge('task', task_id!, 'document', document_id!)],
      [`/goals/${goal_id}`, 'own', 'its objective', call('update_goal', { goal_id, objective: 'new' })],
      [`/goals/${goal_id}`, 'rest', 'a cycle task', call('update_task', { task_id: other, label: 'Sow' })],
      [`/tags/${tag_id}`, 'own', 'its color', call('update_tag', { tag_id, color: '#654321' })],
    ];
    for (const [path, part, what, run] of cases) {
      const before = await tag(path);
      await run();
      const after = await tag(path);
      expect(after[part], `${path}: ${what}`).not.to.equal(before[part]);
      if (part === 'rest') expect(after.own, `${path}: ${what} leaves own`).to.equal(before.own);
    }
  });

  it('and changing with If-Match succeeds while the own part is unchanged, else returns 412 [D1.if-match, D2.precondition_failed]', async () => {
    const { project_id, task_id, document_id, goal_id, tag_id } = ids;
    const paths = [
      `/projects/${project_id}`,
      `/tasks/${task_id}`,
      `/documents/${document_id}`,
      `/goals/${goal_id}`,
      `/tags/${tag_id}`,
    ];
    for (const path of paths) {
      const { own, etag } = await tag(path);
      const field = path.startsWith('/tasks') ? 'label' : path.startsWith('/documents') ? 'title' : 'name';
      const patch = (value: string, ifMatch: string): ReturnType<typeof service.rest.patch> =>
        service.rest.patch(path, { [field]: value }, { 'If-Match': ifMatch });
      for (const sent of ['"x.y"', 'W/"x.y"', `"x${own}.0"`, `W/"x${own}.0"`]) {
        const { status, body } = await patch('lost', sent);
        expect([status, body.error, body.current], `${path} ${sent}`).to.deep.equal([412, 'precondition_failed', etag]);
      }
      expect((await tag(path)).etag, 'nothing changed').to.equal(etag);
      const changed = await patch('first', `"x.y", "${own}.other"`);
      expect([changed.status, changed.body[field]], path).to.deep.equal([200, 'first']);
      expect(changed.headers.get('etag'), 'the response has the new tag').to.equal((await tag(path)).etag);
      expect((await patch('second', etag)).status, `${path} changed since`).to.equal(412);
      expect((await patch('second', changed.headers.get('etag')!)).status).to.equal(200);
      expect((await patch('third', '*')).status).to.equal(200);
    }
    const path = `/projects/${project_id}/canvas`;
    const { etag } = await tag(path);
    const put = (x: number, ifMatch: string): ReturnType<typeof service.rest.put> =>
      service.rest.put(path, { nodes: [{ id: task_id, x, y: 0 }] }, { 'If-Match': ifMatch });
    expect((await put(41, etag)).status).to.equal(200);
    expect((await put(42, etag)).status, 'the canvas changed since').to.equal(412);
    expect((await service.rest.get(`/tasks/${task_id}`)).body.position).to.deep.equal({ x: 41, y: 0 });
  });

  it('and tags that a proxy changed because it compresses are known [D13.if-match]', async () => {
    const { project_id, task_id, document_id } = ids;
    const changed = (etag: string): string[] => [
      `W/${etag}`,
      ...['gzip', 'br', 'zstd'].flatMap((by) => [etag.replace(/"$/, `-${by}"`), `W/${etag.replace(/"$/, `-${by}"`)}`]),
    ];
    for (const [path, field] of [
      [`/documents/${document_id}`, 'body'],
      [`/tasks/${task_id}`, 'label'],
    ] as const) {
      const weak = changed((await tag(path)).etag).length;
      for (let at = 0; at < weak; at++) {
        const sent = `"x.y", ${changed((await tag(path)).etag)[at]!}`;
        expect((await service.rest.get(path, { 'If-None-Match': sent })).status, sent).to.equal(304);
        const saved = await service.rest.patch(path, { [field]: `Version ${at}` }, { 'If-Match': sent });
        expect(saved.status, `${path} ${sent}`).to.equal(200);
        const late = await service.rest.patch(path, { [field]: 'Lost' }, { 'If-Match': sent });
        expect([late.status, late.body.error], `${path} ${sent} again`).to.deep.equal([412, 'precondition_failed']);
      }
    }
    for (const path of [`/projects/${project_id}/tasks`, `/projects/${project_id}/edges`]) {
      const { etag } = await tag(path);
      for (const sent of changed(etag)) {
        const { body } = await service.rest.get(`${path}?since=${encodeURIComponent(sent)}`);
        expect(body.removed, `${path} since ${sent}`).to.deep.equal([]);
      }
    }
  });

  it('notices an expired lease: the tag changes at its expiry [D1.expiry-tag]', async () => {
    const project_id = await service.project('Leases');
    const task = (await service.rest.post(`/projects/${project_id}/tasks`, { label: 'Dig' })).body;
    const claim = { agent_ref: 'ann', lease_seconds: 600 };
    expect((await service.rest.post(`/tasks/${task.id}/claim`, claim)).status).to.equal(200);
    const path = `/projects/${project_id}/next-task`;
    const { etag } = await tag(path);
    const again = async (): Promise<number> => (await service.rest.get(path, { 'If-None-Match': etag })).status;
    aheadMs += 590_000;
    expect(await again(), 'ten seconds before').to.equal(304);
    aheadMs += 20_000;
    const after = await service.rest.get(path, { 'If-None-Match': etag });
    expect([after.status, after.body.reason, after.body.next_task?.id]).to.deep.equal([200, 'ok', task.id]);
    expect(after.headers.get('etag')).not.to.equal(etag);
  });
});
