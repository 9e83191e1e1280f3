import { expect } from 'chai';
import ts from 'typescript';
import { planted } from '../simulation/planted.ts';
import { plantedFaults, plantedInCatchingUp } from './planted-faults.ts';

describe('The faults that histories of several nodes have to refuse', () => {
  for (const fault of [...plantedFaults, ...plantedInCatchingUp])
    it(`can be planted in the sources: ${fault.name}`, () => {
      const { diagnostics } = ts.transpileModule(planted({ ...fault, without: [] }), { reportDiagnostics: true });
      expect(diagnostics).to.deep.equal([]);
    });
});
