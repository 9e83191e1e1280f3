import { expect } from 'chai';
import ts from 'typescript';
import { planted } from '../simulation/planted.ts';
import { judgePlanted } from './planted.ts';
import { plantedFaults } from './planted-faults.ts';

describe('The faults that histories of several nodes have to refuse', () => {
  for (const fault of plantedFaults)
    it(`can be planted in the sources: ${fault.name}`, () => {
      const { diagnostics } = ts.transpileModule(planted({ ...fault, without: [] }), { reportDiagnostics: true });
      expect(diagnostics).to.deep.equal([]);
    });

  it('are refused: reads that do not ask the log first [A.concurrency.judge]', async () => {
    const [fault] = plantedFaults;
    const [outcome] = await judgePlanted(fault!, [Date.now() % 2 ** 31], { operations: 600, kills: 0 });
    expect(outcome!.failure).not.to.equal(undefined);
  });
});
