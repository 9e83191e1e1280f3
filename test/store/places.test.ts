import { expect } from 'chai';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { collections } from '../../src/domain/collections.ts';
import { PlaceMap } from '../../src/store/places.ts';
import { fullProject } from '../support/full-project.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { TestService } from '../support/service.ts';
import { until } from '../web/support/until.ts';

describe('The directories of a project', function () {
  this.timeout(60_000);
  let service: TestService;
  const listed: string[] = [];

  beforeEach(async () => {
    service = await TestService.start({ disk: hookedDisk({ entries: (path) => void listed.push(path) }) });
  });
  afterEach(() => service.stop());

  async function projectDirectory(): Promise<string> {
    await service.store.flush();
    const projects = join(service.root, 'projects');
    return join(projects, readdirSync(projects)[0]!);
  }

  it('may hold records where the service writes any, and nowhere else but in trees [A.hostile.junk]', async () => {
    await fullProject(service);
    const top = await projectDirectory();
    const files = readdirSync(top, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const directories = new Set(files.map(({ parentPath }) => relative(top, parentPath)));
    directories.delete('');
    expect(directories.size).to.be.above(10);
    const places = new PlaceMap(collections);
    for (const directory of directories)
      for (let at = directory; at !== '.'; at = dirname(at)) expect(places.mayHold(at), at).to.equal(true);
    expect(places.mayHold('documents/any/depth/of/folders')).to.equal(true);
    const never = [
      'junk',
      'junk/tasks',
      'tasks/junk',
      'tasks/tasks',
      'comments/tsk_1/junk',
      'history/2026-11/junk',
      '',
    ];
    expect(never.filter((directory) => places.mayHold(directory))).to.deep.equal([]);
  });

  it('are not walked where none of them can hold records, and what comes from there is taken up [A.hostile.junk]', async () => {
    const { body: project } = await service.rest.post('/projects', { name: 'P' });
    await service.rest.post(`/projects/${project.id}/tasks`, { label: 'There' });
    const top = await projectDirectory();
    const tasks = async (): Promise<string[]> =>
      (await service.rest.get(`/projects/${project.id}/tasks`)).body.tasks.map(({ label }: { label: string }) => label);
    for (const place of ['junk', 'tasks/junk', 'tasks/junk.md']) {
      mkdirSync(join(top, place, 'deep'), { recursive: true });
      writeFileSync(join(top, place, 'deep', 'moved.md'), '---\nlabel: Moved\n---\n');
    }
    writeFileSync(join(top, 'tasks', 'made.md'), '---\nlabel: Made\n---\n');
    await until(async () => (await tasks()).includes('Made'));
    await service.restart();
    expect(await tasks()).to.have.members(['There', 'Made']);
    expect(listed).to.include(join(top, 'tasks'));
    expect(listed.filter((path) => path.includes('junk'))).to.deep.equal([]);
    renameSync(join(top, 'tasks', 'junk', 'deep', 'moved.md'), join(top, 'tasks', 'moved.md'));
    await until(async () => (await tasks()).includes('Moved'));
    mkdirSync(join(top, 'documents'));
    renameSync(join(top, 'junk'), join(top, 'documents', 'junk'));
    const documents = async (): Promise<string> =>
      JSON.stringify((await service.rest.get(`/projects/${project.id}/documents`)).body);
    await until(async () => (await documents()).includes('moved'));
  });
});
