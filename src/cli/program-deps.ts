import type { Readable, Writable } from 'node:stream';
import type { Log } from '../operations/pipeline/failure.ts';
import type { RunningProgram } from './merge-registration.ts';
import type { ProcessEvents } from './process-events.ts';
import type { ResolveDeps } from './resolve.ts';
import type { StartService } from './serve.ts';
import type { CliEnvironment } from './cli-target.ts';

/** What the command line stands on, wired by main. */
export interface ProgramDeps extends CliEnvironment {
  readonly version: string;
  readonly program: RunningProgram;
  readonly start: StartService;
  /** The log of the service. */
  readonly log: Log;
  /** Loads what `start` needs, ahead of the moment in which it has to be quick. */
  readonly prepare: () => Promise<void>;
  /** The name of the person, as git knows it in the working directory. */
  readonly owner: () => Promise<string>;
  /** Merges the files that git names, `%O %A %B %P`, and answers the exit code. */
  readonly mergeForGit: (given: readonly string[]) => Promise<number>;
  /** What says where records belong whose files git left unmerged. */
  readonly mergePlaces: () => Promise<ResolveDeps['mergePlaces']>;
  /** Prints text of an answer and a line feed. Control characters in it are escaped, here and in `remark`. */
  readonly print: (line: string) => void;
  /** One line beside the answer: where a pipe takes the answer, a person still reads this. */
  readonly remark: (line: string) => void;
  /** All of standard input, as text. */
  readonly input: () => Promise<string>;
  /** Writes bytes of an answer that is no text to be read; resolves when they are taken. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Standard input and output, for a protocol that is spoken over them. */
  readonly streams: { readonly input: Readable; readonly output: Writable };
  readonly events: ProcessEvents;
  /** Sets the exit code of a command that does not throw. */
  readonly exitWith: (code: number) => void;
}
