import { expect } from 'chai';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveUnmerged, type Resolved } from '../../src/cli/resolve.ts';
import { mergePlacesForGit } from '../../src/git-merge.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { registerMergeDriver } from '../../src/cli/merge-registration.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { git, gitStatus } from '../support/git.ts';
import { repository } from '../support/server-process.ts';
import { asServed, TestService } from '../support/service.ts';

/** A record with the name of its collection. */
export interface Held {
  readonly collection: string;
  readonly record: StoredRecord & Readonly<Record<string, unknown>>;
}

/** All records of a plan by their ids. */
export type State = ReadonlyMap<string, Held>;

const collectionNames = [
  ...['project', 'canvas', 'tag', 'goal', 'task', 'document', 'folder', 'note', 'artifact', 'prototype', 'file'],
  ...['comment', 'submission', 'view', 'run'],
] as const;

/** A file in which git found a conflict, and which of its versions are there: 1 the common one, 2 ours, 3 theirs. */
export interface Unmerged {
  readonly path: string;
  readonly stages: readonly number[];
}

/** A clone of a repository with a plan in it, and its own service over it. */
export class Clone {
  readonly directory: string;
  readonly owner: string;
  service!: TestService;

  constructor(directory: string, owner: string) {
    this.directory = directory;
    this.owner = owner;
  }

  /** The `.planner` directory. */
  get root(): string {
    return join(this.directory, '.planner');
  }

  async start(): Promise<void> {
    this.service = await TestService.start({ ...asServed, directory: this.directory, owner: this.owner });
  }

  git(...args: readonly string[]): string {
    return git(this.directory, ...args);
  }

  /** Makes something of a project over REST; answers its id. */
  async post(project: string, path: string, body: object): Promise<string> {
    const answer = await this.service.rest.post(`/projects/${project}/${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id as string;
  }

  async patch(path: string, body: object): Promise<void> {
    const answer = await this.service.rest.patch(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  }

  /** What planner init tells git, with the program of this repository. */
  async register(): Promise<void> {
    await registerMergeDriver(this.directory, {
      node: process.execPath,
      main: join(repository, 'src/main.ts'),
    });
  }

  async state(project: string): Promise<State> {
    return this.service.store.read(project, (view) => {
      const held = collectionNames.flatMap((collection) =>
        [...view.list(collection)].map((record): [string, Held] => [record.id, { collection, record: { ...record } }]),
      );
      return new Map(held);
    });
  }

  /** Returns when the files say what the service says, and the other way round: a file that vanished is believed at the second look. */
  async settle(): Promise<void> {
    const { store } = this.service;
    for (let tries = 0; tries < 200; tries++) {
      await store.flush();
      await store.rescan();
      await store.flush();
      if (this.problems().length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** What check finds, but for notices of values that gave way to a file. */
  problems(): readonly object[] {
    return this.service.store.check().filter(({ kind }) => kind !== 'overridden');
  }

  async commit(message: string): Promise<string> {
    await this.settle();
    this.git('add', '-A');
    this.git('commit', '--quiet', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD').trim();
  }

  /** Does something on the branch `other`, which begins at `main` as it was, and something else on `main`. */
  async apart(there: () => Promise<void>, here: () => Promise<void>): Promise<void> {
    await this.commit('base');
    this.git('switch', '--quiet', '-c', 'other');
    await this.settle();
    await there();
    await this.commit('other');
    this.git('switch', '--quiet', 'main');
    await this.settle();
    await here();
    await this.commit('main');
  }

  /** What `planner resolve` does. */
  resolvePaths(): Promise<Resolved> {
    return resolveUnmerged({ disk: nodeDisk, root: this.root, mergePlaces: mergePlacesForGit });
  }

  /** Merges a commit; answers the files that git could not merge. */
  merge(commit: string): readonly Unmerged[] {
    gitStatus(this.directory, 'merge', '--quiet', '--no-edit', commit);
    return this.unmerged();
  }

  /** Commits a merge in which nothing is unmerged any more; does nothing where git did it. */
  conclude(): void {
    if (existsSync(join(this.directory, '.git/MERGE_HEAD'))) this.git('commit', '--quiet', '--no-edit');
  }

  unmerged(): readonly Unmerged[] {
    const stages = new Map<string, number[]>();
    for (const line of this.git('-c', 'core.quotePath=false', 'ls-files', '--unmerged').split('\n')) {
      const [, stage, path] = /^\d+ \w+ (\d)\t(.*)$/.exec(line) ?? [];
      if (path !== undefined) stages.set(path, [...(stages.get(path) ?? []), Number(stage)]);
    }
    return [...stages].map(([path, found]) => ({ path, stages: found }));
  }

  /** The files that git merged, each with the hash of its content. */
  mergedFiles(): ReadonlyMap<string, string> {
    const lines = this.git('-c', 'core.quotePath=false', 'ls-files', '--stage').split('\n');
    const found = lines.map((line) => /^\d+ (\w+) 0\t(.*)$/.exec(line)).filter((match) => match !== null);
    return new Map(found.map(([, hash = '', path = '']) => [path, hash]));
  }

  has(commit: string, path: string): boolean {
    return gitStatus(this.directory, 'cat-file', '-e', `${commit}:${path}`) === 0;
  }

  /** Settles every conflict as `winner` has it, and commits the merge. `keeps`: whether a file that only one side has is to stay. */
  async resolve(
    unmerged: readonly Unmerged[],
    { winner, side, keeps }: { winner: string; side: 'ours' | 'theirs'; keeps: (file: Unmerged) => boolean },
  ): Promise<void> {
    // Decided for all before any is touched: settling one changes what git knows of it.
    const decided = unmerged.map(({ path, stages }) => {
      const isBoth = stages.includes(2) && stages.includes(3);
      const isThere = existsSync(join(this.directory, path));
      return { path, keep: isThere && (isBoth || this.has(winner, path) || keeps({ path, stages })) };
    });
    for (const { path, keep } of decided) {
      const file = join(this.directory, path);
      if (keep) {
        const text = readFileSync(file, 'utf8');
        if (text.includes('<<<<<<< ')) writeFileSync(file, resolved(text, side));
        this.git('add', '--', path);
      } else {
        rmSync(file, { force: true });
        this.git('rm', '--quiet', '--cached', '--ignore-unmatch', '--', path);
      }
    }
    this.git('commit', '--quiet', '--no-edit', '--allow-empty');
    await this.settle();
  }
}

/** The text with every conflict settled for one side. */
export function resolved(text: string, side: 'ours' | 'theirs'): string {
  return text.replaceAll(
    /^<{7} .*\n((?:[^\n]*\n)*?)={7}\n((?:[^\n]*\n)*?)>{7} .*(?:\n|$)/gm,
    side === 'ours' ? '$1' : '$2',
  );
}
