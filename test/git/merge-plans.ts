import { expect } from 'chai';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { collections } from '../../src/domain/records/collections.ts';
import { equal as equalValues } from '../../src/store/record/plain.ts';
import { membersOf } from '../../src/store/record/record.ts';
import { git, gitStatus, initRepository } from '../support/git.ts';
import type { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { Clone } from './clone.ts';
import type { Held, State, Unmerged } from './clone.ts';
import { lines, RandomWork } from './random-work.ts';

/** The result of a run of random work and merges. */
export interface Figures {
  operations: number;
  /** Files that both sides changed, in both orders of merging. */
  fileMerges: number;
  fileConflicts: number;
  plainFileConflicts: number;
  merges: number;
  mergesWithConflict: number;
  plainMergesWithConflict: number;
  /** Records that planner resolve moved to their path. */
  settled: number;
  /** Fields with a real conflict, whose overridden value is in history. */
  collisions: number;
}

function noFigures(): Figures {
  return {
    ...{ operations: 0, fileMerges: 0, fileConflicts: 0, plainFileConflicts: 0, merges: 0, mergesWithConflict: 0 },
    ...{ plainMergesWithConflict: 0, settled: 0, collisions: 0 },
  };
}

export interface RunOptions {
  /** Initial records. */
  readonly size: number;
  /** Operations on either side in each round. */
  readonly operations: number;
  /** Rounds in which the sides change different fields and records. */
  readonly apart: number;
  /** Rounds in which they may change the same. */
  readonly free: number;
}

/** Runs rounds of random work in two clones and merges in both orders. Returns the counts. */
export async function mergesOfTwoClones(directory: string, random: Random, options: RunOptions): Promise<void> {
  const clones = await TwoClones.start(directory, random, options.size);
  const run = async (apart: boolean, rounds: number): Promise<Figures> => {
    clones.figures = noFigures();
    for (let i = 0; i < rounds; i++) await clones.round({ operations: options.operations, apart });
    return clones.figures;
  };
  try {
    const [apart, free] = [await run(true, options.apart), await run(false, options.free)];
    reached('operations in two clones of one plan, merged in both orders', apart.operations + free.operations);
    const share = (conflicts: number, all: number): string => `${((100 * (all - conflicts)) / all).toFixed(1)} %`;
    reached('renamed and moved records put in their place by planner resolve', apart.settled + free.settled);
    reached(
      'merges of files that both sides changed in different fields: without a conflict',
      `${share(apart.fileConflicts, apart.fileMerges)} of ${apart.fileMerges} (plain git ${share(apart.plainFileConflicts, apart.fileMerges)})`,
    );
    reached(
      'merges of branches that changed different fields and records: without a conflict',
      `${share(apart.mergesWithConflict, apart.merges)} of ${apart.merges} (plain git ${share(apart.plainMergesWithConflict, apart.merges)})`,
    );
    reached(
      'merges of files that both sides changed at will: without a conflict',
      `${share(free.fileConflicts, free.fileMerges)} of ${free.fileMerges} (plain git ${share(free.plainFileConflicts, free.fileMerges)}); fields in which both disagreed, found in history: ${free.collisions}`,
    );
  } finally {
    await clones.stop();
  }
}

export interface RoundOptions {
  /** On either side. */
  readonly operations: number;
  /** The second side avoids the fields and records that the first one changed. */
  readonly apart: boolean;
}

const shapes = new Map(collections.map((collection) => [collection.name, collection]));

/** Two clones of one plan, each with its service, and a third one without a merge driver. */
export class TwoClones {
  readonly #random: Random;
  figures = noFigures();
  readonly a: Clone;
  readonly b: Clone;
  readonly #plain: string;
  #project = '';

  private constructor(directory: string, random: Random) {
    this.#random = random;
    this.a = new Clone(join(directory, 'a'), 'Ada');
    this.b = new Clone(join(directory, 'b'), 'Bob');
    this.#plain = join(directory, 'plain');
  }

  static async start(directory: string, random: Random, size: number): Promise<TwoClones> {
    const clones = new TwoClones(directory, random);
    const { a, b } = clones;
    mkdirSync(a.directory);
    initRepository(a.directory);
    await a.start();
    await clones.#plant(size);
    await a.commit('The plan');
    git(directory, 'clone', '--quiet', a.directory, b.directory);
    git(directory, 'clone', '--quiet', a.directory, clones.#plain);
    await Promise.all([a.register(), b.register(), b.start()]);
    return clones;
  }

  async stop(): Promise<void> {
    await Promise.all([this.a.service.stop(), this.b.service.stop()]);
  }

  async #plant(size: number): Promise<void> {
    const { rest } = this.a.service;
    this.#project = await this.a.service.project('Web shop');
    const make = async (path: string, body: object): Promise<void> => {
      const { status } = await rest.post(`/projects/${this.#project}/${path}`, body);
      expect(status).to.equal(201);
    };
    const count = (share: number): number[] => Array.from({ length: Math.ceil(size * share) }, (_, i) => i);
    for (const i of count(0.1)) await make('folders', { name: `Folder ${i}` });
    for (const i of count(0.5))
      await make('tasks', { label: `Task ${i}`, description: lines(this.#random, 8), tags: ['api', `t${i % 3}`] });
    for (const i of count(0.2)) await make('documents', { title: `Document ${i}`, body: lines(this.#random, 12) });
    for (const i of count(0.1)) await make('notes', { title: `Note ${i}`, body: lines(this.#random, 12) });
    for (const i of count(0.1)) await make('goals', { name: `Goal ${i}`, objective: lines(this.#random, 6) });
    for (const i of count(0.1))
      await make('artifacts', {
        title: `Artifact ${i}`,
        content: lines(this.#random, 9),
        kind: i % 2 ? 'html' : 'markdown',
      });
  }

  /** Both sides work, then either merges the other's commit; then all invariants are checked. */
  async round({ operations, apart }: RoundOptions): Promise<void> {
    const { a, b, figures } = this;
    const [base, common] = [await a.state(this.#project), a.git('rev-parse', 'HEAD').trim()];
    const began = new Date().toISOString();
    const first = new RandomWork(a, this.#project, this.#random);
    figures.operations += await first.run(operations);
    const second = new RandomWork(
      b,
      this.#project,
      this.#random,
      apart ? { avoid: first.touched } : { seek: first.touched },
    );
    figures.operations += await second.run(operations);
    const heads = { a: await a.commit('Work of a'), b: await b.commit('Work of b') };
    const [stateA, stateB] = [await a.state(this.#project), await b.state(this.#project)];
    a.git('fetch', '--quiet', b.directory, 'main');
    b.git('fetch', '--quiet', a.directory, 'main');

    const plain = this.#mergePlainly(heads);
    a.merge(heads.b);
    b.merge(heads.a);
    for (const clone of [a, b]) figures.settled += (await clone.resolvePaths()).settled.length;
    const [inA, inB] = [a.unmerged(), b.unmerged()];
    for (const clone of [a, b]) if (clone.unmerged().length === 0) clone.conclude();
    this.#count(inA, inB, plain, this.#changedOnBoth(common, heads));
    if (apart) this.#sayConflicts(inA);

    expectSameFiles(a, b, [...inA, ...inB]);
    const contested = new Set(inA.filter(({ stages }) => stages.length < 3).flatMap((file) => idsIn(a, file)));
    for (const [clone, unmerged, side] of [
      [a, inA, 'ours'],
      [b, inB, 'theirs'],
    ] as const) {
      const keeps = keeper(clone, unmerged, common, heads.a);
      if (unmerged.length > 0) await clone.resolve(unmerged, { winner: heads.a, side, keeps });
    }
    await Promise.all([a.settle(), b.settle()]);
    expect([...a.mergedFiles()]).to.deep.equal([...b.mergedFiles()]);
    for (const clone of [a, b]) {
      expect(clone.service.store.check()).to.deep.equal([]);
      expect(clone.git('status', '--porcelain')).to.equal('');
      const merged = await clone.state(this.#project);
      const collisions = expectUnion({ base, a: stateA, b: stateB, merged }, contested);
      await this.#expectInHistory(clone, collisions, began);
      if (clone === a) figures.collisions += collisions.length;
    }
    // Two merges of the same commits are equal: a pull finds no conflict.
    b.git('fetch', '--quiet', a.directory, 'main');
    expect(b.merge(a.git('rev-parse', 'HEAD').trim())).to.deep.equal([]);
    a.git('pull', '--quiet', '--no-edit', b.directory, 'main');
    await Promise.all([a.settle(), b.settle()]);
  }

  /** Makes the merge in a clone without a merge driver. */
  #mergePlainly(heads: { readonly a: string; readonly b: string }): readonly string[] {
    git(this.#plain, 'fetch', '--quiet', this.a.directory, 'main');
    git(this.#plain, 'fetch', '--quiet', this.b.directory, 'main');
    git(this.#plain, 'checkout', '--quiet', '--force', '--detach', heads.a);
    gitStatus(this.#plain, 'merge', '--quiet', '--no-edit', heads.b);
    const unmerged = new Clone(this.#plain, '').unmerged().map(({ path }) => path);
    git(this.#plain, 'reset', '--quiet', '--hard');
    return unmerged;
  }

  /** Files that both sides changed since `common`, by their names there. */
  #changedOnBoth(common: string, heads: { readonly a: string; readonly b: string }): number {
    const changed = (head: string): Set<string> => {
      const status = this.a.git('-c', 'core.quotePath=false', 'diff', '--name-status', '-M', common, head).split('\n');
      return new Set(status.map((line) => line.split('\t')[1] ?? '').filter((path) => path !== ''));
    };
    return changed(heads.a).intersection(changed(heads.b)).size;
  }

  #count(inA: readonly Unmerged[], inB: readonly Unmerged[], plain: readonly string[], both: number): void {
    const { figures } = this;
    figures.fileMerges += 2 * both;
    figures.merges += 2;
    figures.fileConflicts += records(inA.map(({ path }) => path)) + records(inB.map(({ path }) => path));
    figures.plainFileConflicts += 2 * records(plain);
    figures.mergesWithConflict += Number(inA.length > 0) + Number(inB.length > 0);
    figures.plainMergesWithConflict += 2 * Number(plain.length > 0);
  }

  #sayConflicts(unmerged: readonly Unmerged[]): void {
    for (const { path, stages } of unmerged) console.log(`      in conflict though apart: ${path} (${stages.join()})`);
  }

  /** The losing side has a revision of the overridden value, next to the one of the winner. */
  async #expectInHistory(clone: Clone, collisions: readonly Collision[], began: string): Promise<void> {
    for (const { held, field } of collisions) {
      const query = `target_type=${held.collection}&target_id=${held.record.id}`;
      const { body } = await clone.service.rest.get(`/projects/${this.#project}/revisions?${query}`);
      const authors = (body.revisions as { author: string; changed_fields: string[]; created_at: string }[])
        .filter(
          ({ changed_fields, created_at }) =>
            changed_fields.includes(field === 'goal' ? 'goal_id' : field) && created_at >= began,
        )
        .map(({ author }) => author);
      expect(authors, `${held.record.id} ${field}`).to.include.members(['human:Ada', 'human:Bob']);
    }
  }
}

/** Several paths of one record are one conflict: a renamed file has two. */
function records(paths: readonly string[]): number {
  return new Set(paths.map((path) => /[a-z]{3}_[0-9a-z]{16}/.exec(path)?.[0] ?? /\.\w{4}\.md$/.exec(path)?.[0] ?? path))
    .size;
}

/** Files that git merged without a conflict in both clones are equal in both. */
function expectSameFiles(a: Clone, b: Clone, unmerged: readonly Unmerged[]): void {
  const paths = new Set(unmerged.map(({ path }) => path));
  const [inA, inB] = [a.mergedFiles(), b.mergedFiles()];
  const different = [...new Set([...inA.keys(), ...inB.keys()])].filter(
    (path) => !paths.has(path) && inA.get(path) !== inB.get(path),
  );
  expect(different).to.deep.equal([]);
}

function idIn(text: string): string | undefined {
  return /"?\bid"?: ?"?([a-z]{3}_\w+)/.exec(text)?.[1];
}

/** The record of an unmerged file. */
function idsIn(clone: Clone, { path, stages }: Unmerged): string[] {
  const ids = stages.map((stage) => idIn(clone.git('show', `:${stage}:${path}`)));
  return ids.filter((id) => id !== undefined);
}

/**
 * Returns whether a file that only one side has is kept: not if the record is also at another path, nor if the winner
 * deleted it. (A file that was added to a folder which the other side renamed is at a path that neither side had.)
 */
function keeper(
  clone: Clone,
  unmerged: readonly Unmerged[],
  common: string,
  winner: string,
): (file: Unmerged) => boolean {
  const holds = (commit: string, id: string): boolean =>
    gitStatus(clone.directory, 'grep', '--quiet', '-E', `^.*"?id"?: "?${id}`, commit) === 0;
  return (file) => {
    const [id] = idsIn(clone, file);
    if (id === undefined) return false;
    const others = unmerged.filter(({ path, stages }) => path !== file.path && !stages.every((stage) => stage === 1));
    if (others.some((other) => idsIn(clone, other).includes(id))) return false;
    return holds(winner, id) || !holds(common, id);
  };
}

/** A field that both sides changed in different ways. */
interface Collision {
  readonly held: Held;
  readonly field: string;
}

interface States {
  readonly base: State;
  readonly a: State;
  readonly b: State;
  readonly merged: State;
}

/** Whether a document is in a folder, or in one below it: an empty directory is in no clone, and is not removed from one. */
function isInUse(state: State, folder: string): boolean {
  return [...state.values()].some(
    ({ record }) =>
      record['folder_id'] === folder || (record['parent_folder_id'] === folder && isInUse(state, String(record['id']))),
  );
}

/**
 * Checks that the merged plan has every record and field as the side that changed it left it. Returns the fields that both changed: they have
 * the winner's value (texts, tags and links are merged). `contested`: records that both moved, or one moved and the other deleted, which are
 * where the winner put them.
 */
function expectUnion({ base, a, b, merged }: States, contested: ReadonlySet<string>): Collision[] {
  const collisions: Collision[] = [];
  for (const id of new Set([...base.keys(), ...a.keys(), ...b.keys()])) {
    const [origin, ours, theirs, result] = [base.get(id), a.get(id), b.get(id), merged.get(id)];
    if (contested.has(id) && (ours === undefined || theirs === undefined)) continue;
    const sides = [ours, theirs].filter((side) => side !== undefined);
    if (sides.some(({ collection }) => collection === 'folder')) {
      const isEmpty = [ours && a, theirs && b].some((state) => state !== undefined && !isInUse(state, id));
      // A directory stays a folder as long as files of the other side are in it.
      if (isEmpty || (sides.length === 1 && isInUse(merged, id))) continue;
    }
    if (ours === undefined || theirs === undefined) {
      expect(result !== undefined, `${id} is there`).to.equal(origin === undefined);
      continue;
    }
    expect(result, `${id} is there`).not.to.equal(undefined);
    for (const field of Object.keys(ours.record)) {
      if (isTime(field) || (contested.has(id) && isPlace(field))) continue;
      const values = [origin, ours, theirs, result].map((held) => held && membersOf(held.record)[field]);
      const [from, mine, other, got] = values;
      const what = `${id} ${field}: ${JSON.stringify(values)}`;
      if (equal(mine, other) || equal(from, other)) expect(equal(got, mine), what).to.equal(true);
      else if (equal(from, mine)) expect(equal(got, other), what).to.equal(true);
      else if (Array.isArray(mine)) expectSet(from, mine, other, got, what);
      else if (isMergedText(ours, field)) expectLines(from, mine, other, got, what);
      else if (field !== 'layout') {
        expect(equal(got, mine), what).to.equal(true);
        if (shapes.get(ours.collection)?.versioned.includes(field)) collisions.push({ held: ours, field });
      }
    }
  }
  return collisions;
}

/** Times that the store maintains: some records do not have them in a file. */
function isTime(field: string): boolean {
  return field === 'updated_at' || field === 'created_at';
}

/** The id in a file's path. */
function isPlace(field: string): boolean {
  return field === 'folder_id' || field === 'parent_folder_id';
}

function isMergedText({ collection }: Held, field: string): boolean {
  return shapes.get(collection)?.texts.includes(field) === true;
}

/** Lists are sets: their order is the file's. */
function equal(a: unknown, b: unknown): boolean {
  const plain = (value: unknown): unknown =>
    Array.isArray(value) ? value.toSorted((x, y) => (keyOf(x) < keyOf(y) ? -1 : 1)) : (value ?? null);
  return equalValues(plain(a), plain(b));
}

/** Members that either side added to a set exist, members that either removed do not. */
function expectSet(from: unknown, mine: unknown, other: unknown, got: unknown, what: string): void {
  const [inBase, inMine, inOther, inGot] = [from, mine, other, got].map(
    (list) => new Set(((list ?? []) as unknown[]).map(keyOf)),
  ) as [Set<string>, Set<string>, Set<string>, Set<string>];
  for (const one of inMine.union(inOther)) {
    const expected = !inBase.has(one) || (inMine.has(one) && inOther.has(one));
    expect(inGot.has(one), `${what}: ${one}`).to.equal(expected);
  }
}

/** The identity of a member of a set: a text, or a link's ends and label. */
function keyOf(member: unknown): string {
  if (typeof member === 'string') return member;
  const { to, label } = member as { to: string; label?: string };
  return `${to} ${label ?? ''}`;
}

/** Lines that only one side changed are as that side has them. */
function expectLines(from: unknown, mine: unknown, other: unknown, got: unknown, what: string): void {
  const split = (text: unknown): string[] => (typeof text === 'string' ? text : '').split('\n');
  const [base, ours, theirs, result] = [split(from), split(mine), split(other), split(got)];
  if (base.length !== ours.length || base.length !== theirs.length) return;
  base.forEach((line, i) => {
    const expected = ours[i] === line ? theirs[i] : ours[i];
    expect(result, `${what}: line ${i}`).to.include(expected);
  });
}
