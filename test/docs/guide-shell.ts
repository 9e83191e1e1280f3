import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { hostDefault, portDefault } from '../../src/base/config.ts';
import { builtProgram } from '../support/build.ts';
import { environmentWith } from '../support/child-environment.ts';
import { runCommand } from '../support/in-process.ts';
import { asServed, TestService } from '../support/service.ts';

/** Commands that serve until they are ended, or start a service: each needs a process of its own, and its environment. */
const serving = 'serve|mcp|demo|open|run';

const usualAddress = `http://${hostDefault}:${portDefault}`;

/**
 * A shell in which `planner` runs in the process of the test, at a tenth of the time of a process: a program on the
 * search path sends its words to a server here, and prints its answers.
 */
export class GuideShell {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #repository: string;
  #service: TestService | undefined;

  private constructor(directory: string, repository: string, server: Server) {
    this.directory = directory;
    this.#repository = repository;
    this.#server = server;
    this.environment = {
      HOME: this.at('home'),
      XDG_CONFIG_HOME: this.at('home/.config'),
      PATH: `${this.at('bin')}:${process.env['PATH'] ?? ''}`,
      GIT_CONFIG_GLOBAL: this.at('gitconfig'),
    };
  }

  /** `repository`: the working directory, below `directory`. */
  static async open(directory: string, repository = 'web-shop'): Promise<GuideShell> {
    for (const path of ['bin', 'home', 'template', repository, 'answers']) mkdirSync(join(directory, path));
    let calls = 0;
    const server = createServer((request, response) => {
      const answer = join(directory, 'answers', String(calls++));
      void buffer(request).then(async (body) => {
        const [cwd = '', withInput = '', ...argv] = body.toString().split('\0').slice(0, -1);
        const input = withInput === '' ? '' : readFileSync(withInput, 'utf8');
        const environment = { HOME: join(directory, 'home'), XDG_CONFIG_HOME: join(directory, 'home/.config') };
        const { code, output, errors } = await runCommand(argv, { cwd, input, environment });
        writeFileSync(`${answer}.out`, output);
        writeFileSync(`${answer}.err`, errors);
        response.end(`${answer} ${code}`);
      });
    });
    server.listen(join(directory, 'socket'));
    await once(server, 'listening');
    const shell = new GuideShell(directory, repository, server);
    // Each repository has an author of its own: commands in the process of the test read no settings of a home.
    writeFileSync(shell.at('template/config'), '[user]\n name = reviewer\n email = reviewer@example.org\n');
    writeFileSync(shell.at('gitconfig'), `[init]\n templateDir = ${shell.at('template')}\n`);
    shell.program('node', `exec "${process.execPath}" "$@"`);
    shell.program(
      'planner',
      `case $1 in ${serving}) exec "${process.execPath}" "${builtProgram()}" "$@" ;; esac
input=
for word; do [ "$word" = - ] && input="${directory}/input.$$" && cat > "$input"; done
set -- $(printf '%s\\0' "$PWD" "$input" "$@" | curl -s --unix-socket "${directory}/socket" --data-binary @- http://planner/)
cat "$1.out" && cat "$1.err" >&2 && exit "$2"`,
    );
    return shell;
  }

  at(path: string): string {
    return join(this.directory, path);
  }

  /** A program on the search path. */
  program(name: string, lines: string): void {
    writeFileSync(this.at(`bin/${name}`), `#!/bin/sh\n${lines}\n`);
    chmodSync(this.at(`bin/${name}`), 0o755);
  }

  /** A file of the working directory. */
  file(path: string, content: string): void {
    const whole = this.at(join(this.#repository, path));
    if (!existsSync(join(whole, '..'))) mkdirSync(join(whole, '..'), { recursive: true });
    writeFileSync(whole, content);
  }

  /**
   * Runs lines as pasted into a shell in the working directory; returns their output on both streams, also if they
   * fail.
   */
  async run(lines: string): Promise<string> {
    const script = `exec 2>&1\n${lines.replaceAll(usualAddress, this.#service?.url ?? usualAddress)}`;
    const { stdout } = await promisify(execFile)('bash', ['-uo', 'pipefail', '-c', script], {
      cwd: this.at(this.#repository),
      env: environmentWith(this.environment),
      timeout: 100_000,
    }).catch((cause: unknown) => cause as { readonly stdout: string });
    return stdout;
  }

  /** A service over the working directory, whose address replaces the one of the pages. */
  async serve(): Promise<TestService> {
    return (this.#service = await TestService.start({ ...asServed, directory: this.at(this.#repository) }));
  }

  async close(): Promise<void> {
    await this.#service?.stop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
