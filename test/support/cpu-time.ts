import { appendFileSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { RootHookObject } from 'mocha';
import { processSeconds } from './process-seconds.ts';

/**
 * `mocha --require ./test/support/cpu-time.ts` appends a line for each test file to `coverage/cpu-time.jsonl`: the CPU seconds that it took in
 * this process, its threads included, and in the children that have ended, and how many tests it has. Unlike wall time it says what a file
 * costs on a machine that does other things too. Linux only.
 */
const root = join(import.meta.dirname, '../..');

interface Seconds {
  readonly own: number;
  readonly children: number;
}

function read(): Seconds {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return { own: (userCPUTime + systemCPUTime) / 1e6, children: processSeconds('self').children };
}

let last = read();
let tests = 0;

export const mochaHooks: RootHookObject = {
  afterEach() {
    tests++;
  },
  afterAll(this: Mocha.Context) {
    const now = read();
    const file = relative(root, this.test?.parent?.suites[0]?.file ?? '');
    const seconds = { own: now.own - last.own, children: now.children - last.children };
    mkdirSync(join(root, 'coverage'), { recursive: true });
    appendFileSync(join(root, 'coverage/cpu-time.jsonl'), `${JSON.stringify({ file, tests, ...seconds })}\n`);
    last = now;
    tests = 0;
  },
};
