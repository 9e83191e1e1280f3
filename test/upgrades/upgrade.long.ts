import { join } from 'node:path';
import { reached } from '../support/reached.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { crashes } from './crashes.ts';
import { steps } from './steps.ts';

describe('Upgrading a root, interrupted at every call of the disk', () => {
  const scratch = scratchDirectory();

  it('is complete or not begun, and the next opening completes it [A.upgrade.crash]', () => {
    reached(
      'kill points in an upgrade',
      crashes(join(scratch.path, '.planner'), steps, () => true),
    );
  });
});
