import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { planComparer } from '../../src/main/plan-diff.ts';
import { schemaFiles } from '../../src/schema/schema-files.ts';
import type { FieldDiff, PlanDiff, ProjectDiff, RecordDiff } from '../../src/schema/types.ts';

type Difference = Omit<PlanDiff, 'before' | 'after'>;
type Files = Readonly<Record<string, string | undefined>>;

const code = 'abc123';
const idOf = (kind: string, name: string): string => `${kind}_${code}${name.padEnd(10, '0')}`;
const goalId = idOf('gol', 'g0');

/** A file with front matter, as a person writes it. */
function page(members: Readonly<Record<string, unknown>>, body = ''): string {
  const lines = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n${body}`;
}

const projectFile = JSON.stringify({
  ...{ id: idOf('prj', '1'), name: 'Shop', created_at: '2026-01-01T00:00:00.000Z', default_goal_id: goalId },
  ...{ description: null, updated_at: '2026-01-01T00:00:00.000Z' },
});
const base: Files = {
  'project.json': projectFile,
  'goals/checkout.md': page({ id: goalId, name: 'Checkout' }),
  'tasks/pay.md': page({ id: idOf('tsk', 'pay'), label: 'Take payments', status: 'todo' }, 'By card.\n'),
  'tasks/send.md': page({ id: idOf('tsk', 'send'), label: 'Send receipts' }),
};

/** Compares two sets of files of one project. A file of the second set replaces one of the first; undefined removes it. */
function compared(before: Files, changes: Files, settings: readonly [string?, string?] = []): Difference {
  const filesOf = (files: Files, config: string | undefined) => [
    ...(config === undefined ? [] : [{ path: 'config.json', bytes: Buffer.from(config) }]),
    ...Object.entries(files).flatMap(([path, text]) =>
      text === undefined ? [] : [{ path: `projects/shop-${code}/${path}`, bytes: Buffer.from(text) }],
    ),
  ];
  return planComparer().compare(filesOf(before, settings[0]), filesOf({ ...before, ...changes }, settings[1]));
}

function projectIn({ projects }: Difference): ProjectDiff {
  expect(projects).to.have.length(1);
  return projects[0]!;
}

function only(difference: Difference): RecordDiff {
  const { records } = projectIn(difference);
  expect(records).to.have.length(1);
  return records[0]!;
}

const named = ({ fields }: RecordDiff): Readonly<Record<string, FieldDiff>> =>
  Object.fromEntries(fields.map((field) => [field.field, field]));

describe('The difference of two plans', () => {
  it('is empty for the same records, however their files are written, and names those files [A.diff.records, A.diff.unreadable]', () => {
    const rewritten =
      '---\nlabel: Take payments   # a comment\nid: ' + idOf('tsk', 'pay') + '\nmine: 1\n---\nBy card.\n';
    const difference = compared(base, { 'tasks/pay.md': rewritten });
    expect(difference.projects).to.deep.equal([]);
    expect(difference.rewritten).to.deep.equal([`.planner/projects/shop-${code}/tasks/pay.md`]);
    expect(compared(base, {})).to.deep.equal({ projects: [], settings: [], unreadable: [], notes: [], rewritten: [] });
  });

  it('has a changed record field by field, with the names of goals and folders [A.diff.records]', () => {
    const other = idOf('gol', 'speed');
    const before = { ...base, 'goals/speed.md': page({ id: other, name: 'Speed' }) };
    const record = only(
      compared(before, {
        'tasks/pay.md': page(
          { id: idOf('tsk', 'pay'), label: 'Take all payments', status: 'done', goal: 'Speed' },
          'By card.\n',
        ),
      }),
    );
    expect(record).to.include({
      kind: 'task',
      change: 'changed',
      title: 'Take all payments',
      former_title: 'Take payments',
    });
    expect(record.within).to.deep.equal({ kind: 'goal', id: other, title: 'Speed' });
    expect(named(record)).to.deep.equal({
      label: { field: 'label', before: 'Take payments', after: 'Take all payments' },
      status: { field: 'status', before: 'todo', after: 'done' },
      goal_id: { field: 'goal_id', before: goalId, after: other, before_title: 'Checkout', after_title: 'Speed' },
    });
  });

  it('has created and deleted records with their values [A.diff.records]', () => {
    const label = 'Refund';
    const { records } = projectIn(
      compared(base, {
        'tasks/send.md': undefined,
        'tasks/refund.md': page({ id: idOf('tsk', 'refund'), label, priority: 'high', tags: ['money'] }),
      }),
    );
    const [gone, come] = ['deleted', 'created'].map((change) => records.find((record) => record.change === change)!);
    expect(gone).to.include({ title: 'Send receipts', kind: 'task' });
    expect(named(gone!)['status']).to.deep.equal({ field: 'status', before: 'todo', after: null });
    expect(named(come!)).to.deep.include({
      priority: { field: 'priority', before: null, after: 'high' },
      tags: { field: 'tags', before: null, after: ['money'] },
    });
    expect(named(come!)).not.to.have.any.keys('due_date', 'assignee', 'description');
  });

  it('has edges as the order of tasks, also of lists by name, at the task that waits [A.diff.records]', () => {
    const difference = compared(base, {
      'tasks/send.md': page({ id: idOf('tsk', 'send'), label: 'Send receipts', after: ['Take payments'] }),
    });
    const { edges } = projectIn(difference);
    const task = (name: string, title: string) => ({ kind: 'task', id: idOf('tsk', name), title });
    expect(edges).to.deep.equal([
      {
        change: 'created',
        from: task('send', 'Send receipts'),
        to: task('pay', 'Take payments'),
        label: 'depends_on',
        first: idOf('tsk', 'pay'),
      },
    ]);
    expect(only(difference)).to.deep.include({ title: 'Send receipts', change: 'changed', fields: [] });
    // The same edge by its id.
    const byId = page({
      id: idOf('tsk', 'send'),
      label: 'Send receipts',
      links: [{ to: idOf('tsk', 'pay'), label: 'depends_on' }],
    });
    const before = {
      ...base,
      'tasks/send.md': page({ id: idOf('tsk', 'send'), label: 'Send receipts', after: ['Take payments'] }),
    };
    expect(compared(before, { 'tasks/send.md': byId }).projects).to.deep.equal([]);
  });

  it('has a document that moved to another folder, and a renamed folder once [A.diff.records]', () => {
    const document = page({ id: idOf('doc', 'a'), title: 'Architecture' }, 'Text\n');
    const before = { ...base, 'documents/Guides/a.md': document };
    const moved = compared(before, { 'documents/Guides/a.md': undefined, 'documents/Internals/Deep/a.md': document });
    const record = projectIn(moved).records.find(({ kind }) => kind === 'document')!;
    expect(named(record)['folder_id']).to.include({ before_title: 'Guides', after_title: 'Internals / Deep' });
    expect(record.former_path).to.equal(`.planner/projects/shop-${code}/documents/Guides/a.md`);
    const rows = (directory: string): Files => ({
      [`documents/${directory}/a.md`]: document,
      'documents/.folders.json': JSON.stringify({ [directory]: { id: idOf('fld', 'x') } }),
    });
    const renamed = compared(
      { ...base, ...rows('Guides') },
      { 'documents/Guides/a.md': undefined, ...rows('Manuals') },
    );
    expect(only(renamed)).to.include({ kind: 'folder', title: 'Manuals', former_title: 'Guides', change: 'changed' });
  });

  it('pairs a file without an id with its renamed self by its content [A.diff.records]', () => {
    const before = { ...base, 'documents/Old name.md': 'A long text of a person.\n' };
    const record = only(
      compared(before, { 'documents/Old name.md': undefined, 'documents/New name.md': 'A long text of a person.\n' }),
    );
    expect(record).to.include({ kind: 'document', change: 'changed', title: 'New name', former_title: 'Old name' });
    const id = idOf('doc', 'old');
    const written = compared(before, { 'documents/Old name.md': page({ id }, 'A long text of a person.\n') });
    expect(written.projects, 'an id was written into the file').to.deep.equal([]);
    // Two files with the same text are no one's former self.
    const twice = compared(before, {
      'documents/Old name.md': undefined,
      'documents/One.md': 'A long text of a person.\n',
      'documents/Two.md': 'A long text of a person.\n',
    });
    expect(
      projectIn(twice)
        .records.map(({ change }) => change)
        .sort(),
    ).to.deep.equal(['created', 'created', 'deleted']);
  });

  it('names files that cannot be read, whose records are not deleted, and values that are ignored [A.diff.unreadable]', () => {
    const path = (name: string): string => `.planner/projects/shop-${code}/tasks/${name}.md`;
    const markers = '<<<<<<< ours\nstatus: todo\n=======\nstatus: done\n>>>>>>> theirs\n';
    const conflicted = base['tasks/pay.md']!.replace('status: "todo"\n', markers);
    const broken = compared(base, { 'tasks/pay.md': conflicted });
    expect(broken.projects).to.deep.equal([]);
    expect(broken.unreadable).to.have.length(1);
    expect(broken.unreadable[0]).to.include({ side: 'after', path: path('pay'), title: 'Take payments', line: 4 });
    const mistyped = base['tasks/pay.md']!.replace('"todo"', '"sometimes"');
    const noted = compared(base, { 'tasks/pay.md': mistyped });
    expect(noted.projects).to.deep.equal([]);
    expect(noted.notes[0]).to.include({ side: 'after', path: path('pay'), title: 'Take payments', line: 4 });
    const copied = compared(base, { 'tasks/copy.md': base['tasks/pay.md'] });
    expect(copied.unreadable.map(({ path: at }) => at)).to.deep.equal([path('pay')]);
    const damaged = compared(base, { 'tasks/pay.md': base['tasks/pay.md']!.replace('\n---\n', '\n') });
    expect(damaged.projects).to.deep.equal([]);
    expect(damaged.unreadable[0]).to.include({ side: 'after', path: path('pay') });
    const goal = {
      'goals/checkout.md': base['goals/checkout.md']!.replace(
        'name:',
        '<<<<<<< ours\nname: a\n=======\n>>>>>>> theirs\nname:',
      ),
    };
    const linked = page({ id: idOf('tsk', 'send'), label: 'Send receipts', after: ['Take payments'], goal: goalId });
    const other = { ...base, 'tasks/send.md': linked, 'goals/other.md': page({ id: idOf('gol', 'a'), name: 'Other' }) };
    const ofGoal = compared(other, { ...goal, 'tasks/pay.md': conflicted });
    expect(ofGoal.projects, 'neither the goal of a task nor an edge has changed').to.deep.equal([]);
    const both = compared({ ...base, 'tasks/pay.md': conflicted }, {});
    expect(both.unreadable[0]).to.include({ side: 'both' });
  });

  it('has whole projects, settings, and settings that are no JSON [A.diff.records, A.diff.unreadable]', () => {
    const created = planComparer().compare(
      [],
      [{ path: `projects/shop-${code}/project.json`, bytes: Buffer.from(projectFile) }],
    );
    expect(created.projects[0]).to.include({ change: 'created', name: 'Shop' });
    const { settings } = compared(base, {}, ['{"worktrees":"own"}', '{"server_url":"https://example.org"}']);
    expect(settings).to.deep.equal([
      { field: 'server_url', before: null, after: 'https://example.org' },
      { field: 'worktrees', before: 'own', after: null },
    ]);
    expect(compared(base, {}, ['{}', '{']).unreadable[0]).to.include({ side: 'after', path: '.planner/config.json' });
  });

  it('has the form that its schema describes [A.diff.json]', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    for (const file of schemaFiles) ajv.addSchema(file);
    const isDiff = ajv.getSchema('comparison.json#/$defs/PlanDiff')!;
    const difference = compared(base, {
      'tasks/send.md': page({
        id: idOf('tsk', 'send'),
        label: 'Send',
        after: ['Take payments'],
        due_date: '2026-02-01',
      }),
      'tasks/pay.md': '---\nid: ' + idOf('tsk', 'pay') + '\nlabel: [\n---\n',
      'documents/Note.md': 'Text\n',
      'canvas.json': '{"layout":{}}',
    });
    const sides = { before: { revision: 'HEAD', commit: 'a' }, after: { revision: null, commit: null } };
    expect(isDiff({ ...sides, ...difference }), JSON.stringify(isDiff.errors)).to.equal(true);
    expect(isDiff({ ...sides, ...difference, projects: [{}] })).to.equal(false);
  });
});
