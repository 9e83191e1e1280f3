import { expect } from 'chai';
import ts from 'typescript';
import { planted } from './planted.ts';
import { plantedFaults } from './planted-faults.ts';

describe('The faults that simulations have to find', () => {
  for (const fault of plantedFaults)
    it(`can be planted in the sources: ${fault.name}`, () => {
      const { diagnostics } = ts.transpileModule(planted(fault), { reportDiagnostics: true });
      expect(diagnostics).to.deep.equal([]);
    });

  it('have names of their own', () => {
    const names = plantedFaults.map(({ name }) => name);
    expect(names).to.deep.equal([...new Set(names)]);
  });
});
