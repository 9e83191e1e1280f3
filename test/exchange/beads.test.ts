import { expect } from 'chai';
import type { ImportedPlan } from '../../src/exchange/imported-plan.ts';
import { readBeads } from '../../src/exchange/beads.ts';
import { edgesOf, leftOutOf, named, remarksOf } from './support.ts';

const issues = [
  {
    ...{ id: 'gd-1', title: 'Dig', description: 'Deep.', status: 'closed', priority: 0, issue_type: 'task' },
    ...{
      created_at: '2026-01-12T02:14:20Z',
      labels: ['soil', 'Spring'],
      assignee: 'ada',
      closed_at: '2026-01-13T00:00:00Z',
    },
    ...{
      design: 'Two spits.',
      notes: 'Wet.\nVery.',
      comments: [{ id: 1, author: 'bo', text: 'Done!', created_at: '2026-01-13T01:00:00Z' }],
    },
  },
  {
    ...{
      id: 'gd-2',
      title: 'Sow',
      status: 'hooked',
      priority: 4,
      issue_type: 'bug',
      work_type: 'mutex',
      due_at: '2026-05-01T00:00:00Z',
    },
    dependencies: [
      { issue_id: 'gd-2', depends_on_id: 'gd-1', type: 'blocks', created_at: '2026-01-14T00:00:00Z' },
      { issue_id: 'gd-2', depends_on_id: 'gd-3', type: 'parent-child' },
      { issue_id: 'gd-2', depends_on_id: 'gd-1', type: 'discovered-from' },
      { issue_id: 'gd-2', depends_on_id: 'gd-9', type: 'blocks' },
    ],
  },
  { id: 'gd-3', title: 'The bed', status: 'open', priority: 2, issue_type: 'epic' },
  { id: 'gd-3', title: 'Another bed', status: 'deferred', priority: 1, issue_type: 'task' },
];
const text = issues.map((issue) => JSON.stringify(issue)).join('\n');

