import { expect } from 'chai';
import type { McpClient } from '../support/mcp-client.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { runCommand } from '../support/in-process.ts';
import { TestService } from '../support/service.ts';

interface Marked {
  readonly id: string;
  readonly untrusted?: true;
}

describe('Labels of tasks that guests submitted', function () {
  this.timeout(60_000);
  let service: TestService;
  let mcp: McpClient;
  let project: string;
  /** A task with an author's own text, and one that a submission was accepted into. */
  let own: string;
  let guest: string;

  beforeEach(async () => {
    service = await TestService.start();
    mcp = await service.mcp();
    project = await service.project('Plan');
    own = (await service.rest.post(`/projects/${project}/tasks`, { label: 'Paint the shed', status: 'todo' })).body.id;
    guest = await accepted(await submitted('Paint the fence'));
  });
  afterEach(() => service.stop());

  async function submitted(title: string): Promise<string> {
    const input = { participant_name: 'Guest', title, body: 'Paint everything' };
    return (await service.rest.post(`/projects/${project}/submissions`, input)).body.id as string;
  }

  async function accepted(submission: string, task?: string): Promise<string> {
    const path = `/submissions/${submission}/triage`;
    const { status, body } = await service.rest.post(path, { action: 'accept', link_task_id: task });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.linked_task_id as string;
  }

  /** The marks of the two tasks in a list: first the author's, then the guest's. */
  function marks(list: readonly Marked[]): unknown[] {
    const found = [own, guest].map((id) => list.find((one) => one.id === id));
    expect(found, JSON.stringify(list)).to.not.include(undefined);
    for (const one of found) if (one!.untrusted === undefined) expect(one).to.not.have.property('untrusted');
    return found.map((one) => one!.untrusted);
  }

  const right = [undefined, true];

  it('are marked in search hits, found by title and by text [A.hostile.guests-marked]', async () => {
    for (const bodies of [false, true]) {
      const query = { query: 'paint', bodies };
      expect(marks((await service.rest.get(`/search?q=paint&bodies=${bodies}`)).body.tasks)).to.deep.equal(right);
      expect(marks((await mcp.get('search', query)).tasks)).to.deep.equal(right);
    }
    const byText = (await mcp.get('search', { query: 'everything', bodies: true })).tasks;
    expect(byText.map(({ id, untrusted }: Marked) => [id, untrusted])).to.deep.equal([[guest, true]]);
  });

  it('are marked in the graph and on the canvas, which can be written back unchanged [A.hostile.guests-marked]', async () => {
    const { rest } = service;
    expect(marks((await rest.get(`/projects/${project}/task-graph`)).body.nodes)).to.deep.equal(right);
    expect(marks((await mcp.get('get_task_graph', { project_id: project })).nodes)).to.deep.equal(right);
    const { body: canvas } = await rest.get(`/projects/${project}/canvas`);
    expect(marks(canvas.nodes)).to.deep.equal(right);
    const { status, body: written } = await rest.put(`/projects/${project}/canvas`, canvas);
    expect(status).to.equal(200);
    expect(marks(written.nodes)).to.deep.equal(right);
    const seen = (await mcp.get('get_project', { project_id: project })).project;
    expect(marks(seen.canvas.nodes)).to.deep.equal(right);
    expect(marks(seen.tasks)).to.deep.equal(right);
  });

  it('are marked in the prerequisites of tasks [A.hostile.guests-marked]', async () => {
    const { rest } = service;
    const both = async (): Promise<unknown[]> => {
      const overRest = (await rest.get(`/projects/${project}/next-task`)).body.blocked;
      const overMcp = (await mcp.get('get_next_task', { project_id: project })).next.blocked;
      return [overRest, overMcp].map(([row]) => marks([row.task, ...row.waiting_on]));
    };
    const waits = { from_type: 'task', to_type: 'task' };
    const edge = await rest.post(`/projects/${project}/edges`, { ...waits, from_id: guest, to_id: own });
    expect(await both()).to.deep.equal([right, right]);
    await rest.delete(`/projects/${project}/edges/${edge.body.edge_id}`);
    await rest.patch(`/tasks/${guest}`, { status: 'todo' });
    await rest.post(`/projects/${project}/edges`, { ...waits, from_id: own, to_id: guest });
    expect(await both()).to.deep.equal([right, right]);
  });

  it('are marked in links to them and in the list of tasks that await release [A.hostile.guests-marked]', async () => {
    const { rest } = service;
    const input = { title: 'Colours', body: 'Green.', link_to: [own, guest] };
    const { body: document } = await rest.post(`/projects/${project}/documents`, input);
    expect(marks(document.links)).to.deep.equal(right);
    const { document: read } = await mcp.get('get_document', { document_id: document.id });
    expect(marks(read.links)).to.deep.equal(right);
    const back = { from_type: 'task', to_type: 'document', to_id: document.id };
    for (const id of [own, guest]) await rest.post(`/projects/${project}/edges`, { ...back, from_id: id });
    expect(marks((await mcp.get('get_document', { document_id: document.id })).document.backlinks)).to.deep.equal(
      right,
    );
    const ordered = { from_type: 'task', to_type: 'task', from_id: guest, to_id: own };
    await rest.post(`/projects/${project}/edges`, ordered);
    const { backlinks } = (await rest.get(`/tasks/${own}/backlinks`)).body;
    expect(backlinks.find(({ id }: Marked) => id === guest)).to.include({ untrusted: true });
    await rest.patch(`/tasks/${own}`, { status: 'scope' });
    const [goal] = (await rest.get(`/projects/${project}/goals`)).body.goals;
    const refused = await mcp.call('invoke_goal', { goal_id: goal.id });
    expect(marks(refused.value.scope_awaiting_release)).to.deep.equal(right);
    const { body: refusal } = await rest.post(`/goals/${goal.id}/invoke`);
    expect(marks(refusal.scope_awaiting_release)).to.deep.equal(right);
  });

  it('are marked in the history of their tasks, deleted ones too [A.hostile.guests-marked]', async () => {
    const { rest } = service;
    const newest = async (task: string): Promise<string> =>
      (await rest.get(`/projects/${project}/revisions?target_id=${task}`)).body.revisions[0].id;
    const seen = async (task: string): Promise<unknown[]> => {
      const id = await newest(task);
      const { revision } = await mcp.get('get_revision', { revision_id: id });
      const [whole, diff] = [await rest.get(`/revisions/${id}`), await rest.get(`/revisions/${id}/diff`)];
      return [revision.untrusted, whole.body.untrusted, diff.body.untrusted];
    };
    for (const id of [own, guest]) await rest.patch(`/tasks/${id}`, { label: 'Other words' });
    const edited = await newest(guest);
    expect([await seen(own), await seen(guest)]).to.deep.equal([Array(3).fill(undefined), Array(3).fill(true)]);
    // A task that is older than the submission keeps its own text after the submission is deleted.
    await accepted(await submitted('The same'), own);
    for (const id of [own, guest]) await rest.delete(`/tasks/${id}`);
    expect([await seen(own), await seen(guest)]).to.deep.equal([Array(3).fill(undefined), Array(3).fill(true)]);
    expect((await rest.get(`/revisions/${edited}`)).body).to.include({ untrusted: true });
    const { body: restored } = await rest.post(`/revisions/${await newest(guest)}/restore`);
    expect(restored).to.include({ untrusted: true });
  });

  it('are marked in lists of links, in the content of links and on the command line [A.hostile.guests-marked]', async () => {
    const { rest } = service;
    const first: Record<string, string> = {};
    for (const id of [own, guest]) {
      const { body: link } = await rest.post(`/tasks/${id}/share`, {});
      const answer = await fetch(link.markdown_url as string);
      first[id] = (await answer.text()).split('\n', 1)[0]!;
    }
    const { shares } = (await rest.get(`/projects/${project}/shares`)).body;
    const listed = shares.map((share: { target_id: string }) => ({ ...share, id: share.target_id }));
    expect(marks(listed)).to.deep.equal(right);
    expect(first[own])
      .to.match(/^> .*image/)
      .and.not.match(/guest/i);
    expect(first[guest]).to.match(/^> .*image.*guest.*never instructions/);
    const { output } = await runCommand(['task', 'list', '--project', project, '--root', service.directory]);
    const lines = ['Paint the shed', 'Paint the fence'].map((label) =>
      output.split('\n').find((line) => line.includes(label)),
    );
    expect(lines[0]).to.be.a('string').and.not.include('untrusted');
    expect(lines[1]).to.match(/Paint the fence {2}\(.*untrusted\)$/);
  });

  it('become marked for callers that have the entity tag of an earlier response [A.hostile.guests-marked]', async () => {
    const { rest } = service;
    const submission = await submitted('Paint the gate');
    const { body: copied } = await rest.post(`/projects/${project}/tasks`, { label: 'Paint the gate', status: 'todo' });
    const waits = { from_type: 'task', from_id: copied.id, to_type: 'task', to_id: own };
    await rest.post(`/projects/${project}/edges`, waits);
    const input = { title: 'Colours', body: 'Green.', link_to: copied.id };
    const { body: document } = await rest.post(`/projects/${project}/documents`, input);
    const { body: link } = await rest.post(`/tasks/${copied.id}/share`, {});
    await rest.patch(`/tasks/${copied.id}`, { label: 'Paint the large gate' });
    const { revisions } = (await rest.get(`/projects/${project}/revisions?target_id=${copied.id}`)).body;
    const paths = [
      ...['canvas', 'task-graph', 'next-task', 'shares'].map((name) => `/projects/${project}/${name}`),
      ...['/search?q=gate', `/documents/${document.id}`, `/tasks/${own}/backlinks`],
      ...[`/revisions/${revisions[0].id}`, `/revisions/${revisions[0].id}/diff`],
      `/share/${new URL(link.markdown_url as string).pathname.split('/').at(-1)}`,
    ];
    const marksIn = (body: unknown): number => JSON.stringify(body).split(/"untrusted":true|A guest wrote it/).length;
    const before: RestResponse[] = [];
    for (const path of paths) before.push(await rest.get(path));
    await accepted(submission, copied.id as string);
    for (const [at, path] of paths.entries()) {
      const etag = before[at]!.headers.get('etag')!;
      const { status, body } = await rest.get(path, { 'If-None-Match': etag });
      expect(status, path).to.equal(200);
      expect(marksIn(body), path).to.be.above(marksIn(before[at]!.body));
    }
  });
});
