import { expect } from 'chai';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../support/build.ts';
import { resolveUnmerged, type Resolved } from '../../src/cli/git/resolve.ts';
import { mergePlacesForGit } from '../../src/main/git-merge.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { registerMergeDriver } from '../../src/cli/git/merge-registration.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { git, gitStatus } from '../support/git.ts';
import { TestService, watched } from '../support/service.ts';

/** A record with the name of its collection. */
export interface Held {
  readonly collection: string;
  readonly record: StoredRecord & Readonly<Record<string, unknown>>;
}

/** All records of a plan by id. */
export type State = ReadonlyMap<string, Held>;

const collectionNames = [
  ...['project', 'canvas', 'tag', 'goal', 'task', 'document', 'folder', 'note', 'artifact', 'prototype', 'file'],
  ...['comment', 'submission', 'view', 'run'],
] as const;

/** A file with a conflict, and its versions in the index: 1 base, 2 ours, 3 theirs. */
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
    this.service = await TestService.start({ ...watched, directory: this.directory, owner: this.owner });
  }

  git(...args: readonly string[]): string {
    return git(this.directory, ...args);
  }

  /** Creates a resource of a project over REST. Resolves with its id. */
  async post(project: string, path: string, body: object): Promise<string> {
    const answer = await this.service.rest.post(`/projects/${project}/${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id as string;
  }

  async patch(path: string, body: object): Promise<void> {
    const answer = await this.service.rest.patch(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  }

  /** Runs the registration of planner init, with the program of this repository. */
  async register(): Promise<void> {
    await registerMergeDriver(this.directory, {
      node: process.execPath,
      main: builtProgram(),
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

  /** Resolves when the files and the service agree; a missing file counts as deleted only after the grace period. */
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

  /** The problems that check finds, without notices of overridden values. */
  problems(): readonly object[] {
    return this.service.store.check().filter(({ kind }) => kind !== 'overridden');
  }

  async commit(message: string): Promise<string> {
    await this.settle();
    this.git('add', '-A');
    this.git('commit', '--quiet', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD').trim();
  }

  /** Makes changes on the branch `other`, which starts at `main`, and other changes on `main`. */
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

  /** Runs `planner resolve`. */
  resolvePaths(): Promise<Resolved> {
    return resolveUnmerged({ disk: nodeDisk, root: this.root, mergePlaces: mergePlacesForGit });
  }

  /** Merges a commit. Returns the files that git could not merge. */
  merge(commit: string): readonly Unmerged[] {
    gitStatus(this.directory, 'merge', '--quiet', '--no-edit', commit);
    return this.unmerged();
  }

  /** Commits a merge without unmerged files; does nothing if git committed it. */
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

  /** The files that git merged, with the hash of their content. */
  mergedFiles(): ReadonlyMap<string, string> {
    const lines = this.git('-c', 'core.quotePath=false', 'ls-files', '--stage').split('\n');
    const found = lines.map((line) => /^\d+ (\w+) 0\t(.*)$/.exec(line)).filter((match) => match !== null);
    return new Map(found.map(([, hash = '', path = '']) => [path, hash]));
  }

  has(commit: string, path: string): boolean {
    return gitStatus(this.directory, 'cat-file', '-e', `${commit}:${path}`) === 0;
  }

  /** Resolves every conflict like `winner`, and commits the merge. `keeps`: whether a file that only one side has is kept. */
  async resolve(
    unmerged: readonly Unmerged[],
    { winner, side, keeps }: { winner: string; side: 'ours' | 'theirs'; keeps: (file: Unmerged) => boolean },
  ): Promise<void> {
    // Decided for all before any is changed: resolving one changes git's index.
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

/** The text with every conflict resolved for one side. */
export function resolved(text: string, side: 'ours' | 'theirs'): string {
  return text.replaceAll(
    /^<{7} .*\n((?:[^\n]*\n)*?)={7}\n((?:[^\n]*\n)*?)>{7} .*(?:\n|$)/gm,
    side === 'ours' ? '$1' : '$2',
  );
}
