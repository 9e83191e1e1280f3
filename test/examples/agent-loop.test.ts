import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { builtProgram } from '../support/build.ts';
import { scratchDirectory } from '../support/scratch.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../../examples/agent-loop/main.ts', import.meta.url));

describe('examples/agent-loop', () => {
  const scratch = scratchDirectory();

  it('completes a whole plan over MCP while a person edits its files [S.rule.2]', async function () {
    this.timeout(60_000);
    builtProgram();
    const { stdout, stderr } = await run(process.execPath, [main, '--root', scratch.path]);
    expect(stderr).to.equal('');
    expect(stdout.split('\n').filter((line) => !/^(?: {3}.*|== .*|)$/.test(line))).to.deep.equal([]);
    for (const goal of ['Catalogue', 'Checkout', 'Opening', 'General'])
      expect(stdout).to.match(new RegExp(`GOAL +${goal} is complete`));
    expect(stdout).to.match(/RED +Catalogue is blocked/);
    expect(stdout.match(/PERSON .*seen after/g)).to.have.length(5);
    expect(stdout).to.include('The end: 4 goals complete, 35 tasks done');
    const [project] = readdirSync(join(scratch.path, '.planner', 'projects'));
    expect(readdirSync(join(scratch.path, '.planner', 'projects', project!, 'tasks'))).to.have.length(35);
  });
});
