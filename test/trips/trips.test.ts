import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { TripLength, TripLengths } from './trips.ts';

const program = fileURLToPath(new URL('trips.ts', import.meta.url));

/**
 * The most functions and files of `src/` that each trip may enter. A change that needs more says why. While a change
 * becomes durable, listeners run as well: how many of them before its answer depends on the time that takes, so that a
 * change has room for those that were met beside six busy processes.
 */
const budgets: Readonly<Record<string, Pick<TripLength, 'functions' | 'files'>>> = {
  'GET a task': { functions: 109, files: 53 },
  'GET a task, with a key': { functions: 122, files: 56 },
  'PATCH a task': { functions: 304, files: 99 },
  'PATCH a task, with a key': { functions: 340, files: 106 },
  'MCP update_task': { functions: 450, files: 120 },
  // The problems of the edit before may be compared while it is under way: 14 of these, in four files.
  'a hand edit': { functions: 360, files: 101 },
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
