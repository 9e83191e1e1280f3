import { expect } from 'chai';
import { overBoth } from '../support/both.ts';
import type { Transport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

/** A project with one submission in its inbox. */
async function inbox(transport: Transport, more: object = {}): Promise<{ project_id: string; submission_id: string }> {
  const { id: project_id } = await transport.call('create_project', { name: 'Garden' });
  const { body } = await transport.service.rest.post(`/projects/${project_id}/submissions`, {
    ...{ participant_name: 'Grace Hopper', title: 'More light', body: 'The north bed is dark.', ...more },
  });
  return { project_id, submission_id: body.id as string };
}

const tasksOf = async (transport: Transport, project_id: string): Promise<{ id: string }[]> =>
  ((await transport.call('list_tasks', { project_id })) as { tasks: { id: string }[] }).tasks;

describe('Submissions', () => {
  let service: TestService;
  let project: string;

  beforeEach(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  afterEach(() => service.stop());

  const submit = (body: object): ReturnType<TestService['rest']['post']> =>
    service.rest.post(`/projects/${project}/submissions`, body);

  it('have all of their fields, and are read by their id [D8.submission]', async () => {
    const { status, body } = await submit({ participant_name: 'Grace', title: 'More light' });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      ...{ project_id: project, participant_name: 'Grace', title: 'More light', body: '', severity: null },
      ...{ task_ref: null, status: 'pending', linked_task_id: null, updated_at: body.created_at },
    });
    expect(body.id).to.match(/^sub_/);
    const whole = { participant_name: 'G', title: 'T', body: '**B**', severity: 'high', task_ref: 'Dig the pond' };
    const { body: other } = await submit(whole);
    const read = await service.rest.get(`/submissions/${other.id}`);
    expect(read.body).to.deep.include(whole);
    const again = { 'If-None-Match': read.headers.get('etag')! };
    expect((await service.rest.get(`/submissions/${other.id}`, again)).status).to.equal(304);
    expect((await service.rest.get('/submissions/sub_none')).body).to.include({ error: 'not_found' });
  });

  it('are rejected with the invalid member, and nothing is stored [D8.submission]', async () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ title: 'x' }, 'participant_name'],
      [{ participant_name: ' ', title: 'x' }, 'participant_name'],
      [{ participant_name: 'G', title: 'x'.repeat(501) }, 'title'],
      [{ participant_name: 'G', title: 'x', severity: 'fatal' }, 'severity'],
      [{ participant_name: 'G', title: 'x', body: null }, 'body'],
      [{ participant_name: 'G', title: 'x', status: 'accepted' }, 'status'],
    ];
    for (const [body, field] of wrong) {
      expect((await submit(body)).body, field).to.include({ error: 'invalid_argument', field });
    }
    expect((await service.rest.get(`/projects/${project}/submissions`)).body.submissions).to.deep.equal([]);
  });

  it('are polled by changes since a tag [D1.since]', async () => {
    const { body: first } = await submit({ participant_name: 'G', title: 'One' });
    const list = `/projects/${project}/submissions?status=pending`;
    const etag = (await service.rest.get(list)).headers.get('etag')!;
    const { body: second } = await submit({ participant_name: 'G', title: 'Two' });
    await service.rest.post(`/submissions/${first.id}/triage`, { action: 'reject' });
    const { body } = await service.rest.get(`${list}&since=${encodeURIComponent(etag)}`);
    expect(body.submissions.map(({ id }: { id: string }) => id)).to.deep.equal([second.id]);
    expect(body.removed).to.deep.equal([first.id]);
  });

  it('are files of the project [A.format.one-file]', async () => {
    const { body } = await submit({ participant_name: 'G', title: 'More light' });
    await service.restart();
    expect((await service.rest.get(`/submissions/${body.id}`)).body).to.deep.equal(body);
  });
});

