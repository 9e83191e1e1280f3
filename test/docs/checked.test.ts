import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PgRequirements } from '../../src/store/hosted/postgres/pg-requirements.ts';
import { PgTables } from '../../src/store/hosted/postgres/pg-schema.ts';
import { repository } from '../support/server-process.ts';

describe('The requirements for a database', () => {
  it('is listed with the check that notices its end while a node runs [A.nodes.safe]', () => {
    const page = readFileSync(join(repository, 'docs/how-to/several-nodes.md'), 'utf8');
    const [, section] = page.split('### What is checked at the start, and afterwards\n');
    const cells = section!.split('\n## ')[0]!.matchAll(/^\| ([^|]*) \|/gm);
    const listed = new Set(
      Array.from(cells).flatMap(([, cell]) => Array.from(cell!.matchAll(/`(\w+)`/g), ([, name]) => name)),
    );
    const required = new PgRequirements('replicated', new PgTables('planner')).settings;
    listed.delete('replicated');
    expect(listed).to.deep.equal(new Set(required));
  });
});
