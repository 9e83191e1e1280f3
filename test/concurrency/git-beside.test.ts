import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { git, initRepository } from '../support/git.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

describe('A change of a file that was written during a git operation', () => {
  const scratch = scratchDirectory();

  for (const [what, first, second] of [
    ['its name', { label: 'First change' }, { label: 'Second change' }],
    ['another field', { status: 'in_progress' }, { status: 'done' }],
  ] as const) {
    it(`is an edit of its content, not a conflict with it: ${what} [A.write.git-batch]`, async () => {
      initRepository(scratch.path);
      const lock = join(scratch.path, '.git', 'index.lock');
      const hook = { armed: false };
      const begins = (_: string, to: string): void => {
        if (!hook.armed || !to.includes('/tasks/')) return;
        hook.armed = false;
        writeFileSync(lock, '');
      };
      const service = await TestService.start({
        directory: scratch.path,
        disk: hookedDisk({ rename: begins }),
        writer: 'inline',
        watch: false,
      });
      try {
        const project = await service.project();
        const { body } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Task', status: 'todo' });
        await service.store.flush();
        git(scratch.path, 'add', '--all');
        git(scratch.path, 'commit', '--quiet', '--message', 'Plan');
        hook.armed = true;
        await service.rest.patch(`/tasks/${body.id}`, first);
        while (hook.armed) await new Promise((resolve) => setTimeout(resolve, 5));
        expect((await service.rest.patch(`/tasks/${body.id}`, second)).status).to.equal(200);
        rmSync(lock);
        await service.store.flush();
        expect((await service.rest.get(`/tasks/${body.id}`)).body).to.include(second);
        expect((await service.rest.get('/doctor')).body.problems).to.deep.equal([]);
        const [directory] = readdirSync(join(service.root, 'projects'));
        const tasks = join(service.root, 'projects', directory!, 'tasks');
        const files = readdirSync(tasks).map((name) => readFileSync(join(tasks, name), 'utf8'));
        expect(files).to.have.length(1);
        for (const value of Object.values(second)) expect(files[0]).to.contain(value);
      } finally {
        await service.stop();
      }
    });
  }
});
