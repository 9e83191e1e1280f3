import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { builtProgram } from './build.ts';
import { environmentWith } from './child-environment.ts';
import { repository } from './server-process.ts';
import { firstLineOf } from './first-line.ts';

export interface Finished {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input; empty if absent. */
  readonly input?: string;
  /** The lines that a person types at a terminal, which standard input then is; for commands in this process. */
  readonly typed?: readonly string[];
  /** Standard input stays open for `write`. */
  readonly openInput?: boolean;
  /** Standard output is a terminal of this size; for commands in this process. */
  readonly terminal?: { readonly columns: number; readonly rows: number };
}

/** The error output without the warnings that a busy machine causes. */
export function withoutSlowSlices(errors: string): string {
  return errors
    .split('\n')
    .filter((line) => !line.includes('"message":"slow slice"'))
    .join('\n');
}

/** The `planner` command in a process of its own. */
export class Command {
  readonly finished: Promise<Finished>;
  readonly #child: ChildProcess;
  #output = '';
  #errors = '';

  constructor(
    argv: readonly string[],
    { cwd = repository, environment = {}, input, openInput = false }: CommandOptions = {},
  ) {
    this.#child = spawn(process.execPath, [builtProgram(), ...argv], {
      cwd,
      env: environmentWith(environment),
      stdio: [input === undefined && !openInput ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    if (!openInput) this.#child.stdin?.end(input);
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    this.finished = new Promise((resolve) =>
      this.#child.once('close', (code) => resolve({ code, output: this.#output, errors: this.#errors })),
    );
  }

  /** The first line of the output, when it is there. Throws if the command ends without one. */
  firstLine(): Promise<string> {
    const ended = this.finished.then(() => this.#errors);
    return firstLineOf({ printed: () => this.#output, stream: this.#child.stdout, ended });
  }

  /** To its standard input, which stays open. */
  write(text: string): void {
    this.#child.stdin?.write(text);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Kills it if it still runs. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
    await this.finished;
  }
}

/** Runs a command to its end in a process of its own. */
export function runProcess(argv: readonly string[], options?: CommandOptions): Promise<Finished> {
  return new Command(argv, options).finished;
}
