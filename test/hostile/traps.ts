import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Settings of a repository that name commands, each of which writes its name to a file when it is run. `directory`: the commands, outside of
 * the repository.
 */
export class Traps {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(join(directory, 'hooks'), { recursive: true });
    for (const name of [
      'post-index-change',
      'reference-transaction',
      'post-checkout',
      'pre-commit',
      'fsmonitor-watchman',
    ])
      this.#command(join('hooks', name), name);
  }

  /** The names of the commands that were run, each once. */
  get sprung(): readonly string[] {
    const path = join(this.#directory, 'sprung');
    return existsSync(path) ? [...new Set(readFileSync(path, 'utf8').trim().split('\n'))].sort() : [];
  }

  reset(): void {
    rmSync(join(this.#directory, 'sprung'), { force: true });
  }

  /** A git configuration. Git also reads the file named by `include`. */
  config(core: readonly string[]): string {
    const trap = (name: string): string => this.#command(name, name);
    writeFileSync(join(this.#directory, 'included'), `[core]\n\tfsmonitor = ${trap('fsmonitor-included')}\n`);
    return `${[
      ...['[core]', ...core, `fsmonitor = ${trap('fsmonitor')}`, `hooksPath = ${join(this.#directory, 'hooks')}`],
      ...[`sshCommand = ${trap('ssh')}`, `gitProxy = ${trap('proxy')}`, `askPass = ${trap('askpass')}`],
      ...[`editor = ${trap('editor')}`, `pager = ${trap('pager')}`, `alternateRefsCommand = ${trap('alternates')}`],
      ...['[credential]', `helper = ${trap('credential')}`, '[sequence]', `editor = ${trap('sequence')}`],
      ...['[pager]', ...['ls-files', 'config', 'cat-file'].map((name) => `${name} = ${trap('pager')}`)],
      ...['[alias]', ...['ls-files', 'rev-parse', 'update-index'].map((name) => `${name} = !${trap('alias')}`)],
      ...[
        '[diff]',
        `external = ${trap('diff')}`,
        '[diff "x"]',
        `command = ${trap('diff')}`,
        `textconv = ${trap('textconv')}`,
      ],
      ...['[filter "x"]', ...['clean', 'smudge', 'process'].map((name) => `${name} = ${trap(`filter-${name}`)}`)],
      ...['[merge "x"]', `driver = ${trap('merge')}`, '[gpg]', `program = ${trap('gpg')}`],
      ...['[submodule]', 'recurse = true', '[extensions]', 'partialClone = origin'],
      ...['[protocol]', 'allow = always', '[protocol "ext"]', 'allow = always', '[protocol "file"]', 'allow = always'],
      ...['[remote "origin"]', 'promisor = true', `url = ext::${trap('fetch')}`, `uploadpack = ${trap('uploadpack')}`],
      ...['[include]', `path = ${join(this.#directory, 'included')}`],
    ].join('\n')}\n`;
  }

  /** Puts a program where a repository can have one. */
  plant(path: string): void {
    this.#write(path, `program ${path}`);
  }

  #command(file: string, name: string): string {
    return this.#write(join(this.#directory, file), name);
  }

  #write(path: string, name: string): string {
    writeFileSync(path, `#!/bin/sh\necho ${name} >> ${join(this.#directory, 'sprung')}\nexit 1\n`);
    chmodSync(path, 0o755);
    return path;
  }
}
