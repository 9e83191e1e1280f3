import type { Clock } from '../../../clock.ts';
import type { CheckpointAnswer, CheckpointPort, CheckpointResult, SyncFailure } from './checkpoint-job.ts';
import { CheckpointPlan, isHalfDone, leavesDirectory, type PlannedWrite } from './checkpoint-plan.ts';
import type { Collection } from '../../record/collection.ts';
import type { FileState } from '../project/file-table.ts';
import { stampOf } from '../project/file-table.ts';
import { type HistoryWrite, HistoryWriter } from './history-writer.ts';
import type { Journal } from '../journal/journal.ts';
import { directoryOf, folderFile, nameOf } from '../../record/locations.ts';
import { parkedOf, type Project } from '../project/project.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { RootLayout } from '../disk/root-layout.ts';

/** Changes reach their files after about this time; many changes of one record in it make one write. */
const delayMs = 90;
/** While git is at work nothing is written; it is asked again after this time. */
const gitDelayMs = 100;
/**
 * Where entries were appended while a batch was written, the files pause for several times as long as the batch took, so that disk and
 * processor belong to the commits: longest where there were this many; not at all once the journal has grown to this many bytes.
 */
const crowdEntries = 50;
const crowdPauseFactor = 5;
const pauseFactor = 2;
const pauseMsMax = 1000;
const pauseStepMs = 50;
const journalBytesMax = 512 * 1024 * 1024;
/** A change that is not durable yet is asked for again after this time. */
const notDurableMs = 10;
/**
 * Files handed to the writing thread at a time: few at first and while a caller changes one thing after the other, so that no request is
 * held up for long; more under a backlog.
 */
const batchWritesMin = 8;
const batchWritesMax = 256;
/** Files synced at a time: what is to be written meanwhile waits for no more than these. */
const syncsAtOnce = 256;
/** While the thread writes one batch the next is made ready, so that neither waits for the other. */
const batchesAhead = 1;

export interface CheckpointerParts {
  readonly layout: RootLayout;
  readonly port: CheckpointPort;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly projects: () => Iterable<Project>;
  /** A file was not as expected, or has to be looked at again: reconcile it. */
  readonly lookAgain: (project: Project, paths: readonly string[]) => void;
  /** These were written while git was at work: look what became of them once it is done. */
  readonly lookOnceGitRests: (project: Project, paths: readonly string[]) => void;
  readonly log: (message: string) => void;
  readonly parkedRetryMs: number;
  readonly exists: (path: string) => boolean;
  /** The journal position up to which every change is durable. */
  readonly durablePosition: () => number;
  /** Changes with every commit of git's; the same text for ever outside of any repository. */
  readonly lastCommit: () => string;
  /** Somebody saved into the file that was just replaced: merge these bytes. */
  readonly raced: (project: Project, path: string, base: StoredRecord | undefined, bytes: Uint8Array) => void;
  /** A record's file was written: its large texts can be let go. */
  readonly filed: (project: Project, collection: Collection, state: FileState) => void;
}

/** What was handed to the writing thread at once. */
interface Batch {
  readonly project: Project;
  /** The project's, absolute. */
  readonly directory: string;
  readonly plan: readonly PlannedWrite[];
  readonly lines: readonly HistoryWrite[];
  /** The project's last journal entry that the values hold. */
  readonly seq: number;
  readonly answer: Promise<CheckpointAnswer>;
  /** The journal's position and the time when it was handed over. */
  readonly position: number;
  readonly began: number;
}

/** Writes what is pending to the files, in batches, one at a time, until nothing is pending. */
export class Checkpointer {
  readonly #parts: CheckpointerParts;
  readonly #history: HistoryWriter;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #unsafe: string | undefined;
  /** Changes come in meanwhile: batches go one by one, with pauses; `crowd` of them, and the batches are large. */
  #arriving: 'none' | 'some' | 'crowd' = 'none';
  /** History that could not be written waits with the other parked changes. */
  #historyParked = false;
  /** Projects whose history is being appended to. */
  readonly #appending = new Set<Project>();
  /** Written and removed files that are not synced yet, absolute. */
  readonly #unsynced = new Set<string>();
  /** Why nothing is written at present: git is at work. */
  git: string | undefined;
  /** Why nothing can be written at present although git rests: the writing thread or the disk is gone. */
  failure: Error | undefined;
  /** How many writes have been carried out; for status and benchmarks. */
  written = 0;

