import { expect } from 'chai';
import { findPlanted } from './planted.ts';
import { plantedFaults } from './planted-faults.ts';

const cpuMsMax = 10 * 60_000;

describe('Simulations', () => {
  for (const fault of plantedFaults)
    it(`find a planted fault: ${fault.name}`, async () => {
      const { failure, operations, seed } = await findPlanted(fault, Date.now() % 2 ** 31, cpuMsMax);
      console.log(`      ${operations} operations, seed ${seed}: ${failure}`);
      expect(failure).not.to.equal(undefined);
    });
});
