import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { TripLength, TripLengths } from './trips.ts';

const program = fileURLToPath(new URL('trips.ts', import.meta.url));

/** The most functions and files of `src/` that each trip may enter. A change that needs more says why. */
const budgets: Readonly<Record<string, Pick<TripLength, 'functions' | 'files'>>> = {
  'GET a task': { functions: 149, files: 57 },
  'GET a task, with a key': { functions: 158, files: 59 },
  'PATCH a task': { functions: 450, files: 110 },
  'PATCH a task, with a key': { functions: 464, files: 112 },
  'MCP update_task': { functions: 520, files: 121 },
  'a hand edit': { functions: 400, files: 106 },
};

describe('The way of a call through the service', function () {
  this.timeout(120_000);
  let lengths: TripLengths;

  before(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    lengths = JSON.parse(stdout) as TripLengths;
  });

  it('is measured for each trip that has a budget [A.trips]', () => {
    expect(Object.keys(lengths)).to.deep.equal(Object.keys(budgets));
  });

  for (const [trip, budget] of Object.entries(budgets))
    it(`is at most ${budget.functions} functions in ${budget.files} files for ${trip} [A.trips]`, () => {
      const { functions, files } = lengths[trip]!;
      expect(functions).to.be.at.most(budget.functions);
      expect(files).to.be.at.most(budget.files);
    });
});
