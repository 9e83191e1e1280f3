import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/in-process.ts';
import type { CommandOptions, Finished } from '../support/command.ts';

/** A test of the command line runs a dozen commands, on a machine that may be busy. */
export const shellTestMs = 120_000;

export interface FoundProblem {
  readonly path: string;
  readonly kind: string;
  readonly severity?: string;
  readonly reason: string;
  readonly remedy?: string;
  readonly line?: number;
}

/** A person at a shell in a directory of their own, with a home and a git name of their own. */
export class Shell {
  readonly directory: string;
  readonly home: string;
  readonly #environment: Readonly<Record<string, string>>;

  /** The test removes `scratch`; the working directory is `repository` below it. */
  constructor(scratch: string, environment: Readonly<Record<string, string>> = {}) {
    this.directory = join(scratch, 'repository');
    this.home = join(scratch, 'home');
    for (const path of [this.directory, this.home]) mkdirSync(path, { recursive: true });
    this.#environment = {
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, '.config'),
      ...environment,
    };
  }

  /** Options of a command of this person that a test starts itself. */
  options({ cwd = this.directory, environment, ...options }: CommandOptions = {}): CommandOptions {
    return { cwd, environment: { ...this.#environment, ...environment }, ...options };
  }

  /** Runs `planner` with these words to its end. */
  run(argv: readonly string[], options: CommandOptions = {}): Promise<Finished> {
    return runCommand(argv, this.options(options));
  }

  /** Runs a command that must succeed; returns its output. */
  async ok(argv: readonly string[], options?: CommandOptions): Promise<string> {
    const { code, output, errors } = await this.run(argv, options);
    if (code !== 0) throw new Error(`planner ${argv.join(' ')} ended with ${code}: ${output}${errors}`);
    return output;
  }

  /** Runs a command with --json; returns the parsed output. */
  // Tests read results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  async json(argv: readonly string[], options?: CommandOptions): Promise<any> {
    return JSON.parse(await this.ok([...argv, '--json'], options));
  }

  /** The problems that `planner doctor` finds in the plan: the Node that runs the tests may lack fixes, too. */
  async problems(...more: readonly string[]): Promise<readonly FoundProblem[]> {
    const { output } = await this.run(['doctor', '--json', ...more]);
    const { problems } = JSON.parse(output) as { readonly problems: readonly FoundProblem[] };
    return problems.filter(({ kind }) => kind !== 'node_version');
  }

  /** Runs a command that must fail with this exit code; returns its error output. */
  async refused(code: number, argv: readonly string[], options?: CommandOptions): Promise<string> {
    const finished = await this.run(argv, options);
    if (finished.code !== code)
      throw new Error(`planner ${argv.join(' ')} ended with ${finished.code}: ${finished.output}${finished.errors}`);
    return finished.errors;
  }
}
