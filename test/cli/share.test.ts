import { expect } from 'chai';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner share', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  it('lists the links of a project and ends them [D11.commands, D8.shares]', async () => {
    const shell = new Shell(scratch.path);
    const service = await TestService.start({ directory: shell.directory });
    try {
      const project = await service.project('Web shop');
      const { body: task } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Take payments' });
      const { body: link } = await service.rest.post(`/tasks/${task.id}/share`, {});
      const listed = await shell.ok(['share', 'list', '--project', 'Web shop']);
      expect(listed).to.include(link.id.slice(-4)).and.include('live').and.include('Take payments');
      expect(listed).not.to.include(new URL(link.markdown_url).pathname.split('/').at(-1)!.replace('.md', ''));
      expect(await shell.ok(['share', 'revoke', link.id])).to.equal(`${link.id} is revoked.\n`);
      expect((await fetch(link.markdown_url)).status).to.equal(410);
      expect((await shell.json(['share'])).shares[0]).to.include({ state: 'revoked' });
    } finally {
      await service.stop();
    }
    expect(await shell.ok(['share', 'list'])).to.include('revoked');
    expect(await shell.refused(1, ['share', 'revoke', 'shr_none'])).to.include('shr_none');
  });
});
