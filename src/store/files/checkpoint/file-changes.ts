import { dirname } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import type {
  AppendJob,
  CheckpointJob,
  CheckpointOutcome,
  FileJob,
  FolderJob,
  MoveDirectoryJob,
  AttachmentPlacement,
  Renderer,
  Rendering,
} from './checkpoint-job.ts';
import type { Directories } from './directories.ts';
import { holdsBytes, linkOrCopy } from './link-bytes.ts';
import { errorCode, openFlags } from '../disk/disk.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import type { GitOperation } from './git-guard.ts';
import type { RenameVerifier } from './verify-after-rename.ts';
import { openTemporary, removeQuietly, replaceFile } from '../disk/replace-file.ts';
import { FolderRowTable, noRows, readRows, textOfRows } from '../../record/folder-rows.ts';
import { FileObserver } from './observed-file.ts';
import type { ObservedFile } from './observed-file.ts';
import { sha256Of } from '../disk/sha256.ts';

/** If a rename and the stat after it take longer, the file is read: a save since then may have the same size. */
const promptMsMax = 1;

/** Called with a save that was found by verifying after the rename. */
export type OnRacedSave = (bytes: Uint8Array) => void;

export interface FileChangesOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  /** Where temporary files are created: on the same file system as all targets. */
  readonly temporaryDirectory: string;
  readonly directories: Directories;
  readonly verifier: RenameVerifier;
  /** Checked immediately before anything is renamed, removed or appended to. */
  readonly gitOperation: () => GitOperation | undefined;
  readonly renderer: Renderer;
}

/** The new content of a file. */
interface Content {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly mtimeMs: number | undefined;
  /** Sync the content before the rename. */
  readonly durable: boolean;
  /** Permissions of a new file. */
  readonly mode: number | undefined;
}

/** Renames a temporary file to the target and returns the target's stat. */
type Rename = () => FileStat;

/** An open file with new content that is not renamed yet. */
interface Temporary {
  readonly fd: number;
  readonly path: string;
  renamed: boolean;
  /** Directories created for it. */
  made: readonly string[];
}

/** A new file whose content is written to a temporary file. */
export interface Prepared {
  /** The number of its bytes. */
  readonly bytes: number;
  place(): CheckpointOutcome;
  /** Always call this: it removes the file if it was not renamed. */
  drop(): void;
}

/**
 * Changes one file at a time: check, rename, verify. A person or git may change any file at any moment: a file that is
 * not as expected is reported and left unchanged; a save during the rename is found in the old file afterwards. Only a
 * save by rename between the check and our rename, a few microseconds, goes unnoticed.
 */
export class FileChanges {
  readonly #disk: Disk;
  readonly #temporaryDirectory: string;
  readonly #directories: Directories;
  readonly #verifier: RenameVerifier;
  readonly #gitOperation: () => GitOperation | undefined;
  readonly #renderer: Renderer;
  readonly #observer: FileObserver;
  readonly #clock: Clock;

  constructor({ disk, clock, temporaryDirectory, directories, verifier, gitOperation, renderer }: FileChangesOptions) {
    this.#clock = clock;
    this.#renderer = renderer;
    this.#disk = disk;
    this.#observer = new FileObserver(disk);
    this.#temporaryDirectory = temporaryDirectory;
    this.#directories = directories;
    this.#verifier = verifier;
    this.#gitOperation = gitOperation;
  }

