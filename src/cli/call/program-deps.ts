import type { Readable, Writable } from 'node:stream';
import type { Log } from '../../operations/pipeline/failure.ts';
import type { PlanComparer } from '../diff/plan-comparer.ts';
import type { MigrateDatabase } from '../service/migration.ts';
import type { RunningProgram } from '../git/merge-registration.ts';
import type { ProcessEvents } from '../terminal/process-events.ts';
import type { ResolveDeps } from '../git/resolve.ts';
import type { StartNode, StartService } from '../service/serve.ts';
import type { CliEnvironment } from '../service/cli-environment.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Dependencies of the command line, wired by main. */
export interface ProgramDeps extends CliEnvironment, Terminal {
  readonly version: string;
  readonly program: RunningProgram;
  readonly start: StartService;
  /** Starts a node over a database. */
  readonly startNode: StartNode;
  /** Brings the tables of a database to the version of this program. */
  readonly migrate: MigrateDatabase;
  /** The log of the service. */
  readonly log: Log;
  /** Loads the modules that `start` needs in advance, so that a later start is fast. */
  readonly prepare: () => Promise<void>;
  /** Begins to load the modules of a service, before it is started. */
  readonly preload: () => void;
  /** The user.name of git in the working directory. */
  readonly owner: () => Promise<string>;
  /** Merges the files in git's arguments `%O %A %B %P`. Resolves with the exit code. */
  readonly mergeForGit: (given: readonly string[]) => Promise<number>;
  /** Loads the function that finds the target paths of records whose files git left unmerged. */
  readonly mergePlaces: () => Promise<ResolveDeps['mergePlaces']>;
  /** Loads the reader and comparer of plans in files. */
  readonly planComparer: () => Promise<PlanComparer>;
  /** Prints a line to standard output. Control characters are escaped. */
  readonly print: (line: string) => void;
  /** All of standard input, as text. */
  readonly input: () => Promise<string>;
  /** Asks on the terminal without showing the typed text; absent without a terminal. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** Asks on the terminal for a line, undefined if its input ends; absent without a terminal. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Writes binary output to standard output. Resolves when it was written. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Standard input and output, for a protocol that is spoken over them. */
  readonly streams: { readonly input: Readable; readonly output: Writable };
  readonly events: ProcessEvents;
  /** Sets the exit code of a command that does not throw. */
  readonly exitWith: (code: number) => void;
}
