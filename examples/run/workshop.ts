import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A temporary directory with a repository and a home of its own: nothing of the user's is read or changed. */
export class Workshop {
  readonly #directory = realpathSync(mkdtempSync(join(tmpdir(), 'planner-example-')));
  readonly #environment: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();
  /** The name of the directory is the name of the project. */
  readonly repository = join(this.#directory, 'shop');

  constructor() {
    const home = join(this.#directory, 'home');
    const kept = [
      'TERM',
      'LANG',
      'TMPDIR',
      'TEMP',
      'SystemRoot',
      'ComSpec',
      'PATHEXT',
      'NO_COLOR',
      'NODE_COMPILE_CACHE',
    ];
    this.#environment = {
      ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
      // The gate and the programs that the agent starts find the Node that runs this one.
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      ...{
        HOME: home,
        USERPROFILE: home,
        XDG_CONFIG_HOME: join(home, '.config'),
        XDG_CACHE_HOME: join(home, '.cache'),
      },
      GIT_CONFIG_NOSYSTEM: '1',
    };
    mkdirSync(join(home, '.config', 'planner'), { recursive: true });
    mkdirSync(this.repository);
    writeFileSync(
      join(home, '.gitconfig'),
      '[user]\n\tname = You\n\temail = you@example.org\n[init]\n\tdefaultBranch = main\n',
    );
  }

  /** Adds a coding agent to the configuration, as a person does by hand. */
  addAgent(name: string, file: string, env: Readonly<Record<string, string>>): void {
    const agent = { command: process.execPath, args: [file], protocol: 'acp', env };
    writeFileSync(join(this.#directory, 'home/.config/planner/agents.json'), JSON.stringify({ [name]: agent }));
  }

  write(path: string, text: string): void {
    const whole = join(this.repository, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }

  async git(...args: readonly string[]): Promise<string> {
    const options = { cwd: this.repository, env: this.#environment };
    return (await promisify(execFile)('git', args, options)).stdout.trim();
  }

  /** Runs `planner` to its end, with each line of both its outputs as it comes. Throws if it fails. */
  async planner(args: readonly string[], onLine: (line: string) => void): Promise<void> {
    const child = this.#start(args, onLine);
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code !== 0) throw new Error(`planner ${args.join(' ')} ended with ${code ?? signal}.`);
  }

  /** Starts the service. Resolves with its address. */
  async serve(): Promise<string> {
    const lines: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const child = this.#start(['serve', '--port', '0'], (line) => {
      lines.push(line);
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => reject(new Error(`The service ended:\n${lines.join('\n')}`)));
    return promise;
  }

  /** Ends all that was started, and removes the directory. */
  async close(): Promise<void> {
    await Promise.all(
      Array.from(this.#running, async (child) => {
        const gone = once(child, 'close');
        child.kill();
        await gone;
      }),
    );
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #start(args: readonly string[], onLine: (line: string) => void): ChildProcess {
    const child = spawn(process.execPath, [program, ...args], {
      ...{ cwd: this.repository, env: this.#environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    child.once('close', () => void this.#running.delete(child));
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', onLine);
    return child;
  }
}
