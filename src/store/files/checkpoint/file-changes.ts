import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import type {
  AppendJob,
  CheckpointJob,
  CheckpointOutcome,
  FileJob,
  MoveDirectoryJob,
  PlaceBytes,
  Renderer,
  Rendering,
} from './checkpoint-job.ts';
import type { Directories } from './directories.ts';
import { holdsBytes, linkOrCopy } from './link-bytes.ts';
import { errorCode, openFlags } from '../disk/disk.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import type { GitAtWork } from './git-guard.ts';
import type { LookBack } from './verify-after-rename.ts';
import { openTemporary, removeQuietly } from '../disk/replace-file.ts';
import { Sight } from './observed-file.ts';
import type { Seen } from './observed-file.ts';

/** A save that was found by looking back. */
export type Raced = (bytes: Uint8Array) => void;

export interface FileChangesOptions {
  readonly disk: Disk;
  /** Where temporary files are made: the same file system as all targets. */
  readonly temporaryDirectory: string;
  readonly directories: Directories;
  readonly lookBack: LookBack;
  /** Asked right before anything is renamed, removed or appended to. */
  readonly gitAtWork: () => GitAtWork | undefined;
  readonly renderer: Renderer;
}

/** The new content of a file. */
interface Content {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly mtimeMs: number | undefined;
  /** It is synced before it takes its place. */
  readonly durable: boolean;
  /** Permissions, if it is new. */
  readonly mode: number | undefined;
}

/** Closes over a temporary file: renames it to the target and answers the target's stat. */
type Rename = () => FileStat;

/** A file with new content, open, not in its place yet. */
interface Temporary {
  readonly fd: number;
  readonly path: string;
  renamed: boolean;
  /** Directories made for it. */
  made: readonly string[];
}

/** A new file whose content is written beside its place. */
export interface Prepared {
  /** How many it has. */
  readonly bytes: number;
  place(): CheckpointOutcome;
  /** To be called in any case: what did not get its place goes. */
  drop(): void;
}

/**
 * One change to one file each, by "look, rename, look back". A person or git may change any file at any moment: what is not as expected is
 * answered and left alone; what was saved in the same moment is found in the old file afterwards. Only a save by rename between our look
 * and our rename, a few microseconds, cannot be seen.
 */
export class FileChanges {
  readonly #disk: Disk;
  readonly #temporaryDirectory: string;
  readonly #directories: Directories;
  readonly #lookBack: LookBack;
  readonly #gitAtWork: () => GitAtWork | undefined;
  readonly #renderer: Renderer;
  readonly #sight: Sight;

  constructor({ disk, temporaryDirectory, directories, lookBack, gitAtWork, renderer }: FileChangesOptions) {
    this.#renderer = renderer;
    this.#disk = disk;
    this.#sight = new Sight(disk);
    this.#temporaryDirectory = temporaryDirectory;
    this.#directories = directories;
    this.#lookBack = lookBack;
    this.#gitAtWork = gitAtWork;
  }

