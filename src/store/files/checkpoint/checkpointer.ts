import type { Clock, Timer } from '../../../clock.ts';
import type { BatchResult, CheckpointPort, CheckpointResult, SyncFailure } from './checkpoint-job.ts';
import { CheckpointPlan, leftOfFolder, leftToDo, type PlannedWrite } from './checkpoint-plan.ts';
import type { CheckpointPlanOptions } from './checkpoint-plan.ts';
import type { Collection } from '../../record/collection.ts';
import type { FileStat } from '../disk/disk.ts';
import type { FileState } from '../project/file-table.ts';
import { stampOf } from '../project/file-table.ts';
import { type HistoryWrite, HistoryWriter } from './history-writer.ts';
import type { JournalFiles } from '../journal/journal-files.ts';
import type { Mark } from '../journal/journal.ts';
import { directoryOf, folderFile, nameOf } from '../../record/locations.ts';
import type { Problem } from '../../record/read-transaction.ts';
import type { Project } from '../project/project.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import { SyncPace } from './sync-pace.ts';
import { UnsyncedFiles, type WrittenRecord } from './unsynced-files.ts';
import type { WriteEffect, WriteEvent } from '../life/write-life.ts';

/** Dirty records are written back after this time, so that several changes of one record cause one write. */
const delayMs = 90;
/** While a git operation is in progress nothing is written; the checkpoint is retried after this time. */
const gitRetryMs = 100;
/**
 * Backoff under load: if entries were appended while a batch was written, the next batch waits for several times as
 * long as the batch took, so that disk and processor are free for commits. It waits longest after this many entries,
 * and not at all once the journal has grown to this many bytes. A burst of commits goes to the journal alone: nothing
 * is written back during it, unless it lasts for longer than this, or a caller waits for the files.
 */
const heavyLoadEntries = 50;
const burstMsMax = 15_000;
const heavyBackoffFactor = 5;
const backoffFactor = 2;
const backoffMsMax = 1000;
const backoffStepMs = 50;
const journalBytesMax = 512 * 1024 * 1024;
/** A change that is not durable yet is retried after this time. */
const notDurableRetryMs = 10;
/**
 * Files per batch: few at first and while changes arrive one by one, so that no request is delayed for long; more under
 * a backlog.
 */
const batchWritesMin = 8;
const batchWritesMax = 256;
/** Files synced at a time: a batch waits for no more syncs than these. */
const syncsAtOnce = 32;
/** While the thread writes one batch, the next one is prepared. */
const batchesAhead = 1;

export interface CheckpointerDeps {
  readonly layout: RootLayout;
  readonly port: CheckpointPort;
  readonly journal: JournalFiles;
  readonly clock: Clock;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly projects: () => Iterable<Project>;
  /** The file that a restored record had, as a person wrote it. */
  readonly keptFile: CheckpointPlanOptions['keptFile'];
  /** Reconciles files that were not as expected, or that have to be read again. */
  readonly rescan: (project: Project, paths: readonly string[]) => void;
  /** Reconciles files that were written during a git operation, after it has ended. */
  readonly rescanAfterGit: (project: Project, paths: readonly string[]) => void;
  readonly log: (message: string) => void;
  readonly parkedRetryMs: number;
  /** Called after changes were written or parked. */
  readonly onCycleEnd: () => void;
  readonly stat: (path: string) => FileStat | undefined;
  /** The journal position up to which every change is durable. */
  readonly durablePosition: () => number;
  /** Changes with every git commit; constant outside of a repository. */
  readonly lastCommit: () => string;
  /** Called with the bytes that an editor saved into a file while it was being replaced or removed: they have to be merged. */
  readonly onRacedSave: (project: Project, path: string, former: FileState | undefined, bytes: Uint8Array) => void;
  /** Called if the folder of a dirty record has vanished: the record has to get another one. */
  readonly onOrphan: (project: Project, id: string) => void;
  /** Called after a record's file was written: its large texts can be evicted from memory. */
  readonly onFileWritten: (project: Project, collection: Collection, state: FileState) => void;
}

/** Jobs that were handed to the writing thread together. */
interface Batch {
  readonly project: Project;
  /** The project's directory, absolute. */
  readonly directory: string;
  readonly plan: readonly PlannedWrite[];
  readonly lines: readonly HistoryWrite[];
  /** The project's last journal entry that is included in the values. */
  readonly seq: number;
  readonly answer: Promise<BatchResult>;
  /** The journal's position, and the time, when the batch was sent. */
  readonly position: number;
  readonly began: number;
}