describe('A decision on a submission', () => {
  overBoth('is taken back by a person; the task that it filed remains [D8.reopen]', async (transport) => {
    const { project_id, submission_id } = await inbox(transport);
    const { rest } = transport.service;
    const reopen = (): ReturnType<TestService['rest']['post']> => rest.post(`/submissions/${submission_id}/reopen`);
    const { linked_task_id: task_id } = await transport.call('triage_submission', { submission_id, action: 'accept' });
    expect((await reopen()).body).to.include({ id: submission_id, status: 'pending', linked_task_id: null });
    expect((await tasksOf(transport, project_id)).map(({ id }) => id)).to.deep.equal([task_id]);
    expect((await reopen()).status).to.equal(200);
    await transport.call('triage_submission', { submission_id, action: 'reject' });
    expect(await transport.refusal('triage_submission', { submission_id, action: 'accept' })).to.include({
      error: 'conflict',
    });
    expect((await reopen()).body).to.include({ status: 'pending' });
    const { secret } = (await rest.post('/keys', { kind: 'agent', project_id, name: 'b' })).body as { secret: string };
    const agent = { Authorization: `Bearer ${secret}` };
    expect((await rest.post(`/submissions/${submission_id}/reopen`, undefined, agent)).status).to.equal(403);
  });
});

