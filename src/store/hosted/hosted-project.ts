import { Exclusive } from '../commit/exclusive.ts';
import type { Committed } from '../commit/commit.ts';
import { ProjectIndex } from '../index/project-index.ts';
import type { ServedProject } from '../index/project-table.ts';
import { Replica } from '../index/replica.ts';
import type { Collection } from '../record/collection.ts';
import { HostedHistory } from './hosted-history.ts';

/** A project in the memory of one node. */
export class HostedProject implements Committed, ServedProject {
  readonly id: string;
  readonly replica: Replica<HostedHistory>;
  readonly exclusive = new Exclusive();
  /** What its entries contain, in characters: roughly its size without the bytes of files. */
  entryBytes = 0;

  constructor(id: string, code: string, collections: readonly Collection[]) {
    this.id = id;
    const [index, history] = [new ProjectIndex(collections), new HostedHistory()];
    this.replica = new Replica({ project: id, code, index, history });
  }

  get code(): string {
    return this.replica.code;
  }

  get index(): ProjectIndex {
    return this.replica.index;
  }

  holds(id: string): boolean {
    if (this.index.record(id) !== undefined || this.index.edge(id) !== undefined) return true;
    return this.replica.history.has(id);
  }
}