describe('Importing from beads', () => {
  const plan = readBeads(`${text}\n\n`, { name: 'Garden', withDeleted: false });
  const tasks = named(plan, 'tasks');

  it('imports each issue as a task with status, priority, labels, dates, people and texts [D9.moving.beads]', () => {
    expect(plan.report.counts).to.include({ tasks: 4, comments: 1, tags: 4, edges: 3 });
    expect(tasks['Dig']).to.deep.include({
      ...{ status: 'done', priority: 'urgent', assignee: 'ada', tags: ['soil', 'Spring'] },
      created_at: '2026-01-12T02:14:20.000Z',
    });
    expect(tasks['Dig'].description).to.match(
      /^Deep\.\n\n## Design\n\nTwo spits\.\n\n## Notes\n\nWet\.\nVery\.\n\n## Moved from beads/,
    );
    expect(tasks['Sow']).to.deep.include({
      status: 'in_progress',
      priority: 'low',
      tags: ['bug'],
      due_date: '2026-05-01',
    });
    expect(tasks['Another bed']).to.include({ status: 'backlog', priority: 'high' });
    expect(plan.draft.lists.get('comments')).to.deep.equal([
      {
        ...{
          id: 'comments-1',
          target_type: 'task',
          target_id: tasks['Dig'].id,
          body: '<pre>Done!</pre>',
          source: 'Done!',
          author: 'bo',
        },
        created_at: '2026-01-13T01:00:00.000Z',
      },
    ]);
  });

  it('imports blockers and parents as edges that order, others as relates [D9.moving.beads]', () => {
    expect(edgesOf(plan)).to.deep.equal(['Sow -depends_on-> Dig', 'Sow -part_of-> The bed', 'Sow -relates-> Dig']);
    expect(tasks['Sow'].links[0].created_at).to.equal('2026-01-14T00:00:00.000Z');
  });

  it('keeps values without a field in the description, and reports it [D9.moving.kept]', () => {
    const { description } = tasks['Sow'];
    for (const line of [
      'id: gd-2',
      'status: hooked',
      'priority: 4',
      'work_type: mutex',
      'discovered-from: gd-1',
      'blocks: gd-9',
    ]) {
      expect(description).to.contain(`\n- ${line}`);
    }
    expect(tasks['Dig'].description).to.contain('- closed_at: 2026-01-13T00:00:00Z');
    expect(remarksOf(plan)).to.deep.equal([
      '1 × An id of several issues: dependencies use the first one.',
      '1 × A dependency on an issue that is not in the file: it is in the description.',
    ]);
  });

  /** A plan of issues with an id and a title each, and more members. */
  const planOf = (list: readonly object[], withDeleted = false): ImportedPlan =>
    readBeads(list.map((issue) => JSON.stringify({ title: 'Untitled', ...issue })).join('\n'), {
      name: 'x',
      withDeleted,
    });
  const dependency = (type: string, more: object = {}): object => ({ depends_on_id: 'a-1', type, ...more });

  it('imports every kind of dependency, also with underscores, and lists unknown ones [D9.moving.beads]', () => {
    const kinds = ['parent_child', 'blocked_by', 'depends-on', 'waits-for', 'relates_to', 'supersedes', 'tracks'];
    const ends = [...kinds, 'haunts'].map((type, at) => ({
      ...{ id: `a-${at + 2}`, title: type, status: 'open' },
      dependencies: [dependency(type)],
    }));
    const all = planOf([{ id: 'a-1', title: 'Dig', status: 'open' }, ...ends]);
    expect(edgesOf(all)).to.have.members([
      'parent_child -part_of-> Dig',
      ...['blocked_by', 'depends-on', 'waits-for'].map((type) => `${type} -depends_on-> Dig`),
      'relates_to -relates-> Dig',
      'supersedes -supersedes-> Dig',
      'tracks -relates-> Dig',
      'haunts -relates-> Dig',
    ]);
    expect(named(all, 'tasks')['tracks'].description).to.contain('\n- tracks: a-1');
    expect(named(all, 'tasks')['haunts'].description).to.contain('\n- haunts: a-1');
    expect(remarksOf(all)).to.deep.equal([
      '1 × A dependency of an unknown kind: the edge is `relates`, the kind is in the description.',
    ]);
  });

  it('keeps further members of a dependency in the description [D9.moving.kept]', () => {
    const more = { created_by: 'ada', metadata: '{"gate":"all"}', thread_id: '' };
    const all = planOf([
      { id: 'a-1', title: 'Dig', status: 'open' },
      { id: 'a-2', title: 'Sow', status: 'open', dependencies: [dependency('blocks', more)] },
    ]);
    expect(named(all, 'tasks')['Sow'].description).to.match(
      /\n- blocks a-1: created_by ada; metadata \{"gate":"all"\}$/,
    );
  });

  it('leaves out deleted issues without the option, and counts them [D9.moving.left-out]', () => {
    const list = [
      { id: 'a-1', status: 'tombstone', deleted_by: 'ada' },
      { id: 'a-2', title: 'Sow', status: 'open', dependencies: [dependency('blocks')] },
      { _type: 'memory', key: 'k', value: 'v' },
    ];
    const without = planOf(list);
    expect(Object.keys(named(without, 'tasks'))).to.deep.equal(['Sow']);
    expect(leftOutOf(without)).to.deep.equal([
      '1 of 2 issue: it is deleted (--with-deleted imports it) (a-1), as expected',
      '1 of 1 record: its type is memory (line 3)',
    ]);
    expect(remarksOf(without)).to.deep.equal(['1 × A dependency on a deleted issue: it is in the description.']);
    expect(named(without, 'tasks')['Sow'].description).to.contain('- blocks: a-1');
    const whole = planOf(list, true);
    expect(named(whole, 'tasks')['Untitled']).to.deep.include({ status: 'done', tags: ['cancelled'] });
    expect(edgesOf(whole)).to.deep.equal(['Sow -depends_on-> Untitled']);
  });

  it('rejects a line that is not an issue, and names it [D9.moving.beads]', () => {
    for (const bad of ['{"id"', '[1]', 'null'])
      expect(() => readBeads(`${text}\n${bad}\n`, { name: 'x', withDeleted: false })).to.throw(
        'Line 5 is not an issue',
      );
  });
});
