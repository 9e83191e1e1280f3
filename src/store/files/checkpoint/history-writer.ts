import { randomName } from '../../../ids.ts';
import { isoTime, type Clock } from '../../../clock.ts';
import type { AppendJob, FileJob } from './checkpoint-job.ts';
import type { FileStat } from '../disk/disk.ts';
import { stampOf } from '../project/file-table.ts';
import type { WaitingRevision } from '../project/history.ts';
import type { Project } from '../project/project.ts';
import { privateFileMode } from '../disk/root-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';

/** A segment grows to about this size, so that reading one revision or pulling one file stays cheap. */
const segmentBytesMax = 256 * 1024;

/** So many lines are made for one batch: encoding them holds up every request. */
const linesMax = 500;

/** A segment that this process began, as it left it. */
interface OpenSegment {
  readonly path: string;
  readonly ino: number;
  readonly size: number;
  /** What git had committed when it was begun. */
  readonly commit: string;
}

/** Lines to be appended to one segment, or to begin one with. */
export interface HistoryWrite {
  readonly project: Project;
  readonly job: AppendJob | FileJob;
  readonly revisions: readonly WaitingRevision[];
  /** Byte offset and length of each line in the file. */
  readonly places: readonly { readonly offset: number; readonly length: number }[];
  readonly slot: string;
  readonly bytes: number;
  readonly commit: string;
}

/**
 * Appends revisions to segments. A process appends only to a segment that it began and that is still as it left it, and not behind a
 * commit of git's, else it begins another: no two branches ever write one file, and a commit that is picked onto another branch brings
 * whole files along, not lines of one that is not there.
 */
export class HistoryWriter {
  readonly #layout: RootLayout;
  readonly #clock: Clock;
  readonly #lastCommit: () => string;
  /** By project, kind and month. */
  readonly #open = new Map<string, OpenSegment>();

  /** `lastCommit`: changes with every commit of git's. */
  constructor(layout: RootLayout, clock: Clock, lastCommit: () => string) {
    this.#layout = layout;
    this.#clock = clock;
    this.#lastCommit = lastCommit;
  }

  /** What waits in a project's history, as at most two writes: one beside the records, one in `local/` for edits on disk. */
  plan(project: Project, durablePosition: number): HistoryWrite[] {
    if (project.history.waiting === 0) return [];
    const waiting = project.history.takeWaiting(durablePosition, linesMax);
    return [waiting.filter(({ local }) => local), waiting.filter(({ local }) => !local)]
      .filter((revisions) => revisions.length > 0)
      .map((revisions) => this.#write(project, revisions));
  }

  done({ project, job, places, revisions, slot, bytes, commit }: HistoryWrite, stat: FileStat): void {
    revisions.forEach(({ revision }, i) => {
      const place = places[i];
      if (place !== undefined) project.history.written(revision.id, { file: job.path, ...place });
    });
    const shared = `${this.#layout.projects}/${project.directory}/`;
    if (job.path.startsWith(shared)) project.segments.set(job.path.slice(shared.length), stampOf(stat));
    const before = job.kind === 'append' ? job.expect.size : 0;
    if (before + bytes >= segmentBytesMax) this.#open.delete(slot);
    else this.#open.set(slot, { path: job.path, ino: stat.ino, size: before + bytes, commit });
  }

  failed({ project, revisions, slot }: HistoryWrite): void {
    this.#open.delete(slot);
    project.history.putBack(revisions);
  }

  #write(project: Project, revisions: readonly WaitingRevision[]): HistoryWrite {
    const local = revisions[0]?.local === true;
    const month = isoTime(this.#clock.now()).slice(0, 7);
    const slot = `${project.id} ${local ? 'local' : 'shared'} ${month}`;
    const segment = this.#segment(slot, local);
    const lines = revisions.map(({ revision }) => Buffer.from(`${JSON.stringify(revision)}\n`));
    let offset = segment?.size ?? 0;
    const places = lines.map(({ length }) => {
      const place = { offset, length: length - 1 };
      offset += length;
      return place;
    });
    const bytes = Buffer.concat(lines);
    const top = local
      ? this.#layout.localHistory(project.code)
      : `${this.#layout.projects}/${project.directory}/history`;
    const key = `history ${slot}`;
    const mode = local ? { mode: privateFileMode } : {};
    const job: AppendJob | FileJob =
      segment === undefined
        ? { key, kind: 'file', path: `${top}/${month}/${randomName()}.jsonl`, expect: null, bytes, ...mode }
        : { key, kind: 'append', path: segment.path, expect: { ino: segment.ino, size: segment.size }, bytes };
    const commit = segment?.commit ?? this.#lastCommit();
    return { project, job, revisions, places, slot, bytes: bytes.length, commit };
  }

  /** The segment that is to be appended to. What lies in `local/` is never committed. */
  #segment(slot: string, local: boolean): OpenSegment | undefined {
    const segment = this.#open.get(slot);
    return local || segment?.commit === this.#lastCommit() ? segment : undefined;
  }
}
