import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestService } from '../support/service.ts';

describe('folder_path of a project [D3.folder_path]', () => {
  let service: TestService;
  beforeEach(async () => (service = await TestService.start()));
  afterEach(() => service.stop());

  it('is rejected if it leads through a symbolic link, from a caller and from a file', async () => {
    mkdirSync(join(service.directory, 'inside/src'), { recursive: true });
    symlinkSync(join(service.directory, 'inside'), join(service.directory, 'link'));
    const id = await service.project();
    const right = await service.rest.patch(`/projects/${id}`, { folder_path: 'inside/src' });
    expect(right.status).to.equal(200);
    const wrong = await service.rest.patch(`/projects/${id}`, { folder_path: 'link/src' });
    expect([wrong.status, wrong.body.error, wrong.body.field]).to.deep.equal([400, 'invalid_argument', 'folder_path']);
    expect(wrong.body.message).to.contain('symbolic link link');

    await service.store.flush();
    const [directory = ''] = readdirSync(join(service.root, 'projects'));
    const file = join(service.root, 'projects', directory, 'project.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('inside/src', 'link/src'));
    await service.store.rescan();
    const served = await service.rest.get(`/projects/${id}`);
    expect(served.body.folder_path).to.equal('inside/src');
    const { body } = await service.rest.get(`/projects/${id}/problems`);
    expect(body.problems[0]).to.deep.include({ kind: 'unreadable' });
    expect(body.problems[0].reason).to.contain('symbolic link link');
  });

  it('has no .., no empty name, and does not begin at the root of the disk', async () => {
    const id = await service.project();
    for (const folder_path of ['../elsewhere', 'a//b', '/etc', 'a/../..', 'C:\\x']) {
      const { status, body } = await service.rest.patch(`/projects/${id}`, { folder_path });
      expect([status, body.field], folder_path).to.deep.equal([400, 'folder_path']);
    }
  });
});
