import { randomName } from '../../../base/ids.ts';
import { isoTime, type Clock } from '../../../base/clock.ts';
import type { AppendJob, FileJob } from './checkpoint-job.ts';
import type { FileStat } from '../disk/disk.ts';
import { stampOf } from '../project/file-table.ts';
import type { WaitingRevision } from '../project/history.ts';
import type { Project } from '../project/project.ts';
import { privateFileMode } from '../disk/root-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';

/** Segments grow to about this size, so that reading one revision or pulling one file stays cheap. */
const segmentBytesMax = 256 * 1024;

/** The maximum of lines per batch: encoding them blocks the event loop. */
const linesMax = 500;

/** A segment that this process created, as it left it. */
interface OpenSegment {
  readonly path: string;
  readonly ino: number;
  readonly size: number;
  /** Git's last commit when the segment was created. */
  readonly commit: string;
}

/** Lines to append to a segment, or to create one with. */
export interface HistoryWrite {
  readonly project: Project;
  readonly job: AppendJob | FileJob;
  readonly revisions: readonly WaitingRevision[];
  /** Byte offset and length of each line in the file. */
  readonly lineLocations: readonly { readonly offset: number; readonly length: number }[];
  readonly slot: string;
  readonly bytes: number;
  readonly commit: string;
}

/**
 * Appends revisions to segments. A process appends only to a segment that it created, that has not changed since, and
 * only until the next git commit; otherwise it creates another. So no two branches write one file, and a cherry-picked
 * commit brings whole files, not lines of a file that does not exist on the other branch.
 */
export class HistoryWriter {
  readonly #layout: RootLayout;
  readonly #clock: Clock;
  readonly #lastCommit: () => string;
  /** The open segments by project, kind and month. */
  readonly #open = new Map<string, OpenSegment>();

  /** `lastCommit` changes with every git commit. */
  constructor(layout: RootLayout, clock: Clock, lastCommit: () => string) {
    this.#layout = layout;
    this.#clock = clock;
    this.#lastCommit = lastCommit;
  }

  /**
   * The unwritten revisions of a project as at most two writes: one next to the records, one in `local/` for external
   * edits.
   */
  plan(project: Project, durablePosition: number): HistoryWrite[] {
    if (project.history.waiting === 0) return [];
    const waiting = project.history.takeWaiting(durablePosition, linesMax);
    return [waiting.filter(({ local }) => local), waiting.filter(({ local }) => !local)]
      .filter((revisions) => revisions.length > 0)
      .map((revisions) => this.#write(project, revisions));
  }

  done({ project, job, lineLocations, revisions, slot, bytes, commit }: HistoryWrite, stat: FileStat): void {
    revisions.forEach(({ revision }, i) => {
      const place = lineLocations[i];
      if (place !== undefined) project.history.markWritten(revision.id, { file: job.path, ...place });
    });
    project.history.noteWritten(job.path, stat);
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

  /** Returns whether a later write may append to this segment. */
  mayAppendTo(path: string): boolean {
    const month = isoTime(this.#clock.now()).slice(0, 7);
    for (const [slot, segment] of this.#open)
      if (segment.path === path)
        return slot.endsWith(month) && this.#segment(slot, slot.includes(' local ')) !== undefined;
    return false;
  }

  #write(project: Project, revisions: readonly WaitingRevision[]): HistoryWrite {
    const local = revisions[0]?.local === true;
    const month = isoTime(this.#clock.now()).slice(0, 7);
    const slot = `${project.id} ${local ? 'local' : 'shared'} ${month}`;
    const segment = this.#segment(slot, local);
    const lines = revisions.map(({ revision }) => Buffer.from(`${JSON.stringify(revision)}\n`));
    let offset = segment?.size ?? 0;
    const lineLocations = lines.map(({ length }) => {
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
    return { project, job, revisions, lineLocations, slot, bytes: bytes.length, commit };
  }

  /** The segment to append to. Files in `local/` are never committed. */
  #segment(slot: string, local: boolean): OpenSegment | undefined {
    const segment = this.#open.get(slot);
    return local || segment?.commit === this.#lastCommit() ? segment : undefined;
  }
}