type Written = Extract<CheckpointResult, { readonly status: 'ok' | 'raced' }>;

/** Writes dirty records back to their files, in batches, until none can be written. */
export class Checkpointer {
  readonly #deps: CheckpointerDeps;
  readonly #history: HistoryWriter;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #syncError: string | undefined;
  /**
   * The load of commits during the last batch: under load batches are sent one at a time and with backoff; under heavy
   * load they are also large.
   */
  #load: 'none' | 'some' | 'heavy' = 'none';
  /** When the load became heavy; undefined while it is not. */
  #burstBegan: number | undefined;
  /** Whether a caller waits for the cycle to end: then no batch waits for the end of a burst. */
  #awaited = false;
  /** Ends the present wait for a burst. */
  #wake: (() => void) | undefined;
  /** True while history that could not be written is parked. */
  #historyParked = false;
  /** Projects with an append to their history in progress. */
  readonly #appending = new Set<Project>();
  readonly #unsynced: UnsyncedFiles;
  readonly #syncPace: SyncPace;
  /** The git operation because of which nothing is written now. */
  git: string | undefined;
  /** Why nothing can be written now although no git operation is in progress: the writing thread or the disk failed. */
  failure: Error | undefined;
  /** The number of completed writes; for status and benchmarks. */
  written = 0;

  constructor(deps: CheckpointerDeps) {
    this.#deps = deps;
    this.#unsynced = new UnsyncedFiles(deps.layout.projects);
    this.#history = new HistoryWriter(deps.layout, deps.clock, deps.lastCommit);
    const { clock, journal } = deps;
    this.#syncPace = new SyncPace({ clock, journal, isWriting: () => this.#running !== undefined });
  }

