import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { RootHookObject } from 'mocha';

/**
 * `mocha --require ./test/support/cpu-time.ts` appends a line for each test file to `coverage/cpu-time.jsonl`: the CPU seconds that it took in
 * this process, its threads included, and in the children that have ended, and how many tests it has. Unlike wall time it says what a file
 * costs on a machine that does other things too. Linux only.
 */
const root = join(import.meta.dirname, '../..');
const ticksPerSecond = 100;

interface Seconds {
  readonly own: number;
  readonly children: number;
}

function read(): Seconds {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // Behind the name in brackets: utime and stime of the children are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    own: (userCPUTime + systemCPUTime) / 1e6,
    children: (Number(fields[13]) + Number(fields[14])) / ticksPerSecond,
  };
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