  /**
   * Writes the content of a new file; undefined for any other job, which is checked and executed immediately. Placing
   * several prepared files together wakes watchers of the directory once.
   */
  prepare(job: CheckpointJob): Prepared | undefined {
    if (!isNewFile(job)) return undefined;
    this.#directories.expireStale();
    const { path } = job;
    const content = this.#content(job, null, path);
    const temporary = this.#write(content, undefined);
    return {
      bytes: content.bytes.length,
      place: () => {
        this.#directories.expireStale();
        return this.#unlessFolderMoved(job, () =>
          this.#place(temporary, path, content, (rename) =>
            // The path may have this very content, written before a crash.
            this.#observer.isUnchanged(path, undefined)
              ? doneNow(rename(), content.sha256)
              : this.#changedAt(path, job.render ? undefined : content),
          ),
        );
      },
      drop: () => this.#drop(temporary),
    };
  }

  apply(job: CheckpointJob, raced: OnRacedSave): CheckpointOutcome {
    // A checkout may have created a link there since the last job.
    this.#directories.expireStale();
    for (const path of pathsOf(job)) this.#directories.check(dirname(path));
    switch (job.kind) {
      case 'file':
        return this.#unlessFolderMoved(job, () => this.#file(job, raced));
      case 'append':
        return this.#append(job);
      case 'makeDirectory':
        return this.#unlessFolderMoved(job, () => this.#makeDirectory(job.path));
      case 'moveDirectory':
        return this.#unlessFolderMoved({ path: job.to, folder: job.folder }, () => this.#moveDirectory(job));
      case 'removeDirectoryIfEmpty':
        return this.#removeDirectory(job.path);
    }
  }

  /**
   * If a folder is renamed before or during a write, the file's directory moves too: that is not a failure, the file is
   * elsewhere. To create the directory again would make a second folder.
   */
  #unlessFolderMoved(
    { path, folder }: { readonly path: string; readonly folder?: string | undefined },
    write: () => CheckpointOutcome,
  ): CheckpointOutcome {
    if (folder !== undefined && !this.#directories.check(folder)) return changed(folder, undefined);
    try {
      return write();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || this.#disk.stat(dirname(path)) !== undefined) throw error;
      return changed(path, undefined);
    }
  }

  #file(job: FileJob, raced: OnRacedSave): CheckpointOutcome {
    const held = job.attachment && this.#placeBytes(job.attachment);
    if (held !== undefined) return held;
    if (job.bytes === null) return this.#remove(job, raced);
    return job.from === undefined || job.from === job.path
      ? this.#replace(job, raced)
      : this.#move(job, job.from, raced);
  }

  #content(
    { bytes, render, mtimeMs, mode, durable = false }: FileJob,
    present: Uint8Array | null,
    path: string,
  ): Content {
    const encoded = encodedOf(render ? this.#renderer(render, present, path) : bytes!);
    const content = { bytes: encoded, sha256: sha256Of(encoded), mtimeMs, mode };
    return { ...content, durable: durable || (render !== undefined && this.#keepsOthers(render, present, encoded)) };
  }

  /** The journal does not contain the text that a person wrote around the record. */
  #keepsOthers(render: Rendering, present: Uint8Array | null, content: Uint8Array): boolean {
    if (present === null) return false;
    const own = encodedOf(this.#renderer({ ...render, whole: true }, null, ''));
    return Buffer.compare(own, content) !== 0;
  }

  /**
   * Returns undefined if the bytes are in place. Throws EEXIST if other content is there, which belongs to a person.
   */
  #placeBytes(bytes: AttachmentPlacement): CheckpointOutcome | undefined {
    const { from, to } = bytes;
    if (this.#disk.stat(to) === undefined) {
      const git = this.#gitOutcome();
      if (git) return git;
      this.#directories.ensure(dirname(to));
      linkOrCopy(this.#disk, from, to, this.#temporaryDirectory);
      this.#directories.changed(to);
      return undefined;
    }
    if (!holdsBytes(this.#disk, bytes)) throw failure('EEXIST', `something else is there already: '${to}'`);
    return undefined;
  }

  #replace(job: FileJob, raced: OnRacedSave): CheckpointOutcome {
    const { path, expect } = job;
    const seen = this.#observer.observe(path);
    return this.#whileOpen(seen, (keepOpen) => {
      const expected = (seen?.sha256 ?? null) === (expect?.sha256 ?? null);
      // A file rendered from unexpected bytes would look like an own write.
      if (!expected && job.render) return changed(path, seen);
      const content = this.#content(job, seen?.bytes ?? null, path);
      if (seen?.sha256 === content.sha256) return done(seen.stat, content.sha256);
      if (!expected) return changed(path, seen);
      return this.#withTemporary(path, content, seen, (rename) => {
        // The path may have this very content, written before a crash.
        if (!this.#observer.isUnchanged(path, seen)) return this.#changedAt(path, job.render ? undefined : content);
        const stat = rename();
        if (seen) this.#verifier.hold(keepOpen(), seen.bytes, raced);
        return doneNow(stat, content.sha256);
      });
    });
  }

  #remove({ path, expect }: FileJob, raced: OnRacedSave): CheckpointOutcome {
    const git = this.#gitOutcome();
    if (git) return git;
    const seen = this.#observer.observe(path);
    if (!seen) return done(null, null);
    return this.#whileOpen(seen, (keepOpen) => {
      if (seen.sha256 !== expect?.sha256) return changed(path, seen);
      this.#disk.remove(path);
      this.#directories.changed(path);
      this.#verifier.hold(keepOpen(), seen.bytes, raced);
      return doneNow(null, null);
    });
  }

  #move(job: FileJob, from: string, raced: OnRacedSave): CheckpointOutcome {
    const { path, expect } = job;
    const target = this.#observer.observeOther(path, from);
    const seen = this.#observer.observe(from);
    // The rename was done before a failure or a crash: only the content is left to be replaced.
    if (!seen && target && target.sha256 === expect?.sha256) return this.#replace(job, raced);
    return this.#whileOpen(seen, (keepOpen) => {
      if (!seen && !target) return changed(from, undefined);
      if (seen && seen.sha256 !== expect?.sha256) return target ? changed(path, target) : changed(from, seen);
      const content = this.#content(job, (seen ?? target)!.bytes, seen ? from : path);
      // A crash happened between the two steps of a move: the new file exists, the old one may still have to be
      // removed.
      const written = target?.sha256 === content.sha256;
      if (target && !written) return changed(path, target);
      if (!seen) return done(target!.stat, content.sha256);
      if (written) {
        this.#disk.remove(from);
        this.#directories.changed(from);
        this.#verifier.hold(keepOpen(), seen.bytes, raced);
        return done(target.stat, content.sha256);
      }
      // Rename first: if the folder is renamed at the same moment, no second file with the record's id is left behind.
      const renamed = this.#rename(from, path, seen);
      if (renamed.status !== 'ok' || seen.sha256 === content.sha256) return renamed;
      return this.#afterRename(path, seen, () =>
        this.#withTemporary(path, content, seen, (rename) => {
          if (!this.#observer.isUnchanged(path, seen)) return this.#changedAt(path);
          const stat = rename();
          this.#verifier.hold(keepOpen(), seen.bytes, raced);
          return done(stat, content.sha256);
        }),
      );
    });
  }

  /**
   * If a git operation begins or the disk fails here, the file already has its new name: report it as changed, so that
   * it is reconciled before anything else is written.
   */
  #afterRename(path: string, seen: ObservedFile, replace: () => CheckpointOutcome): CheckpointOutcome {
    try {
      const outcome = replace();
      return outcome.status === 'git' ? changed(path, seen) : outcome;
    } catch {
      return changed(path, seen);
    }
  }

  /** The content is unchanged: the file itself moves, with any concurrent save. */
  #rename(from: string, path: string, seen: ObservedFile): CheckpointOutcome {
    const git = this.#gitOutcome();
    if (git) return git;
    this.#directories.ensure(dirname(path));
    this.#disk.rename(from, path);
    this.#directories.changed(from);
    this.#directories.changed(path);
    const placed = this.#statPlaced(() => this.#disk.stat(path), seen.stat);
    // A save by rename after the check: that file has the new name, and its event would pass for our own.
    if (placed?.ino !== seen.stat.ino) return this.#changedAt(path);
    return doneNow(asOf(placed, seen.stat), seen.sha256);
  }

  #append({ path, expect, bytes: given }: AppendJob): CheckpointOutcome {
    const git = this.#gitOutcome();
    if (git) return git;
    const found = this.#disk.stat(path);
    if (found?.kind !== 'file') return changed(path, undefined);
    const fd = this.#disk.open(path, openFlags.append);
    try {
      const { ino, size } = this.#disk.statOpen(fd);
      if (ino !== expect.ino || size !== expect.size) return changed(path, undefined);
      try {
        this.#disk.write(fd, typeof given === 'string' ? Buffer.from(given) : given);
      } catch (error) {
        // A partial line would damage the next one. If the truncation fails too, the size differs and another segment
        // is started.
        this.#disk.truncate(fd, size);
        throw error;
      }
      return doneNow(this.#disk.statOpen(fd), null);
    } finally {
      this.#disk.close(fd);
    }
  }

  #moveDirectory({ from, to }: MoveDirectoryJob): CheckpointOutcome {
    const git = this.#gitOutcome();
    if (git) return git;
    const source = this.#disk.stat(from);
    const target = this.#disk.stat(to);
    if (!source) return target?.kind === 'directory' ? done(null, null) : changed(from, undefined);
    if (source.kind !== 'directory') throw failure('ENOTDIR', `not a directory: '${from}'`);
    // Both names are one directory: they differ in letter case on a case-insensitive file system.
    const occupied = target && target.ino !== source.ino;
    if (occupied && !this.#disk.removeDirectoryIfEmpty(to))
      throw failure('ENOTEMPTY', `something is there already: '${to}'`);
    this.#directories.ensure(dirname(to));
    this.#disk.rename(from, to);
    this.#directories.moved(from, to);
    return done(null, null);
  }

  #removeDirectory(path: string): CheckpointOutcome {
    const git = this.#gitOutcome();
    if (git) return git;
    if (this.#disk.removeDirectoryIfEmpty(path)) this.#directories.moved(path);
    return done(null, null);
  }

  #makeDirectory(path: string): CheckpointOutcome {
    const git = this.#gitOutcome();
    if (git) return git;
    this.#directories.ensure(path);
    return done(this.#disk.stat(path) ?? null, null);
  }

  /**
   * Changes the file of rows for jobs that change folders, durably. `isFinal`: they are done, and durable, too. A directory
   * whose row a crash has left is not a folder, and one whose row it has lost would be another folder.
   */
  setRows(jobs: readonly FolderJob[], isFinal: boolean): CheckpointOutcome | undefined {
    if (isFinal) this.#directories.sync();
    for (const [path, some] of Map.groupBy(jobs, ({ rows }) => rows.file)) {
      const git = this.#gitOutcome();
      if (git) return git;
      this.#directories.forget();
      if (!this.#directories.check(dirname(path)) && isFinal) continue;
      const present = this.#disk.readIfExists(path)?.toString() ?? '';
      const table = new FolderRowTable(readRows(present).rows);
      for (const { rows } of some)
        if (isFinal) table.complete(rows);
        else table.prepare(rows);
      const text = textOfRows(table.rows);
      if (text === (present === '' ? textOfRows(noRows) : present)) continue;
      this.#directories.ensure(dirname(path));
      if (table.rows.size === 0) this.#disk.remove(path);
      else replaceFile(this.#disk, path, Buffer.from(text), { temporaryDirectory: this.#temporaryDirectory });
      this.#directories.changed(path);
    }
    return undefined;
  }

  /** Writes the content to a temporary file and passes the rename to `use`, after checking for a git operation. */
  #withTemporary(
    path: string,
    content: Content,
    former: ObservedFile | undefined,
    use: (rename: Rename) => CheckpointOutcome,
  ): CheckpointOutcome {
    const temporary = this.#write(content, former);
    try {
      return this.#place(temporary, path, content, use);
    } finally {
      this.#drop(temporary);
    }
  }

  #write(content: Content, former: ObservedFile | undefined): Temporary {
    this.#directories.ensure(this.#temporaryDirectory);
    // The new file keeps the permissions of the old one.
    const mode = former === undefined ? content.mode : former.stat.mode & 0o777;
    const temporary = { ...openTemporary(this.#disk, this.#temporaryDirectory, mode), renamed: false, made: [] };
    try {
      this.#disk.write(temporary.fd, content.bytes);
      if (content.durable) this.#disk.sync(temporary.fd);
      if (content.mtimeMs !== undefined) this.#disk.setTimes(temporary.path, content.mtimeMs);
      return temporary;
    } catch (error) {
      this.#drop(temporary);
      throw error;
    }
  }

  #place(
    temporary: Temporary,
    path: string,
    content: Content,
    use: (rename: Rename) => CheckpointOutcome,
  ): CheckpointOutcome {
    const git = this.#gitOutcome();
    if (git) return git;
    temporary.made = this.#directories.ensure(dirname(path));
    return use(() => {
      const began = this.#clock.monotonic();
      this.#disk.rename(temporary.path, path);
      temporary.renamed = true;
      this.#directories.changed(path);
      const placed = asWritten(
        this.#statPlaced(() => this.#disk.statOpen(temporary.fd), unseen),
        content.bytes.length,
      );
      const isPrompt = this.#clock.monotonic() - began < promptMsMax;
      return isPrompt || this.#isStill(path, content) ? placed : unseen;
    });
  }

  /** A failure does not affect the write, which is done. */
  #isStill(path: string, { sha256 }: Content): boolean {
    try {
      return this.#look(path)?.sha256 === sha256;
    } catch {
      return false;
    }
  }

  /**
   * The stat of a file that is in its place now, or the other one: if its write counted as failed, the file would be
   * taken for an edit by a person.
   */
  #statPlaced<Stat extends FileStat | undefined>(stat: () => Stat, other: FileStat): Stat | FileStat {
    try {
      return stat();
    } catch {
      return other;
    }
  }

  /** Closes a temporary file, and removes it if it was not renamed. */
  #drop({ fd, path, renamed, made }: Temporary): void {
    this.#disk.close(fd);
    if (renamed) return;
    removeQuietly(this.#disk, path);
    this.#directories.removeCreated(made);
  }

  /** Observes the file at a path, and closes it. */
  #look(path: string): ObservedFile | undefined {
    const seen = this.#observer.observe(path);
    if (seen) this.#disk.close(seen.fd);
    return seen;
  }

  #changedAt(path: string, content?: Content): CheckpointOutcome {
    const seen = this.#look(path);
    return seen && seen.sha256 === content?.sha256 ? done(seen.stat, seen.sha256) : changed(path, seen);
  }

  /** Closes the file after `use`, unless it took over the descriptor. */
  #whileOpen(seen: ObservedFile | undefined, use: (keepOpen: () => number) => CheckpointOutcome): CheckpointOutcome {
    let kept = false;
    try {
      return use(() => {
        kept = true;
        return seen!.fd;
      });
    } finally {
      if (seen && !kept) this.#disk.close(seen.fd);
    }
  }

  #gitOutcome(): CheckpointOutcome | undefined {
    const git = this.#gitOperation();
    return git && { status: 'git', what: git.what };
  }
}