  /** Schedules a checkpoint. */
  schedule(afterMs = delayMs): void {
    if (this.#stopped) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#timer ??= this.#deps.clock.after(afterMs, () => {
      this.#timer = undefined;
      void this.#run();
    });
  }

  /** Writes until no dirty record is left or none can be written now. */
  run(): Promise<void> {
    this.#hurry();
    return this.#run();
  }

  #run(): Promise<void> {
    this.#running ??= this.#cycle()
      .catch((error: unknown) => {
        this.#deps.log(`Files could not be written: ${(error as Error).message}`);
        this.failure = error as Error;
        this.#retryAfter(this.#deps.parkedRetryMs);
      })
      .finally(() => {
        this.#running = undefined;
        this.#awaited = false;
        this.#deps.onCycleEnd();
        if (this.#again) {
          this.#again = false;
          this.schedule();
        }
      });
    return this.#running;
  }

  /** Returns true if there is a dirty record that can be written, or a checkpoint is running. */
  get busy(): boolean {
    if (this.#running !== undefined) return true;
    for (const project of this.#deps.projects()) {
      if (project.history.waiting > 0 && !this.#historyParked) return true;
      if (project.dirty.canWrite((id) => project.files.served(id)?.unreadable !== undefined)) return true;
    }
    return false;
  }

  /** Retries parked changes at once. Returns false if nothing was parked. */
  unpark(): boolean {
    let found = false;
    for (const project of this.#deps.projects()) found = project.dirty.retryParked() || found;
    return found;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#hurry();
    await this.#running;
  }

  #hurry(): void {
    this.#awaited = true;
    this.#wake?.();
  }

  /** Stops without waiting for anything. */
  abandon(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.hurrySync();
  }

  /** A caller waits for the sync in progress: it gives way to nothing any more. */
  hurrySync(): void {
    this.#syncPace.hurry();
  }

  /**
   * Syncs everything written so far; bursts of commits and writes go first. Returns false if a person has renamed a file
   * meanwhile, which the next sync finds; or if something could not be synced, and ever after: a repeated sync may
   * succeed although the data were dropped, so the journal is kept until the next opening has compared the files.
   */
  async sync(): Promise<boolean> {
    const taken = this.#unsynced.take();
    const paths = [...taken.keys()];
    const failures: SyncFailure[] = [];
    this.#syncPace.begin();
    for (let i = 0; i === 0 || i < paths.length; i += syncsAtOnce) {
      if (i > 0) await this.#syncPace.giveWay();
      failures.push(...(await this.#deps.port.sync(paths.slice(i, i + syncsAtOnce))));
    }
    for (const { path, message } of failures) {
      // A file that was removed meanwhile, with its folder or by a person, need not be synced.
      if (this.#deps.stat(path) !== undefined) this.#syncError = `${path}: ${message}`;
    }
    if (this.#syncError !== undefined)
      this.#deps.log(`A file could not be made durable, the journal is kept: ${this.#syncError}`);
    return !this.#unsynced.addRenamed(taken, (path) => this.#deps.stat(path)) && this.#syncError === undefined;
  }

  /**
   * Marks files, with their records, and directories that a former process may have written and not synced, absolute.
   * The journal still has the entries of their records and is truncated only after a sync.
   */
  markUnsynced(paths: ReadonlyMap<string, WrittenRecord | undefined>): void {
    for (const [path, record] of paths) this.#unsynced.add(path, record);
  }

  /** Whether the last write of a file survives a power failure. Its path is absolute, its record's id is known by it. */
  isSynced(path: string, id: string | undefined): boolean {
    return !this.#unsynced.has(path, id);
  }

  /** Whether a sync has failed: what was written may not survive a power failure. */
  get syncFailed(): boolean {
    return this.#syncError !== undefined;
  }

  /** Stops truncating the journal: the next opening completes from it what could not be done now. */
  keepJournal(reason: string): void {
    this.#syncError ??= reason;
  }

  /** A project was removed: stops syncing its files. */
  forgetProject(directory: string): void {
    this.#unsynced.forgetBelow(directory);
  }

  /** The directory of a folder or a project was renamed: updates the paths of unsynced files. */
  onDirectoryMoved(from: string, to: string): void {
    this.#unsynced.move(from, to);
  }

  /** Sends one batch of each project in turn, so that a project under load does not delay the others. */
  async #cycle(): Promise<void> {
    const sent: Batch[] = [];
    /** Projects in which nothing more can be written now. */
    const exhausted = new Set<Project>();
    let most = batchWritesMin;
    try {
      for (;;) {
        let some = false;
        for (const project of [...this.#deps.projects()]) {
          const batch = exhausted.has(project) ? undefined : this.#send(project, most);
          if (batch === undefined) continue;
          some = true;
          sent.push(batch);
          most = this.#load === 'some' ? batchWritesMin : Math.min(2 * most, batchWritesMax);
          await new Promise((resolve) => setImmediate(resolve));
          await this.#receiveAllBut(this.#load === 'none' ? batchesAhead : 0, sent, exhausted);
          if (this.git !== undefined) break;
        }
        if (this.git === undefined && some) continue;
        if (sent.length === 0) break;
        // A result may unblock other jobs: the documents of a folder that now has its directory.
        await this.#receiveAllBut(this.git === undefined ? sent.length - 1 : 0, sent, exhausted);
        if (this.git !== undefined) break;
      }
    } catch (error) {
      // The writing thread has ended: everything stays dirty and in the journal.
      for (const batch of sent) this.#cancel(batch);
      throw error;
    }
    if (this.git !== undefined) this.#retryAfter(gitRetryMs);
  }

  /** Handles the results of the oldest batches until at most `most` are in flight. */
  async #receiveAllBut(most: number, sent: Batch[], resting: Set<Project>): Promise<void> {
    while (sent.length > most) {
      const [batch] = sent;
      const { journal, clock } = this.#deps;
      const answer = await batch!.answer;
      // A reconciliation in slices must find the file states unchanged from its first slice to its last.
      const { exclusive } = batch!.project;
      while (exclusive.held !== undefined) await exclusive.held;
      sent.shift();
      const entries = journal.bytes < journalBytesMax ? journal.position - batch!.position : 0;
      const tookMs = clock.monotonic() - batch!.began;
      if (!this.#receive(batch!, answer)) resting.add(batch!.project);
      this.#load = entries > heavyLoadEntries ? 'heavy' : entries > 0 ? 'some' : 'none';
      await this.#backOff(tookMs);
    }
  }

  /** Waits under load after a batch that took `tookMs`, but no longer than entries arrive. */
  async #backOff(tookMs: number): Promise<void> {
    const { journal, clock } = this.#deps;
    if (this.#load !== 'heavy') this.#burstBegan = undefined;
    if (this.#load === 'none') return;
    const backoffMs = Math.min((this.#load === 'heavy' ? heavyBackoffFactor : backoffFactor) * tookMs, backoffMsMax);
    const began = clock.monotonic();
    if (this.#load === 'heavy') this.#burstBegan ??= began;
    for (;;) {
      const burstEnds = this.#burstBegan === undefined || this.#awaited ? 0 : this.#burstBegan + burstMsMax;
      const leftMs = Math.max(began + backoffMs, burstEnds) - clock.monotonic();
      if (leftMs <= 0) return;
      const { position } = journal;
      await this.#wait(Math.min(leftMs, backoffStepMs));
      if (journal.position !== position) continue;
      this.#load = 'none';
      this.#burstBegan = undefined;
      return;
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#deps.clock.after(ms, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #retryAfter(afterMs: number): void {
    this.#again = false;
    this.#deps.clock.after(afterMs, () => this.schedule(0)).unref();
  }

  /** Sends the writing thread one batch of one project; returns undefined if nothing (more) can be written now. */
  #send(project: Project, most: number): Batch | undefined {
    if (project.exclusive.held !== undefined) return this.#scheduleAfter(project.exclusive.held);
    const { layout, port, collections, journal, clock } = this.#deps;
    const directory = `${layout.projects}/${project.directory}`;
    const durablePosition = this.#deps.durablePosition();
    const { keptFile } = this.#deps;
    const planner = new CheckpointPlan(project, { directory, collections, durablePosition, keptFile });
    const plan = planner.next(most);
    for (const id of planner.orphans) this.#deps.onOrphan(project, id);
    // An append expects the segment as the former batch left it: only one batch with lines at a time.
    const mayAppend = !this.#historyParked && !this.#appending.has(project);
    const lines = mayAppend ? this.#history.plan(project, durablePosition) : [];
    if (planner.skippedNotDurable || (mayAppend && project.history.waiting > 0)) this.#retryAfter(notDurableRetryMs);
    if (plan.length === 0 && lines.length === 0) return undefined;
    for (const planned of plan) project.claims.claim(claimed(planned), changesFolder(planned));
    project.claims.claim(
      lines.map((line) => segmentPath(line, directory)),
      false,
    );
    if (lines.length > 0) this.#appending.add(project);
    const answer = port.run([...plan.map(({ job }) => job), ...lines.map(({ job }) => job)]);
    // Awaited later: until then a rejection must not count as unhandled.
    answer.catch(() => undefined);
    const { seq } = project;
    return { project, directory, plan, lines, seq, answer, position: journal.position, began: clock.monotonic() };
  }

  /** Schedules a checkpoint after a change in slices is complete. */
  #scheduleAfter(complete: Promise<void>): undefined {
    void complete.then(() => this.schedule());
  }

  /** Handles the results of a batch. Returns false if nothing could be written. */
  #receive(batch: Batch, { results, gitChanged }: BatchResult): boolean {
    const { project, plan, lines, seq } = batch;
    this.#end(batch, results);
    this.git = undefined;
    this.failure = undefined;
    const marks: Mark[] = [];
    let worked = false;
    for (const [i, planned] of plan.entries()) {
      const result = results[i];
      if (result?.status === 'git') this.git = result.what;
      const event = eventOf(planned, result, gitChanged);
      if (event.kind === 'wrote') this.#wrote(planned, result as Written);
      for (const effect of project.dirty.on(planned.id, event))
        this.#carryOut(effect, planned, result, (sha256) =>
          marks.push({ project: project.id, path: planned.id, seq, sha256 }),
        );
      worked ||= event.kind !== 'differed' && event.kind !== 'postponed';
    }
    lines.forEach((line, i) => (worked = this.#applyHistory(line, results[plan.length + i]) || worked));
    this.#deps.journal.appendMarks(marks);
    return worked && this.git === undefined;
  }

  #cancel(batch: Batch): void {
    this.#end(batch);
    for (const { project, id } of batch.plan) project.dirty.on(id, { kind: 'postponed' });
    for (const line of batch.lines) this.#history.failed(line);
  }

  /**
   * Ends the batch's claims. If a path has received more events than the batch itself caused, there was an external
   * edit: rescan it.
   */
  #end({ project, directory, plan, lines }: Batch, results: readonly CheckpointResult[] = []): void {
    const { claims } = project;
    const foreign = [
      ...plan.flatMap((planned, i) => claims.release(claimed(planned), changesFolder(planned), ownEvents(results[i]))),
      ...lines.flatMap((line, i) =>
        claims.release([segmentPath(line, directory)], false, ownEvents(results[plan.length + i])),
      ),
    ];
    if (lines.length > 0) this.#appending.delete(project);
    if (foreign.length > 0) this.#deps.rescan(project, foreign);
  }

  #applyHistory(line: HistoryWrite, result: CheckpointResult | undefined): boolean {
    if (result?.status === 'ok' && result.stat !== null) {
      this.#history.done(line, result.stat);
      this.#unsynced.add(line.job.path);
      return true;
    }
    this.#history.failed(line);
    if (result?.status === 'git') this.git = result.what;
    else if (result?.status === 'failed') this.#parkHistory(result.message);
    // If a segment has changed, the next append starts another one at once.
    return result?.status === 'changed';
  }

  #parkHistory(message: string): void {
    this.#deps.log(`History could not be written and is parked: ${message}`);
    this.#historyParked = true;
    const { clock, parkedRetryMs } = this.#deps;
    clock
      .after(parkedRetryMs, () => {
        this.#historyParked = false;
        this.schedule();
      })
      .unref();
  }

  #carryOut(
    effect: WriteEffect,
    planned: PlannedWrite,
    result: CheckpointResult | undefined,
    mark: (sha256: string | null) => void,
  ): void {
    const { project, id, path, former } = planned;
    const paths = former === undefined ? [path] : [path, former.path];
    switch (effect) {
      case 'checkpoint':
        return this.schedule();
      case 'mark':
        return mark((result as Written).sha256);
      case 'mergeSave':
        if (result?.status === 'raced') this.#deps.onRacedSave(project, path, former, result.bytes);
        return;
      case 'rescan':
        // Whatever its stamp is, the file is not the one that was expected.
        if (former !== undefined && project.files.at(former.path) === former)
          project.files.set({ ...former, isStale: true });
        return this.#deps.rescan(project, isFolderGone(planned, result) ? [''] : paths);
      case 'rescanAfterGit':
        return this.#deps.rescanAfterGit(project, paths);
      case 'retryLater':
        this.#deps.clock
          .after(this.#deps.parkedRetryMs, () => {
            project.dirty.on(id, { kind: 'retried' });
            this.schedule();
          })
          .unref();
    }
  }

  /** Updates the file table after a write. */
  #wrote(planned: PlannedWrite, result: Written): void {
    const { project, id, job, former, path, record, collection, unstated } = planned;
    this.written++;
    if (job.kind === 'moveDirectory') this.#moved(planned);
    else if (record === undefined) this.#removed(planned);
    else if (result.stat !== null && result.sha256 !== null) {
      if (former !== undefined && former.path !== path) project.files.delete(former.path);
      const state: FileState = {
        path,
        collection: collection.name,
        id,
        ...identityAfter(unstated, former),
        sha256: result.sha256,
        stamp: stampOf(result.stat),
        record,
        ...(unstated.length > 0 && { unstated }),
        ...(former?.notes !== undefined && { notes: former.notes }),
      };
      project.files.set(state);
      this.#keepServed(project, state);
      this.#unsynced.add(`${this.#deps.layout.projects}/${project.directory}/${path}`, { project, id });
      this.#deps.onFileWritten(project, collection, state);
    }
  }

  #removed({ project, job, former, collection }: PlannedWrite): void {
    if (former === undefined) return;
    if (job.kind === 'file' && nameOf(former.path) === folderFile) {
      // The directory is removed next. Until then a rescan must not take it for a folder that a person made.
      project.files.set({ ...former, hasExplicitId: false, sha256: null, stamp: undefined });
      return;
    }
    project.files.delete(former.path);
    // A directory that is not empty stays, as a folder that a person made: files were put there meanwhile.
    if (job.kind === 'removeDirectoryIfEmpty') this.#deps.rescan(project, [former.path]);
    // Another file with the same id has the record now.
    const other = project.files.served(former.id);
    if (other === undefined || leftOfFolder(project, collection, former) !== undefined) return;
    project.files.delete(other.path);
    this.#deps.rescan(project, [other.path]);
  }

  /** A directory moved: updates the paths of all files in it. */
  #moved({ project, former, path, record }: PlannedWrite): void {
    if (former === undefined) return;
    const [from, to] = [directoryOf(former.path), directoryOf(path)];
    const top = `${this.#deps.layout.projects}/${project.directory}`;
    this.onDirectoryMoved(`${top}/${from}`, `${top}/${to}`);
    for (const state of project.files.below(from)) {
      const wasServed = project.files.served(state.id) === state;
      project.files.delete(state.path);
      const moved = `${to}${state.path.slice(from.length)}`;
      // Unreadable files, and those with an id of another form, have not got theirs.
      const kept = !state.hasExplicitId && state.sha256 !== null && ({ hasKeptId: true } as const);
      project.files.set({ ...state, path: moved, ...kept, ...(state.path === former.path && { record }) });
      if (wasServed) this.#keepServed(project, project.files.at(moved)!);
    }
    // What a person changed in it before the move, events report under the former path.
    this.#deps.rescan(project, [to]);
  }

  /**
   * Another file with the same id comes first now that the record's file has another path. It is read as a new one, so
   * that its values are merged with those of the record, and not overwritten by them.
   */
  #keepServed(project: Project, state: FileState): void {
    for (let other = project.files.served(state.id); other !== undefined && other.path !== state.path;) {
      project.files.delete(other.path);
      this.#deps.rescan(project, [other.path]);
      other = project.files.served(state.id);
    }
  }
}

