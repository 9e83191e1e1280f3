import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { portDefault } from '../../src/base/config.ts';
import { repository } from '../support/server-process.ts';

/** The environment's variables that a text names. */
function variablesIn(path: string): string[] {
  const text = readFileSync(join(repository, path), 'utf8');
  return [...new Set(text.match(/PLANNER_[A-Z]+(?:_[A-Z]+)*/g))].sort();
}

/** The files that name the default port beside `portDefault`: a reader copies them, or no program can read it there. */
const namingPort = [
  'Dockerfile',
  'docs/how-to/plan-on-a-server.md',
  'docs/how-to/run-a-service.md',
  'docs/how-to/serve-others.md',
  'docs/reference/agents.md',
  'docs/reference/command-line.md',
  'docs/reference/commands.md',
  'docs/reference/configuration.md',
  'docs/reference/rest.md',
  'examples/deploy/Caddyfile',
  'examples/deploy/nodes/Caddyfile',
  'examples/deploy/nodes/kubernetes.yaml',
  'src/base/config.ts',
  'src/web/vite.config.ts',
  'test/requirements/decisions-parts.ts',
];

describe('Settings', () => {
  it('name the default port in few files', () => {
    const found = execFileSync('git', ['grep', '--name-only', '--word-regexp', String(portDefault)], {
      cwd: repository,
    });
    expect(found.toString().trim().split('\n').sort()).to.deep.equal(namingPort);
  });

  it('of the environment are those that the documentation lists', () => {
    const ofTests = ['PLANNER_TEST_ROUNDS', 'PLANNER_TEST_SEED'];
    const documented = variablesIn('docs/reference/configuration.md').filter((name) => !ofTests.includes(name));
    expect(variablesIn('src/base/config.ts')).to.include('PLANNER_PORT').and.to.deep.equal(documented);
  });
});
