import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mcpTransport, overBoth, restTransport } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { TestService } from '../support/service.ts';

interface Unserved {
  readonly path: string;
  readonly kind: string;
  readonly reason: string;
  readonly line?: number;
  readonly remedy: string;
}

describe('The file of a project', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await TestService.start();
  });
  afterEach(() => service.stop());

  const write = (path: string, content: string, to = service): void => {
    const whole = join(to.root, 'projects', path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
  };
  const unserved = async (): Promise<readonly Unserved[]> => {
    await service.store.rescan();
    return (await service.rest.get('/projects')).body.unserved ?? [];
  };

  overBoth(
    'is listed if it is missing or cannot be read, with path, line and remedy [A.project.listed]',
    async (transport) => {
      const { service: other } = transport;
      expect(await transport.call('list_projects')).to.deep.equal({ projects: [] });
      write('prints-a1b2c3/tasks/a.md', 'Text\n', other);
      write('prints-a1b2c3/documents/deep/b.md', 'Text\n', other);
      write('prints-a1b2c3/tasks/.hidden.md', 'Text\n', other);
      write('shop-d4e5f6/project.json', '{\n  "name": "Shop",\n}\n', other);
      write('nameless/project.json', '{}', other);
      write('empty/tasks/.keep', '', other);
      write('.hidden/tasks/a.md', 'Text\n', other);
      await other.store.rescan();
      const { projects, unserved: found } = await transport.call('list_projects');
      expect(projects).to.deep.equal([]);
      expect(found.map(({ path, kind, line }: Unserved) => [path, kind, line])).to.deep.equal([
        ['.planner/projects/nameless/project.json', 'unreadable', undefined],
        ['.planner/projects/prints-a1b2c3/project.json', 'no_project_file', undefined],
        ['.planner/projects/shop-d4e5f6/project.json', 'unreadable', 3],
      ]);
      expect(found[1].reason).to.equal('The file is missing, so the 2 record files beside it are not served.');
      for (const { reason, remedy } of found as Unserved[])
        for (const text of [reason, remedy]) expect(text).to.be.a('string').and.not.equal('');
      expect((await other.rest.get('/doctor')).body.problems).to.deep.equal(found);
      expect((await other.rest.get('/ready')).body.problems).to.equal(3);
    },
  );

  it('changes the tag of the list of projects, and is on its first page only [A.project.listed]', async () => {
    for (const name of ['A', 'B']) await service.project(name);
    const before = (await service.rest.get('/projects')).headers.get('etag')!;
    write('prints-a1b2c3/tasks/a.md', 'Text\n');
    expect(await unserved()).to.have.length(1);
    const changed = await service.rest.get('/projects', { 'If-None-Match': before });
    expect(changed.status).to.equal(200);
    const now = changed.headers.get('etag')!;
    expect((await service.rest.get('/projects', { 'If-None-Match': now })).status).to.equal(304);
    const first = (await service.rest.get('/projects?limit=1')).body;
    expect(first.unserved).to.have.length(1);
    const { body: second } = await service.rest.get(`/projects?limit=1&cursor=${first.next_cursor}`);
    expect(second.unserved).to.equal(undefined);
    rmSync(join(service.root, 'projects/prints-a1b2c3'), { recursive: true });
    expect(await unserved()).to.deep.equal([]);
    expect((await service.rest.get('/projects')).headers.get('etag')).to.equal(before);
  });

  it('is not listed for agents that are bound to another project [A.project.listed]', async () => {
    const project_id = await service.project();
    write('prints-a1b2c3/tasks/a.md', 'Text\n');
    expect(await unserved()).to.have.length(1);
    const { body } = await service.rest.post('/keys', { kind: 'agent', name: 'bound', project_id });
    const headers = { Authorization: `Bearer ${body.secret}` };
    const agent = mcpTransport(service, await service.mcp({ headers }));
    expect((await agent.call('list_projects')).unserved).to.equal(undefined);
  });

  it('is served as soon as it is there, or repaired [A.project.listed]', async () => {
    const project_id = await service.project('Prints');
    await restTransport(service).call('create_task', { project_id, label: 'Dig' });
    const files = await PlanFiles.of(service);
    const good = files.read('project.json');
    const copy = join(service.directory, 'kept');
    await service.restart({}, () => {
      rmSync(join(service.root, 'local'), { recursive: true });
      writeFileSync(copy, good);
      files.remove('project.json');
    });
    expect((await unserved()).map(({ kind }) => kind)).to.deep.equal(['no_project_file']);
    files.write('project.json', good.replace('"Prints"', '"Prints'));
    expect((await unserved()).map(({ kind, line }) => [kind, typeof line])).to.deep.equal([['unreadable', 'number']]);
    files.write('project.json', readFileSync(copy, 'utf8'));
    expect(await unserved()).to.deep.equal([]);
    const { tasks } = (await service.rest.get(`/projects/${project_id}/tasks`)).body;
    expect(tasks.map(({ label }: { label: string }) => label)).to.deep.equal(['Dig']);
    expect(readdirSync(join(service.root, 'projects'))).to.have.length(1);
  });
});
