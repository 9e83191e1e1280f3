import { Random } from '../support/random.ts';
import { closeWindows } from '../support/bridge.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { WorktreeStorm } from './worktree-storm.ts';

describe('Agents in several worktrees', function () {
  this.timeout(300_000);
  const scratch = scratchDirectory();
  afterEach(closeWindows);

  for (const mode of ['shared', 'own'] as const)
    it(`hold no task twice, whatever is killed and removed, with worktrees set to ${mode} [A.git.worktree-storm]`, async () => {
      // Starting programs takes most of the time: the long test kills and removes in both modes.
      const size =
        mode === 'own'
          ? { worktrees: 2, tasks: 6, kills: 0, removals: 1 }
          : { worktrees: 2, tasks: 6, kills: 1, removals: 0 };
      const holds = await new WorktreeStorm(scratch.path, Random.announced(`worktrees ${mode}`), mode, size).run();
      console.log(`      ${mode}: ${holds} claims of ${size.tasks} tasks in ${size.worktrees} worktrees`);
    });
});
