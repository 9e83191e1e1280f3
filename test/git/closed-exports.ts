import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, gitStatus, initRepository } from '../support/git.ts';
import type { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { TestService, watched } from '../support/service.ts';

interface Exported {
  readonly documents: readonly { readonly id: string; readonly folder_id: string | null }[];
  readonly folders: readonly { readonly id: string; readonly parent_folder_id: string | null }[];
}

const branches = ['main', 'moved', 'pruned', 'grown'];
const tops = ['Guides', 'Notes', 'Plans', 'Logs'];

/** Exports of a wiki while git changes its files: each contains every folder that it names. */
export class ExportsDuringGit {
  readonly #directory: string;
  readonly #random: Random;
  readonly #documents: number;
  #service!: TestService;
  #project = '';
  #exports = 0;

  constructor(directory: string, random: Random, documents: number) {
    this.#directory = directory;
    this.#random = random;
    this.#documents = documents;
  }

  async run(commands: number): Promise<void> {
    initRepository(this.#directory);
    this.#service = await TestService.start({ ...watched, directory: this.#directory });
    try {
      this.#project = await this.#service.project('Wiki');
      await this.#service.store.flush();
      this.#commitBranches();
      await this.#service.store.rescan();
      for (let i = 0; i < commands; i++) await this.#during(this.#command(i));
      await this.#service.store.rescan();
      await this.#requireClosed('at rest');
      reached('closed exports during commands of git', this.#exports);
    } finally {
      await this.#service.stop();
    }
  }

  get #wiki(): string {
    const projects = join(this.#directory, '.planner/projects');
    return join(projects, readdirSync(projects)[0]!, 'documents');
  }

  /** A wiki in nested folders, and branches in which folders are elsewhere, are gone, or are new. */
  #commitBranches(): void {
    for (let i = 0; i < this.#documents; i++) this.#page(`${tops[i % 4]!}/Part ${i % 7}/Chapter ${i % 3}/Page ${i}.md`);
    this.#commit('wiki');
    const wiki = this.#wiki;
    this.#branch('moved', () => {
      renameSync(join(wiki, 'Guides/Part 0'), join(wiki, 'Part 0'));
      renameSync(join(wiki, 'Notes'), join(wiki, 'Guides/Notes'));
    });
    this.#branch('pruned', () => {
      for (const path of ['Plans', 'Logs/Part 1', 'Guides/Part 2/Chapter 0'])
        rmSync(join(wiki, path), { recursive: true, force: true });
    });
    this.#branch('grown', () => {
      for (let i = 0; i < this.#documents / 4; i++) this.#page(`Ideas/Part ${i % 5}/Idea ${i}.md`);
    });
  }

  #branch(name: string, change: () => void): void {
    git(this.#directory, 'checkout', '--quiet', '-b', name, 'main');
    change();
    this.#commit(name);
    git(this.#directory, 'checkout', '--quiet', 'main');
  }

  #commit(message: string): void {
    git(this.#directory, 'add', '--all');
    git(this.#directory, 'commit', '--quiet', '--message', message);
  }

  #page(path: string): void {
    const absolute = join(this.#wiki, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, `Text of ${path}.\n`);
  }

  /** The commands to run, one after the other: what a command leaves undone is undone by the next ones. */
  #command(i: number): readonly (readonly string[])[] {
    const clean = [['reset', '--quiet', '--hard']];
    switch (this.#random.pick(['checkout', 'checkout', 'merge', 'stash', 'sparse checkout'])) {
      case 'merge': {
        const [ours, theirs] = [this.#random.pick(branches), this.#random.pick(branches)];
        return [
          ...clean,
          ['checkout', '--quiet', '--detach', ours],
          ['merge', '--quiet', '--no-edit', theirs],
          ['merge', '--abort'],
        ];
      }
      case 'stash':
        this.#page(`${this.#random.pick(tops)}/Draft ${i}/Page.md`);
        return [
          ['stash', 'push', '--quiet', '--include-untracked'],
          ['checkout', '--quiet', this.#random.pick(branches)],
          ['stash', 'pop', '--quiet'],
        ];
      case 'sparse checkout': {
        const wiki = this.#wiki.slice(this.#directory.length + 1);
        const kept = this.#random.pick(tops);
        return [
          ...clean,
          ['sparse-checkout', 'set', '--no-cone', '/*', `!/${wiki}/`, `/${wiki}/${kept}/`],
          ['sparse-checkout', 'disable'],
        ];
      }
      default:
        return [...clean, ['checkout', '--quiet', this.#random.pick(branches)]];
    }
  }

  /** Polls exports while git runs, and until the service has read what it left. */
  async #during(commands: readonly (readonly string[])[]): Promise<void> {
    for (const args of commands) {
      const child = spawn('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
        cwd: this.#directory,
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      while (child.exitCode === null) await this.#requireClosed(args.join(' '));
      await ended;
    }
    const rescanned = this.#service.store.rescan();
    await this.#requireClosed('the rescan');
    await rescanned;
    await this.#requireClosed('the end');
    if (this.#random.chance(0.2)) gitStatus(this.#directory, 'stash', 'clear');
  }

  async #requireClosed(during: string): Promise<void> {
    const { status, body } = await this.#service.rest.get(`/projects/${this.#project}/export`);
    expect(status).to.equal(200);
    const { documents, folders } = body as Exported;
    const ids = new Set<string | null>(folders.map(({ id }) => id));
    const open = [
      ...documents.filter(({ folder_id }) => folder_id !== null && !ids.has(folder_id)),
      ...folders.filter(({ parent_folder_id }) => parent_folder_id !== null && !ids.has(parent_folder_id)),
    ];
    expect(open, `folders that an export names and does not contain, during: ${during}`).to.deep.equal([]);
    this.#exports++;
  }
}
