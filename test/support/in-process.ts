import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { logLevels, readEnvironment } from '../../src/base/config.ts';
import type { LogLevel } from '../../src/base/config.ts';
import type { Log } from '../../src/operations/pipeline/failure.ts';
import { runCommandLine } from '../../src/main/start.ts';
import { builtProgram } from './build.ts';
import { environmentWith } from './child-environment.ts';
import type { CommandOptions, Finished } from './command.ts';
import { repository } from './server-process.ts';
import { firstLineOf } from './first-line.ts';

/** Variables that programs which the command starts read in the environment of the process, and not in the command's own. */
const ofProcesses = /^(PATH|GIT_.*|NODE_.*)$/;

/**
 * The `planner` command in this process: the whole program but for signals, pipes and exit codes of the system, at a tenth of the CPU time of a
 * process. The store writes its files in this thread. `Command` is the same in a process of its own.
 */
export class InProcessCommand {
  readonly finished: Promise<Finished>;
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly #errors = new PassThrough();
  readonly #endListeners: (() => void)[] = [];
  #printed = '';
  #reported = '';

  constructor(
    argv: readonly string[],
    { cwd = repository, environment = {}, input = '', typed, openInput = false, terminal }: CommandOptions = {},
  ) {
    if (terminal !== undefined) Object.assign(this.output, { isTTY: true, ...terminal });
    const foreign = Object.keys(environment).find((name) => ofProcesses.test(name));
    if (foreign !== undefined) throw new Error(`${foreign} takes effect in a process of its own: use Command.`);
    if (typed !== undefined) Object.assign(this.input, { isTTY: true, setRawMode: () => undefined });
    if (!openInput) this.input.end(typed?.map((line) => `${line}\n`).join('') ?? input);
    this.output.on('data', (chunk: Buffer) => (this.#printed += chunk.toString()));
    this.#errors.on('data', (chunk: Buffer) => (this.#reported += chunk.toString()));
    const variables = environmentWith(environment);
    const done = runCommandLine({
      argv,
      environment: () => readEnvironment(variables),
      workingDirectory: cwd,
      homeDirectory: variables['HOME'] ?? homedir(),
      ...{ stdin: this.input, stdout: this.output, stderr: this.#errors },
      events: {
        onEndSignal: (listener) => void this.#endListeners.push(listener),
        onUncaughtException: () => undefined,
        ignoreInterrupts: () => () => undefined,
        exit: () => undefined,
      },
      program: { node: process.execPath, main: builtProgram() },
      openLog: (level) => Promise.resolve(this.#log(level)),
      ...(mayBeNamed(cwd) ? {} : { owner: () => Promise.resolve('owner') }),
      openLines: () => Promise.resolve((line) => void this.output.write(`${line}\n`)),
      store: { writer: 'inline' },
    });
    this.finished = done.then((code) => ({ code, output: this.#printed, errors: this.#reported }));
  }

  /** The output so far. */
  get printed(): string {
    return this.#printed;
  }

  /** The error output so far. */
  get errors(): string {
    return this.#reported;
  }

  /** The first line of the output, when it is there. Throws if the command ends without one. */
  firstLine(): Promise<string> {
    const ended = this.finished.then(() => this.#reported);
    return firstLineOf({ printed: () => this.#printed, stream: this.output, ended });
  }

  /** Ends it as SIGTERM does, and waits for that. */
  stop(): Promise<Finished> {
    for (const listener of this.#endListeners.splice(0)) listener();
    return this.finished;
  }

  #log(level: LogLevel): Log {
    const logged = logLevels.slice(1, logLevels.indexOf(level) + 1) as readonly string[];
    return ({ level: own, ...entry }) => {
      if (logged.includes(typeof own === 'string' ? own : 'info'))
        this.#errors.write(`${JSON.stringify({ level: own, ...entry })}\n`);
    };
  }
}

/**
 * Returns whether git may have a name for the owner in a directory: only settings of a repository, since tests have no
 * settings of a person (`user-settings.ts`).
 */
function mayBeNamed(directory: string): boolean {
  const repository = join(directory, '.git');
  if (existsSync(repository))
    return !statSync(repository).isDirectory() || readFileSync(join(repository, 'config'), 'utf8').includes('[user]');
  return dirname(directory) !== directory && mayBeNamed(dirname(directory));
}

/** Runs a command to its end in this process. */
export function runCommand(argv: readonly string[], options?: CommandOptions): Promise<Finished> {
  return new InProcessCommand(argv, options).finished;
}
