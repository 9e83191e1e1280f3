import { readFileSync } from 'node:fs';
import { acceptedKeys } from './accepted.ts';
import { runBatches } from './batch.ts';
import { mutated } from './mutants.ts';
import type { Mutant } from './mutants.ts';
import { runTest } from './run-test.ts';
import type { TestRun } from './run-test.ts';
import { keyOf } from './state.ts';
import type { State, Verdict } from './state.ts';
import { absolute } from './targets.ts';
import { reaches } from './test-map.ts';
import type { MappedTest } from './test-map.ts';

/** What is expected to survive is tried by the fastest tests alone. */
const acceptedBudgetMs = 5000;

/** A mutant that is not decided yet. */
interface Pending {
  readonly mutant: Mutant;
  readonly candidates: readonly MappedTest[];
  readonly tried: Set<MappedTest>;
}

export interface FileRunOptions {
  /** A mutant that no test notices within so much processor time, by what the tests take without a mutant, has survived. */
  readonly budgetMs: number;
  readonly log: (line: string) => void;
}

/** Decides the mutants of one source file. */
export class FileRun {
  readonly #state: State;
  readonly #options: FileRunOptions;
  readonly #file: string;
  readonly #mutants: readonly Mutant[];
  readonly #tests: readonly MappedTest[];

  constructor(
    state: State,
    options: FileRunOptions,
    file: string,
    mutants: readonly Mutant[],
    tests: readonly MappedTest[],
  ) {
    this.#state = state;
    this.#options = options;
    this.#file = file;
    this.#mutants = mutants;
    this.#tests = tests;
  }

  async verdicts(): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    let pending: Pending[] = [];
    for (const mutant of this.#mutants) {
      const candidates = this.#candidates(mutant);
      const known = this.#state.verdicts.get(keyOf(mutant));
      if (known !== undefined && isOf(known, mutant, candidates)) verdicts.push(known);
      else pending.push({ mutant, candidates, tried: new Set() });
    }
    for (;;) {
      const next = bestTest(pending);
      if (next === undefined) break;
      const reached = pending.filter(({ candidates, tried }) => candidates.includes(next) && !tried.has(next));
      const noticed = await this.#try(next, reached);
      verdicts.push(...noticed.values());
      pending = pending.filter(({ mutant }) => !noticed.has(mutant));
    }
    for (const { mutant, candidates } of pending)
      verdicts.push(
        this.#keep(mutant, {
          outcome: candidates.length === 0 ? 'not covered' : 'survived',
          digest: digestOfAll(candidates),
        }),
      );
    return verdicts;
  }

  /** The fastest of the tests that run a mutant, within the budget. */
  #candidates(mutant: Mutant): MappedTest[] {
    const { budgetMs } = this.#options;
    const msMax = acceptedKeys.has(keyOf(mutant)) ? Math.min(budgetMs, acceptedBudgetMs) : budgetMs;
    let plannedMs = 0;
    return this.#tests
      .filter((test) => reaches(test, mutant))
      .sort((a, b) => a.cpuMs - b.cpuMs)
      .filter(({ cpuMs }, index) => {
        if (index > 0 && plannedMs + cpuMs > msMax) return false;
        plannedMs += cpuMs;
        return true;
      });
  }

  async #try(test: MappedTest, pending: readonly Pending[]): Promise<Map<Mutant, Verdict>> {
    const source = readFileSync(absolute(this.#file), 'utf8');
    const texts = pending.map(({ mutant }) => mutated(source, mutant));
    const msMax = test.ms * 5 + 10_000;
    this.#options.log(`${this.#file}: ${pending.length} mutants by ${test.test} (${test.ms} ms)`);
    const outcomes = await runBatches(test.test, this.#file, texts, test.ms);
    const noticed = new Map<Mutant, Verdict>();
    for (const [index, { mutant, tried }] of pending.entries()) {
      tried.add(test);
      const substitute = { file: this.#file, text: texts[index]! };
      const run: Omit<TestRun, 'ms' | 'cpuMs'> = outcomes?.[index] ?? (await runTest(test.test, { substitute, msMax }));
      if (run.outcome === 'passed') continue;
      const outcome = run.outcome === 'timed out' ? 'timed out' : 'killed';
      const { test: by, digest } = test;
      noticed.set(mutant, this.#keep(mutant, { outcome, by, digest, ...(run.failure && { failure: run.failure }) }));
    }
    return noticed;
  }

  #keep({ file, id, line }: Mutant, found: Omit<Verdict, 'file' | 'id' | 'line'>): Verdict {
    const verdict = { file, id, line, ...found };
    this.#state.keepVerdict(verdict);
    this.#options.log(`${verdict.outcome.padEnd(11)} ${file}:${line} ${id}`);
    return verdict;
  }
}

/** What decides most for its time: the test by which most pending mutants are run for each second of processor time. */
function bestTest(pending: readonly Pending[]): MappedTest | undefined {
  const counts = new Map<MappedTest, number>();
  for (const { candidates, tried } of pending)
    for (const test of candidates) if (!tried.has(test)) counts.set(test, (counts.get(test) ?? 0) + 1);
  const worth = ([test, count]: [MappedTest, number]): number => (1 + Math.log2(count)) / test.cpuMs;
  return [...counts].sort((a, b) => worth(b) - worth(a))[0]?.[0];
}

/** Whether what is known of a mutant was found with the sources and tests that there are now. */
function isOf({ by, digest, line }: Verdict, mutant: Mutant, candidates: readonly MappedTest[]): boolean {
  if (line !== mutant.line) return false;
  if (by === undefined) return digest === digestOfAll(candidates);
  return candidates.some((test) => test.test === by && test.digest === digest);
}

function digestOfAll(tests: readonly MappedTest[]): string {
  return tests
    .map(({ digest }) => digest)
    .sort()
    .join(' ');
}