/** What a result means for the record. */
function eventOf(planned: PlannedWrite, result: CheckpointResult | undefined, gitChanged: boolean): WriteEvent {
  const { job, path, record } = planned;
  switch (result?.status) {
    case 'ok':
    case 'raced': {
      const raced = result.status === 'raced';
      return gitChanged && job.kind === 'file'
        ? { kind: 'gitMoved', write: { path, sha256: result.sha256, record }, raced }
        : { kind: 'wrote', left: leftToDo(planned), gitChanged, raced };
    }
    case 'changed':
      return { kind: 'differed' };
    case 'failed':
      return { kind: 'failed', problem: parkedProblem(planned, result.code, result.message) };
    case 'git':
    case undefined:
      return { kind: 'postponed' };
  }
}

function parkedProblem({ project, id, path }: PlannedWrite, code: string, message: string): Problem {
  const system = code !== 'ERROR';
  return {
    path: project.shownPath(path),
    kind: 'parked',
    reason: `A change is parked because the file cannot be written: ${message}${system ? ` (${code})` : ''}`,
    id,
    remedy: system
      ? 'Make the file writable (permissions, free space); the change is then written automatically.'
      : 'Make the front matter shorter or plainer by hand, comments first; the change is then written automatically.',
  };
}

/** Whether a file was not written because the folder that it is in is elsewhere, or gone. */
function isFolderGone({ job }: PlannedWrite, result: CheckpointResult | undefined): boolean {
  return result?.status === 'changed' && 'folder' in job && result.path === job.folder;
}

/** The number of events that a job causes for each of its paths. */
function ownEvents(result: CheckpointResult | undefined): number {
  return (result?.status === 'ok' || result?.status === 'raced') && result.emitsEvent ? 1 : 0;
}

/** What identifies a written file: one that contains another id keeps it. */
function identityAfter(
  unstated: readonly string[],
  former: FileState | undefined,
): Pick<FileState, 'hasExplicitId' | 'hasKeptId' | 'sharedId'> {
  if (former === undefined || !unstated.includes('id')) return { hasExplicitId: true };
  const { hasKeptId, sharedId } = former;
  return { hasExplicitId: false, ...(hasKeptId && { hasKeptId }), ...(sharedId !== undefined && { sharedId }) };
}

/** Whether a folder is moved, or its own file is written. */
function changesFolder({ job, path }: PlannedWrite): boolean {
  return job.kind === 'moveDirectory' || nameOf(path) === folderFile;
}

function claimed({ path, former }: PlannedWrite): string[] {
  return former === undefined || former.path === path ? [path] : [path, former.path];
}

/** Relative to the project. */
function segmentPath({ job }: HistoryWrite, directory: string): string {
  return job.path.slice(directory.length + 1);
}
