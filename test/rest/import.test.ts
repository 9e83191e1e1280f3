import { expect } from 'chai';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

// Tests look into results of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Answered = { readonly status: number; readonly body: any };

const issue = (id: string, title: string, more: object = {}): string =>
  `${JSON.stringify({ id, title, status: 'open', priority: 2, issue_type: 'task', created_at: '2026-01-12T02:14:20Z', ...more })}\n`;
const page = (front: string, body = ''): string => `---\n${front}\n---\n\n${body}\n`;

const beads =
  issue('a-1', 'Dig', {
    labels: ['soil'],
    comments: [{ author: 'bo', text: 'Deep!', created_at: '2026-01-13T01:00:00Z' }],
  }) + issue('a-2', 'Sow', { dependencies: [{ depends_on_id: 'a-1', type: 'blocks' }] });

const backlog = {
  'garden/backlog/config.yml': 'project_name: Garden\nstatuses: [To Do]\n',
  'garden/backlog/tasks/epics/task-1 - Dig.md': page(
    'id: task-1\ntitle: Dig\nstatus: To Do\nmilestone: Spring\nlabels: [soil]',
    'See ![bed](../assets/bed.png).',
  ),
  'garden/backlog/tasks/task-2 - Sow.md': page('id: task-2\ntitle: Sow\nstatus: To Do\ndependencies: [task-1]'),
  'garden/backlog/docs/howto/Guide.md': 'Read it.\n',
  'garden/backlog/assets/bed.png': 'PNG',
};

