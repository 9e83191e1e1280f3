import { LogTail } from './log-tail.ts';
import type { ProjectIndex } from './project-index.ts';
import type { RevisionIndex } from './revision-index.ts';

/**
 * One project in memory, as its log has it: records, history, versions, and the tail of the log. Independent of how
 * the log is stored, and of files.
 */
export class Replica<H extends RevisionIndex = RevisionIndex> {
  readonly project: string;
  /** The project's six-character code. */
  readonly code: string;
  readonly index: ProjectIndex;
  readonly history: H;
  readonly tail: LogTail;

  constructor({ project, code, index, history }: Pick<Replica<H>, 'project' | 'code' | 'index' | 'history'>) {
    this.project = project;
    this.code = code;
    this.index = index;
    this.history = history;
    this.tail = new LogTail(project);
  }

  /** The sequence of the next entry. */
  get nextSeq(): number {
    return this.tail.head.seq + 1;
  }

  /** Following changes of the index belong to the next entry, which will have this id. Returns their order. */
  begin(id: string): number {
    this.index.versions.begin(this.nextSeq, id);
    return this.index.versions.order;
  }
}