describe('The triage inbox', () => {
  overBoth('lists submissions, also of one status [D8.submission, S.mcp.list_submissions]', async (transport) => {
    const { project_id, submission_id } = await inbox(transport, { severity: 'low' });
    const other = await transport.service.rest.post(`/projects/${project_id}/submissions`, {
      ...{ participant_name: 'Ada', title: 'Less noise' },
    });
    await transport.call('triage_submission', { submission_id: other.body.id, action: 'reject' });
    const ids = async (more: object): Promise<string[]> =>
      (await transport.call('list_submissions', { project_id, ...more })).submissions.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids({})).to.deep.equal([submission_id, other.body.id]);
    expect(await ids({ status: 'pending' })).to.deep.equal([submission_id]);
    expect(await ids({ status: 'rejected' })).to.deep.equal([other.body.id]);
    expect(await ids({ status: 'accepted' })).to.deep.equal([]);
    const { submissions, next_cursor } = await transport.call('list_submissions', { project_id, limit: 1 });
    expect(submissions).to.have.length(1);
    expect(await ids({ cursor: next_cursor })).to.deep.equal([other.body.id]);
    expect(await transport.refusal('list_submissions', { project_id, status: 'open' })).to.include({ field: 'status' });
  });

  overBoth('shows an agent light rows unless it requests bodies [D2.mcp-rows]', async (transport) => {
    const { project_id } = await inbox(transport);
    const row = async (more: object): Promise<object> =>
      (await transport.call('list_submissions', { project_id, ...more })).submissions[0];
    const light = transport.name === 'MCP' ? {} : { verbose: false };
    expect(await row(light)).to.have.all.keys('id', 'participant_name', 'title', 'status', 'created_at', 'untrusted');
    expect(await row({ verbose: true })).to.include({ body: 'The north bed is dark.', severity: null });
  });

  overBoth(
    'accepts into a new task in scope that names the participant [D8.triage, S.submission.triage, S.mcp.triage_submission]',
    async (transport) => {
      const { project_id, submission_id } = await inbox(transport, { severity: 'high', task_ref: 'North bed' });
      const decided = await transport.call('triage_submission', { submission_id, action: 'accept' });
      expect(decided).to.include({ id: submission_id, status: 'accepted' });
      const task = await transport.call('get_task', { task_id: decided.linked_task_id });
      expect(task).to.include({ project_id, label: 'More light', status: 'scope', severity: 'high' });
      expect(task.description).to.equal(
        `The north bed is dark.\n\nSubmitted by Grace Hopper (${submission_id}), about: North bed`,
      );
    },
  );

  overBoth('lets the accepting caller set the members of the task [D8.triage]', async (transport) => {
    const { submission_id } = await inbox(transport);
    const as_task = { label: 'Cut the hedge', description: 'North side.' };
    const decided = await transport.call('triage_submission', { submission_id, action: 'accept', as_task });
    const task = await transport.call('get_task', { task_id: decided.linked_task_id });
    expect(task).to.include({ label: 'Cut the hedge', status: 'scope' });
    expect(task.description).to.match(/^North side\.\n\nSubmitted by Grace Hopper/);
  });

  overBoth('accepts into an existing task [D8.triage, S.submission.triage]', async (transport) => {
    const { project_id, submission_id } = await inbox(transport);
    const { id: link_task_id } = await transport.call('create_task', { project_id, label: 'Cut the hedge' });
    const decided = await transport.call('triage_submission', { submission_id, action: 'accept', link_task_id });
    expect(decided).to.include({ status: 'accepted', linked_task_id: link_task_id });
    expect(await tasksOf(transport, project_id)).to.have.length(1);
  });

  overBoth('rejects without creating a record [D8.triage, S.submission.triage]', async (transport) => {
    const { project_id, submission_id } = await inbox(transport);
    const decided = await transport.call('triage_submission', { submission_id, action: 'reject' });
    expect(decided).to.include({ status: 'rejected', linked_task_id: null });
    expect(await tasksOf(transport, project_id)).to.deep.equal([]);
  });

  overBoth('accepts the same decision twice, and no other one [D8.triage, D2.conflict]', async (transport) => {
    const { project_id, submission_id } = await inbox(transport);
    const accept = { submission_id, action: 'accept' };
    const first = await transport.call('triage_submission', accept);
    expect(await transport.call('triage_submission', accept)).to.deep.equal(first);
    const linked = { ...accept, link_task_id: first.linked_task_id };
    expect(await transport.call('triage_submission', linked)).to.deep.equal(first);
    expect(await tasksOf(transport, project_id)).to.have.length(1);
    const { id: other } = await transport.call('create_task', { project_id, label: 'Another' });
    for (const decision of [{ action: 'reject' }, { action: 'accept', link_task_id: other }]) {
      const error = await transport.refusal('triage_submission', { submission_id, ...decision });
      expect(error).to.include({ error: 'conflict', status: 'accepted', linked_task_id: first.linked_task_id });
    }
    const { body } = await transport.service.rest.post(`/projects/${project_id}/submissions`, {
      ...{ participant_name: 'Ada', title: 'Less noise' },
    });
    const reject = { submission_id: body.id, action: 'reject' };
    const rejected = await transport.call('triage_submission', reject);
    expect(await transport.call('triage_submission', reject)).to.deep.equal(rejected);
    expect(await transport.refusal('triage_submission', { ...reject, action: 'accept' })).to.include({
      error: 'conflict',
    });
  });

  overBoth('rejects an ambiguous decision, and changes nothing [D8.triage]', async (transport) => {
    const { project_id, submission_id } = await inbox(transport);
    const { id: task } = await transport.call('create_task', { project_id, label: 'Cut the hedge' });
    const wrong: readonly (readonly [object, string])[] = [
      [{ action: 'accept', as_task: { label: 'x' }, link_task_id: task }, 'link_task_id'],
      [{ action: 'reject', link_task_id: task }, 'link_task_id'],
      [{ action: 'reject', as_task: { label: 'x' } }, 'as_task'],
      [{ action: 'accept', link_task_id: 'tsk_none' }, 'link_task_id'],
      [{ action: 'postpone' }, 'action'],
      [{ action: 'accept', as_task: { label: ' ' } }, 'as_task.label'],
      [{ action: 'accept', as_task: { status: 'todo' } }, 'as_task.status'],
    ];
    for (const [decision, field] of wrong) {
      const error = await transport.refusal('triage_submission', { submission_id, ...decision });
      expect(error, JSON.stringify(decision)).to.include({ error: 'invalid_argument', field });
    }
    const unknown = { submission_id: 'sub_none', action: 'accept' };
    expect(await transport.refusal('triage_submission', unknown)).to.include({
      error: 'not_found',
      resource: 'submission',
    });
    expect(await tasksOf(transport, project_id)).to.have.length(1);
    const { submissions } = await transport.call('list_submissions', { project_id, status: 'pending' });
    expect(submissions).to.have.length(1);
  });

  overBoth('creates a task file also for a text that leaves no room for a name [D8.triage]', async (transport) => {
    const { submission_id } = await inbox(transport, { body: 'x'.repeat(2 * 1024 * 1024) });
    const accept = { submission_id, action: 'accept' };
    const as_task = { description: 'y'.repeat(2 * 1024 * 1024) };
    const error = await transport.refusal('triage_submission', { ...accept, as_task });
    expect(error).to.include({ error: 'invalid_argument', field: 'as_task.description' });
    const { linked_task_id: task_id } = await transport.call('triage_submission', accept);
    expect((await transport.call('get_task', { task_id })).description).to.match(/^Submitted by Grace Hopper/);
  });
});
