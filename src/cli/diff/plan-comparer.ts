import type { PlanDiff } from '../../schema/types.ts';
import type { Disk, TreeFile } from '../../store/index.ts';

/** Reads and compares the files of plans; it knows their collections. */
export interface PlanComparer {
  /** Returns whether the file at a path of a root is read. */
  readonly isRead: (path: string) => boolean;
  /** The reason why a file of this size is not read. */
  readonly refusalOf: (file: { readonly path: string; readonly size: number }) => string | undefined;
  /** The files of a root on a disk. */
  readonly filesOn: (disk: Disk, root: string) => readonly TreeFile[];
  readonly compare: (before: readonly TreeFile[], after: readonly TreeFile[]) => Omit<PlanDiff, 'before' | 'after'>;
}
