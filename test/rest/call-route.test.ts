import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestService } from '../support/service.ts';

describe('POST /call/:operation', () => {
  let service: TestService;

  before(async () => {
    service = await TestService.start();
  });
  after(() => service.stop());

  it('runs an operation by its name and returns the wrapped form [D11.either]', async () => {
    const made = await service.rest.post('/call/create_project', { name: 'Web shop' });
    expect(made.status).to.equal(200);
    const project_id = made.body.project.id;
    const { body } = await service.rest.post('/call/create_task', { project_id, label: 'Take payments' });
    expect(body.task).to.include({ label: 'Take payments', project_id });
    expect((await service.rest.post('/call/list_projects')).body.projects).to.have.length(1);
    expect((await service.rest.post('/call/delete_task', { task_id: body.task.id })).body).to.include({
      deleted: body.task.id,
    });
  });

  it('has its changes recorded as those of the command line', async () => {
    await service.rest.post('/call/create_project', { name: 'By command' });
    const journal = join(service.directory, '.planner/local/journal');
    const entries = readdirSync(journal).map((name) => readFileSync(join(journal, name), 'latin1'));
    expect(entries.join('')).to.include('"source":"cli"');
  });

  it('executes a call once per idempotency key', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await service.rest.post('/call/create_project', { name: 'Once' }, headers);
    expect((await service.rest.post('/call/create_project', { name: 'Once' }, headers)).body).to.deep.equal(first.body);
  });

  it('rejects inputs that the operation rejects, unknown operations, and invalid inputs', async () => {
    const invalid = await service.rest.post('/call/create_project', { name: ' ', colour: 'red' });
    expect({ status: invalid.status, error: invalid.body.error }).to.deep.equal({
      status: 400,
      error: 'invalid_argument',
    });
    const unknown = await service.rest.post('/call/eat_cake', {});
    expect(unknown.body).to.include({ error: 'not_found', resource: 'operation', id: 'eat_cake' });
    for (const body of ['[1]', '5', 'null', '"text"']) {
      const refused = await service.rest.post('/call/list_projects', body);
      expect([body, refused.status, refused.body.error]).to.deep.equal([body, 400, 'invalid_argument']);
      expect(refused.body.message).to.include("send the operation's input in {}");
    }
    // A stream is no answer of this route.
    const { body: project } = await service.rest.post('/projects', { name: 'Whole' });
    const stream = await service.rest.post('/call/export_project', { project_id: project.id });
    expect(stream.status).to.equal(404);
    expect(stream.body).to.include({ error: 'not_found', resource: 'operation' });
  });

  it('gives an agent key no further rights', async () => {
    const { body: mine } = await service.rest.post('/projects', { name: 'Mine' });
    const { body: other } = await service.rest.post('/projects', { name: 'Other' });
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', project_id: mine.id });
    const headers = { Authorization: `Bearer ${key.secret}` };
    const seen = await service.rest.post('/call/list_projects', {}, headers);
    expect(seen.body.projects.map(({ id }: { id: string }) => id)).to.deep.equal([mine.id]);
    expect((await service.rest.post('/call/get_project', { project_id: other.id }, headers)).status).to.equal(404);
    const { body: task } = await service.rest.post(`/projects/${mine.id}/tasks`, { label: 'x' });
    expect((await service.rest.post('/call/delete_task', { task_id: task.id }, headers)).status).to.equal(403);
    expect((await service.rest.post('/call/list_keys', {}, headers)).status).to.equal(403);
  });
});
