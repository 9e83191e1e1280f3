import { Random } from '../support/random.ts';
import { closeWindows } from '../support/bridge.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { WorktreeStorm } from './worktree-storm.ts';

describe('Agents in several worktrees', function () {
  this.timeout(300_000);
  const scratch = scratchDirectory();
  afterEach(closeWindows);

  it('hold no task twice, whatever is killed, with worktrees set to shared [A.git.worktree-storm]', async () => {
    // Starting programs takes most of the time: the long test kills and removes in both modes.
    const size = { worktrees: 2, tasks: 6, kills: 1, removals: 0 };
    const holds = await new WorktreeStorm(scratch.path, Random.announced('worktrees'), 'shared', size).run();
    console.log(`      ${holds} claims of ${size.tasks} tasks in ${size.worktrees} worktrees`);
  });
});
