import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declared } from '../../src/domain/records/record-collections.ts';
import { repository } from '../support/server-process.ts';

describe('The words of a plan', () => {
  const page = readFileSync(join(repository, 'docs/reference/words-of-a-plan.md'), 'utf8');

  it('name every directory of a project [A.documents]', () => {
    const directories = declared.flatMap(({ location }) => ('directory' in location ? [location.directory] : []));
    expect(directories).to.include.members(['tasks', 'comments', 'runs']);
    for (const name of [...new Set(directories), 'history', 'local']) expect(page).to.include(`\`${name}/\``);
  });

  it('are defined, and each status [A.documents]', () => {
    for (const term of ['project', 'goal', 'task', 'status', 'edge', 'blocked'])
      expect(page).to.match(new RegExp(`^\\| \\*\\*${term}\\*\\* +\\| [^|]{20,}\\|$`, 'm'));
    const { $defs } = JSON.parse(readFileSync(join(repository, 'schemas/task.json'), 'utf8')) as {
      readonly $defs: { readonly TaskStatus: { readonly enum: readonly string[] } };
    };
    for (const status of $defs.TaskStatus.enum) expect(page).to.include(`\`${status}\``);
  });
});
