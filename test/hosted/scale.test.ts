import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { repository } from '../support/server-process.ts';
import { tables } from './scale.ts';

const cellsOf = (row: string): string => row.replaceAll(/\s*\|\s*/g, '|');

describe('The page about ten million projects', () => {
  it('has the figures of the simulation [A.documents]', () => {
    const page = readFileSync(join(repository, 'docs/explanation/scale.md'), 'utf8').split('\n').map(cellsOf);
    for (const [name, table] of Object.entries(tables())) {
      const rows = table.map((row) => cellsOf(`|${row.join('|')}|`));
      const at = page.indexOf(rows[0]!);
      expect(page.slice(at, at + rows.length), name).to.deep.equal(rows);
    }
  });
});
