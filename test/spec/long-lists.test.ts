import { expect } from 'chai';
import { createTask } from '../../src/domain/plan/tasks.ts';
import { createDocument } from '../../src/domain/content/documents.ts';
import { TestService } from '../support/service.ts';

const count = 1000;
/** Far more than sockets buffer: unread parts are not serialised yet. */
const text = 'What there is to know of this bed. '.repeat(200);

describe('a list too long for one slice', () => {
  let service: TestService;
  let project: string;
  let ids: string[];

  before(async () => {
    service = await TestService.start();
    project = await service.project();
    const meta = { author: 'human:test', source: 'rest' } as const;
    ids = await service.store.update(project, meta, (tx) =>
      Array.from({ length: count }, (_, i) => {
        createDocument(tx, { title: `Document ${i}`, body: text });
        return createTask(tx, { label: `Task ${i}`, description: text, tags: ['spring'] }).id;
      }),
    );
  });

  after(() => service.stop());

  it('is sent in chunks, a short one with its length [A.loop.streamed]', async () => {
    const long = await fetch(`${service.url}/api/v1/projects/${project}/tasks`);
    expect(long.headers.get('content-length')).to.equal(null);
    expect(long.headers.get('etag')).to.match(/^"[\w-]+\.[\w-]+"$/);
    expect(long.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const { tasks } = (await long.json()) as { tasks: { id: string }[] };
    expect(tasks.map(({ id }) => id)).to.deep.equal(ids);
    const short = await fetch(`${service.url}/api/v1/projects/${project}/tasks?limit=2`);
    const body = await short.text();
    expect(short.headers.get('content-length')).to.equal(String(Buffer.byteLength(body)));
    const page = JSON.parse(body) as { tasks: unknown[]; next_cursor: string };
    expect(page.tasks).to.deep.equal(tasks.slice(0, 2));
    expect(page).to.have.all.keys('tasks', 'next_cursor', 'events_cursor');
  });

  it('equals its pages [A.loop.streamed]', async () => {
    for (const [path, plural] of [
      ['tasks', 'tasks'],
      ['documents', 'documents'],
      ['edges', 'edges'],
      ['revisions', 'revisions'],
    ] as const) {
      const whole = (await service.rest.get(`/projects/${project}/${path}`)).body[plural] as unknown[];
      const pages: unknown[] = [];
      let cursor = '';
      do {
        const { body } = await service.rest.get(`/projects/${project}/${path}?limit=700${cursor}`);
        pages.push(...(body[plural] as unknown[]));
        cursor = body.next_cursor === undefined ? '' : `&cursor=${body.next_cursor}`;
      } while (cursor !== '');
      expect(whole, path).to.deep.equal(pages);
    }
  });

  it('shows one state, that of its tag, despite changes while it is sent [A.loop.snapshot]', async () => {
    const last = ids.at(-1)!;
    const url = `${service.url}/api/v1/projects/${project}/tasks`;
    const former = await fetch(url);
    const before = await former.text();
    const slow = await fetch(url);
    expect(slow.headers.get('etag')).to.equal(former.headers.get('etag'));
    // Nothing of it is read yet; its end shows other records, too: a tag, a prerequisite, a lease, the default goal.
    await service.rest.patch(`/tasks/${last}`, { label: 'Changed' });
    await service.rest.delete(`/tasks/${ids.at(-3)}`);
    await service.rest.post(`/projects/${project}/edges`, {
      from_type: 'task',
      from_id: ids[0],
      to_type: 'task',
      to_id: ids.at(-2),
    });
    await service.rest.post(`/tasks/${ids.at(-4)}/claim`, { agent_ref: 'one', lease_seconds: 60 });
    const { tags } = (await service.rest.get(`/projects/${project}/tags`)).body as { tags: { id: string }[] };
    await service.rest.patch(`/tags/${tags[0]!.id}?project_id=${project}`, { name: 'autumn' });
    expect(await slow.text()).to.equal(before);
    const now = (await service.rest.get(`/projects/${project}/tasks`)).body.tasks as Record<string, unknown>[];
    expect(now).to.have.length(count - 1);
    expect(now.at(-1)).to.deep.include({ id: last, label: 'Changed' });
    expect(now.at(-2)).to.deep.include({ blocked: true, waiting_on: [ids[0]] });
  });

  it('of documents in folders is the tree of one state [A.loop.snapshot]', async () => {
    const url = `${service.url}/api/v1/projects/${project}/documents`;
    const { id: folder } = (await service.rest.post(`/projects/${project}/folders`, { name: 'Beds' })).body;
    const { documents } = (await service.rest.get(`/projects/${project}/documents?verbose=false`)).body;
    const moved = (documents as { id: string }[]).slice(-10).map(({ id }) => id);
    await service.rest.post(`/projects/${project}/documents/move`, { document_ids: moved, folder_id: folder });
    const before = await (await fetch(url)).text();
    const slow = await fetch(url);
    await service.rest.post(`/projects/${project}/documents/move`, { document_ids: moved.slice(5), folder_id: null });
    await service.rest.patch(`/documents/${moved[0]}`, { body: 'Changed' });
    expect(await slow.text()).to.equal(before);
    const tree = JSON.parse(before) as { folders: { documents: { id: string; body: string }[] }[] };
    expect(tree.folders[0]!.documents.map(({ id }) => id)).to.deep.equal(moved);
    expect(tree.folders[0]!.documents[0]!.body).to.equal(text);
  });

  it('whose reader disconnects is not an error of the service [A.loop.streamed]', async () => {
    const { body } = await fetch(`${service.url}/api/v1/projects/${project}/tasks`);
    await body!.cancel();
    const gone = (): boolean => (service.log as { aborted?: boolean }[]).some(({ aborted }) => aborted === true);
    while (!gone()) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(service.log.filter((entry) => (entry as { level?: string }).level === 'error')).to.deep.equal([]);
  });
});
