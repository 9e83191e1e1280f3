import { expect } from 'chai';
import { availableParallelism } from 'node:os';
import { reached } from '../support/reached.ts';
import { MutationRun } from './mutation-run.ts';
import { outdated, scores, unexplained } from './report.ts';
import { State } from './state.ts';
import { areas, settledFiles } from './targets.ts';

/** Of the files that are not settled; chosen by PLANNER_TEST_SEED. */
const sample = Number(process.env['PLANNER_MUTATION_SAMPLE'] ?? 0.25);
const budgetMs = 60_000;
const seed = Number(process.env['PLANNER_TEST_SEED'] ?? 1);

describe('Mutants of the defences', () => {
  it('are noticed by a test, or listed with the reason why not [A.hostile.mutants]', async () => {
    const settled = settledFiles();
    const jobs = Math.min(4, availableParallelism());
    const log = (line: string): void => console.log(`      ${line}`);
    const sampleOf = (file: string): number => (settled.has(file) ? 1 : sample);
    const run = new MutationRun(new State(false), { areas, sampleOf, seed, budgetMs, jobs, log });
    const results = await run.results();
    for (const line of scores(results)) reached('mutants', line);
    const ofSettled = results.map(({ area, verdicts }) => ({
      area,
      verdicts: verdicts.filter(({ file }) => settled.has(file)),
    }));
    expect(run.failingTests, 'test files that fail without a mutant').to.deep.equal([]);
    expect(unexplained(ofSettled), 'survivors that test/mutation/accepted.ts does not explain').to.deep.equal([]);
    expect(outdated(ofSettled), 'outdated entries of test/mutation/accepted.ts').to.deep.equal([]);
  });
});
