import { expect } from 'chai';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { limits } from '../../src/base/limits.ts';
import { Directories } from '../../src/store/files/checkpoint/directories.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { frame, readSegment } from '../../src/store/files/journal/journal-format.ts';
import type { LineValue } from '../../src/store/files/journal/journal-format.ts';
import { runCommand } from '../support/in-process.ts';
import { git, initRepository } from '../support/git.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { watched, TestService } from '../support/service.ts';
import type { TestServiceOptions } from '../support/service.ts';

const waitMsMax = 20_000;

/** Waits until a condition holds. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await holds());) {
    if (performance.now() - began > waitMsMax) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The message of a service that does not start. If it starts, it is stopped and the test fails. */
async function refusalOf(directory: string): Promise<string> {
  let service: TestService;
  try {
    service = await TestService.start({ ...watched, directory });
  } catch (error) {
    return (error as Error).message;
  }
  await service.stop();
  return expect.fail('the service started');
}

/** The entries of a directory with the content of every file. Links are listed and not followed. */
function contentsOf(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    found[path.slice(directory.length + 1)] = entry.isFile() ? readFileSync(path, 'latin1') : '';
  }
  return found;
}

describe('A hostile repository', () => {
  const scratch = scratchDirectory();
  let running: TestService | undefined;

  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  const at = (path: string): string => join(scratch.path, path);
  const start = async (options: TestServiceOptions = {}): Promise<TestService> =>
    (running = await TestService.start({ ...watched, directory: at('repository'), ...options }));
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };

  beforeEach(() => {
    mkdirSync(at('repository'));
    mkdirSync(at('outside'));
    writeFileSync(at('outside/secret.md'), '---\ntitle: Secret\n---\nof the person\n');
  });

  describe('with symbolic links', () => {
    /** A plan with a document and a file, stopped. */
    async function plan(): Promise<{ project: string; document: string; path: string }> {
      const service = await start({ writer: 'inline', watch: false });
      const project = await service.project();
      const { body } = await service.rest.post(`/projects/${project}/documents`, { title: 'Mine', body: 'mine' });
      await service.rest.patch(`/documents/${body.id}`, { status: 'has a history' });
      const files = await PlanFiles.of(service);
      const path = await files.pathOf(body.id as string);
      await stop();
      return { project, document: body.id as string, path: join(files.directory, path) };
    }

    /** Replaces something by a link to the same content, moved outside. */
    function movedOut(path: string): void {
      renameSync(path, at('outside/moved'));
      symlinkSync(at('outside/moved'), path);
    }

    for (const path of [
      '.planner',
      '.planner/local',
      '.planner/projects',
      '.planner/local/journal',
      '.planner/local/tmp',
    ])
      it(`instead of ${path} are not opened, and nothing is written through them [A.hostile.links, A.trust.links]`, async () => {
        await plan();
        movedOut(join(at('repository'), path));
        const before = contentsOf(at('outside'));
        expect(await refusalOf(at('repository')))
          .to.match(/no link is followed/)
          .and.include(path);
        expect(contentsOf(at('outside'))).to.deep.equal(before);
      });

    it('instead of a file of local/ are not opened: links that SQLite would follow, and pipes that never end [A.hostile.links]', async () => {
      await plan();
      const lock = join(at('repository'), '.planner/local/lock');
      rmSync(lock);
      symlinkSync(at('outside/secret.md'), lock);
      expect(await refusalOf(at('repository'))).to.include(lock);
      expect(readFileSync(at('outside/secret.md'), 'utf8')).to.include('of the person');
    });

    it('instead of a project, a directory or a record are not read as records [A.hostile.links, A.trust.links]', async () => {
      const { project, document, path } = await plan();
      for (const place of [path, dirname(path), dirname(dirname(path))]) {
        movedOut(place);
        const service = await start();
        expect((await service.rest.get(`/documents/${document}`)).status, place).to.equal(404);
        expect((await service.rest.get('/projects')).body.projects).to.have.length(
          place === dirname(dirname(path)) ? 0 : 1,
        );
        await stop();
        rmSync(place);
        renameSync(at('outside/moved'), place);
      }
      const service = await start();
      expect((await service.rest.get(`/documents/${document}`)).body).to.include({ project_id: project, body: 'mine' });
    });

    it('created while the service runs are not followed, for reading or for writing [A.hostile.links, A.trust.root]', async () => {
      const { document, path } = await plan();
      const service = await start();
      for (const place of [dirname(path), dirname(dirname(path)), dirname(dirname(dirname(path)))]) {
        movedOut(place);
        const behind = join(at('outside/moved'), path.slice(place.length));
        writeFileSync(behind, readFileSync(behind, 'utf8').replace('mine', 'of the person'));
        const before = contentsOf(at('outside'));
        await until(`${place} is seen`, async () => {
          await service.store.rescan();
          return (await service.rest.get(`/documents/${document}`)).status !== 200;
        });
        // A change that would be written there waits, or is rejected.
        const [first] = (await service.rest.get('/projects')).body.projects as { id: string }[];
        if (first !== undefined)
          await service.rest.post(`/projects/${first.id}/documents`, { title: 'Late', body: 'x' });
        await service.store.rescan();
        expect(contentsOf(at('outside')), place).to.deep.equal(before);
        rmSync(place);
        writeFileSync(behind, readFileSync(behind, 'utf8').replace('of the person', 'mine'));
        renameSync(at('outside/moved'), place);
        await until(`${place} is back`, async () => {
          await service.store.rescan();
          return (await service.rest.get(`/documents/${document}`)).body.body === 'mine';
        });
        // The change that waited is not on its way when the next directory is replaced.
        await service.store.flush();
      }
    });

    it('swapped in between the check and the read add nothing [A.hostile.links]', async () => {
      const { document, path } = await plan();
      // With the size and name of the record, in a directory that resembles its own.
      const text = readFileSync(path, 'utf8');
      const directory = dirname(path);
      mkdirSync(at('outside/documents'));
      writeFileSync(join(at('outside/documents'), path.slice(directory.length)), text.replace('mine', 'LEAK'));
      let swaps = 0;
      const disk = hookedDisk({
        readSame: (read) => {
          if (read !== path || lstatSync(directory).isSymbolicLink()) return;
          swaps++;
          renameSync(directory, `${directory}.aside`);
          symlinkSync(at('outside/documents'), directory);
        },
      });
      const service = await start({ disk, writer: 'inline' });
      writeFileSync(path, text.replace('mine', 'mine too'));
      await until('the swap', async () => {
        await service.store.rescan();
        return swaps > 0;
      });
      const seen = new Set<string>();
      for (let looks = 0; looks < 5; looks++) {
        await service.store.rescan();
        seen.add(JSON.stringify((await service.rest.get(`/documents/${document}`)).body.body));
      }
      expect([...seen].join()).not.to.include('LEAK');
      rmSync(directory);
      renameSync(`${directory}.aside`, directory);
    });

    it('swapped in while the service opens, and out again, add nothing [A.hostile.links]', async () => {
      const { document, path } = await plan();
      const directory = dirname(path);
      mkdirSync(at('outside/documents'));
      const text = readFileSync(path, 'utf8').replace('mine', 'LEAK');
      writeFileSync(join(at('outside/documents'), path.slice(directory.length)), text);
      // Older than the resolution of the times of files.
      await new Promise((resolve) => setTimeout(resolve, 100));
      let swaps = 0;
      const disk = hookedDisk({
        stat: (looked) => {
          if (looked === path && swaps === 0) {
            swaps++;
            renameSync(directory, `${directory}.aside`);
            symlinkSync(at('outside/documents'), directory);
          } else if (looked !== path && lstatSync(directory).isSymbolicLink()) {
            rmSync(directory);
            renameSync(`${directory}.aside`, directory);
          }
        },
      });
      const service = await start({ disk, writer: 'inline' });
      expect(swaps).to.equal(1);
      expect((await service.rest.get(`/documents/${document}`)).body.body).to.equal('mine');
    });

    it('instead of config.json, the token or the layout are neither read nor written through [A.hostile.links]', async () => {
      const { project } = await plan();
      const config = join(at('repository'), '.planner/config.json');
      writeFileSync(at('outside/config.json'), '{"project_id": "prj_of_the_person"}');
      rmSync(config);
      symlinkSync(at('outside/config.json'), config);
      const { code, errors } = await runCommand(['task', 'list', '--root', at('repository')], {
        cwd: at('repository'),
      });
      expect([code, errors.includes('config.json'), errors.includes('of_the_person')]).to.deep.equal([1, true, false]);
      rmSync(config);
      const service = await start();
      const directory = (await PlanFiles.of(service)).directory;
      const layout = join(directory, 'canvas.json');
      rmSync(layout, { force: true });
      writeFileSync(at('outside/layout.json'), '{}');
      symlinkSync(at('outside/layout.json'), layout);
      await service.rest.put(`/projects/${project}/canvas`, { nodes: [], edges: [], layout: { of: 'the service' } });
      await service.store.rescan();
      await until('the layout is parked or written', async () => {
        const { body } = await service.rest.get(`/projects/${project}/problems`);
        return (body.problems as unknown[]).length > 0 || !lstatSync(layout).isSymbolicLink();
      });
      expect(readFileSync(at('outside/layout.json'), 'utf8')).to.equal('{}');
    });

    it('by a second name (hard links) keep their content there when the service writes [A.hostile.hard-links]', async () => {
      const { document, path } = await plan();
      const text = readFileSync(path, 'utf8');
      linkSync(path, at('outside/other-name.md'));
      const segments = readdirSync(join(dirname(dirname(path)), 'history'), { recursive: true, withFileTypes: true });
      for (const [i, entry] of segments.filter((one) => one.isFile()).entries())
        linkSync(join(entry.parentPath, entry.name), at(`outside/history-${i}.jsonl`));
      const service = await start();
      const before = contentsOf(at('outside'));
      await service.rest.patch(`/documents/${document}`, { body: 'changed' });
      await service.store.flush();
      expect(contentsOf(at('outside'))).to.deep.equal(before);
      expect(before['other-name.md']).to.equal(text);
      expect(Object.keys(before)).to.include('history-0.jsonl');
      const files = await PlanFiles.of(service);
      expect(files.read(await files.pathOf(document))).to.include('changed');
    });
  });

  describe('with a local/ of its own', () => {
    /** A repository whose author committed the `local/` with a key that they know. */
    async function brought(): Promise<{ directory: string; secret: string }> {
      const service = await start();
      await service.project();
      const { body } = await service.rest.post('/keys', { kind: 'owner', name: 'the author' });
      await stop();
      initRepository(at('repository'));
      git(at('repository'), 'add', '--force', '--all');
      git(at('repository'), 'commit', '--quiet', '-m', 'a plan');
      git(scratch.path, 'clone', '--quiet', at('repository'), at('clone'));
      return { directory: at('clone'), secret: body.secret as string };
    }

    it('is served by no command until the user removes it [A.hostile.local]', async function () {
      this.timeout(60_000);
      const { directory } = await brought();
      const local = join(directory, '.planner/local');
      const before = contentsOf(local);
      for (const argv of [
        ['serve', '--port', '0'],
        ['task', 'list'],
      ]) {
        const { code, errors } = await runCommand([...argv, '--root', directory], { cwd: directory });
        expect([code, errors], argv.join(' ')).to.satisfy(
          ([exit, output]: [number, string]) =>
            exit === 1 && output.includes('git tracks') && output.includes('local/'),
        );
      }
      const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } })}\n`;
      const { output } = await runCommand(['mcp', '--root', directory], { cwd: directory, input });
      expect(output).to.include('git tracks').and.not.include('"projects":[');
      expect(contentsOf(local)).to.deep.equal(before);
      git(directory, 'rm', '-r', '--quiet', '.planner/local');
      const listed = await runCommand(['call', 'list_projects', '{}', '--root', directory], { cwd: directory });
      expect(listed.code, listed.errors).to.equal(0);
    });

    it('cannot place a project of its journal outside of the root [A.hostile.local, A.trust.root]', async () => {
      const service = await start();
      const project = await service.project();
      const journal = join(at('repository'), '.planner/local/journal');
      const [name = ''] = readdirSync(journal);
      const { lines } = readSegment(readFileSync(join(journal, name)));
      await stop();
      rmSync(join(at('repository'), '.planner'), { recursive: true });
      mkdirSync(journal, { recursive: true });
      const texts = lines.map(({ value }) => JSON.stringify(value));
      expect(texts.join()).to.match(/"directory":"plan-[^"]*"/);
      const hostile = texts.map((text) => text.replace(/"directory":"plan-[^"]*"/, '"directory":"../../../outside"'));
      writeFileSync(join(journal, name), hostile.map((text) => frame(JSON.parse(text) as LineValue)).join(''));
      const before = contentsOf(at('outside'));
      const again = await start();
      expect((await again.rest.get(`/projects/${project}`)).status).to.equal(404);
      await again.store.flush();
      await stop();
      expect(contentsOf(at('outside'))).to.deep.equal(before);
    });

    it('cannot leave the root by dots in a path, wherever the path occurs [A.trust.root]', () => {
      const root = join(at('repository'), '.planner');
      const directories = new Directories(nodeDisk, root);
      mkdirSync(join(root, 'projects'), { recursive: true });
      for (const path of [`${root}/projects/../../../outside/x`, `${root}/projects/..`, at('outside'), `${root}s`])
        expect(() => directories.ensure(path), path).to.throw(/outside of/);
      directories.ensure(`${root}/projects/plan`);
      expect(readdirSync(at('outside'))).to.deep.equal(['secret.md']);
    });
  });

  describe('with files of any size and kind', () => {
    it('has large files reported and not read, whatever they expand to [A.hostile.size, A.trust.bad-input]', async () => {
      const service = await start();
      const project = await service.project();
      const document = (await service.rest.post(`/projects/${project}/documents`, { title: 'Mine', body: 'mine' }))
        .body;
      const files = await PlanFiles.of(service);
      const path = join(files.directory, await files.pathOf(document.id as string));
      await stop();
      const huge = 6 * 1024 ** 3;
      // Sparse files: they fill no disk, and exhaust the memory of a program that reads them.
      for (const name of ['tasks/bomb.md', 'history/2026-01/bomb123x.jsonl', 'tags/bomb.json']) {
        mkdirSync(dirname(join(files.directory, name)), { recursive: true });
        writeFileSync(join(files.directory, name), '');
        truncateSync(join(files.directory, name), huge);
      }
      truncateSync(path, limits.recordFileBytesMax + 1);
      const reads: string[] = [];
      const disk = hookedDisk({ readSame: (read) => void reads.push(read) });
      const again = await start({ disk, writer: 'inline' });
      const { body } = await again.rest.get(`/projects/${project}/problems`);
      const problems = (body.problems as { path: string; reason: string }[]).filter(({ reason }) =>
        /bytes/.test(reason),
      );
      expect(problems.map((one) => one.path.split('/').at(-1))).to.have.members([
        ...['bomb.json', 'bomb.md', 'bomb123x.jsonl', path.split('/').at(-1)!],
      ]);
      expect(reads.filter((read) => read.includes('bomb') || read === path)).to.deep.equal([]);
      const { status } = await again.rest.patch(`/documents/${document.id}`, { body: 'over it' });
      expect(status).to.equal(409);
      expect(lstatSync(path).size).to.equal(limits.recordFileBytesMax + 1);
      expect((await again.rest.post(`/projects/${project}/tasks`, { label: 'Next' })).status).to.equal(201);
    });

    it('has settings over their limit rejected by name [A.hostile.size]', async () => {
      const service = await start();
      await service.project();
      await stop();
      truncateSync(join(at('repository'), '.planner/config.json'), 6 * 1024 ** 3);
      const { code, errors } = await runCommand(['task', 'list', '--root', at('repository')]);
      expect(code).to.equal(1);
      expect(errors).to.match(/config\.json cannot be read: it has 6442450944 bytes/);
    });

    it('runs nothing, whatever language its front matter names, and reports it [A.trust.front-matter, A.trust.bad-input]', async () => {
      const service = await start();
      const project = await service.project();
      const files = await PlanFiles.of(service);
      const proof = at('outside/proof');
      const code = `require('node:fs').writeFileSync(${JSON.stringify(proof)}, 'ran')`;
      const languages = [
        'js',
        'javascript',
        'coffee',
        'coffeescript',
        'json',
        'toml',
        'cson',
        'constructor',
        '__proto__',
      ];
      for (const language of languages)
        files.write(`documents/of ${language}.md`, `---${language}\n${code}\nmodule.exports = {}\n---\nbody\n`);
      files.write(
        'documents/of yaml.md',
        `---\ntitle: !!js/function "function () { ${code} }"\nx: !!python/object:os.system y\n---\n`,
      );
      await until('all are listed', async () => {
        await service.store.rescan();
        const { body } = await service.rest.get(`/projects/${project}/problems`);
        return (body.problems as unknown[]).length >= languages.length;
      });
      expect(existsSync(proof)).to.equal(false);
      expect((await service.rest.get('/projects')).status).to.equal(200);
    });

    it('changes no prototype by names in its files, and keeps them [A.hostile.prototypes]', async () => {
      const service = await start();
      const project = await service.project();
      const files = await PlanFiles.of(service);
      const names = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString'];
      const yaml = names.map((name) => `${name}: {polluted: yes, x: 1}`).join('\n');
      files.write(
        'documents/yaml.md',
        `---\ntitle: Yaml\n${yaml}\nposition: {__proto__: {polluted: 1}, x: 1, y: 2}\n---\nbody\n`,
      );
      const members = names.map((name) => `${JSON.stringify(name)}: {"polluted": "yes"}`).join(', ');
      files.write('views/v.json', `{"id": "v", "name": "V", "position": 1, "config": {${members}}, ${members}}`);
      files.write('canvas.json', `{"layout": {${members}}}`);
      for (const name of names) files.write(`tags/${name}.json`, `{"name": ${JSON.stringify(name)}}`);
      await until('the view is there', async () => {
        await service.store.rescan();
        return (await service.rest.get(`/projects/${project}/views`)).body.views.length === 1;
      });
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
      expect(Object.prototype).not.to.have.property('x');
      const view = (await service.rest.get(`/views/v?project_id=${project}`)).body;
      expect(Object.keys(view.config as object).sort()).to.deep.equal([...names].sort());
      const { body } = await service.rest.get(`/projects/${project}/tags`);
      expect((body.tags as { name: string }[]).map(({ name }) => name).sort()).to.deep.equal([...names].sort());
      // A change keeps the other members of the file.
      await service.rest.patch(`/views/v?project_id=${project}`, { name: 'W' });
      await service.store.flush();
      expect(JSON.parse(files.read('views/v.json'))).to.have.own.property('__proto__');
    });

    it('names its project only by an id, never by a path [A.hostile.names, A.trust.root]', async () => {
      const service = await start();
      await service.project();
      const { directory } = await PlanFiles.of(service);
      await stop();
      const sound = JSON.parse(readFileSync(join(directory, 'project.json'), 'utf8')) as Record<string, unknown>;
      const ids = ['../../../outside', '/etc', '..', 'a/b', '__proto__', 'x'.repeat(65), 'a\u0000b', 'a\nb'];
      for (const [i, id] of ids.entries()) {
        const copy = join(dirname(directory), `hostile-${i}`);
        mkdirSync(copy);
        writeFileSync(join(copy, 'project.json'), JSON.stringify({ ...sound, id, name: 'Hostile' }));
      }
      const before = contentsOf(at('outside'));
      const again = await start();
      // One of them is a valid id; for the others the directory has a problem, and no project.
      expect((await again.rest.post('/projects/__proto__/tasks', { label: 'x' })).status).to.equal(201);
      for (const id of ids.filter((one) => one !== '__proto__'))
        expect((await again.rest.get(`/projects/${encodeURIComponent(id)}`)).status, id).to.be.oneOf([400, 404]);
      expect(again.store.status()).to.deep.include({ projects: 2 });
      await again.restart();
      expect((await again.rest.get('/projects/__proto__/tasks')).body.tasks).to.have.length(1);
      expect(contentsOf(at('outside'))).to.deep.equal(before);
    });
  });
});
