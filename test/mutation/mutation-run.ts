import { readFileSync } from 'node:fs';
import { Random } from '../support/random.ts';
import { FileRun } from './file-run.ts';
import { mutantsOf } from './mutants.ts';
import type { Mutant } from './mutants.ts';
import type { State, Verdict } from './state.ts';
import { absolute, sourcesOf, testsOf } from './targets.ts';
import type { Area } from './targets.ts';
import { commonDigest, mapTest, testDigest } from './test-map.ts';

export interface MutationOptions {
  readonly areas: readonly Area[];
  /** The beginning of the paths of source files, without `src/`, or an area's name. */
  readonly only?: string | undefined;
  /** A pattern of the paths of test files; default: all. */
  readonly tests?: string | undefined;
  /** The share of a file's mutants to run. */
  readonly sampleOf: (file: string) => number;
  readonly seed: number;
  /** Processor time of tests per mutant, measured without a mutant; a mutant that no test detects within it has survived. */
  readonly budgetMs: number;
  /** Test processes at a time. */
  readonly jobs: number;
  readonly log: (line: string) => void;
}

export interface AreaResult {
  readonly area: string;
  readonly verdicts: readonly Verdict[];
}

/** Slower tests run only in the long run. Processor time: what a test takes does not depend on what else the machine does. */
const testCpuMsMax = 60_000;

/** Runs mutants until all are decided; what `state` knows of the same sources and tests is not run again. */
export class MutationRun {
  readonly #state: State;
  readonly #options: MutationOptions;
  readonly #common = commonDigest();

  readonly #tests = new Set<string>();

  constructor(state: State, options: MutationOptions) {
    this.#state = state;
    this.#options = options;
  }

  /** Files that fail without a mutant, and so were left out. */
  get failingTests(): string[] {
    return [...this.#tests].filter((test) => this.#state.tests.get(test)?.passes === false);
  }

  async results(): Promise<AreaResult[]> {
    const chosen = this.#options.areas.map((area) => ({ area, mutants: this.#mutantsOf(area) }));
    const work = chosen.filter(({ mutants }) => mutants.length > 0);
    await this.#mapTests(work.map(({ area }) => area));
    const results: AreaResult[] = [];
    for (const { area, mutants } of work) {
      const tests = this.#testsOf(area).flatMap((test) => this.#state.tests.get(test) ?? []);
      const able = tests.filter(({ passes, cpuMs }) => passes && cpuMs <= testCpuMsMax);
      const verdicts: Verdict[] = [];
      const files = Map.groupBy(mutants, ({ file }) => file);
      await this.#eachOf([...files], async ([file, own]) => {
        const decided = await new FileRun(this.#state, this.#options, file, own, able).verdicts();
        verdicts.push(...decided);
      });
      results.push({ area: area.name, verdicts });
    }
    return results;
  }

  #mutantsOf(area: Area): Mutant[] {
    const { only, sampleOf, seed } = this.#options;
    const files = sourcesOf(area).filter(
      (file) => only === undefined || area.name === only || file.startsWith(`src/${only}`),
    );
    const random = new Random(seed);
    return files
      .flatMap((file) => mutantsOf(file, readFileSync(absolute(file), 'utf8')))
      .filter(({ file }) => random.chance(sampleOf(file)));
  }

  #testsOf(area: Area): string[] {
    const { tests } = this.#options;
    return testsOf(area).filter((test) => tests === undefined || new RegExp(tests).test(test));
  }

  async #mapTests(areas: readonly Area[]): Promise<void> {
    const sources = [...new Set(this.#options.areas.flatMap(sourcesOf))];
    const tests = [...new Set(areas.flatMap((area) => this.#testsOf(area)))];
    for (const test of tests) this.#tests.add(test);
    const unknown = tests.filter((test) => this.#state.tests.get(test)?.digest !== testDigest(test, this.#common));
    await this.#eachOf(unknown, async (test) => {
      const mapped = await mapTest(test, testDigest(test, this.#common), sources);
      this.#state.keepTest(mapped);
      this.#options.log(
        `${test}: ${mapped.ms} ms, ${mapped.cpuMs} ms of processor time${mapped.passes ? '' : `, FAILS WITHOUT A MUTANT and is left out: ${mapped.failure ?? 'no result'}`}`,
      );
    });
  }

  async #eachOf<T>(items: readonly T[], run: (item: T, index: number) => Promise<void>): Promise<void> {
    const entries = items.entries();
    const worker = async (): Promise<void> => {
      // The workers take from one iterator.
      for (const [index, item] of entries) await run(item, index);
    };
    await Promise.all(Array.from({ length: this.#options.jobs }, worker));
  }
}
