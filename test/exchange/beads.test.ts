import { expect } from 'chai';
import { readBeads } from '../../src/exchange/beads.ts';
import { edgesOf, named, remarksOf } from './support.ts';

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
  const plan = readBeads(`${text}\n\n`, 'Garden');
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
        ...{ id: 'comments-1', target_type: 'task', target_id: tasks['Dig'].id, body: '<p>Done!</p>', author: 'bo' },
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

  it('rejects a line that is not an issue, and names it [D9.moving.beads]', () => {
    for (const bad of ['{"id"', '[1]', 'null'])
      expect(() => readBeads(`${text}\n${bad}\n`, 'x')).to.throw('Line 5 is not an issue');
  });
});
