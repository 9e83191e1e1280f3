import type { PlanReadTransaction } from '../records/collections.ts';

/** The records of a project at one moment. */
export type ComparableRecords = Pick<PlanReadTransaction, 'project' | 'get' | 'by' | 'find' | 'list' | 'outgoing'>;

/** The file of a record. Paths are relative to the directory that contains `.planner`. */
export interface ComparableFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** False if the path identifies the record: a renamed file then has another id. */
  readonly hasExplicitId: boolean;
  /** Fields whose value in the file is ignored. */
  readonly ignored: ReadonlySet<string>;
  /** Its front matter is read as text. */
  readonly damage?: { readonly line: number; readonly reason: string };
}

/** A file without a readable record, or a value that is ignored. */
export interface ComparableProblem {
  readonly path: string;
  readonly line?: number;
  readonly reason: string;
  /** The id of the record that the file seems to have. */
  readonly id?: string;
}

/** A project at one moment. */
export interface ComparableProject {
  readonly id: string;
  readonly records: ComparableRecords;
  readonly fileOf: (id: string) => ComparableFile | undefined;
  readonly unreadable: readonly ComparableProblem[];
  readonly notes: readonly ComparableProblem[];
}

/** A plan at one moment. */
export interface ComparablePlan {
  readonly projects: readonly ComparableProject[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** Files of no project. */
  readonly unreadable: readonly ComparableProblem[];
}
