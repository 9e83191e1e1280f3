import { appendFileSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { RootHookObject } from 'mocha';
import { descendantSeconds } from './process-seconds.ts';

/**
 * `mocha --require ./test/support/cpu-time.ts` appends a line for each test file to `coverage/cpu-time.jsonl`: the CPU seconds that it took in
 * this process, its threads included, and in the processes that it started, a browser included, how many tests it has, and its wall time. Unlike
 * wall time, CPU time says what a file costs on a machine that does other things too. Linux only.
 */
const root = join(import.meta.dirname, '../..');

interface Seconds {
  readonly own: number;
  readonly children: number;
}

function read(): Seconds {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return { own: (userCPUTime + systemCPUTime) / 1e6, children: descendantSeconds() };
}

let last = read();
let began = performance.now();
let tests = 0;

export const mochaHooks: RootHookObject = {
  afterEach() {
    tests++;
  },
  afterAll(this: Mocha.Context) {
    const now = read();
    const file = relative(root, this.test?.parent?.suites[0]?.file ?? '');
    const wall = (performance.now() - began) / 1000;
    const seconds = { wall, own: now.own - last.own, children: now.children - last.children };
    mkdirSync(join(root, 'coverage'), { recursive: true });
    appendFileSync(join(root, 'coverage/cpu-time.jsonl'), `${JSON.stringify({ file, tests, ...seconds })}\n`);
    [last, began, tests] = [now, performance.now(), 0];
  },
};
