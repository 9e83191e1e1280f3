import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../../src/cli/program.ts';
import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';
import { limitReference } from '../../src/reference/limits.ts';
import { contentsOf, sentence, table, withSections } from '../../src/reference/markdown.ts';
import { repository } from '../support/server-process.ts';

describe('A generated section', () => {
  const document = 'Before.\n\n<!-- generated: one -->\nold\n<!-- end: one -->\n\nAfter.\n';

  it('is replaced, and nothing else of the document [A.documents]', () => {
    const made = withSections(document, { one: 'new' });
    expect(made).to.equal('Before.\n\n<!-- generated: one -->\n\nnew\n\n<!-- end: one -->\n\nAfter.\n');
    expect(withSections(made, { one: 'new' })).to.equal(made);
  });

  it('needs a generator and markers in the document [A.documents]', () => {
    expect(() => withSections(document, {})).to.throw('No program generates the section one.');
    expect(() => withSections(document, { one: '', two: '' })).to.throw('The document has no section two.');
    expect(() => withSections(document + document, { one: '' })).to.throw('No program generates the section one.');
  });

  it('is a table whose cells are one line [A.documents]', () => {
    expect(table(['a', 'b'], [['1 | 2', 'x\n  y']])).to.equal('| a | b |\n| --- | --- |\n| 1 \\| 2 | x y |');
    expect([sentence('runs it'), sentence('Done.'), sentence('')]).to.deep.equal(['Runs it.', 'Done.', '']);
  });

  it('shows placeholders of a command, which are no elements [A.documents]', () => {
    expect(sentence('as `planner doc <id>`, or doc <id>')).to.equal('As `planner doc <id>`, or doc \\<id>.');
  });

  it('links to the sections of a page, with the anchors of forges [A.documents]', () => {
    const page = '# Files\n\n## `.planner/config.json`\n\n```sh\n## none\n```\n\n### Below\n\n## Copies, too\n';
    expect(contentsOf(page)).to.equal(
      'On this page: [`.planner/config.json`](#plannerconfigjson) · [Copies, too](#copies-too)',
    );
  });

  it('has the comment of each limit, and bytes in units [A.documents]', () => {
    const source =
      'export const limits = {\n  /** Of one file. */\n  fileBytesMax: 3 * 1024,\n  rowsMax: 4096,\n} as const;';
    const rows = limitReference({ fileBytesMax: 3072, rowsMax: 4096 }, source).split('\n').slice(2);
    expect(rows).to.deep.equal(['| `fileBytesMax` | 3 KiB | Of one file. |', '| `rowsMax` | 4,096 |  |']);
  });
});

describe('The sheet of commands', () => {
  it('has each command of the help, in its group, and no other [A.documents]', async () => {
    const command = await program({ version: '0' } as ProgramDeps);
    const visible = command
      .createHelp()
      .visibleCommands(command)
      .filter((one) => one.name() !== 'help');
    const groups = Map.groupBy(visible, (one) => one.helpGroup());
    const sections = readFileSync(join(repository, 'docs/reference/cheat-sheet.md'), 'utf8').split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).to.deep.equal([...groups.keys()]);
    for (const [at, commands] of [...groups.values()].entries()) {
      const named = new Set(Array.from(sections[at]!.matchAll(/`planner ([a-z-]+)/g), ([, name]) => name!));
      expect([...named].sort()).to.deep.equal(commands.map((one) => one.name()).sort());
    }
  });
});
