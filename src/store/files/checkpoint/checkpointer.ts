import type { Clock, Timer } from '../../../base/clock.ts';
import type { BatchResult, CheckpointPort, CheckpointResult, SyncFailure } from './checkpoint-job.ts';
import { CheckpointPlan, type PlannedWrite } from './checkpoint-plan.ts';
import type { Collection } from '../../record/collection.ts';
import { type HistoryWrite, HistoryWriter } from './history-writer.ts';
import type { JournalFiles } from '../journal/journal-files.ts';
import type { Mark } from '../journal/journal.ts';
import { folderFile, nameOf } from '../../record/locations.ts';
import { eventOf, isFolderGone, ownEvents } from './outcomes.ts';
import { Pace } from './pace.ts';
import { isUnreadable } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import type { GitGuard } from './git-guard.ts';
import type { ProjectTable } from '../../replica/project-table.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { ServiceRecords } from '../../replica/service-records.ts';
import type { StoreOptions } from '../project/options.ts';
import { inSlices } from '../../../base/slices.ts';
import { UnsyncedFiles, type WrittenRecord } from './unsynced-files.ts';
import type { WriteEffect } from '../life/write-life.ts';
import { applyWrite, type Written } from './written-files.ts';

/**
 * Dirty records are written back after this time, so that several changes of one record cause one write. What cannot be
 * written now, because of a git operation or since a change is not durable yet, is retried after it, too.
 */
const delayMs = 90;
/** Files synced at a time: a batch waits for no more syncs than these. */
const syncsAtOnce = 32;

export interface CheckpointerDeps {
  readonly options: Pick<Required<StoreOptions>, 'clock' | 'disk' | 'log' | 'parkedRetryMs'>;
  readonly layout: RootLayout;
  readonly port: CheckpointPort;
  readonly journal: JournalFiles;
  /** Every change up to this journal position is durable. */
  readonly durability: { readonly durablePosition: number };
  readonly collections: ReadonlyMap<string, Collection>;
  readonly projects: ProjectTable<Project>;
  readonly service: ServiceRecords;
  readonly git: GitGuard | undefined;
  /** Called after changes were written or parked. */
  onCheckpointed(): void;
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

/** Writes dirty records back to their files, in batches, until none can be written. */
export class Checkpointer {
  readonly #deps: CheckpointerDeps;
  readonly #clock: Clock;
  readonly #history: HistoryWriter;
  readonly #pace: Pace;
  readonly #unsynced: UnsyncedFiles;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #syncError: string | undefined;
  /** True while history that could not be written is parked. */
  #historyParked = false;
  /** Projects with an append to their history in progress. */
  readonly #appending = new Set<Project>();
  /** The git operation because of which nothing is written now. */
  git: string | undefined;
  /** Why nothing can be written now although no git operation is in progress: the writing thread or the disk failed. */
  failure: Error | undefined;
  /** The number of completed writes; for status and benchmarks. */
  written = 0;

  constructor(deps: CheckpointerDeps) {
    this.#deps = deps;
    this.#clock = deps.options.clock;
    this.#unsynced = new UnsyncedFiles(deps.layout.projects);
    this.#history = new HistoryWriter(deps.layout, this.#clock, () => deps.git?.lastCommit() ?? '');
    const isWriting = (): boolean => this.#running !== undefined;
    this.#pace = new Pace({ clock: this.#clock, journal: deps.journal, isWriting });
  }

  /** Schedules a checkpoint. */
  schedule(afterMs = delayMs): void {
    if (this.#stopped) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#timer ??= this.#clock.after(afterMs, () => {
      this.#timer = undefined;
      void this.#run();
    });
  }

  /** Writes until no dirty record is left or none can be written now. */
  run(): Promise<void> {
    this.#pace.hurryWrites();
    return this.#run();
  }

