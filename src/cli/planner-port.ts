import type { Problem } from '../store/index.ts';

export type Input = Readonly<Record<string, unknown>>;

/** Runs operations of the catalogue by their names. Throws `PlannerError` for what is refused. */
export interface CallPort {
  /** Answers the wrapped form, as a tool does: `{task}`, `{tasks, next_cursor?}`; `{}` where there is nothing to answer. */
  call(operation: string, input: Input): Promise<Readonly<Record<string, unknown>>>;
}

/** What `planner doctor` finds, and what it has mended: one sentence each. */
export interface Diagnosis {
  readonly problems: readonly Problem[];
  readonly mended: readonly string[];
  /** Upgrades of the files whose backup is still there; absent where there was none. */
  readonly upgraded?: readonly string[];
}

/**
 * All that commands ask of Planner: of a running service, or of files that were opened because none runs. A command does not know which.
 */
export interface PlannerPort extends CallPort {
  /** Resolves when every acknowledged change is in its file. */
  flush(): Promise<void>;
  /** Checks everything; with `fix` mends first what can be mended safely. */
  doctor(fix: boolean): Promise<Diagnosis>;
  /** A whole project as one document in one of the formats of export_project, piece by piece. */
  exportProject(id: string, format: string): Promise<AsyncIterable<Uint8Array>>;
  /** Makes a project of an export; answers it with its counts. */
  importProject(filename: string, bytes: Iterable<Uint8Array>): Promise<Readonly<Record<string, unknown>>>;
  /** The projects that the bearer of a key sees, by their ids; undefined where the key is not valid. */
  projectsSeenWith(secret: string): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}
