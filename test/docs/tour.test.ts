import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../support/server-process.ts';
import { asServed, TestService } from '../support/service.ts';

/** The shell blocks below a heading of the README. */
function shellBelow(heading: string): string {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8');
  const section = readme.split(/^(?=#+ )/m).find((part) => part.startsWith(`### ${heading}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block = '']) => block).join('');
}

describe("The README's tour", () => {
  let service: TestService;
  beforeEach(async () => void (service = await TestService.start(asServed)));
  afterEach(() => service.stop());

  it('of REST works as pasted [A.documents]', async () => {
    const script = shellBelow('REST').replace('http://127.0.0.1:4747', service.url);
    expect(script).to.include('curl').and.include(service.url);
    const { stdout } = await promisify(execFile)('bash', [
      '-euo',
      'pipefail',
      '-c',
      script.replaceAll('curl ', 'curl -sf '),
    ]);
    expect(stdout).to.include('"label":"Take payments"').and.include('"reason":"ok"');
  });
});
