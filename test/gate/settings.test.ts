import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/server-process.ts';

/** The environment's variables that a text names. */
function variablesIn(path: string): string[] {
  const text = readFileSync(join(repository, path), 'utf8');
  return [...new Set(text.match(/PLANNER_[A-Z]+(?:_[A-Z]+)*/g))].sort();
}

describe('Settings', () => {
  it('of the environment are those that the documentation lists', () => {
    const ofTests = ['PLANNER_TEST_ROUNDS', 'PLANNER_TEST_SEED'];
    const documented = variablesIn('docs/reference/configuration.md').filter((name) => !ofTests.includes(name));
    expect(variablesIn('src/base/config.ts')).to.include('PLANNER_PORT').and.to.deep.equal(documented);
  });
});