  /**
   * Writes the content of a new file; undefined for any other job, which is looked at and done in one go. Many that are placed together
   * wake whoever listens to the directory once, not as many times.
   */
  prepare(job: CheckpointJob): Prepared | undefined {
    if (!isNewFile(job)) return undefined;
    this.#directories.lookAgain();
    const { path } = job;
    const content = this.#content(job, null, path);
    const temporary = this.#write(content, undefined);
    return {
      bytes: content.bytes.length,
      place: () => {
        this.#directories.lookAgain();
        return this.#place(temporary, path, content, (rename) =>
          // What is there already may be this very content: written before a crash.
          this.#sight.isStill(path, undefined)
            ? doneNow(rename(), content.sha256)
            : this.#changedAt(path, job.render ? undefined : content),
        );
      },
      drop: () => this.#drop(temporary),
    };
  }

  apply(job: CheckpointJob, raced: Raced): CheckpointOutcome {
    // A checkout may have put a link there since the last one.
    this.#directories.lookAgain();
    for (const path of pathsOf(job)) this.#directories.check(dirname(path));
    switch (job.kind) {
      case 'file':
        return this.#unlessFolderMoved(job.path, () => this.#file(job, raced));
      case 'append':
        return this.#append(job);
      case 'moveDirectory':
        return this.#moveDirectory(job);
      case 'removeDirectoryIfEmpty':
        return this.#removeDirectory(job.path);
    }
  }

  /** A folder that is renamed in the middle of a write takes the file's directory along: nothing failed, the file is elsewhere. */
  #unlessFolderMoved(path: string, write: () => CheckpointOutcome): CheckpointOutcome {
    try {
      return write();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || this.#disk.stat(dirname(path)) !== undefined) throw error;
      return changed(path, undefined);
    }
  }

  #file(job: FileJob, raced: Raced): CheckpointOutcome {
    const held = job.bytesFrom && this.#placeBytes(job.bytesFrom);
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
    const content = { bytes: encoded, sha256: hash('sha256', encoded, 'hex'), mtimeMs, mode };
    return { ...content, durable: durable || (render !== undefined && this.#keepsOthers(render, present, encoded)) };
  }

  /** What a person wrote around the record stands in no journal. */
  #keepsOthers(render: Rendering, present: Uint8Array | null, content: Uint8Array): boolean {
    if (present === null) return false;
    const own = encodedOf(this.#renderer({ ...render, whole: true }, null, ''));
    return Buffer.compare(own, content) !== 0;
  }

  /** Undefined where the bytes are in their place. Throws EEXIST where something else is: that is a person's. */
  #placeBytes(bytes: PlaceBytes): CheckpointOutcome | undefined {
    const { from, to } = bytes;
    if (this.#disk.stat(to) === undefined) {
      const git = this.#gitHolds();
      if (git) return git;
      this.#directories.ensure(dirname(to));
      linkOrCopy(this.#disk, from, to, this.#temporaryDirectory);
      this.#directories.changed(to);
      return undefined;
    }
    if (!holdsBytes(this.#disk, bytes)) throw failure('EEXIST', `something else is there already: '${to}'`);
    return undefined;
  }

  #replace(job: FileJob, raced: Raced): CheckpointOutcome {
    const { path, expect } = job;
    const seen = this.#sight.see(path);
    return this.#whileOpen(seen, (keepOpen) => {
      const expected = (seen?.sha256 ?? null) === (expect?.sha256 ?? null);
      // What is rendered from other bytes than the expected ones would pass for ours.
      if (!expected && job.render) return changed(path, seen);
      const content = this.#content(job, seen?.bytes ?? null, path);
      if (seen?.sha256 === content.sha256) return done(seen.stat, content.sha256);
      if (!expected) return changed(path, seen);
      return this.#withTemporary(path, content, seen, (rename) => {
        // What is there already may be this very content: written before a crash.
        if (!this.#sight.isStill(path, seen)) return this.#changedAt(path, job.render ? undefined : content);
        const stat = rename();
        if (seen) this.#lookBack.hold(keepOpen(), seen.bytes, raced);
        return doneNow(stat, content.sha256);
      });
    });
  }

  #remove({ path, expect }: FileJob, raced: Raced): CheckpointOutcome {
    const git = this.#gitHolds();
    if (git) return git;
    const seen = this.#sight.see(path);
    if (!seen) return done(null, null);
    return this.#whileOpen(seen, (keepOpen) => {
      if (seen.sha256 !== expect?.sha256) return changed(path, seen);
      this.#disk.remove(path);
      this.#directories.changed(path);
      this.#lookBack.hold(keepOpen(), seen.bytes, raced);
      return doneNow(null, null);
    });
  }

  #move(job: FileJob, from: string, raced: Raced): CheckpointOutcome {
    const { path, expect } = job;
    const target = this.#sight.seeOther(path, from);
    const seen = this.#sight.see(from);
    // Renamed already, before a failure or a crash: what is left is to replace the content.
    if (!seen && target && target.sha256 === expect?.sha256) return this.#replace(job, raced);
    return this.#whileOpen(seen, (keepOpen) => {
      if (!seen && !target) return changed(from, undefined);
      if (seen && seen.sha256 !== expect?.sha256) return target ? changed(path, target) : changed(from, seen);
      const content = this.#content(job, (seen ?? target)!.bytes, seen ? from : path);
      // Found after a crash between the two steps of a move: the new file is there, the old one perhaps still to be removed.
      const written = target?.sha256 === content.sha256;
      if (target && !written) return changed(path, target);
      if (!seen) return done(target!.stat, content.sha256);
      if (written) {
        this.#disk.remove(from);
        this.#directories.changed(from);
        this.#lookBack.hold(keepOpen(), seen.bytes, raced);
        return done(target.stat, content.sha256);
      }
      // Renamed first: if its folder is renamed at the same moment, no second file with the record's id is left behind.
      const renamed = this.#rename(from, path, seen);
      if (renamed.status !== 'ok' || seen.sha256 === content.sha256) return renamed;
      return this.#afterRename(path, seen, () =>
        this.#withTemporary(path, content, seen, (rename) => {
          if (!this.#sight.isStill(path, seen)) return this.#changedAt(path);
          const stat = rename();
          this.#lookBack.hold(keepOpen(), seen.bytes, raced);
          return done(stat, content.sha256);
        }),
      );
    });
  }

  /** If git begins or the disk fails here, the file has its new name already: that has to be seen before anything else is written. */
  #afterRename(path: string, seen: Seen, replace: () => CheckpointOutcome): CheckpointOutcome {
    try {
      const outcome = replace();
      return outcome.status === 'git' ? changed(path, seen) : outcome;
    } catch {
      return changed(path, seen);
    }
  }

  /** The content stays: the file itself goes over, with whatever is saved into it meanwhile. */
  #rename(from: string, path: string, seen: Seen): CheckpointOutcome {
    const git = this.#gitHolds();
    if (git) return git;
    this.#directories.ensure(dirname(path));
    this.#disk.rename(from, path);
    this.#directories.changed(from);
    this.#directories.changed(path);
    return doneNow(asOf(this.#disk.statOpen(seen.fd), seen.stat), seen.sha256);
  }

  #append({ path, expect, bytes: given }: AppendJob): CheckpointOutcome {
    const git = this.#gitHolds();
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
        // A line cut in the middle would spoil the next one; if this fails too, the size tells and another segment is begun.
        this.#disk.truncate(fd, size);
        throw error;
      }
      return doneNow(this.#disk.statOpen(fd), null);
    } finally {
      this.#disk.close(fd);
    }
  }

  #moveDirectory({ from, to }: MoveDirectoryJob): CheckpointOutcome {
    const git = this.#gitHolds();
    if (git) return git;
    const source = this.#disk.stat(from);
    const target = this.#disk.stat(to);
    if (!source) return target?.kind === 'directory' ? done(null, null) : changed(from, undefined);
    if (source.kind !== 'directory') throw failure('ENOTDIR', `not a directory: '${from}'`);
    // The same directory under both names: another case of its letters where the file system takes them as one.
    const occupied = target && target.ino !== source.ino;
    if (occupied && !this.#disk.removeDirectoryIfEmpty(to))
      throw failure('ENOTEMPTY', `something is there already: '${to}'`);
    this.#directories.ensure(dirname(to));
    this.#disk.rename(from, to);
    this.#directories.moved(from, to);
    return done(null, null);
  }

  #removeDirectory(path: string): CheckpointOutcome {
    const git = this.#gitHolds();
    if (git) return git;
    if (this.#disk.removeDirectoryIfEmpty(path)) this.#directories.moved(path);
    return done(null, null);
  }

  /** Writes the content to a temporary file and hands out the rename that makes it the target, once git was seen to rest. */
  #withTemporary(
    path: string,
    content: Content,
    former: Seen | undefined,
    use: (rename: Rename) => CheckpointOutcome,
  ): CheckpointOutcome {
    const temporary = this.#write(content, former);
    try {
      return this.#place(temporary, path, content, use);
    } finally {
      this.#drop(temporary);
    }
  }

  #write(content: Content, former: Seen | undefined): Temporary {
    this.#directories.ensure(this.#temporaryDirectory);
    // Whom the old file was closed to, the new one is too.
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
    const git = this.#gitHolds();
    if (git) return git;
    temporary.made = this.#directories.ensure(dirname(path));
    return use(() => {
      this.#disk.rename(temporary.path, path);
      temporary.renamed = true;
      this.#directories.changed(path);
      return asWritten(this.#disk.statOpen(temporary.fd), content.bytes.length);
    });
  }

  /** Closes a temporary file, and removes one that was not renamed. */
  #drop({ fd, path, renamed, made }: Temporary): void {
    this.#disk.close(fd);
    if (renamed) return;
    removeQuietly(this.#disk, path);
    this.#directories.unmake(made);
  }

  #changedAt(path: string, content?: Content): CheckpointOutcome {
    const seen = this.#sight.see(path);
    if (seen) this.#disk.close(seen.fd);
    return seen && seen.sha256 === content?.sha256 ? done(seen.stat, seen.sha256) : changed(path, seen);
  }

  /** Closes the file when `use` is done, unless it took over the descriptor. */
  #whileOpen(seen: Seen | undefined, use: (keepOpen: () => number) => CheckpointOutcome): CheckpointOutcome {
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

  #gitHolds(): CheckpointOutcome | undefined {
    const git = this.#gitAtWork();
    return git && { status: 'git', what: git.what };
  }
}

