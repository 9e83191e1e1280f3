import type { ImportAnswer, Problem } from '../../schema/types.ts';
import type { FormFile } from '../terminal/form.ts';

export type Input = Readonly<Record<string, unknown>>;

/** Runs operations of the catalogue by name. Rejects with `PlannerError`. */
export interface CallPort {
  /** Resolves with the wrapped result, like a tool: `{task}`, `{tasks, next_cursor?}`; `{}` if the operation returns nothing. */
  call(operation: string, input: Input): Promise<Readonly<Record<string, unknown>>>;
}

/** Operations whose results are no JSON. */
export type RawOperation = 'export_project' | 'get_file' | 'list_record_changes';

/** The result of `planner doctor`: problems, and repairs as one sentence each. */
export interface Diagnosis {
  readonly problems: readonly Problem[];
  readonly mended: readonly string[];
  /** Upgrades of the files whose backup still exists; absent if there are none. */
  readonly upgraded?: readonly string[];
}

/**
 * Everything that commands need of Planner, implemented by a running service and by a store that was opened because no
 * service runs. Commands do not know which.
 */
export interface PlannerPort extends CallPort {
  /** Resolves when every acknowledged change is checkpointed to its file. */
  flush(): Promise<void>;
  /** Checks everything; with `fix`, first makes the repairs that lose no data. */
  doctor(fix: boolean): Promise<Diagnosis>;
  /** Streams a whole project as one document in a format of export_project. */
  exportProject(id: string, format: string): Promise<AsyncIterable<Uint8Array>>;
  /** Streams the result of an operation that is no JSON. */
  stream(operation: RawOperation, input: Input): Promise<AsyncIterable<Uint8Array>>;
  /** Imports a plan: one file, or all files of a directory, by their paths. Resolves with the result of import_project. */
  importProject(files: Iterable<FormFile>, input: Input): Promise<ImportAnswer>;
  /** Ids of the projects that a key can access; undefined if the key is invalid. */
  projectsSeenWith(secret: string): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}
