import { expect } from 'chai';
import { roundsOf } from '../support/random.ts';
import { judgePlanted } from './planted.ts';
import { plantedFaults } from './planted-faults.ts';

const histories = roundsOf(10);
const missedMax = Math.floor(histories / 10);

describe('Histories of several nodes', () => {
  for (const fault of plantedFaults)
    it(`refuse a planted fault: ${fault.name}`, async () => {
      const from = Number(process.env['PLANNER_TEST_SEED'] ?? Date.now() % 2 ** 31);
      const seeds = Array.from({ length: histories }, (_, i) => from + i);
      const outcomes = await judgePlanted(fault, seeds, { operations: 3000, kills: 0 });
      const missed = seeds.filter((_, at) => outcomes[at]!.failure === undefined);
      const ordered = outcomes.map(({ failure }) => /^After (\d+) operations/.exec(failure ?? '')?.[1] ?? 'all');
      console.log(`      PLANNER_TEST_SEED=${from}: operations that have an order: ${ordered.join(', ')}`);
      expect(missed, 'seeds').to.have.length.at.most(missedMax);
    });
});
