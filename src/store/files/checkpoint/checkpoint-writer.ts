import { join } from 'node:path';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type {
  BatchResult,
  CheckpointJob,
  CheckpointOutcome,
  CheckpointResult,
  FolderJob,
  Renderer,
  SyncFailure,
} from './checkpoint-job.ts';
import { attemptSync, Directories } from './directories.ts';
import { errorCode, openFlags } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { FileChanges } from './file-changes.ts';
import type { Prepared } from './file-changes.ts';
import { GitGuard } from './git-guard.ts';
import { RenameVerifier } from './verify-after-rename.ts';
import { removeQuietly } from '../disk/replace-file.ts';

/**
 * Maximum number, and bytes, of new files that are written before the first of them is renamed: each is open until
 * then.
 */
const preparedMax = 16;
const preparedBytesMax = 1024 * 1024;

type Failed = Extract<CheckpointOutcome, { readonly status: 'failed' }>;

export interface CheckpointWriterOptions {
  readonly disk: Disk;
  /**
   * The root's `.planner` directory, absolute. Nothing outside it is written, and no symbolic link below it is
   * followed.
   */
  readonly root: string;
  readonly clock?: Clock;
  /** Renders the bytes of jobs with `render`. */
  readonly renderer?: Renderer;
}

/**
 * Executes batches of jobs by synchronous calls: in a worker thread, or in the caller's thread for tests with another
 * disk. Each job succeeds or fails on its own; a file is complete at every moment.
 */
export class CheckpointWriter {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #clock: Clock;
  readonly #temporaryDirectory: string;
  readonly #directories: Directories;
  readonly #verifier: RenameVerifier;
  readonly #changes: FileChanges;
  #git: GitGuard | undefined;
  #swept = false;

  constructor({ disk, root, clock = systemClock, renderer = noRenderer }: CheckpointWriterOptions) {
    this.#disk = disk;
    this.#root = root;
    this.#clock = clock;
    this.#temporaryDirectory = join(root, 'local', 'tmp');
    this.#directories = new Directories(disk, root, clock);
    this.#verifier = new RenameVerifier(disk, clock);
    this.#changes = new FileChanges({
      disk,
      clock,
      temporaryDirectory: this.#temporaryDirectory,
      directories: this.#directories,
      verifier: this.#verifier,
      gitOperation: () => this.#git?.currentOperation(),
      renderer,
    });
  }

  run(jobs: readonly CheckpointJob[]): BatchResult {
    this.#begin();
    const mark = this.#git?.fingerprint();
    const results: CheckpointResult[] = [];
    let git = this.#gitOutcome();
    const take = (job: CheckpointJob, outcome: CheckpointOutcome): void => {
      if (outcome.status === 'git') git = outcome;
      results.push({ key: job.key, ...outcome });
    };
    const folderJobs = jobs.filter(isFolderJob);
    const refused =
      git ?? (folderJobs.length > 0 ? this.#attempt(() => this.#changes.setRows(folderJobs, false)) : undefined);
    while (results.length < jobs.length) {
      const index = results.length;
      const ready = git === undefined ? this.#prepare(jobs, index) : [];
      ready.forEach((one, i) => take(jobs[index + i]!, this.#place(one, git)));
      const job = jobs[results.length];
      if (ready.length > 0 || job === undefined) continue;
      if (refused !== undefined && isFolderJob(job)) take(job, git ?? refused);
      else take(job, git ?? this.#attempt(() => this.#changes.apply(job, (bytes) => markRaced(results, index, bytes))));
    }
    const changed = jobs.filter((job, i): job is FolderJob => isFolderJob(job) && results[i]?.status === 'ok');
    // Rows that stay are those of directories that do not exist.
    if (changed.length > 0) this.#attempt(() => this.#changes.setRows(changed, true));
    this.#verifier.drain();
    const gitChanged =
      this.#git !== undefined && (this.#git.currentOperation() !== undefined || this.#git.fingerprint() !== mark);
    return { results, gitChanged };
  }

  /**
   * Syncs files, and every directory in which something was created, renamed or removed since. Returns the failures.
   */
  sync(paths: readonly string[]): SyncFailure[] {
    const files = [...new Set(paths)].flatMap((path) => attemptSync(path, () => this.#syncFile(path)) ?? []);
    return [...files, ...this.#directories.sync()];
  }

  #begin(): void {
    this.#directories.forget();
    // Found again for each batch: a person may have run `git init`, or moved the worktree's git directory.
    if (this.#git === undefined || this.#disk.stat(this.#git.directory) === undefined) {
      this.#git = GitGuard.find(this.#disk, this.#root, this.#clock);
    }
    if (!this.#swept) this.#sweep();
  }

  #gitOutcome(): CheckpointOutcome | undefined {
    const git = this.#git?.currentOperation();
    return git && { status: 'git', what: git.what };
  }

  /** Writes the contents of the next new files, up to the first job of another kind. A failed one is retried alone. */
  #prepare(jobs: readonly CheckpointJob[], from: number): (Prepared | CheckpointOutcome)[] {
    const ready: (Prepared | CheckpointOutcome)[] = [];
    let bytes = 0;
    for (let at = from; at < jobs.length && ready.length < preparedMax && bytes < preparedBytesMax; at++) {
      let prepared: Prepared | undefined;
      const failed = this.#attempt(() => void (prepared = this.#changes.prepare(jobs[at]!)));
      const one = prepared ?? failed;
      if (one === undefined || (failed !== undefined && ready.length > 0)) break;
      ready.push(one);
      bytes += prepared?.bytes ?? 0;
    }
    return ready;
  }

  #place(one: Prepared | CheckpointOutcome, git: CheckpointOutcome | undefined): CheckpointOutcome {
    if (!('place' in one)) return git ?? one;
    return this.#attempt(() => {
      try {
        return git ?? one.place();
      } finally {
        one.drop();
      }
    });
  }

  #attempt<T>(work: () => T): T | Failed {
    try {
      return work();
    } catch (error) {
      return { status: 'failed', code: errorCode(error) ?? 'ERROR', message: (error as Error).message };
    }
  }

  #syncFile(path: string): void {
    if (this.#disk.stat(path)?.kind === 'directory') return this.#disk.syncDirectory(path);
    const fd = this.#disk.open(path, openFlags.read);
    try {
      this.#disk.sync(fd);
    } finally {
      this.#disk.close(fd);
    }
  }

  /** Removes temporary files of processes that ended. This process's own are in use: other threads create some too. */
  #sweep(): void {
    this.#swept = true;
    for (const { name, kind } of this.#disk.list(this.#temporaryDirectory)) {
      const dead = kind === 'file' && name.endsWith('.tmp') && !name.startsWith(`.${process.pid}-`);
      if (dead) removeQuietly(this.#disk, join(this.#temporaryDirectory, name));
    }
  }
}

function isFolderJob(job: CheckpointJob): job is FolderJob {
  return 'rows' in job;
}

/** Records a save that was found after the result was built. */
function markRaced(results: CheckpointResult[], index: number, bytes: Uint8Array): void {
  const result = results[index];
  if (result?.status === 'ok') results[index] = { ...result, status: 'raced', bytes };
}

function noRenderer(): never {
  throw new Error('This writer was made without a renderer.');
}
