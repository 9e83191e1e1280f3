import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../support/server-process.ts';
import { endGroup, endProcessesOf, environment, inScratch } from './run-test.ts';
import type { TestRun } from './run-test.ts';
import { absolute } from './targets.ts';
import { timeLimit } from './time-limit.ts';

/** The input of a batch's process. */
export interface BatchJob {
  readonly test: string;
  /** The absolute path of the source file. */
  readonly file: string;
  /** The texts that the source file has one after the other; null for its own. */
  readonly texts: readonly (string | null)[];
  /** Where a text is kept for the processes that the test starts. */
  readonly textPath: string;
}

export type BatchAnswer =
  | { readonly kind: 'failure'; readonly failure: string }
  | { readonly kind: 'done'; readonly index: number; readonly failure?: string | undefined };

type Outcome = Omit<TestRun, 'ms' | 'cpuMs'>;

/** So many in one process, whose memory grows with each. */
const batchMax = 40;

/**
 * Runs one test file against each of the texts of a source file. Undefined where the test does not pass in such a process without a mutant,
 * before or after the mutants: then its outcomes say nothing.
 */
export async function runBatches(
  test: string,
  file: string,
  texts: readonly string[],
  usualMs: number,
): Promise<Outcome[] | undefined> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < texts.length) {
    const some = texts.slice(outcomes.length, outcomes.length + batchMax);
    const answered = await runBatch(test, file, [null, ...some, null], usualMs);
    const [first, ...rest] = answered;
    if (first?.outcome !== 'passed') return undefined;
    const isWhole = answered.length === some.length + 2;
    // Where all were run, the test has to pass still; where one hung or ended the process, the others come in the next batch.
    if (isWhole && rest.at(-1)!.outcome !== 'passed') return undefined;
    outcomes.push(...(isWhole ? rest.slice(0, -1) : rest));
  }
  return outcomes;
}

/** The outcomes up to the first that hung or ended the process, that one included. */
function runBatch(
  test: string,
  file: string,
  texts: readonly (string | null)[],
  usualMs: number,
): Promise<readonly Outcome[]> {
  return inScratch(async (scratch, temporary) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'batch-worker.ts')], {
      cwd: repository,
      env: environment(scratch, temporary),
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const job = { test, file: absolute(file), texts, textPath: join(scratch, 'mutant.ts') };
    const outcomes = await answersOf(child, job, usualMs * 3 + 8000);
    endProcessesOf(scratch);
    return outcomes;
  });
}

function answersOf(child: ChildProcess, job: BatchJob, msMax: number): Promise<readonly Outcome[]> {
  return new Promise((resolve, reject) => {
    const outcomes: Outcome[] = [];
    let failure: string | undefined;
    let isLate = false;
    let endLimit = (): void => undefined;
    const watch = (ms: number): void => {
      endLimit();
      endLimit = timeLimit(ms, () => {
        isLate = true;
        endGroup(child);
      });
    };
    child.on('message', (answer: BatchAnswer) => {
      failure = answer.failure;
      if (answer.kind === 'failure') return watch(5000);
      outcomes.push(failure === undefined ? { outcome: 'passed' } : { outcome: 'failed', failure });
      failure = undefined;
      watch(msMax);
    });
    child.once('error', reject);
    child.once('close', () => {
      endLimit();
      endGroup(child);
      if (outcomes.length < job.texts.length) {
        if (failure !== undefined) outcomes.push({ outcome: 'failed', failure });
        else outcomes.push({ outcome: isLate ? 'timed out' : 'none' });
      }
      resolve(outcomes);
    });
    // The first loads the packages too.
    watch(msMax * 2);
    child.send(job);
  });
}
