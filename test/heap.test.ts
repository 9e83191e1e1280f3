import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from './support/server-process.ts';

const run = promisify(execFile);

/** Allocates 600 MB of small objects, of which a few MB are alive at a time, and prints the size of the young generation. */
const program = (bound: boolean): string => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { boundHeapGrowth } from './src/platform/heap.ts';
  if (${bound}) boundHeapGrowth();
  let kept = [];
  for (let round = 0; round < 300; round++) {
    for (let i = 0; i < 20_000; i++) kept.push({ round, text: 'item ' + i });
    if (kept.length > 200_000) kept = kept.slice(100_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);
`;

async function youngBytes(bound: boolean): Promise<number> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program(bound)], {
    cwd: repository,
  });
  return Number(stdout);
}

describe('The heap of a service', () => {
  it('has a small young generation [A.memory.heap]', async () => {
    const [unbounded, bounded] = [await youngBytes(false), await youngBytes(true)];
    assert.ok(bounded <= unbounded / 2, `${bounded} bytes where V8 takes ${unbounded}`);
  });
});
