import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { asServed } from '../support/service.ts';
import { editors } from './editors.ts';
import { FileEditor } from './external-edits.ts';

/** Many Markdown files added, changed by one sed, and removed, each time all together while the service runs. */
export async function manyFiles(count: number): Promise<void> {
  const editor = await FileEditor.start(asServed);
  try {
    const labels = async (): Promise<Set<string>> => new Set((await editor.tasks()).map(({ label }) => label ?? ''));
    const expected = (word: string): Set<string> => new Set(Array.from({ length: count }, (_, i) => `${word} ${i}`));
    const tasks = editor.path('tasks');
    mkdirSync(tasks, { recursive: true });
    for (let i = 0; i < count; i++) writeFileSync(join(tasks, `row-${i}.md`), `---\nlabel: Row ${i}\n---\nText ${i}\n`);
    const left = editor.bytes();
    await editor.until(async () => expect((await editor.tasks()).length).to.equal(count));
    expect(await labels()).to.deep.equal(expected('Row'));
    expect(editor.bytes()).to.deep.equal(left);
    execFileSync('sh', ['-c', `ls "$0" | sed "s|^|$0/|" | xargs sed -i 's/^label: Row /label: Bed /'`, tasks]);
    await editor.until(async () => expect(await labels()).to.deep.equal(expected('Bed')));
    expect(editor.service.store.check()).to.deep.equal([]);
    // A directory of that size is moved out of the project, and in again.
    renameSync(tasks, join(editor.service.directory, 'aside'));
    await editor.until(async () => expect(await editor.tasks()).to.have.length(0));
    renameSync(join(editor.service.directory, 'aside'), tasks);
    await editor.until(async () => expect((await editor.tasks()).length).to.equal(count));
    expect(await labels()).to.deep.equal(expected('Bed'));
    expect(editor.service.store.check()).to.deep.equal([]);
    rmSync(tasks, { recursive: true });
    await editor.until(async () => expect(await editor.tasks()).to.have.length(0));
    expect(editor.service.store.check()).to.deep.equal([]);
    expect(await editor.problems()).to.deep.equal([]);
    reached('files dropped in, changed, moved and removed at once', count);
  } finally {
    await editor.stop();
  }
}

/** The last values of a record, from files and REST. */
interface Expected {
  label: string;
  description: string;
  assignee: string | null;
}

/**
 * Random saves by random editors, renames, removals and restores, with concurrent changes of other fields over REST: no
 * value is lost.
 */
export async function storm(random: Random, rounds: number): Promise<void> {
  const editor = await FileEditor.start(asServed);
  const model = new Map<string, Expected>();
  let operations = 0;

  async function make(): Promise<void> {
    const fields = { label: `Made ${operations}`, description: 'Text' };
    const { id } = await editor.task(fields);
    model.set(id, { ...fields, assignee: null });
  }

  /** One random operation on one record. */
  async function happen(id: string, expected: Expected): Promise<void> {
    const number = operations++;
    if (random.chance(0.4)) {
      const { status, body } = await editor.service.rest.patch(`/tasks/${id}`, { assignee: `ada ${number}` });
      expect(status, JSON.stringify(body)).to.equal(200);
      expected.assignee = `ada ${number}`;
      return;
    }
    // An editor that has read the file before the service wrote it would revert that; and a change that is pending for
    // a removed file is kept as a revision.
    await editor.until(() => {
      const file = editor.recordsInFiles().find(({ fields }) => fields['id'] === id);
      expect({ assignee: null, ...file?.fields }).to.include({ label: expected.label, assignee: expected.assignee });
    });
    const path = editor.path(editor.pathOf(id));
    const kind = random.integer(0, 9);
    if (kind === 0) renameSync(path, join(path, `../mine ${number}.md`));
    else if (kind === 1) {
      const aside = join(editor.service.directory, basename(path));
      renameSync(path, aside);
      if (random.chance(0.5))
        await editor.until(async () => expect((await editor.service.rest.get(`/tasks/${id}`)).status).to.equal(404));
      renameSync(aside, path);
      await editor.until(async () => expect((await editor.service.rest.get(`/tasks/${id}`)).status).to.equal(200));
    } else {
      const [label, description] = [`By hand ${number}`, `Line ${number}\nä 🌱`];
      await editors[random.pick(Object.keys(editors))]!(path, (text) =>
        text.replace(/^label: .*$/m, `label: ${label}`).replace(/\n---\n[^]*$/, `\n---\n${description}\n`),
      );
      Object.assign(expected, { label, description });
    }
  }

  async function check(): Promise<void> {
    await editor.settled();
    const tasks = new Map((await editor.tasks()).map((task) => [task.id, task]));
    expect([...tasks.keys()]).to.have.members([...model.keys()]);
    for (const [id, expected] of model) expect(tasks.get(id)).to.include(expected);
    await editor.service.store.flush();
    await editor.settled();
  }

  try {
    while (model.size < 8) await make();
    for (let round = 1; round <= rounds; round++) {
      const ids = [...model.keys()];
      const chosen = new Set(Array.from({ length: 4 }, () => random.pick(ids)));
      await Promise.all([...chosen].map((id) => happen(id, model.get(id)!)));
      if (round % 10 === 0 || round === rounds) await check();
    }
    // Files that editors leave behind do not become records.
    const strays = readdirSync(editor.path('tasks')).filter((name) => name.endsWith('~') || name.startsWith('.'));
    expect(strays.filter((name) => name !== '.obsidian')).to.deep.equal([]);
    await editor.service.restart();
    await check();
    reached('random saves, renames and changes of one plan', `${operations} (seed ${random.seed})`);
  } finally {
    await editor.stop();
  }
}
