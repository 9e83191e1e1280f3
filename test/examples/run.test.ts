import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { tasks } from '../../examples/run/plan.ts';
import { builtProgram } from '../support/build.ts';
import { childEnvironment } from '../support/child-environment.ts';

const main = fileURLToPath(new URL('../../examples/run/main.ts', import.meta.url));
const left = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('planner-example-'));

describe('examples/run', () => {
  it('works a goal of six tasks to its end, with a question, a red gate and an approval [A.run.example]', async function () {
    this.timeout(300_000);
    builtProgram();
    const before = left();
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, '--once'], {
      env: childEnvironment(),
    });
    expect(stderr).to.equal('');
    expect(tasks).to.have.length(6);
    for (const { label, lane } of tasks)
      expect(stdout).to.match(
        new RegExp(lane === 'auto' ? `done +${label}: green and merged` : `review +${label}: green`),
      );
    expect(stdout).to.include('Print a price asks: How is a price written?').and.include('As in 12.50 €, then.');
    expect(stdout).to.include('The gate is red, exit code 1: attempt 1 of 2.');
    expect(stdout).to.include('$ planner approve "Explain the receipt"');
    expect(stdout).to.match(/goal +"Receipts" is complete/);
    expect(stdout.slice(stdout.indexOf('$ planner verify --check'))).to.match(/current .*Receipts/);
    expect(left()).to.deep.equal(before);
  });
});
