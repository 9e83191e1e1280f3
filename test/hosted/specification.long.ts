import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { childEnvironment } from '../support/child-environment.ts';
import { reached } from '../support/reached.ts';
import { repository } from '../support/server-process.ts';

describe('The tests of the specification over a log that nodes share', () => {
  it('pass, but for those about files, which are left out', async () => {
    const options = { cwd: repository, env: childEnvironment(), maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'mocha:hosted'], options).catch(
      (error: unknown) => error as { stdout: string },
    );
    const [, passed, failed, skipped] = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(stdout) ?? [];
    expect(failed, stdout.slice(-5000)).to.equal('0');
    expect(Number(passed)).to.be.above(900);
    reached('tests of the specification over a shared log', `${passed}, ${skipped} about files left out`);
  });
});
