/**
 * `npm run mutation`: mutates the code that holds defences and runs the tests that execute each mutant.
 *
 * node test/mutation/main.ts [--only http/guard] [--tests test/http] [--sample 0.2] [--seed 1] [--budget 60] [--jobs 2] [--fresh]
 *
 * `--tests` is a pattern of the paths of the test files to run, `--budget` are the seconds of processor time of tests that a mutant has to survive.
 * `--only` is an area (test/mutation/targets.ts) or the beginning of a path below src/. A run that is ended goes on where it was.
 */
import { parseArgs } from 'node:util';
import { MutationRun } from './mutation-run.ts';
import { outdated, scores, unexplained } from './report.ts';
import { State } from './state.ts';
import { areas } from './targets.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    tests: { type: 'string' },
    sample: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    budget: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '1' },
    fresh: { type: 'boolean', default: false },
  },
});

const sample = Number(values.sample);
const began = performance.now();
const run = new MutationRun(new State(values.fresh), {
  areas,
  only: values.only,
  tests: values.tests,
  sampleOf: () => sample,
  seed: Number(values.seed),
  budgetMs: Number(values.budget) * 1000,
  jobs: Number(values.jobs),
  log: (line) => console.log(line),
});
const results = await run.results();
const left = [...unexplained(results), ...(sample >= 1 ? outdated(results) : [])];
if (left.length > 0)
  console.log(`\nUnexplained survivors and outdated entries of test/mutation/accepted.ts:\n${left.join('\n')}`);
console.log(`\n${scores(results).join('\n')}\n${Math.round((performance.now() - began) / 60_000)} minutes`);
process.exitCode = left.length > 0 ? 1 : 0;
