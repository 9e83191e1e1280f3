import { expect } from 'chai';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeSegment } from '../../src/store/record/file-name.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

/** Names that lead elsewhere if they are used as a path, on one system or another. */
const allNames = [
  ...[
    '..',
    '.',
    '../..',
    '../../../outside/x',
    '/etc/passwd',
    '/',
    '//',
    'a/../../b',
    '..\\..\\outside',
    'C:\\x',
    'C:x',
  ],
  ...['\\\\server\\share', '%2e%2e%2f%2e%2e%2foutside', '..%2foutside', '%00', '~', '~/x', '$HOME', '.git/config'],
  ...[
    '.planner',
    '.folders.json',
    '.gitignore',
    'project.json',
    'canvas.json',
    'CON',
    'nul.md',
    'com1',
    'aux. ',
    'a.',
    ' a',
  ],
  ...[
    '…/…',
    '．．／',
    '\u2024\u2024/x',
    '\u202e..',
    'a\u200b',
    'a:b',
    'a*?"<>|',
    `${'../'.repeat(80)}x`,
    'x'.repeat(400),
    '😀'.repeat(100),
  ],
];

/** The tests of names, with every `step`th of them: neighbours belong to the same group. */
export function describeNames(step: number): void {
  const names = allNames.filter((_, i) => i % step === 0);
  describe('hostile names', function () {
    this.timeout(120_000);
    const scratch = scratchDirectory();
    let service: TestService;
    let project: string;

    beforeEach(async () => {
      for (const name of ['repository', 'outside']) mkdirSync(join(scratch.path, name));
      writeFileSync(join(scratch.path, 'outside/secret'), 'of the person');
      service = await TestService.start({ directory: join(scratch.path, 'repository') });
      project = await service.project();
    });
    afterEach(() => service.stop());

    /** Uses a name that may be rejected. Fails unless it is accepted as valid or rejected. */
    async function make(
      method: 'post' | 'put',
      path: string,
      body: object,
    ): Promise<Record<string, unknown> | undefined> {
      const { status, body: answer } = await service.rest[method](path, body);
      expect(status, `${path} ${JSON.stringify(body).slice(0, 200)}: ${JSON.stringify(answer)}`).to.be.oneOf([
        200, 201, 400, 409,
      ]);
      return status < 400 ? (answer as Record<string, unknown>) : undefined;
    }

    /** Every path below a directory; nothing else may exist. */
    function allBelow(directory: string): string[] {
      return readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) =>
        join(entry.parentPath, entry.name).slice(directory.length + 1),
      );
    }

    async function expectInPlace(): Promise<void> {
      await service.store.flush();
      const outside = allBelow(scratch.path).filter((path) => !path.startsWith('repository/.planner/'));
      expect(outside.sort()).to.deep.equal(['outside', 'outside/secret', 'repository', 'repository/.planner']);
      const root = readdirSync(service.root).sort();
      expect(root.filter((name) => !name.startsWith('.git'))).to.deep.equal(['config.json', 'local', 'projects']);
      for (const path of allBelow(join(service.root, 'projects')))
        for (const [i, segment] of path.split('/').entries())
          expect(segment === '.folders.json' || isSafeSegment(segment), `${path} at ${i}`).to.equal(true);
      expect(service.store.check()).to.deep.equal([]);
    }

    it('of any resource never move a file out of its directory, also after a restart [A.hostile.names, A.trust.root]', async () => {
      const folders: string[] = [];
      for (const name of names) {
        const made = await make('post', '/projects', { name });
        if (made !== undefined) await make('post', `/projects/${made['id'] as string}/tasks`, { label: name });
        await make('post', `/projects/${project}/tasks`, { label: name, tags: [name], assignee: name.slice(0, 50) });
        const folder = await make('post', `/projects/${project}/folders`, { name });
        if (folder !== undefined) folders.push(folder['id'] as string);
        const folder_id = folders.at(-1);
        await make('post', `/projects/${project}/documents`, {
          title: name,
          body: 'x',
          ...(folder_id && { folder_id }),
        });
        await make('post', `/projects/${project}/notes`, { title: name, body: 'x' });
        await make('post', `/projects/${project}/goals`, { name, objective: name });
        await make('post', `/projects/${project}/views`, { name, config: {} });
        await make('post', `/projects/${project}/tags`, { name });
        await make('post', `/projects/${project}/artifacts`, { title: name, kind: 'html', content: '<p>x</p>' });
        await make('post', `/projects/${project}/prototypes`, { name, viewport: { width: 1, height: 1 } });
        await make('post', `/projects/${project}/agent-runs`, { label: name });
        const mime = 'image/png';
        const content_base64 = Buffer.from(name).toString('base64');
        await make('post', `/projects/${project}/files`, { filename: name, mime, content_base64 });
      }
      expect(folders).to.have.length.above(names.length / 3);
      await expectInPlace();
      const before = (await service.rest.get(`/projects/${project}/documents`)).body;
      await service.restart();
      expect(service.store.check()).to.deep.equal([]);
      expect((await service.rest.get(`/projects/${project}/documents`)).body).to.deep.equal(before);
    });

    it('as ids, chosen on the canvas or stated in files, are ids or rejected, and never paths [A.hostile.names, D1.chosen-ids]', async () => {
      for (const id of names) {
        const node = { id, type: 'task', label: 'x', x: 0, y: 0 };
        const put = await service.rest.put(`/projects/${project}/canvas`, { nodes: [node], edges: [] });
        expect(put.status, id).to.equal(/^[A-Za-z0-9_-]{1,64}$/.test(id) ? 200 : 400);
        const edge = { id, from_type: 'task', from_id: id, to_type: 'task', to_id: id };
        expect((await service.rest.put(`/projects/${project}/canvas`, { nodes: [], edges: [edge] })).status).to.equal(
          400,
        );
        for (const path of [`/tasks/${encodeURIComponent(id)}`, `/files/${encodeURIComponent(id)}`])
          expect((await service.rest.get(path)).status, path).to.be.oneOf([200, 400, 404]);
      }
      const files = await PlanFiles.of(service);
      for (const [i, id] of names.entries())
        files.write(`tasks/stated-${i}.md`, `---\nid: ${JSON.stringify(id)}\nlabel: x\n---\n`);
      await service.store.rescan();
      const { body } = await service.rest.get(`/projects/${project}/tasks`);
      for (const { id } of body.tasks as { id: string }[]) {
        expect(id).to.match(/^[\p{L}\p{N}\p{M}\p{P}\p{S} ]{1,64}$/u);
        const path = `/tasks/${encodeURIComponent(id)}?project_id=${project}`;
        expect((await service.rest.patch(path, { label: 'changed' })).status, id).to.equal(200);
      }
      await service.store.flush();
      const outside = allBelow(scratch.path).filter((path) => !path.startsWith('repository/.planner/'));
      expect(outside.sort()).to.deep.equal(['outside', 'outside/secret', 'repository', 'repository/.planner']);
    });

    it('of a form’s file, and of everything in an import, are only names [A.hostile.names, D6.file-forms]', async () => {
      for (const name of names) {
        const form = new FormData();
        form.append('file', new Blob([name], { type: 'image/png' }), name);
        const { status } = await fetch(`${service.url}/api/v1/projects/${project}/files`, {
          method: 'POST',
          body: form,
        });
        expect(status, name).to.be.oneOf([201, 400]);
      }
      const task = (await service.rest.post(`/projects/${project}/tasks`, { label: 'NAME' })).body;
      await service.rest.post(`/projects/${project}/documents`, { title: 'NAME', body: 'x', link_to: task.id });
      await service.rest.post(`/projects/${project}/folders`, { name: 'NAME' });
      const exported = (await service.rest.get(`/projects/${project}/export`)).body as unknown;
      const text = typeof exported === 'string' ? exported : JSON.stringify(exported);
      for (const name of names) {
        const quoted = JSON.stringify(name).slice(1, -1);
        const named = text.replaceAll('NAME', () => quoted);
        const ided = text.replaceAll(task.id as string, () => quoted);
        for (const hostile of [named, ided]) {
          const { status } = await service.rest.post('/projects/import', hostile);
          expect(status, name).to.be.oneOf([201, 400]);
        }
      }
      await expectInPlace();
    });

    it('of a folder on this machine never lead outside of the repository, also from a file [A.hostile.names, D6.file_path, A.trust.links]', async () => {
      const inside = join(scratch.path, 'repository');
      mkdirSync(join(inside, 'app'));
      writeFileSync(join(inside, 'app/a.txt'), 'a');
      symlinkSync(join(scratch.path, 'outside'), join(inside, 'linked'));
      const paths = [
        '..',
        '../outside',
        '/etc',
        join(scratch.path, 'outside'),
        'app/../../outside',
        'linked',
        './..',
        '.planner/..',
        '',
        'app//',
        'C:\\',
      ];
      for (const folder_path of paths)
        expect((await service.rest.patch(`/projects/${project}`, { folder_path })).status, folder_path).to.equal(400);
      const client = await service.mcp();
      const files = await PlanFiles.of(service);
      for (const folder_path of paths) {
        const record = JSON.parse(files.read('project.json')) as Record<string, unknown>;
        files.write('project.json', JSON.stringify({ ...record, folder_path }));
        await service.store.rescan();
        for (const file_path of [
          'secret',
          'passwd',
          '../outside/secret',
          join(scratch.path, 'outside/secret'),
          'linked/secret',
        ]) {
          const { isError } = await client.call('attach_file', { project_id: project, file_path });
          expect(isError, `${folder_path} ${file_path}`).to.equal(true);
        }
        files.write('project.json', JSON.stringify({ ...record, folder_path: null }));
        await service.store.rescan();
      }
      expect((await service.rest.get(`/projects/${project}/files`)).body.files).to.deep.equal([]);
    });
  });
}
