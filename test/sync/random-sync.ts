import { expect } from 'chai';
import type { Random } from '../support/random.ts';
import { expectWords, RandomChanges } from './random-changes.ts';
import { WorkingCopies } from './working-copies.ts';
import type { WorkingCopy } from './working-copy.ts';

/** The most steps of a synchronisation that a kill is drawn from. */
const stepsMax = 40;
/** After so many rounds all are compared. */
const apartMax = 5;

/**
 * Changes a hosted project and working copies of it at random, edits files by hand, and kills synchronisations at random
 * steps; now and then whole ones, after which all exports are equal, and have every word that was acknowledged.
 */
export async function randomSyncs(
  random: Random,
  { rounds, count }: { readonly rounds: number; readonly count: number },
): Promise<void> {
  const copies = await WorkingCopies.start(count);
  const words = new Set<string>();
  const there = new RandomChanges(copies.hosted, copies.project, random, words);
  try {
    for (let round = 1; round <= rounds; round++) {
      await there.run(random.integer(0, 5));
      for (const copy of copies.all) await changeFiles(copy, copies.project, random, words);
      // The hosted project may change while the files are merged, by another working copy, too.
      await Promise.all([
        ...copies.all.map((copy) => copy.sync(random.chance(0.6) ? random.integer(0, stepsMax) : Infinity)),
        there.run(random.integer(0, 2)),
      ]);
      if (random.chance(1 / apartMax) || round === rounds) await requireWhole(copies, words, round);
    }
  } finally {
    await copies.stop();
  }
}

async function changeFiles(copy: WorkingCopy, project: string, random: Random, words: Set<string>): Promise<void> {
  await new RandomChanges(copy.files, project, random, words).run(random.integer(0, 5));
  if (random.chance(0.3)) await editByHand(copy, random, words);
  if (random.chance(0.1)) await copy.restart();
}

async function requireWhole({ all }: WorkingCopies, words: ReadonlySet<string>, round: number): Promise<void> {
  for (const copy of all) await copy.sync();
  // The earlier copies still lack the changes of the later ones.
  for (const copy of all) await copy.sync();
  for (const [at, copy] of all.entries()) {
    const last = await copy.sync();
    expect([last?.came, last?.went, last?.withheld], `round ${round}, copy ${at}`).to.deep.equal([0, 0, []]);
    expectWords(words, await copy.requireEqual(), `round ${round}, copy ${at}`);
  }
}

async function editByHand(copy: WorkingCopy, random: Random, words: Set<string>): Promise<void> {
  const word = `h${Math.floor(random.next() * 2 ** 40).toString(36)}`;
  const isEdited = await copy.editFile(
    (paths) => random.pick(paths),
    (text) => `${text.trimEnd()}\n${word}\n`,
  );
  if (isEdited) words.add(word);
}
