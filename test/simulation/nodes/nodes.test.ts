import { expect } from 'chai';
import { judgePlanted } from '../../hosted/planted.ts';
import { plantedFaults } from '../../hosted/planted-faults.ts';
import { nodeScheduleOf } from './node-schedule.ts';
import { simulateNodes } from './node-simulation.ts';
import { nodesProcess, simulateNodesOf } from './suite.ts';
import { rarely } from '../../support/rarely.ts';

describe('Several nodes in a simulation', () => {
  it('show one order of events, have the same, and make records with a key once [A.concurrency.linearizable, A.nodes.once]', async () => {
    await simulateNodesOf(4);
  });

  it('run the same way for the same seed', async () => {
    const schedule = nodeScheduleOf(7, 100);
    const [first, second] = [await simulateNodes(schedule), await simulateNodes(schedule)];
    expect(second.lines).to.deep.equal(first.lines);
    expect(first.lines).to.have.length.above(50);
  });

  rarely('are refused whose reads do not ask the log first [A.concurrency.judge]', async () => {
    const [fault] = plantedFaults;
    const outcomes = await judgePlanted(fault!, [1, 2, 3], { operations: 200, kills: 0 }, nodesProcess);
    expect(outcomes.filter(({ failure }) => failure !== undefined)).to.have.length.above(1);
  });
});