/** Nothing may be at its path: it is enough to look right before the rename. */
function isNewFile(job: CheckpointJob): job is FileJob {
  if (job.kind !== 'file' || job.expect !== null || job.bytes === null || job.bytesFrom !== undefined) return false;
  return job.from === undefined || job.from === job.path;
}

function encodedOf(given: Uint8Array | string): Uint8Array {
  return typeof given === 'string' ? Buffer.from(given) : given;
}

/** Every path of a job: none of them may lead through a link. */
function pathsOf(job: CheckpointJob): string[] {
  if (job.kind === 'moveDirectory') return [job.from, job.to];
  const paths = 'from' in job && job.from !== undefined ? [job.from, job.path] : [job.path];
  return job.kind === 'file' && job.bytesFrom !== undefined ? [...paths, job.bytesFrom.to] : paths;
}

function changed(path: string, seen: Pick<Seen, 'bytes'> | undefined): CheckpointOutcome {
  return { status: 'changed', path, bytes: seen?.bytes ?? null };
}

/** Found done already, or done to a directory. */
function done(stat: FileStat | null, sha256: string | null, told = false): CheckpointOutcome {
  return { status: 'ok', stat, sha256, told };
}

/** Done just now, to each path of the job once. */
function doneNow(stat: FileStat | null, sha256: string | null): CheckpointOutcome {
  return done(stat, sha256, true);
}

/** A stat whose size and mtime are of the moment that we know the content of: a save that came after differs from it and is found. */
function asOf(stat: FileStat, known: FileStat): FileStat {
  return { ...stat, size: known.size, mtimeMs: known.mtimeMs };
}

/** A stat that a save between our rename and our look did not make ours: of another size, it is no longer what we wrote. */
function asWritten(stat: FileStat, size: number): FileStat {
  return stat.size === size ? stat : { ...stat, size, mtimeMs: 0 };
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
