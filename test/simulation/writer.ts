import type { Clock } from '../../src/base/clock.ts';
import type {
  BatchResult,
  CheckpointJob,
  CheckpointPort,
  CheckpointResult,
  SyncFailure,
} from '../../src/store/files/checkpoint/checkpoint-job.ts';
import type { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { GitGuard } from '../../src/store/files/checkpoint/git-guard.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import type { SimulatedMachine } from './machine.ts';

export interface SimulatedWriterOptions {
  readonly machine: SimulatedMachine;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly root: string;
  readonly isAlive: () => boolean;
}

/**
 * The thread that writes files: requests run one after the other, each in turns of its own, so that the service goes on
 * before, between and after the jobs of a batch.
 */
export class SimulatedWriter implements CheckpointPort {
  readonly #writer: CheckpointWriter;
  readonly #options: SimulatedWriterOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(writer: CheckpointWriter, options: SimulatedWriterOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  run(jobs: readonly CheckpointJob[]): Promise<BatchResult> {
    return this.#next(() => this.#run(jobs));
  }

  sync(paths: readonly string[]): Promise<readonly SyncFailure[]> {
    return this.#next(() => Promise.resolve(this.#writer.sync(paths)));
  }

  close(): Promise<void> {
    return this.#next(() => Promise.resolve());
  }

  #next<T>(request: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#turn()).then(request);
    this.#last = result.catch(() => undefined);
    return result.then((value) => this.#turn().then(() => value));
  }

  #turn(): Promise<void> {
    const { machine } = this.#options;
    const ms = machine.random.chance(0.9) ? machine.random.next() : machine.random.integer(1, 50);
    return new Promise((resolve) => void machine.time.after(ms, () => this.#options.isAlive() && resolve()));
  }

  async #run(jobs: readonly CheckpointJob[]): Promise<BatchResult> {
    const { machine, disk, root, clock } = this.#options;
    if (!machine.random.chance(machine.weather.splitBatches)) return this.#writer.run(jobs);
    const guard = GitGuard.find(disk, root, clock);
    const mark = guard?.fingerprint();
    const results: CheckpointResult[] = [];
    let gitChanged = false;
    for (const job of jobs) {
      const git = results.findLast(({ status }) => status === 'git');
      if (git?.status === 'git') {
        results.push({ ...git, key: job.key });
        continue;
      }
      if (results.length > 0) await this.#turn();
      const part = this.#writer.run([job]);
      results.push(...part.results);
      gitChanged ||= part.gitChanged;
    }
    return { results, gitChanged: gitChanged || guard?.fingerprint() !== mark };
  }
}
