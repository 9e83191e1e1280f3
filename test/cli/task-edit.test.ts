import { expect } from 'chai';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

describe('planner task edit', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  rarely(
    'opens the fields and the text in the editor, sends the changed fields, and keeps an invalid edit',
    async () => {
      const shell = new Shell(scratch.path);
      await shell.ok(['connect']);
      await shell.ok(['task', 'add', 'Dig', '--tag', 'soil', '--priority', 'low', '--description', 'Deep.']);
      const [editor, script, seen] = ['an editor', 'script', 'seen'].map((name) => join(scratch.path, name)) as [
        string,
        string,
        string,
      ];
      // The name has an argument and a blank, as the shell reads it.
      writeFileSync(editor, `#!/bin/sh\n[ "$1" = --wait ] || exit 9\ncp "$2" '${seen}'\n. '${script}'\n`);
      chmodSync(editor, 0o755);
      const environment = { VISUAL: `'${editor}' --wait`, EDITOR: 'false' };
      const edit = (lines: string, ...more: string[]): ReturnType<Shell['run']> => {
        writeFileSync(script, lines);
        return shell.run(['task', 'edit', 'dig', ...more], { environment });
      };
      expect((await edit('true')).output).to.equal('Nothing was changed.\n');
      expect(readFileSync(seen, 'utf8'))
        .to.match(/^---\nlabel: Dig\nstatus: todo\ngoal: General\npriority: low\ntags: soil\ndue:\nassignee:\n/)
        .and.match(/---\nDeep\.\n$/);
      const done = await edit(
        `sed -i -e 's/^priority: .*/priority:/' -e 's/^tags: .*/&, spring/' -e 's/Deep/Deeper/' "$2"`,
      );
      expect([done.code, done.errors]).to.deep.equal([0, '']);
      const { task } = await shell.json(['task', 'show', 'dig']);
      expect(task).to.include({ label: 'Dig', status: 'todo', priority: null, description: 'Deeper.' });
      expect(task.tags.map(({ name }: { name: string }) => name)).to.deep.equal(['soil', 'spring']);
      const refusal = await edit(`sed -i -e 's/^due:.*/due: tomorrow/' "$2"`);
      expect([refusal.code, refusal.errors]).to.satisfy(([, text]: [number, string]) =>
        /Line 7: .*YYYY-MM-DD/.test(text),
      );
      const [, file = ''] = /--file (\S+)/.exec(refusal.errors) ?? [];
      expect(readFileSync(file, 'utf8')).to.include('due: tomorrow');
      await edit(`sed -i -e 's/^due:.*/due: 2027-01-31/' "$2"`, '--file', file);
      expect((await shell.json(['task', 'show', 'dig'])).task.due_date).to.equal('2027-01-31');
      expect(existsSync(file)).to.equal(false);
      for (const [lines, message] of [
        [`sed -i -e 's/^goal:.*/goal: Nothing/' "$2"`, /Line 4: There is no goal/],
        [`sed -i -e 's/^status:/state:/' "$2"`, /Line 3: "state: todo" is no field/],
        ['echo gone > "$2"', /Line 1: .*between two lines/],
        ['exit 3', /The editor ended with 3/],
      ] as const) {
        const { errors } = await edit(lines);
        expect(errors).to.match(message);
        rmSync(/--file (\S+)/.exec(errors)![1]!);
      }
    },
  );
});
