import { expect } from 'chai';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { RestClient } from '../support/rest-client.ts';
import { watched, TestService } from '../support/service.ts';
import { until } from '../web/support/until.ts';

describe('An id of another project', function () {
  this.timeout(60_000);

  it('is rejected on the canvas by its format, whether or not it exists [A.hostile.foreign-ids]', async () => {
    const hosted = await HostedService.start();
    try {
      const [own, other] = [await hosted.project('Own'), await hosted.project('Other')];
      const { body: target } = await hosted.owner.post(`/projects/${other}/tasks`, { label: 'Theirs' });
      const { secret } = await hosted.key('agent', { project_id: own });
      const agent = new RestClient(hosted.url, bearer(secret));
      const put = (canvas: object): ReturnType<RestClient['put']> => agent.put(`/projects/${own}/canvas`, canvas);
      const absent = `${target.id.slice(0, -1)}${target.id.endsWith('0') ? '1' : '0'}`;
      const answers = [];
      for (const id of [target.id as string, absent]) {
        const { status, body } = await put({ nodes: [{ id, label: 'Mine', x: 0, y: 0 }] });
        expect(body).to.include({ error: 'invalid_argument', field: 'nodes[0].id' });
        answers.push([status, body.message.replace(id, '<id>')]);
      }
      expect(answers[0]).to.deep.equal(answers[1]);
      const nodes = ['a', 'b'].map((id) => ({ id, label: id, x: 0, y: 0 }));
      expect((await put({ nodes })).status).to.equal(200);
      const edge = await put({ edges: [{ id: target.id.replace('tsk', 'edg'), from_id: 'a', to_id: 'b' }] });
      expect(edge.body).to.include({ error: 'invalid_argument', field: 'edges[0].id' });
      expect((await hosted.owner.get(`/tasks/${target.id}`)).body).to.include({ label: 'Theirs', project_id: other });
    } finally {
      await hosted.stop();
    }
  });

  it('that a file assigns to another project is ambiguous, and found with project_id [A.hostile.foreign-ids]', async () => {
    const service = await TestService.start(watched);
    try {
      const { rest } = service;
      const [first, second] = [await service.project('First'), await service.project('Second')];
      const { body: task } = await rest.post(`/projects/${first}/tasks`, { label: 'Real' });
      const { body: other } = await rest.post(`/projects/${second}/tasks`, { label: 'Copy' });
      await service.store.flush();
      const projects = join(service.root, 'projects');
      const tasks = join(
        projects,
        readdirSync(projects).find((name) => name.startsWith('second'))!,
        'tasks',
      );
      const [file = ''] = readdirSync(tasks);
      const text = readFileSync(join(tasks, file), 'utf8');
      writeFileSync(join(tasks, 'counterfeit.md'), text.replace(other.id, task.id));
      await until(async () => (await rest.get(`/projects/${second}/tasks`)).body.tasks.length === 2);
      const { status, body } = await rest.get(`/tasks/${task.id}`);
      expect([status, body.error]).to.deep.equal([409, 'conflict']);
      expect(body.project_ids).to.have.members([first, second]);
      expect((await rest.get(`/tasks/${task.id}?project_id=${first}`)).body.label).to.equal('Real');
      expect((await rest.get(`/tasks/${task.id}?project_id=${second}`)).body.label).to.equal('Copy');
    } finally {
      await service.stop();
    }
  });
});

describe('Links to a deleted record', function () {
  this.timeout(60_000);

  it('remain ended when it is restored, whichever user deleted it [A.hostile.restored-links]', async () => {
    const service = await TestService.start(watched);
    try {
      const { rest } = service;
      const project = await service.project();
      for (const [kind, input] of [
        ['task', { label: 'T' }],
        ['document', { title: 'D', body: 'd' }],
      ] as const) {
        const path = `/${kind}s/${(await rest.post(`/projects/${project}/${kind}s`, input)).body.id}`;
        const { body: link } = await rest.post(`${path}/share`, {});
        const status = async (): Promise<number> => (await fetch(link.markdown_url as string)).status;
        expect(await status()).to.equal(200);
        await rest.delete(path);
        expect(await status()).to.equal(410);
        const { revisions } = (await rest.get(`/projects/${project}/revisions`)).body;
        expect((await rest.post(`/revisions/${revisions[0].id}/restore`, {})).status).to.equal(200);
        expect((await rest.get(path)).status).to.equal(200);
        expect(await status(), `restored ${kind}`).to.equal(410);
        const { shares } = (await rest.get(`/projects/${project}/shares`)).body;
        expect(shares.at(-1)).to.include({ id: link.id, state: 'revoked' });
      }
    } finally {
      await service.stop();
    }
  });
});
