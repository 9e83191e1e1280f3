import { expect } from 'chai';
import { Shell, shellTestMs } from '../cli/planner.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService, watched } from '../support/service.ts';
import { exportOf } from './hosted-copy.ts';

describe('A project that was deleted in a service over files and is pushed again', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let service: TestService;
  let shell: Shell;

  beforeEach(async () => {
    service = await TestService.start(watched);
    shell = new Shell(scratch.path);
    await shell.ok(['init']);
  });
  afterEach(() => service.stop());

  it('is there with its ids, while other projects are written, and so after a restart and as an import [A.returning.same, A.returning.others]', async () => {
    await shell.ok(['call', 'create_project', '{"name": "Garden"}']);
    const others = await service.project('Others');
    const task = async (): Promise<number> =>
      (await service.rest.post(`/projects/${others}/tasks`, { label: 'Elsewhere' })).status;
    const expectServing = async (): Promise<void> => {
      expect(await task()).to.equal(201);
      expect((await service.rest.get('/ready')).status).to.equal(200);
    };
    const { project } = await shell.json(['push', service.url]);
    const text = await shell.ok(['export']);
    expect((await service.rest.delete(`/projects/${project.id}`)).status).to.equal(204);
    await shell.ok(['push', service.url]);
    expect(await exportOf(service.rest, project.id)).to.equal(text);
    await expectServing();
    await service.restart();
    expect(await exportOf(service.rest, project.id)).to.equal(text);
    await expectServing();
    expect((await service.rest.delete(`/projects/${project.id}`)).status).to.equal(204);
    const kept = { ...JSON.parse(text), keep_ids: true } as object;
    const answers = await Promise.all([0, 1].map(() => service.rest.post('/projects/import', kept)));
    expect(answers.map(({ status }) => status)).to.have.members([201, 409]);
    expect(await exportOf(service.rest, project.id)).to.equal(text);
    await expectServing();
  });
});