  constructor(parts: CheckpointerParts) {
    this.#parts = parts;
    this.#history = new HistoryWriter(parts.layout, parts.clock, parts.lastCommit);
  }

  /** Something is pending: write it soon. */
  schedule(afterMs = delayMs): void {
    if (this.#stopped) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.run();
    }, afterMs);
  }

  /** Writes until nothing is pending or nothing can be written at present. */
  run(): Promise<void> {
    this.#running ??= this.#cycle()
      .catch((error: unknown) => {
        this.#parts.log(`Files could not be written: ${(error as Error).message}`);
        this.failure = error as Error;
        this.#later(this.#parts.parkedRetryMs);
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#again) {
          this.#again = false;
          this.schedule();
        }
      });
    return this.#running;
  }

  /** True where something that can be written waits. */
  get busy(): boolean {
    if (this.#running !== undefined) return true;
    for (const project of this.#parts.projects()) {
      if ((project.history.waiting > 0 && !this.#historyParked) || project.suspects.size > 0) return true;
      for (const [id, pending] of project.pending)
        if (parkedOf(pending) === undefined && project.files.served(id)?.unreadable === undefined) return true;
    }
    return false;
  }

  /** Tries again at once what could not be written. Returns false if nothing was parked. */
  unpark(): boolean {
    let found = false;
    for (const project of this.#parts.projects())
      for (const pending of project.pending.values()) {
        found ||= pending.parked !== undefined;
        pending.parked = undefined;
      }
    return found;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** Stops without waiting for anything. */
  abandon(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /**
   * Syncs everything written so far. Answers false when something could not be synced, and ever after: a repeated sync may succeed
   * although the data were dropped, so the journal is kept until the next opening has looked at the files.
   */
  async sync(): Promise<boolean> {
    const paths = [...this.#unsynced];
    this.#unsynced.clear();
    const failures: SyncFailure[] = [];
    for (let i = 0; i === 0 || i < paths.length; i += syncsAtOnce)
      failures.push(...(await this.#parts.port.sync(paths.slice(i, i + syncsAtOnce))));
    for (const { path, message } of failures) {
      // A file that went meanwhile, with its folder or by a person's hand, has nothing left to be synced.
      if (this.#parts.exists(path)) this.#unsafe = `${path}: ${message}`;
    }
    if (this.#unsafe !== undefined)
      this.#parts.log(`A file could not be made durable, the journal is kept: ${this.#unsafe}`);
    return this.#unsafe === undefined;
  }

  /**
   * Files and directories that a process before this one may have written and not synced, absolute. The journal speaks of their records
   * still, and goes only once they are safe.
   */
  doubt(paths: Iterable<string>): void {
    for (const path of paths) this.#unsynced.add(path);
  }

  /** Whether a file, absolute, outlives a power cut as it was last written. */
  isSynced(path: string): boolean {
    return !this.#unsynced.has(path);
  }

  /** Whether something that was written may not outlive a power cut, and nobody can tell any more. */
  get syncFailed(): boolean {
    return this.#unsafe !== undefined;
  }

  /** The journal is not shortened any more: the next opening does from it what could not be done now. */
  keepJournal(reason: string): void {
    this.#unsafe ??= reason;
  }

  /** A project is gone: nothing of it is to be synced any more. */
  forget(directory: string): void {
    for (const path of this.#unsynced) if (path.startsWith(`${directory}/`)) this.#unsynced.delete(path);
  }

  /** A directory was renamed, a folder's or a project's: what is to be synced lies below the new name. */
  moved(from: string, to: string): void {
    for (const path of [...this.#unsynced]) {
      if (!path.startsWith(`${from}/`)) continue;
      this.#unsynced.delete(path);
      this.#unsynced.add(`${to}${path.slice(from.length)}`);
    }
  }

  /** A batch of each project in turn, so that one under load does not keep the others from their files. */
  async #cycle(): Promise<void> {
    const sent: Batch[] = [];
    /** Projects in which nothing more can be written at present. */
    const resting = new Set<Project>();
    let most = batchWritesMin;
    try {
      for (;;) {
        let some = false;
        for (const project of [...this.#parts.projects()]) {
          const batch = resting.has(project) ? undefined : this.#send(project, most);
          if (batch === undefined) continue;
          some = true;
          sent.push(batch);
          most = this.#arriving === 'some' ? batchWritesMin : Math.min(2 * most, batchWritesMax);
          await new Promise((resolve) => setImmediate(resolve));
          await this.#receiveAllBut(this.#arriving === 'none' ? batchesAhead : 0, sent, resting);
          if (this.git !== undefined) break;
        }
        if (this.git === undefined && some) continue;
        if (sent.length === 0) break;
        // What this brings may let others follow: the documents of a folder that now has its directory.
        await this.#receiveAllBut(this.git === undefined ? sent.length - 1 : 0, sent, resting);
        if (this.git !== undefined) break;
      }
    } catch (error) {
      // The writing thread is gone: everything stays pending and in the journal.
      for (const batch of sent) this.#takeBack(batch);
      throw error;
    }
    if (this.git !== undefined) this.#later(gitDelayMs);
  }

  /** Takes up the answers to the oldest batches until only so many are under way. */
  async #receiveAllBut(most: number, sent: Batch[], resting: Set<Project>): Promise<void> {
    while (sent.length > most) {
      const [batch] = sent;
      const { journal, clock } = this.#parts;
      const answer = await batch!.answer;
      // A look at the files that goes on in slices must find them as its first slice found them.
      const { exclusive } = batch!.project;
      while (exclusive.held !== undefined) await exclusive.held;
      sent.shift();
      const entries = journal.bytes < journalBytesMax ? journal.position - batch!.position : 0;
      const tookMs = clock.monotonic() - batch!.began;
      if (!this.#receive(batch!, answer)) resting.add(batch!.project);
      this.#arriving = entries > crowdEntries ? 'crowd' : entries > 0 ? 'some' : 'none';
      if (this.#arriving === 'none') continue;
      const pauseMs = (this.#arriving === 'crowd' ? crowdPauseFactor : pauseFactor) * tookMs;
      await this.#pause(Math.min(pauseMs, pauseMsMax));
    }
  }

  /** Waits, and no longer than entries still arrive. */
  async #pause(ms: number): Promise<void> {
    const { journal } = this.#parts;
    for (let left = ms; left > 0; left -= pauseStepMs) {
      const { position } = journal;
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, pauseStepMs)));
      if (journal.position !== position) continue;
      this.#arriving = 'none';
      return;
    }
  }

  #later(afterMs: number): void {
    this.#again = false;
    setTimeout(() => this.schedule(0), afterMs).unref();
  }

  /** Hands the writing thread one batch of one project; undefined where there is nothing (more) that can be written now. */
  #send(project: Project, most: number): Batch | undefined {
    if (project.exclusive.held !== undefined) return this.#afterwards(project.exclusive.held);
    const { layout, port, collections, journal, clock } = this.#parts;
    const directory = `${layout.projects}/${project.directory}`;
    const durablePosition = this.#parts.durablePosition();
    const planner = new CheckpointPlan(project, directory, collections, durablePosition);
    const plan = planner.next(most);
    // A segment is appended to as the batch before left it: one batch with lines at a time.
    const mayAppend = !this.#historyParked && !this.#appending.has(project);
    const lines = mayAppend ? this.#history.plan(project, durablePosition) : [];
    if (planner.notDurable || (mayAppend && project.history.waiting > 0)) this.#later(notDurableMs);
    if (plan.length === 0 && lines.length === 0) return undefined;
    begin(project, plan);
    for (const line of lines) project.claim(segmentPath(line, directory));
    if (lines.length > 0) this.#appending.add(project);
    const answer = port.run([...plan.map(({ job }) => job), ...lines.map(({ job }) => job)]);
    // Heard when its turn comes: until then a failure must not pass for one that nobody waits for.
    answer.catch(() => undefined);
    const { seq } = project;
    return { project, directory, plan, lines, seq, answer, position: journal.position, began: clock.monotonic() };
  }

  /** What a change in slices is going to leave behind is written once it is complete. */
  #afterwards(complete: Promise<void>): undefined {
    void complete.then(() => this.schedule());
  }

  /** Takes up what became of a batch. False where nothing could be written. */
  #receive(batch: Batch, { results, gitMoved }: CheckpointAnswer): boolean {
    const { project, plan, lines, seq } = batch;
    this.#end(batch, results);
    this.git = undefined;
    this.failure = undefined;
    let worked = false;
    plan.forEach((planned, i) => (worked = this.#apply(planned, results[i], gitMoved) || worked));
    lines.forEach((line, i) => (worked = this.#applyHistory(line, results[plan.length + i]) || worked));
    this.#mark(project, plan, results, seq, gitMoved);
    return worked && this.git === undefined;
  }

  #takeBack(batch: Batch): void {
    this.#end(batch);
    for (const planned of batch.plan) this.#giveBack(planned);
    for (const line of batch.lines) this.#history.failed(line);
  }

  /** Nothing of the batch is being written any more. Where more was heard than it did itself, somebody else did something. */
  #end({ project, directory, plan, lines }: Batch, results: readonly CheckpointResult[] = []): void {
    const foreign: string[] = [];
    const release = (path: string, result: CheckpointResult | undefined): void => {
      const own = (result?.status === 'ok' || result?.status === 'raced') && result.told ? 1 : 0;
      if (project.release(path) > own) foreign.push(path);
    };
    plan.forEach((planned, i) => {
      if (isFolders(planned)) project.moving--;
      for (const path of claimed(planned)) release(path, results[i]);
    });
    lines.forEach((line, i) => release(segmentPath(line, directory), results[plan.length + i]));
    if (lines.length > 0) this.#appending.delete(project);
    if (foreign.length > 0) this.#parts.lookAgain(project, foreign);
  }

  #mark(
    project: Project,
    plan: readonly PlannedWrite[],
    results: readonly CheckpointResult[],
    seq: number,
    gitMoved: boolean,
  ): void {
    if (gitMoved) return;
    const marks = [];
    for (const [i, planned] of plan.entries()) {
      const result = results[i];
      const { id } = planned;
      if (isHalfDone(planned) || leavesDirectory(planned)) continue;
      if (result?.status === 'ok' || result?.status === 'raced')
        marks.push({ project: project.id, path: id, seq, sha256: result.sha256 });
    }
    this.#parts.journal.written(marks);
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
    // A segment that is not as it was left is followed by another one at once.
    return result?.status === 'changed';
  }

  #parkHistory(message: string): void {
    this.#parts.log(`History could not be written and waits: ${message}`);
    this.#historyParked = true;
    setTimeout(() => {
      this.#historyParked = false;
      this.schedule();
    }, this.#parts.parkedRetryMs).unref();
  }

  #apply(planned: PlannedWrite, result: CheckpointResult | undefined, gitMoved: boolean): boolean {
    const { project, former } = planned;
    switch (result?.status) {
      case 'ok':
      case 'raced':
        if (gitMoved && planned.job.kind === 'file') this.#suspect(planned, result);
        else this.#done(planned, result);
        if (result.status === 'raced') this.#parts.raced(project, planned.path, former?.record, result.bytes);
        return true;
      case 'changed':
        this.#giveBack(planned);
        // Whatever its times say, the file is not what it was taken for.
        if (former !== undefined && project.files.at(former.path) === former)
          project.files.set({ ...former, stamp: { ...former.stamp, ino: 0 } });
        this.#parts.lookAgain(project, [planned.path, ...(former === undefined ? [] : [former.path])]);
        return false;
      case 'git':
        this.#giveBack(planned);
        this.git = result.what;
        return false;
      case 'failed':
        this.#park(planned, result.code, result.message);
        return true;
      case undefined:
        this.#giveBack(planned);
        return false;
    }
  }

  /** What was written while git worked is believed once git is done and the file still holds it. */
  #suspect(planned: PlannedWrite, result: { readonly sha256: string | null }): void {
    const { project, id, path, record, former } = planned;
    this.#giveBack(planned);
    project.suspects.set(path, { id, sha256: result.sha256, record });
    this.#parts.lookOnceGitRests(project, [path, ...(former === undefined ? [] : [former.path])]);
  }

  #done(planned: PlannedWrite, result: Extract<CheckpointResult, { status: 'ok' | 'raced' }>): void {
    const { project, id, job, former, path, record, collection } = planned;
    this.written++;
    if (job.kind === 'moveDirectory') this.#moved(planned);
    else if (record === undefined) this.#removed(planned);
    else if (result.stat !== null && result.sha256 !== null) {
      if (former !== undefined && former.path !== path) project.files.delete(former.path);
      const state: FileState = {
        path,
        collection: collection.name,
        id,
        saysId: true,
        sha256: result.sha256,
        stamp: stampOf(result.stat),
        record,
      };
      project.files.set(state);
      this.#unsynced.add(`${this.#parts.layout.projects}/${project.directory}/${path}`);
      this.#parts.filed(project, collection, state);
    }
    this.#finish(planned);
  }

  /** Nothing is pending any more unless the record changed meanwhile, or a folder has another step to take. */
  #finish(planned: PlannedWrite): void {
    const { project, id, job } = planned;
    const pending = project.pending.get(id);
    if (pending === undefined) return;
    const again = job.kind === 'moveDirectory' || leavesDirectory(planned);
    if (again) pending.position = Math.min(pending.position, pending.writing);
    pending.writing = Infinity;
    pending.force = isHalfDone(planned);
    if (pending.position === Infinity) project.pending.delete(id);
  }

  #removed({ project, job, former }: PlannedWrite): void {
    if (former === undefined) return;
    if (job.kind === 'file' && nameOf(former.path) === folderFile) {
      // The directory goes next. Whoever looks at it meanwhile must not take it for a folder that somebody made.
      const stamp = { size: -1, mtimeMs: 0, ctimeMs: 0, ino: 0 };
      project.files.set({ ...former, saysId: false, sha256: '', stamp });
    } else project.files.delete(former.path);
  }

  /** A directory moved: all files in it are now found below the new path. */
  #moved({ project, former, path, record }: PlannedWrite): void {
    if (former === undefined) return;
    const [from, to] = [directoryOf(former.path), directoryOf(path)];
    const top = `${this.#parts.layout.projects}/${project.directory}`;
    this.moved(`${top}/${from}`, `${top}/${to}`);
    for (const state of project.files.below(from)) {
      project.files.delete(state.path);
      const moved = `${to}${state.path.slice(from.length)}`;
      project.files.set(state.path === former.path ? { ...state, path: moved, record } : { ...state, path: moved });
    }
  }

  #giveBack({ project, id }: PlannedWrite): void {
    const pending = project.pending.get(id);
    if (pending === undefined) return;
    pending.position = Math.min(pending.position, pending.writing);
    pending.writing = Infinity;
  }

  /** The change cannot be written: it is served and listed, and holds nothing else up. */
  #park(planned: PlannedWrite, code: string, message: string): void {
    const { project, id, path } = planned;
    this.#giveBack(planned);
    const pending = project.pending.get(id);
    if (pending === undefined) return;
    const system = code !== 'ERROR';
    pending.parked = {
      path: project.shownPath(path),
      kind: 'parked',
      reason: `A change waits because the file cannot be written: ${message}${system ? ` (${code})` : ''}`,
      id,
      remedy: system
        ? 'Make the file writable (permissions, free space); the change is then written by itself.'
        : 'Make the front matter shorter or plainer by hand, comments first; the change is then written by itself.',
    };
    setTimeout(() => {
      pending.parked = undefined;
      this.schedule();
    }, this.#parts.parkedRetryMs).unref();
  }
}

/** While a file is being written it is not looked at: what is found there may be either value. */
function begin(project: Project, plan: readonly PlannedWrite[]): void {
  for (const planned of plan) {
    if (isFolders(planned)) project.moving++;
    for (const path of claimed(planned)) project.claim(path);
  }
}

/** What lies in a folder is found by the folder's id: while that is moved or written, nothing can be told of the files in it. */
function isFolders({ job, path }: PlannedWrite): boolean {
  return job.kind === 'moveDirectory' || nameOf(path) === folderFile;
}

function claimed({ path, former }: PlannedWrite): string[] {
  return former === undefined || former.path === path ? [path] : [path, former.path];
}

/** Relative to the project. */
function segmentPath({ job }: HistoryWrite, directory: string): string {
  return job.path.slice(directory.length + 1);
}
