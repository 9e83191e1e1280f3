import { Random } from '../support/random.ts';
import { closeWindows } from '../support/bridge.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { WorktreeStorm } from './worktree-storm.ts';

describe('Agents in eight worktrees, at length', function () {
  this.timeout(0);
  const scratch = scratchDirectory();
  afterEach(closeWindows);

  for (const mode of ['shared', 'own'] as const)
    it(`hold no task twice, whatever is killed and removed, with worktrees set to ${mode} [A.git.worktree-storm]`, async () => {
      const size = { worktrees: 8, tasks: 400, kills: 24, removals: 6 };
      const holds = await new WorktreeStorm(scratch.path, Random.announced(`worktrees ${mode}`), mode, size).run();
      console.log(`      ${mode}: ${holds} claims of ${size.tasks} tasks in ${size.worktrees} worktrees`);
    });
});
