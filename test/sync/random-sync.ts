import { expect } from 'chai';
import type { Random } from '../support/random.ts';
import { RandomChanges } from './random-changes.ts';
import { TwoCopies } from './two-copies.ts';

/** The most steps of a synchronisation that a kill is drawn from. */
const stepsMax = 40;
/** After so many rounds both sides are compared. */
const apartMax = 5;

/**
 * Changes both sides at random, edits files by hand, and kills the synchronisation at random steps; now and then two whole
 * ones, after which both exports are equal, and have every word that was acknowledged.
 */
export async function randomSyncs(random: Random, rounds: number): Promise<void> {
  const copies = await TwoCopies.start();
  const words = new Set<string>();
  // The service over the files may start again, on another port.
  const here = (): RandomChanges => new RandomChanges(copies.files, copies.project, random, words);
  const there = new RandomChanges(copies.hosted, copies.project, random, words);
  try {
    for (let round = 1; round <= rounds; round++) {
      await there.run(random.integer(0, 5));
      await here().run(random.integer(0, 5));
      if (random.chance(0.3)) await editByHand(copies, random, words);
      if (random.chance(0.1)) await copies.restartFiles();
      // The hosted project may change while the files are merged.
      await Promise.all([
        copies.sync(random.chance(0.6) ? random.integer(0, stepsMax) : Infinity),
        there.run(random.integer(0, 2)),
      ]);
      if (random.chance(1 / apartMax) || round === rounds) await requireWhole(copies, words, round);
    }
  } finally {
    await copies.stop();
  }
}

async function requireWhole(copies: TwoCopies, words: ReadonlySet<string>, round: number): Promise<void> {
  await copies.sync();
  const last = await copies.sync();
  expect([last?.came, last?.went, last?.withheld], `round ${round}`).to.deep.equal([0, 0, []]);
  const text = await copies.requireEqual();
  const lost = [...words].filter((word) => !text.includes(word));
  expect(lost, `round ${round}: acknowledged, and nowhere`).to.deep.equal([]);
}

async function editByHand(copies: TwoCopies, random: Random, words: Set<string>): Promise<void> {
  const word = `h${Math.floor(random.next() * 2 ** 40).toString(36)}`;
  if (
    await copies.editFile(
      (paths) => random.pick(paths),
      (text) => `${text.trimEnd()}\n${word}\n`,
    )
  )
    words.add(word);
}