/** The stat of no file: one that has it is read again. */
const unseen: FileStat = {
  ...{ kind: 'file', size: 0, mode: 0, uid: 0, dev: 0, ino: 0, nlink: 1 },
  ...{ mtimeMs: 0, ctimeMs: 0, birthtimeMs: 0 },
};

/** Nothing may exist at its path: a check immediately before the rename is enough. */
function isNewFile(job: CheckpointJob): job is FileJob {
  if (job.kind !== 'file' || job.expect !== null || job.bytes === null || job.attachment !== undefined) return false;
  return job.from === undefined || job.from === job.path;
}

function encodedOf(given: Uint8Array | string): Uint8Array {
  return typeof given === 'string' ? Buffer.from(given) : given;
}

/** Every path of a job: none of them may lead through a link. */
function pathsOf(job: CheckpointJob): string[] {
  if (job.kind === 'moveDirectory') return [job.from, job.to];
  const paths = 'from' in job && job.from !== undefined ? [job.from, job.path] : [job.path];
  return job.kind === 'file' && job.attachment !== undefined ? [...paths, job.attachment.to] : paths;
}

function changed(path: string, seen: Pick<ObservedFile, 'bytes'> | undefined): CheckpointOutcome {
  return { status: 'changed', path, bytes: seen?.bytes ?? null };
}

/** The outcome if it was found done already, or for a directory. */
function done(stat: FileStat | null, sha256: string | null, emitsEvent = false): CheckpointOutcome {
  return { status: 'ok', stat, sha256, emitsEvent };
}

/** The outcome if each path of the job was changed once, now and not since. */
function doneNow(stat: FileStat | null, sha256: string | null): CheckpointOutcome {
  return done(stat, sha256, stat !== unseen);
}

/** A stat with the size and mtime of the known content: a later save differs from it and is found. */
function asOf(stat: FileStat, known: FileStat): FileStat {
  return { ...stat, size: known.size, mtimeMs: known.mtimeMs };
}

/** A stat that does not include a save between our rename and the stat: a different size is not ours. */
function asWritten(stat: FileStat, size: number): FileStat {
  return { ...stat, size };
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
