import { expect } from 'chai';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../src/config.ts';
import { limits } from '../../src/limits.ts';
import { nodeDisk } from '../../src/store/disk.ts';
import type { Disk } from '../../src/store/disk.ts';
import { bearer } from '../support/hosted-service.ts';
import type { RestAnswer } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';
import { until } from '../web/support/until.ts';

const terabyte = 1e12;

describe('What agents may write', function () {
  this.timeout(60_000);
  let service: TestService;
  let project: string;
  afterEach(() => service.stop());

  async function agent(): Promise<Record<string, string>> {
    const { body } = await service.rest.post('/keys', { kind: 'agent', project_id: project });
    return bearer(body.secret as string);
  }

  it('is bounded by bytes a day for each key, counted as they are stored [A.hostile.agent-quota]', async () => {
    const bytes = 2_000_000;
    service = await TestService.start({ agentBytesPerDay: bytes });
    project = await service.project();
    const { rest } = service;
    const [one, two] = [await agent(), await agent()];
    const body = 'x'.repeat(300_000);
    const { body: document } = await rest.post(`/projects/${project}/documents`, { title: 'Long', body });
    const write = (headers: Record<string, string>, at: number): Promise<RestAnswer> =>
      rest.patch(`/documents/${document.id}`, { body: `${at}${body}` }, headers);
    let answer = await write(one, 0);
    let writes = 0;
    for (; answer.status === 200 && writes < 50; writes++) answer = await write(one, writes + 1);
    expect(answer.body).to.include({ error: 'rate_limited' });
    expect(answer.body.message).to.include('PLANNER_AGENT_BYTES_PER_DAY');
    expect(Number(answer.headers.get('retry-after'))).to.be.within(86_000, 86_400);
    expect(writes).to.be.within(3, 7);
    expect((await rest.get(`/documents/${document.id}`, one)).status).to.equal(200);
    expect((await write(two, -1)).status).to.equal(200);
    expect((await rest.patch(`/documents/${document.id}`, { title: 'Owner' })).status).to.equal(200);
    const content = Buffer.alloc(bytes, 1).toString('base64');
    const file = { filename: 'a.bin', mime: 'image/png', content_base64: content };
    expect((await rest.post(`/projects/${project}/files`, file, two)).status).to.equal(201);
    expect((await rest.post(`/projects/${project}/tasks`, { label: 'After' }, two)).status).to.equal(429);
  });

  it('is nothing while the disk is nearly full, of which the rest is the owner’s [A.hostile.owner-reserve]', async () => {
    let freeBytes = terabyte / 2;
    const disk: Disk = { ...nodeDisk, space: () => ({ freeBytes, totalBytes: terabyte }) };
    service = await TestService.start({ disk });
    project = await service.project();
    const { rest } = service;
    const headers = await agent();
    const mcp = await service.mcp();
    const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Goes' }, headers);
    const { body: link } = await rest.post(`/projects/${project}/participant-links`, {});
    const guest = `/participate/${new URL(link.url).pathname.split('/').at(-1)}/submissions`;
    freeBytes = limits.ownerReserveBytes - 1;
    const refused = async (): Promise<RestAnswer> => rest.patch(`/tasks/${task.id}`, { status: 'done' }, headers);
    await until(async () => (await refused()).status === 503);
    expect((await refused()).body.error).to.equal('unavailable');
    expect((await rest.post(guest, { participant_name: 'g', title: 't' })).status).to.equal(503);
    const called = await mcp.call('create_task', { project_id: project, label: 'x' });
    expect(called.value.error).to.equal('unavailable');
    expect((await mcp.get('get_task', { task_id: task.id })).task.label).to.equal('Goes');
    expect((await rest.delete(`/tasks/${task.id}`)).status).to.equal(204);
    freeBytes = terabyte / 2;
    await until(
      async () => (await rest.post(`/projects/${project}/tasks`, { label: 'Again' }, headers)).status === 201,
    );
  });

  it('is told from the disk that has the root, and set by the environment [A.hostile.owner-reserve]', async () => {
    service = await TestService.start();
    const space = nodeDisk.space(tmpdir())!;
    expect(space.freeBytes).to.be.within(1, space.totalBytes);
    expect(nodeDisk.space(join(tmpdir(), 'planner-not-there'))).to.equal(undefined);
    expect(readEnvironment({ PLANNER_AGENT_BYTES_PER_DAY: '5000' }).agentBytesPerDay).to.equal(5000);
    expect(() => readEnvironment({ PLANNER_AGENT_BYTES_PER_DAY: '1 GB' })).to.throw(/number of bytes/);
  });
});

describe('Files of views', function () {
  this.timeout(60_000);

  it('are listed and not read over their limit, which no config from a caller reaches [A.hostile.size]', async () => {
    const service = await TestService.start();
    try {
      const { rest } = service;
      const project = await service.project();
      // The config that takes the most room when it is indented: small values as deep as inputs may be.
      let config: unknown = Array.from({ length: 9_900 }, () => 1);
      let more: unknown = Array.from({ length: 9_900 }, () => 1);
      for (let depth = 0; depth < 55; depth++) [config, more] = [{ a: config }, { a: more }];
      const { status, body: view } = await rest.post(`/projects/${project}/views`, {
        name: 'Deep',
        config: { config, more },
      });
      expect(status).to.equal(201);
      await service.store.flush();
      const projects = join(service.root, 'projects');
      const views = join(projects, readdirSync(projects)[0]!, 'views');
      mkdirSync(views, { recursive: true });
      const members = JSON.stringify(Object.fromEntries(Array.from({ length: 600_000 }, (_, at) => [`k${at}`, 0])));
      writeFileSync(join(views, 'huge.json'), `{"id": "viw_huge", "name": "Huge", "config": ${members}}`);
      const problems = async (): Promise<readonly { path: string; reason: string }[]> =>
        (await rest.get(`/projects/${project}/problems`)).body.problems;
      await until(async () => (await problems()).length > 0);
      const [problem] = await problems();
      expect(problem!.path).to.include('huge.json');
      expect(problem!.reason).to.include(`at most ${limits.viewFileBytesMax} are read`);
      await service.restart();
      expect((await service.rest.get(`/views/${view.id}`)).body.config).to.deep.equal({ config, more });
      const { views: listed } = (await service.rest.get(`/projects/${project}/views`)).body;
      expect(listed).to.have.length(1);
    } finally {
      await service.stop();
    }
  });
});
