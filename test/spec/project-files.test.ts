import { expect } from 'chai';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mcpTransport, overBoth, restTransport } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { git, initRepository } from '../support/git.ts';
import { watched, TestService } from '../support/service.ts';

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
    return (await service.rest.get('/projects')).body.problems ?? [];
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
      const { projects, problems: found } = await transport.call('list_projects');
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
    expect(first.problems).to.have.length(1);
    const { body: second } = await service.rest.get(`/projects?limit=1&cursor=${first.next_cursor}`);
    expect(second.problems).to.equal(undefined);
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
    expect((await agent.call('list_projects')).problems).to.equal(undefined);
  });

  overBoth(
    'is named by the error of every call for its project while it is not served [A.project.listed, A.edit.never-good]',
    async (transport) => {
      write('prints-a1b2c3/project.json', '{\n  "name": "Shop",\n}\n', transport.service);
      await transport.service.store.rescan();
      const expected = { error: 'conflict', path: '.planner/projects/prints-a1b2c3/project.json', line: 3 };
      const project_id = 'prj_a1b2c30000000000';
      for (const [name, input] of [
        ['get_project', {}],
        ['list_tasks', {}],
        ['create_task', { label: 'Dig' }],
      ] as const)
        expect(await transport.refusal(name, { project_id, ...input }), name).to.include(expected);
      const other = await transport.refusal('list_tasks', { project_id: 'prj_a1b2c40000000000' });
      expect(other).to.include({ error: 'not_found' });
    },
  );

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

  describe('that becomes missing or unreadable', () => {
    const damages: Readonly<Record<string, (files: PlanFiles) => void>> = {
      missing: (files) => files.remove('project.json'),
      'not JSON': (files) => files.write('project.json', files.read('project.json').replace('"Prints"', '"Prints')),
      'cut off in its id': (files) => files.write('project.json', files.read('project.json').slice(0, 20)),
      empty: (files) => files.write('project.json', ''),
      'with a wrong name': (files) => files.write('project.json', files.read('project.json').replace('"Prints"', '5')),
    };
    let files: PlanFiles;
    let project_id: string;
    let task_id: string;
    beforeEach(async () => {
      project_id = await service.project('Prints');
      task_id = (await restTransport(service).call('create_task', { project_id, label: 'Dig' })).id as string;
      files = await PlanFiles.of(service);
    });

    /** The project is served with all its records, over both transports, and reports the problem. */
    const expectServed = async (kind: string): Promise<void> => {
      const path = files.shown('project.json');
      for (const transport of [restTransport(service), mcpTransport(service, await service.mcp())]) {
        const { projects, problems } = await transport.call('list_projects');
        expect(projects).to.have.length(1);
        expect(projects[0]).to.include({ id: project_id, name: 'Prints' });
        expect(problems).to.have.length(1);
        expect(problems[0]).to.include({ path, kind, id: project_id });
        expect(problems[0].remedy).to.be.a('string');
        const refusal = await transport.refusal('update_project', { project_id, name: 'Other' });
        expect(refusal).to.include({ error: 'conflict', id: project_id, path });
        const { tasks } = await transport.call('list_tasks', { project_id });
        expect(tasks.map(({ id }: { id: string }) => id)).to.deep.equal([task_id]);
        await transport.call('update_task', { task_id, status: 'done' });
      }
      const listed = (await service.rest.get(`/projects/${project_id}/problems`)).body.problems as Unserved[];
      expect(listed.map((problem) => [problem.path, problem.kind])).to.deep.equal([[path, kind]]);
      expect((await service.rest.get('/doctor')).body.problems).to.deep.equal(listed);
      await service.store.flush();
    };

    for (const [what, damage] of Object.entries(damages)) {
      const kind = what === 'missing' ? 'no_project_file' : 'unreadable';

      it(`(${what}) leaves its last good version served, also over restarts, until it is repaired [A.project.last-good]`, async () => {
        const good = files.read('project.json');
        damage(files);
        const left = (): string[] => files.paths().filter((path) => !path.startsWith('history/'));
        const before = left();
        await files.until(() => expectServed(kind));
        await service.restart();
        await expectServed(kind);
        // Without the index cache, as after an upgrade.
        await service.restart({}, () => rmSync(join(service.root, 'local/index-cache')));
        await expectServed(kind);
        expect(left(), 'the service does not write the file').to.deep.equal(before);
        files.write('project.json', good.replace('"Prints"', '"Etchings"'));
        await files.until(async () => {
          const { body } = await service.rest.get('/projects');
          expect(body.projects[0]).to.include({ id: project_id, name: 'Etchings' });
          expect(body.problems).to.equal(undefined);
        });
        expect((await service.rest.patch(`/projects/${project_id}`, { name: 'Lithos' })).status).to.equal(200);
        await service.store.flush();
        expect(files.read('project.json')).to.include('"Lithos"');
        expect(readdirSync(join(service.root, 'local/good'))).to.deep.equal([]);
      });

      it(`(${what}) while no service runs leaves its last good version served [A.project.last-good]`, async () => {
        await service.restart({}, () => damage(files));
        await expectServed(kind);
        await service.restart();
        await expectServed(kind);
      });
    }

    it('belongs to a project that goes with its last record file [A.project.last-good]', async () => {
      files.remove('project.json');
      await files.until(() => expectServed('no_project_file'));
      for (const name of readdirSync(files.directory)) if (name !== 'goals') files.remove(name);
      await files.until(async () => {
        const { projects, problems } = (await service.rest.get('/projects')).body;
        expect([projects[0].id, problems.length]).to.deep.equal([project_id, 1]);
        expect((await service.rest.get(`/projects/${project_id}/tasks`)).body.tasks).to.deep.equal([]);
      });
      files.remove('goals');
      await files.until(async () => expect((await service.rest.get('/projects')).body).to.deep.equal({ projects: [] }));
      expect((await service.rest.get(`/projects/${project_id}`)).status).to.equal(404);
      await service.restart();
      expect((await service.rest.get('/projects')).body).to.deep.equal({ projects: [] });
    });

    it('belongs to no project if its directory was removed as a whole [A.project.last-good]', async () => {
      rmSync(files.directory, { recursive: true });
      await files.until(async () => expect((await service.rest.get('/projects')).body).to.deep.equal({ projects: [] }));
    });

    it('is noticed immediately, and a project that git removes goes and comes back [A.project.last-good]', async () => {
      await service.restart(watched);
      await service.store.watching();
      const list = async (): Promise<{ projects: unknown[]; problems?: Unserved[] }> =>
        (await service.rest.get('/projects')).body;
      const soon = async (check: (body: Awaited<ReturnType<typeof list>>) => boolean): Promise<void> => {
        while (!check(await list())) await new Promise((resolve) => setTimeout(resolve, 20));
      };
      const good = files.read('project.json');
      files.remove('project.json');
      await soon(({ projects, problems = [] }) => projects.length === 1 && problems.length === 1);
      files.write('project.json', good);
      await soon(({ problems }) => problems === undefined);
      initRepository(service.directory);
      git(service.directory, 'add', '-A');
      git(service.directory, 'commit', '-qm', 'Plan');
      git(service.directory, 'rm', '-rq', '.planner/projects');
      await soon(({ projects, problems }) => projects.length === 0 && problems === undefined);
      git(service.directory, 'checkout', '-q', 'HEAD', '--', '.planner/projects');
      await soon(({ projects, problems }) => projects.length === 1 && problems === undefined);
    });
  });

  describe('is rebuilt by planner doctor --fix', () => {
    const fix = async (): Promise<{ mended: string[]; problems: Unserved[] }> =>
      (await service.rest.post('/doctor', {})).body;
    const shown = (directory: string): string => `.planner/projects/${directory}/project.json`;
    let project_id: string;
    let directory: string;
    let files: PlanFiles;
    beforeEach(async () => {
      const made = { name: 'Prints & Co', description: 'Etchings', repo_url: 'https://example.org/a.git' };
      const rest = restTransport(service);
      project_id = (await rest.call('create_project', made)).id as string;
      await rest.call('create_task', { project_id, label: 'Dig' });
      files = await PlanFiles.of(service);
      directory = basename(files.directory);
    });
    /** Starts the service without what `local/` knows. */
    const forget = (damage: () => void): Promise<void> =>
      service.restart({}, () => {
        rmSync(join(service.root, 'local'), { recursive: true });
        damage();
      });
    const bytesInTrash = (): string[] =>
      readdirSync(join(service.root, 'local/trash')).map((name) =>
        readFileSync(join(service.root, 'local/trash', name), 'utf8'),
      );

    it('as it was last read, with a copy of an unreadable one [A.project.rebuilt]', async () => {
      const good = files.read('project.json');
      files.remove('project.json');
      await files.until(async () =>
        expect((await service.rest.get('/projects')).body.problems ?? []).to.have.length(1),
      );
      const { mended, problems } = await fix();
      expect(mended).to.deep.equal([`${shown(directory)} was written as it was last read.`]);
      expect([problems, files.read('project.json')]).to.deep.equal([[], good]);
      const broken = good.replace('"Etchings"', '"Etchings');
      files.write('project.json', broken);
      await service.store.rescan();
      // A person repairs it before doctor does.
      const repaired = good.replace('"Etchings"', '"Woodcuts"');
      files.write('project.json', repaired);
      expect((await fix()).mended).to.deep.equal([]);
      expect(files.read('project.json')).to.equal(repaired);
      files.write('project.json', good);
      await service.store.rescan();
      files.write('project.json', broken);
      await service.store.rescan();
      const again = await fix();
      expect(again.mended).to.have.length(1);
      expect(again.mended[0]).to.include('.planner/local/trash/');
      expect([again.problems, files.read('project.json'), bytesInTrash()]).to.deep.equal([[], good, [broken]]);
    });

    it('from the records next to it, with the id that the settings name [A.project.rebuilt]', async () => {
      const { default_goal_id, created_at } = JSON.parse(files.read('project.json')) as Record<string, string>;
      writeFileSync(join(service.root, 'config.json'), JSON.stringify({ format: 1, project_id }));
      await forget(() => files.remove('project.json'));
      expect((await service.rest.get('/doctor')).body.problems.map(({ kind }: Unserved) => kind)).to.deep.equal([
        'no_project_file',
      ]);
      const { mended, problems } = await fix();
      expect(mended).to.have.length(1);
      expect(mended[0]).to.include(shown(directory)).and.to.include(project_id).and.to.include('"Prints co"');
      expect(problems).to.deep.equal([]);
      const { projects } = (await service.rest.get('/projects')).body;
      expect(projects).to.have.length(1);
      expect(projects[0]).to.include({ id: project_id, name: 'Prints co', default_goal_id, created_at });
      expect(projects[0]).to.include({ description: null, repo_url: null });
      const { tasks } = (await service.rest.get(`/projects/${project_id}/tasks`)).body;
      expect(tasks.map(({ label }: { label: string }) => label)).to.deep.equal(['Dig']);
      expect((await service.rest.patch(`/projects/${project_id}`, { name: 'Prints' })).status).to.equal(200);
    });

    it('with a new id if no file has the former one, and with its readable part [A.project.rebuilt]', async () => {
      const text = files.read('project.json');
      const code = directory.slice(-6);
      const broken = text.replace(project_id, '').replace('"Etchings",', '"Etchings",,');
      await forget(() => files.write('project.json', broken));
      const { mended, problems } = await fix();
      expect(mended).to.have.length(1);
      expect(mended[0]).to.match(new RegExp(`prj_${code}\\w{10}, which is new`));
      expect(problems).to.deep.equal([]);
      const [project] = (await service.rest.get('/projects')).body.projects;
      expect(project).to.include({
        name: 'Prints & Co',
        description: 'Etchings',
        repo_url: 'https://example.org/a.git',
      });
      expect(project.id)
        .to.match(new RegExp(`^prj_${code}`))
        .and.not.to.equal(project_id);
      expect(bytesInTrash()).to.deep.equal([broken]);
    });

    it('only if its project is certain, and never between the versions of a conflict [A.project.rebuilt]', async () => {
      const text = files.read('project.json');
      const record = (id: string): string => `---\nid: ${id}\n---\n`;
      await service.restart({}, () => {
        // A copy of a served project, records of two projects, and no code at all.
        cpSync(files.directory, join(service.root, 'projects/copy'), { recursive: true });
        rmSync(join(service.root, 'projects/copy/project.json'));
        write('mixed/tasks/a.md', record('tsk_a1b2c30000000000'));
        write('mixed/tasks/b.md', record('tsk_d4e5f60000000000'));
        write('plain/tasks/a.md', 'Text\n');
        write('link-e1e2e3/tasks/a.md', record('tsk_e1e2e30000000000'));
        symlinkSync(join(service.root, 'config.json'), join(service.root, 'projects/link-e1e2e3/project.json'));
        write('own-d4e5f6/project.json', '{"id": "prj_a1b2c30000000000",');
        write('own-d4e5f6/tasks/a.md', record('tsk_d4e5f60000000000'));
        const conflict = text.replace(/^( +"name".*\n)/m, '<<<<<<< a\n$1=======\n$1>>>>>>> b\n');
        write('conflict-a1b2c3/project.json', conflict.replace(project_id, 'prj_a1b2c30000000000'));
      });
      const projects = join(service.root, 'projects');
      const names = (): string[] => readdirSync(projects, { recursive: true, encoding: 'utf8' });
      const before = names();
      const { mended, problems } = await fix();
      expect(mended).to.deep.equal([]);
      expect(names()).to.have.members(before);
      const reasons = new Map(problems.map(({ path, reason }) => [path, reason]));
      expect(reasons.get(shown('copy'))).to.include(project_id);
      expect(reasons.get(shown('mixed'))).to.match(/not rebuilt: .*2 projects \(a1b2c3, d4e5f6\)/);
      expect(reasons.get(shown('plain'))).to.match(/not rebuilt: .*code/);
      expect(reasons.get(shown('own-d4e5f6'))).to.match(/not rebuilt: .*prj_a1b2c30000000000/);
      expect(reasons.get(shown('conflict-a1b2c3'))).to.match(/Conflict markers/);
      expect(reasons.get(shown('link-e1e2e3'))).to.match(/not rebuilt: .*not a regular file/);
      expect(reasons.size).to.equal(6);
      files.write('project.json', text.replace(/^( +"name".*\n)/m, '<<<<<<< a\n$1=======\n$1>>>>>>> b\n'));
      await service.store.rescan();
      expect((await fix()).mended).to.deep.equal([]);
    });
  });
});
