import { expect } from 'chai';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../src/base/config.ts';
import { limits } from '../../src/base/limits.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { bearer } from '../support/hosted-service.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { watched, TestService } from '../support/service.ts';
import { until } from '../web/support/until.ts';
import { rarely } from '../support/rarely.ts';

const terabyte = 1e12;

describe('The write limits of agents', function () {
  this.timeout(60_000);
  let service: TestService;
  let project: string;
  afterEach(() => service.stop());

  async function agent(): Promise<Record<string, string>> {
    const { body } = await service.rest.post('/keys', { kind: 'agent', project_id: project });
    return bearer(body.secret as string);
  }

  it('limit the bytes per day of each key, counted as they are stored [A.hostile.agent-quota]', async () => {
    const bytes = 2_000_000;
    service = await TestService.start({ ...watched, agentBytesPerDay: bytes });
    project = await service.project();
    const { rest } = service;
    const [one, two] = [await agent(), await agent()];
    const body = 'x'.repeat(300_000);
    const { body: document } = await rest.post(`/projects/${project}/documents`, { title: 'Long', body });
    const write = (headers: Record<string, string>, at: number): Promise<RestResponse> =>
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

  it('reject all writes while the disk is nearly full, of which the rest is reserved for the owner [A.hostile.owner-reserve]', async () => {
    let freeBytes = terabyte / 2;
    const disk: Disk = { ...nodeDisk, space: () => ({ freeBytes, totalBytes: terabyte }) };
    service = await TestService.start({ ...watched, disk });
    project = await service.project();
    const { rest } = service;
    const headers = await agent();
    const mcp = await service.mcp();
    const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Goes' }, headers);
    const { body: link } = await rest.post(`/projects/${project}/participant-links`, {});
    const guest = `/participate/${new URL(link.url).pathname.split('/').at(-1)}/submissions`;
    freeBytes = limits.ownerReserveBytes - 1;
    const refused = async (): Promise<RestResponse> => rest.patch(`/tasks/${task.id}`, { status: 'done' }, headers);
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

  it('limit the size of a project, history and files included [A.hostile.project-bytes]', async () => {
    const projectBytes = 1_000_000;
    service = await TestService.start({ ...watched, projectBytes });
    project = await service.project();
    const { rest, store } = service;
    const headers = await agent();
    const stored = (): Promise<number> => store.read(project, (view) => view.storedBytes);
    const { body: link } = await rest.post(`/projects/${project}/participant-links`, {});
    const guest = `/participate/${new URL(link.url).pathname.split('/').at(-1)}/submissions`;
    const { body: document } = await rest.post(`/projects/${project}/documents`, { title: 'Long', body: '' }, headers);
    await store.flush();
    const before = await stored();
    let answer: RestResponse;
    let edits = 0;
    do {
      answer = await rest.patch(`/documents/${document.id}`, { body: `${edits}${'x'.repeat(100_000)}` }, headers);
      await store.flush();
    } while (answer.status === 200 && ++edits < 50);
    expect(answer.status).to.equal(409);
    expect(answer.body).to.deep.include({ error: 'conflict', bytes: await stored(), bytes_max: projectBytes });
    expect(answer.body.message).to.include('agents and guests');
    // One text is in its file, the former ones in history.
    expect(edits).to.be.within(8, 11);
    expect(await stored()).to.be.within(before + edits * 100_000, before + edits * 101_500);
    const mcp = await service.mcp();
    expect((await mcp.call('create_task', { project_id: project, label: 'x' })).value.error).to.equal('conflict');
    expect((await rest.post(guest, { participant_name: 'g', title: 't' })).status).to.equal(409);
    expect((await rest.get(`/documents/${document.id}`, headers)).body.body).to.match(new RegExp(`^${edits - 1}x`));
    expect((await rest.patch(`/documents/${document.id}`, { title: 'Owner' })).status).to.equal(200);
    const other = await service.project('Other');
    expect((await mcp.call('create_task', { project_id: other, label: 'x' })).isError).to.equal(false);
    await service.restart();
    expect((await service.rest.patch(`/documents/${document.id}`, { body: '' }, headers)).status).to.equal(409);
    await service.restart({ projectBytes: 2 * projectBytes });
    expect((await service.rest.patch(`/documents/${document.id}`, { body: '' }, headers)).status).to.equal(200);
  });

  it('count a file with the change that adds it, and no existing file [A.hostile.project-bytes]', async () => {
    service = await TestService.start({ ...watched, projectBytes: 1_000_000 });
    project = await service.project();
    const { rest, store } = service;
    const headers = await agent();
    const upload = (fill: number, bytes: number): Promise<RestResponse> => {
      const content = Buffer.alloc(bytes, fill).toString('base64');
      return rest.post(
        `/projects/${project}/files`,
        { filename: 'a.bin', mime: 'image/png', content_base64: content },
        headers,
      );
    };
    expect((await upload(1, 600_000)).status).to.equal(201);
    const refused = await upload(2, 600_000);
    expect(refused.status).to.equal(409);
    expect(refused.body.bytes).to.be.within(1_200_000, 1_210_000);
    expect((await upload(1, 600_000)).status).to.equal(201);
    expect((await upload(2, 300_000)).status).to.equal(201);
    expect((await rest.get(`/projects/${project}/files`)).body.files).to.have.length(2);
    const file = { filename: 'b.bin', mime: 'image/png', content_base64: Buffer.alloc(600_000, 3).toString('base64') };
    expect((await rest.post(`/projects/${project}/files`, file)).status).to.equal(201);
    // Above the limit nothing is accepted any more, not even to be swept.
    const staged = (): number => readdirSync(join(service.root, 'local', 'bytes')).length;
    await store.flush();
    const before = staged();
    expect((await upload(4, 100_000)).status).to.equal(409);
    expect(staged()).to.equal(before);
  });

  it('count the files on disk, after any creates, moves, renames and deletes [A.hostile.project-bytes]', async () => {
    service = await TestService.start(watched);
    project = await service.project();
    const { rest } = service;
    const documents = `/projects/${project}/documents`;
    const { body: folder } = await rest.post(`/projects/${project}/folders`, { name: 'Folder' });
    const [moved, gone] = await Promise.all(
      ['Moved', 'Gone'].map(async (title) => (await rest.post(documents, { title, body: 'x'.repeat(70_000) })).body.id),
    );
    const { body: task } = await rest.post(`/projects/${project}/tasks`, {
      label: 'Task',
      description: 'é'.repeat(500),
    });
    const content = Buffer.alloc(5000, 7).toString('base64');
    await rest.post(`/projects/${project}/files`, { filename: 'a.png', mime: 'image/png', content_base64: content });
    await rest.post(`/tasks/${task.id}/comments`, { body: 'Said' });
    const agrees = async (): Promise<void> => {
      await service.store.flush();
      const counted = await service.store.read(project, (view) => view.storedBytes);
      const [directory = ''] = readdirSync(join(service.root, 'projects'));
      const there = readdirSync(join(service.root, 'projects', directory), { recursive: true, withFileTypes: true });
      const sizes = there.map((one) => (one.isFile() ? statSync(join(one.parentPath, one.name)).size : 0));
      expect(counted).to.equal(sizes.reduce((sum, size) => sum + size, 0));
    };
    await agrees();
    await rest.patch(`/documents/${moved}`, { folder_id: folder.id, title: 'Renamed' });
    await rest.delete(`/documents/${gone}`);
    await agrees();
    await rest.patch(`/folders/${folder.id}`, { name: 'Renamed folder' });
    await rest.patch(`/documents/${moved}`, { body: 'short' });
    await rest.delete(`/tasks/${task.id}`);
    await agrees();
    await service.restart();
    await agrees();
  });

  it("count files that a person removes from the project's directory [A.hostile.project-bytes]", async () => {
    service = await TestService.start({ ...watched, projectBytes: 200_000 });
    project = await service.project();
    const { rest, store } = service;
    const headers = await agent();
    const input = { title: 'Long', body: 'x'.repeat(300_000) };
    const { body: document } = await rest.post(`/projects/${project}/documents`, input);
    await store.flush();
    const task = (): Promise<RestResponse> => rest.post(`/projects/${project}/tasks`, { label: 'Goes' }, headers);
    expect((await task()).status).to.equal(409);
    const { path } = (await rest.get(`/projects/${project}/records/${document.id}/file`)).body;
    rmSync(join(service.directory, path as string));
    await until(async () => (await task()).status === 201);
  });

  it('use the disk of the root, and are set by the environment [A.hostile.owner-reserve]', async () => {
    service = await TestService.start(watched);
    const space = nodeDisk.space(tmpdir())!;
    expect(space.freeBytes).to.be.within(1, space.totalBytes);
    expect(nodeDisk.space(join(tmpdir(), 'planner-not-there'))).to.equal(undefined);
    expect(readEnvironment({ PLANNER_AGENT_BYTES_PER_DAY: '5000' }).agentBytesPerDay).to.equal(5000);
    expect(() => readEnvironment({ PLANNER_AGENT_BYTES_PER_DAY: '1 GB' })).to.throw(/number of bytes/);
    expect(readEnvironment({ PLANNER_PROJECT_BYTES: '5000' }).projectBytes).to.equal(5000);
    expect(() => readEnvironment({ PLANNER_PROJECT_BYTES: '1 GB' })).to.throw(/PLANNER_PROJECT_BYTES/);
  });
});

describe('View files', function () {
  this.timeout(60_000);

  rarely(
    'over their limit are reported and not read; no config from a caller reaches it [A.hostile.size]',
    async () => {
      const service = await TestService.start(watched);
      try {
        const { rest } = service;
        const project = await service.project();
        // The config that is largest when indented: small values as deep as inputs may be.
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
    },
  );
});
