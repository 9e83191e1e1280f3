import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { timed } from '../bench/measure.ts';
import { Command } from '../support/command.ts';
import type { Random } from '../support/random.ts';
import { TestService } from '../support/service.ts';
import { expectWords, RandomChanges } from '../sync/random-changes.ts';
import type { HostedCopy } from './hosted-copy.ts';

/** The outcomes of a number of rounds. */
export interface Kills {
  /** Synchronisations that were killed, and the ones that had ended before. */
  readonly killed: number;
  readonly ended: number;
}

/**
 * Changes both sides of a working copy at random, and kills `planner sync` after a random time, sometimes the program that
 * has the files open itself, sometimes one that calls the service that has; then a whole one, after which both exports are
 * equal, and have every word that was acknowledged.
 */
export async function randomKills(copy: HostedCopy, random: Random, rounds: number): Promise<Kills> {
  const words = new Set<string>();
  const { project, shell } = copy;
  const there = new RandomChanges(copy.rest, project, random, words);
  let [killed, ended] = [0, 0];
  let wholeMs = await timed(() => copy.sync());
  for (let round = 1; round <= rounds; round++) {
    await there.run(random.integer(1, 6));
    const service = await TestService.start({ directory: shell.directory });
    let isRunning = true;
    const stop = async (): Promise<void> => {
      if (isRunning) await service.stop();
      isRunning = false;
    };
    try {
      await new RandomChanges(service.rest, project, random, words).run(random.integer(1, 6));
      if (random.chance(0.7)) await stop();
      const command = new Command(['sync'], shell.options());
      await Promise.race([delay(random.integer(0, Math.ceil(wholeMs))), command.finished]);
      await command.kill();
      const { code, errors } = await command.finished;
      expect([0, null], errors).to.include(code);
      if (code === 0) ended++;
      else killed++;
    } finally {
      await stop();
    }
    wholeMs = await timed(() => copy.sync());
    expectWords(words, await copy.requireEqual(), `round ${round}`);
  }
  return { killed, ended };
}