describe('POST /projects/import', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
  });

  afterEach(() => service.stop());

  /** Sends files, by their paths, as a form. */
  const send = async (
    files: Readonly<Record<string, string>>,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Answered> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const [path, text] of Object.entries(files)) form.append('file', new Blob([text]), path);
    const response = await fetch(`${service.url}/api/v1/projects/import`, {
      ...{ method: 'POST', body: form, headers: service.rest.headers },
    });
    return { status: response.status, body: await response.json() };
  };
  const exported = async (id: string): Promise<string> =>
    JSON.stringify((await service.rest.get(`/projects/${id}/export`)).body);

  it('takes the file of every format, and reports the import [D9.moving.found, D9.moving.one-path]', async () => {
    const plans: Readonly<Record<string, string>> = {
      'issues.jsonl': beads,
      'tasks.json': JSON.stringify({ master: [{ id: 1, title: 'Dig', status: 'pending' }] }),
      'desk.json': JSON.stringify({
        format: 'plandesk-export-v3',
        project: { name: 'x' },
        tasks: [{ id: '1', label: 'Dig' }],
      }),
      'plan.canvas': JSON.stringify({ nodes: [{ id: '1', type: 'text', text: 'Dig' }], edges: [] }),
    };
    const tools: string[] = [];
    for (const [name, text] of Object.entries(plans)) {
      const { status, body } = await send({ [name]: text });
      expect(status, JSON.stringify(body)).to.equal(201);
      expect(body.summary.tasks.todo).to.equal(body.report.counts.tasks);
      tools.push(body.report.from);
    }
    expect(tools).to.deep.equal(['beads', 'Taskmaster', 'Plan Desk', 'JSON Canvas']);
    const { projects } = (await service.rest.get('/projects')).body;
    expect(projects.map(({ name }: { name: string }) => name)).to.include.members(['issues', 'tasks', 'x', 'plan']);
    // An export may follow its format, or precede it.
    const document = JSON.parse(await exported(projects[0].id));
    const { format, ...rest } = document;
    for (const whole of [document, { ...rest, format }]) {
      const { status, body } = await send({ 'plan.planner.json': JSON.stringify(whole) });
      expect(status, JSON.stringify(body)).to.equal(201);
      expect(body.report).to.deep.include({ from: 'Planner', left_out: [] });
    }
  });

  it('takes the files of a directory with their paths [D9.moving.one-path]', async () => {
    const { status, body } = await send(backlog);
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body.name).to.equal('Garden');
    expect(body.report.counts).to.deep.include({ tasks: 2, documents: 1, files: 1, edges: 1 });
    const other = await send(
      { 'tasks/task-1 - Dig.md': 'Deep.\n', 'tasks/task-2 - Sow.md': 'Seeds.\n' },
      { name: 'Beds' },
    );
    expect(other.body).to.deep.include({ name: 'Beds' });
    await service.store.flush();
    expect(service.store.check()).to.deep.equal([]);
  });

  it('names the format and the place of the rejected part, and makes no project then [D9.moving.one-path]', async () => {
    const broken = await send({ 'issues.jsonl': `${beads}{"id":\n` });
    expect(broken.status).to.equal(400);
    expect(broken.body).to.deep.include({
      error: 'invalid_argument',
      message: 'beads, issues.jsonl: Line 3 is not an issue: beads has one JSON object per line.',
      format: 'beads',
      path: 'issues.jsonl',
      line: 3,
    });
    const foreign = await send({ 'log.jsonl': '{"a":1}\n' });
    expect(foreign.body.message).to.match(/^log\.jsonl is not a known plan: .* Supported are an export of Planner, /);
    const several = await send({
      'x/.beads/issues.jsonl': beads,
      'x/tasks.json': '{"master":[{"id":1,"title":"Dig"}]}',
    });
    expect(several.body.candidates).to.deep.equal([
      { from: 'beads', path: 'x/.beads/issues.jsonl' },
      { from: 'taskmaster', path: 'x/tasks.json' },
    ]);
    const empty = await send({ 'tasks.json': '{"master":[]}' });
    expect(empty.body.message).to.match(/^taskmaster, tasks\.json: There is no task and no document in it/);
    expect((await service.rest.get('/projects')).body.projects).to.deep.equal([]);
    const chosen = await send(
      { 'x/.beads/issues.jsonl': beads, 'x/tasks.json': '{"master":[{"id":1,"title":"Dig"}]}' },
      { from: 'beads' },
    );
    expect(chosen.body.report.from).to.equal('beads');
  });

  it('answers the report of a dry run, and changes nothing [D9.moving.dry-run]', async () => {
    const dry = await send({ 'issues.jsonl': beads }, { dry_run: 'true' });
    expect(dry.status).to.equal(200);
    expect(dry.body).to.deep.include({ dry_run: true });
    expect(dry.body.report.counts).to.deep.include({ tasks: 2, edges: 1 });
    expect(dry.body).to.deep.include({ name: 'issues' });
    expect(dry.body.summary.tasks).to.deep.include({ todo: 2 });
    expect((await service.rest.get('/projects')).body.projects).to.deep.equal([]);
    const { body } = await send({ 'issues.jsonl': beads });
    const before = await exported(body.id);
    const more = beads + issue('a-3', 'Reap');
    const into = await send({ 'issues.jsonl': more }, { into: body.id, dry_run: 'true' });
    expect(into.body.merge.added).to.deep.equal({ tasks: 1 });
    expect(await exported(body.id)).to.equal(before);
  });

  rarely('changes nothing when a plan is merged a second time, also after a restart [D9.moving.into]', async () => {
    for (const [files, isRestarted] of [
      [{ 'issues.jsonl': beads }, false],
      [backlog, true],
    ] as const) {
      const { body: made } = await send(files);
      if (isRestarted) await service.restart();
      const before = await exported(made.id);
      const { status, body } = await send(files, { into: made.id });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.deep.include({ id: made.id });
      expect(body.merge).to.deep.include({ added: {}, differing: [] });
      expect(body.merge.present.tasks).to.equal(2);
      expect(await exported(made.id)).to.equal(before);
    }
  });

  it('adds new records to the existing ones, and leaves that as it is [D9.moving.into]', async () => {
    const { body: made } = await send({ 'issues.jsonl': beads });
    const { tasks } = (await service.rest.get(`/projects/${made.id}/tasks`)).body;
    const dig = tasks.find(({ label }: { label: string }) => label === 'Dig');
    await service.rest.patch(`/tasks/${dig.id}`, { label: 'Dig deeper', status: 'done' });
    const later =
      issue('a-1', 'Dig', { labels: ['soil'], dependencies: [{ depends_on_id: 'a-3', type: 'blocks' }] }) +
      issue('a-2', 'Sow', { comments: [{ author: 'bo', text: 'Late.' }] }) +
      issue('a-3', 'Buy', { labels: ['soil', 'shop'] });
    const { body } = await send({ 'issues.jsonl': later }, { into: made.id });
    expect(body.merge.added).to.deep.equal({ tags: 1, tasks: 1, comments: 1, edges: 1 });
    expect(body.merge.differing).to.deep.include.members([
      { id: dig.id, imported_from: 'beads:a-1', fields: ['status', 'label'] },
    ]);
    const now = (await service.rest.get(`/projects/${made.id}/tasks`)).body.tasks;
    expect(now.map(({ label }: { label: string }) => label)).to.have.members(['Dig deeper', 'Sow', 'Buy']);
    const { edges } = (await service.rest.get(`/projects/${made.id}/edges`)).body;
    const buy = now.find(({ label }: { label: string }) => label === 'Buy');
    expect(edges.map((edge: { from_id: string; to_id: string }) => [edge.from_id, edge.to_id])).to.deep.include([
      dig.id,
      buy.id,
    ]);
  });

  it('reports a description of the plan, because the project keeps its own [D9.moving.left-out]', async () => {
    const files = (about: string): Record<string, string> => ({ 'Shop.md': `# Shop\n\n${about}\n\n- [ ] Dig\n` });
    const { body: made } = await send(files('What we want.\n\nAnd why.'));
    const { body } = await send(files('What they want.\n\nAnd why.'), { into: made.id });
    expect(body.description).to.equal('What we want.\n\nAnd why.');
    const reason = 'the project that the plan is merged into keeps its own';
    expect(body.report.left_out).to.deep.equal([
      {
        ...{ of: 'description of the project', reason, count: 1, total: 1 },
        ...{ places: ['What they want.'], expected: false },
      },
    ]);
    const same = await send(files('What we want.\n\nAnd why.'), { into: made.id });
    expect(same.body.report.left_out).to.deep.equal([]);
  });

  it('does not merge an export of Planner [D9.moving.into]', async () => {
    const { body: made } = await send({ 'issues.jsonl': beads });
    const { status, body } = await send({ 'x.json': await exported(made.id) }, { into: made.id });
    expect(status).to.equal(400);
    expect(body.message).to.match(/^An export of Planner becomes a project of its own/);
  });
});
