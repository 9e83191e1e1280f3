import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markedProcesses } from '../../src/platform/marked-processes.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('Processes with a mark', () => {
  const scratch = scratchDirectory();
  const mark = { name: 'PLANNER_SLOT', value: 'abc' };

  it('are found by the list of a system that shows environments there, and nowhere else [A.run.death]', () => {
    const lines = [
      '   12 sh PLANNER_SLOT=abc HOME=/',
      '  345 sh HOME=/ PLANNER_SLOT=abc',
      '    6 sh PLANNER_SLOT=abcd',
    ];
    writeFileSync(join(scratch.path, 'ps'), `#!/bin/sh\ncat <<END\n${lines.join('\n')}\nEND\n`, { mode: 0o755 });
    const environment = { PATH: `${scratch.path}:/bin:/usr/bin` };
    expect(markedProcesses(nodeDisk, mark, environment, 'darwin')).to.deep.equal([12, 345]);
    expect(markedProcesses(nodeDisk, mark, environment, 'win32')).to.deep.equal([]);
  });
});
