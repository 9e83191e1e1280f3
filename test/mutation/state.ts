import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/server-process.ts';
import type { MappedTest } from './test-map.ts';

/** The outcome of a mutant. */
export interface Verdict {
  readonly file: string;
  readonly id: string;
  readonly line: number;
  readonly outcome: 'killed' | 'timed out' | 'survived' | 'not covered';
  /** The test file that noticed it, and the test. */
  readonly by?: string;
  readonly failure?: string;
  /** Of the tests that decided it: a killed mutant's one, a survivor's all. */
  readonly digest: string;
}

const directory = join(repository, 'coverage/mutation');

/** The results of a run so far, one per line, so that an interrupted run can continue. The last line of a kind counts. */
export class State {
  readonly tests = new Map<string, MappedTest>();
  readonly verdicts = new Map<string, Verdict>();

  constructor(fresh: boolean) {
    mkdirSync(directory, { recursive: true });
    if (fresh) for (const name of ['tests', 'verdicts']) rmSync(pathOf(name), { force: true });
    for (const test of linesOf<MappedTest>('tests')) if ('cpuMs' in test) this.tests.set(test.test, test);
    for (const verdict of linesOf<Verdict>('verdicts')) this.verdicts.set(keyOf(verdict), verdict);
  }

  keepTest(test: MappedTest): void {
    this.tests.set(test.test, test);
    appendFileSync(pathOf('tests'), `${JSON.stringify(test)}\n`);
  }

  keepVerdict(verdict: Verdict): void {
    this.verdicts.set(keyOf(verdict), verdict);
    appendFileSync(pathOf('verdicts'), `${JSON.stringify(verdict)}\n`);
  }
}

export function keyOf({ file, id }: Pick<Verdict, 'file' | 'id'>): string {
  return `${file}: ${id}`;
}

function pathOf(name: string): string {
  return join(directory, `${name}.jsonl`);
}

/** An interrupted run may leave a torn last line. */
function* linesOf<T>(name: string): IterableIterator<T> {
  if (!existsSync(pathOf(name))) return;
  for (const line of readFileSync(pathOf(name), 'utf8').split('\n'))
    if (line.endsWith('}')) yield JSON.parse(line) as T;
}