  #run(): Promise<void> {
    this.#running ??= this.#cycle()
      .catch((error: unknown) => {
        this.#deps.options.log(`Files could not be written: ${(error as Error).message}`);
        this.failure = error as Error;
        this.#retryAfter(this.#deps.options.parkedRetryMs);
      })
      .finally(() => {
        this.#running = undefined;
        this.#pace.endWrites();
        this.#deps.onCheckpointed();
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
    for (const project of this.#deps.projects.values()) {
      if (project.history.waiting > 0 && !this.#historyParked) return true;
      if (project.dirty.canWrite((id) => isUnreadable(project.files.served(id)))) return true;
    }
    return false;
  }

  /** Retries parked changes at once. Returns false if nothing was parked. */
  unpark(): boolean {
    let found = false;
    for (const project of this.#deps.projects.values()) found = project.dirty.retryParked() || found;
    return found;
  }

  /** Retries a parked change after a while. */
  retryLater(project: Project, id: string): void {
    this.#afterParked(() => project.dirty.on(id, { kind: 'retried' }));
  }

  async stop(): Promise<void> {
    this.abandon();
    this.#timer = undefined;
    this.#pace.hurryWrites();
    await this.#running;
  }

  /** Stops without waiting for anything. */
  abandon(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.closeSyncs();
  }

  /** A caller waits for the sync in progress, or for the next one: it gives way to nothing. */
  hurrySync(): void {
    this.#pace.hurrySync();
  }

  /** No sync gives way to anything any more. */
  closeSyncs(): void {
    this.#pace.close();
  }

  /**
   * Syncs everything written so far; bursts of commits and writes go first. Returns false if a person has renamed a file
   * meanwhile, which the next sync finds; or if something could not be synced, and ever after: a repeated sync may
   * succeed although the data were dropped, so the journal is kept until the next opening has compared the files.
   */
  async sync(): Promise<boolean> {
    const taken = this.#unsynced.take();
    await inSlices('sync', this.#unsynced.addPresentNames(taken));
    const paths = [...taken.paths];
    const failures: SyncFailure[] = [];
    this.#pace.beginSync();
    for (let i = 0; i === 0 || i < paths.length; i += syncsAtOnce) {
      if (i > 0) await this.#pace.giveWay();
      failures.push(...(await this.#deps.port.sync(paths.slice(i, i + syncsAtOnce))));
    }
    for (const { path, message } of failures) {
      // A file that was removed meanwhile, with its folder or by a person, need not be synced.
      if (this.#deps.options.disk.stat(path) !== undefined) this.#syncError = `${path}: ${message}`;
    }
    if (this.#syncError !== undefined)
      this.#deps.options.log(`A file could not be made durable, the journal is kept: ${this.#syncError}`);
    this.#pace.endSync();
    const renamed = this.#unsynced.addRenamed(taken, (path) => this.#deps.options.disk.stat(path));
    return !(await inSlices('sync', renamed)) && this.#syncError === undefined;
  }

  /**
   * Marks files, with their records, and directories that a former process may have written and not synced, absolute.
   * The journal still has the entries of their records and is truncated only after a sync.
   */
  markUnsynced(paths: ReadonlyMap<string, WrittenRecord | undefined>): void {
    for (const [path, record] of paths) this.#unsynced.add(path, record);
  }

  /** Marks the file of a record that another program has written with a change which the journal has: it may not sync it. */
  markSettled(record: WrittenRecord): void {
    this.#unsynced.addWhereItIs(record);
  }

  /** Whether the last write of a file survives a power failure. Its path is absolute, its record's id is known by it. */
  isSynced(path: string, id: string | undefined): boolean {
    return !this.#unsynced.has(path, id);
  }

  /** Whether nothing appends to a segment of history any more, and its lines survive a power failure. */
  isFinished(segment: string): boolean {
    return this.isSynced(segment, undefined) && !this.#history.mayAppendTo(segment);
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
    this.#pace.beginWrites();
    try {
      for (;;) {
        let some = false;
        for (const project of [...this.#deps.projects.values()]) {
          const batch = exhausted.has(project) ? undefined : this.#send(project);
          if (batch === undefined) continue;
          some = true;
          sent.push(batch);
          this.#pace.grow();
          await new Promise((resolve) => setImmediate(resolve));
          await this.#receiveAllBut(this.#pace.batchesAhead, sent, exhausted);
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
    if (this.git !== undefined) this.#retryAfter(delayMs);
  }

  /** Handles the results of the oldest batches until at most `most` are in flight. */
  async #receiveAllBut(most: number, sent: Batch[], exhausted: Set<Project>): Promise<void> {
    const { journal } = this.#deps;
    while (sent.length > most) {
      const batch = sent[0]!;
      const answer = await batch.answer;
      const { entries, tookMs } = await batch.project.queue.run(() => {
        sent.shift();
        const load = { entries: journal.position - batch.position, tookMs: this.#clock.monotonic() - batch.began };
        if (!this.#receive(batch, answer)) exhausted.add(batch.project);
        return load;
      });
      await this.#pace.afterBatch(entries, tookMs);
    }
  }

  #retryAfter(afterMs: number): void {
    this.#again = false;
    this.#clock.after(afterMs, () => this.schedule(0)).unref();
  }

  #afterParked(retry: () => void): void {
    this.#clock
      .after(this.#deps.options.parkedRetryMs, () => {
        retry();
        this.schedule();
      })
      .unref();
  }

  /** Sends the writing thread one batch of one project; returns undefined if nothing (more) can be written now. */
  #send(project: Project): Batch | undefined {
    if (project.queue.held !== undefined) return this.#scheduleAfter(project.queue.held);
    const { port, collections, journal, service } = this.#deps;
    const directory = this.#directoryOf(project);
    const durablePosition = this.#deps.durability.durablePosition;
    const planner = new CheckpointPlan(project, { directory, collections, durablePosition, service });
    const plan = planner.next(this.#pace.batchWrites);
    // An append expects the segment as the former batch left it: only one batch with lines at a time.
    const mayAppend = !this.#historyParked && !this.#appending.has(project);
    const lines = mayAppend ? this.#history.plan(project, durablePosition) : [];
    if (planner.skippedNotDurable || (mayAppend && project.history.waiting > 0)) this.#retryAfter(delayMs);
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
    return { project, directory, plan, lines, seq, answer, position: journal.position, began: this.#clock.monotonic() };
  }

  /** Schedules a checkpoint after a task is complete. */
  #scheduleAfter(complete: Promise<void>): undefined {
    void complete.then(() => this.schedule());
  }

  #directoryOf(project: Project): string {
    return `${this.#deps.layout.projects}/${project.directory}`;
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
      if (event.kind === 'wrote') {
        this.written++;
        applyWrite(planned, result as Written, this.#directoryOf(project), this.#unsynced);
      }
      for (const effect of project.dirty.on(planned.id, event))
        if (effect === 'mark')
          marks.push({ project: project.id, path: planned.id, seq, sha256: (result as Written).sha256 });
        else this.#carryOut(effect, planned, result);
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
    if (foreign.length > 0) project.queue.add({ kind: 'rescan', paths: foreign, afterMs: 0 });
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
    this.#deps.options.log(`History could not be written and is parked: ${message}`);
    this.#historyParked = true;
    this.#afterParked(() => (this.#historyParked = false));
  }

  #carryOut(effect: Exclude<WriteEffect, 'mark'>, planned: PlannedWrite, result: CheckpointResult | undefined): void {
    const { project, id, path, former } = planned;
    const paths = former === undefined ? [path] : [path, former.path];
    switch (effect) {
      case 'checkpoint':
        return project.queue.add({ kind: 'checkpoint' });
      case 'mergeSave':
        if (result?.status === 'raced') project.queue.add({ kind: 'mergeSave', path, former, bytes: result.bytes });
        return;
      case 'rescan':
        // Whatever its stamp is, the file is not the one that was expected.
        if (former !== undefined && project.files.at(former.path) === former)
          project.files.set({ ...former, content: former.content ?? 'stale' });
        return project.queue.add({ kind: 'rescan', paths: isFolderGone(planned, result) ? [''] : paths, afterMs: 0 });
      case 'rescanAfterGit':
        return project.queue.add({ kind: 'rescan', paths, afterMs: 0, waitsFor: 'operation' });
      case 'retryLater':
        return project.queue.add({ kind: 'retryLater', id });
    }
  }
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
