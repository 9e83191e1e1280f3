import { expect } from 'chai';
import { judgePlanted } from '../../hosted/planted.ts';
import { plantedFaults, plantedInCatchingUp } from '../../hosted/planted-faults.ts';
import { reached } from '../../support/reached.ts';
import { roundsOf } from '../../support/random.ts';
import { nodesProcess, nodeSteps, simulateNodesOf } from './suite.ts';

const plantedSeeds = roundsOf(20);

describe('Several nodes in simulations, many times', () => {
  it('show one order of events, have the same, and make records with a key once', async () => {
    reached('calls of simulated nodes checked', await simulateNodesOf(roundsOf(2000)));
  });

  for (const fault of [...plantedFaults, ...plantedInCatchingUp])
    it(`refuse a planted fault in most seeds: ${fault.name}`, async () => {
      const from = Number(process.env['PLANNER_TEST_SEED'] ?? Date.now() % 2 ** 31);
      const seeds = Array.from({ length: plantedSeeds }, (_, at) => from + at);
      const outcomes = await judgePlanted(fault, seeds, { operations: 6 * nodeSteps, kills: 0 }, nodesProcess);
      const found = outcomes.filter(({ failure }) => failure !== undefined).length;
      console.log(`      PLANNER_TEST_SEED=${from}: refused in ${found} of ${plantedSeeds}`);
      expect(found).to.be.above(plantedSeeds / 2);
    });
});
