import { expect } from 'chai';
import { readPlanDesk } from '../../src/exchange/plan-desk.ts';
import { edgesOf, named, remarksOf } from './support.ts';

const desk = {
  format: 'plandesk-export-v3',
  exported_at: '2026-01-01T00:00:00Z',
  project: { id: 'p', name: 'Garden', description: 'Ours', theme: 'dark' },
  tags: [{ id: 't1', name: 'soil', color: '#a0522d' }],
  goals: [{ id: 'g1', name: 'Harvest', objective: 'Apples', status: 'paused', budget: '10 days', project_id: 'p' }],
  folders: [
    { id: 'f1', name: 'Plans' },
    { id: 'f2', name: 'Old', parent_folder_id: 'f1' },
  ],
  tasks: [
    {
      ...{ id: 'a', label: 'Dig', status: 'done', description: 'Deep.', goal_id: 'g1', position: { x: 1, y: 2 } },
      ...{
        tags: ['t1', 'Spring'],
        priority: 'high',
        due_date: '2026-05-01',
        estimate: 3,
        created_at: '2026-01-02T00:00:00Z',
      },
    },
    { id: 'b', title: 'Sow', status: 'review', tags: [{ id: 't1', name: 'soil' }], priority: 'P1' },
  ],
  documents: [{ id: 'd', title: 'Know', body: 'Much.', folder_id: 'f2', status: 'draft' }],
  notes: [{ id: 'n', title: 'Frost', body: 'May.', mood: 'cold' }],
  comments: [
    { id: 'c', target_type: 'document', target_id: 'd', body: '<p>Why?</p>', author: 'ada', resolved: true },
    { id: 'c2', target_type: 'task', target_id: 'zzz', body: 'x' },
  ],
  edges: [
    { id: 'e', from_type: 'task', from_id: 'a', to_type: 'task', to_id: 'b', label: 'then' },
    { id: 'e2', from_type: 'task', from_id: 'a', to_type: 'task', to_id: 'zzz' },
  ],
  canvas: {
    nodes: [{ id: 'b', x: 5, y: 6, width: 7, height: 8 }],
    edges: [{ from_id: 'd', to_id: 'a', label: 'documents' }],
  },
  widgets: [{ id: 'w' }],
};

describe('Importing from Plan Desk', () => {
  const plan = readPlanDesk(desk, 'file');

  it('imports every list as the same resource [D9.moving.plandesk]', () => {
    expect(plan.draft.project).to.deep.equal({ name: 'Garden', description: 'Ours' });
    expect(plan.report.counts).to.deep.equal({
      goals: 1,
      tasks: 2,
      folders: 2,
      documents: 1,
      notes: 1,
      comments: 1,
      tags: 2,
      edges: 2,
    });
    const [tasks, goals] = [named(plan, 'tasks'), named(plan, 'goals')];
    expect(goals['Harvest']).to.include({ status: 'paused' });
    expect(tasks['Dig']).to.deep.include({
      ...{
        status: 'done',
        goal: goals['Harvest'].id,
        tags: ['soil', 'Spring'],
        priority: 'high',
        due_date: '2026-05-01',
      },
      ...{ position: { x: 1, y: 2 }, created_at: '2026-01-02T00:00:00.000Z' },
    });
    expect(tasks['Sow']).to.deep.include({
      status: 'in_progress',
      position: { x: 5, y: 6 },
      size: { width: 7, height: 8 },
    });
    expect(named(plan, 'documents')['Know']).to.include({
      status: 'draft',
      folder_id: named(plan, 'folders')['Old'].id,
    });
    expect(plan.draft.lists.get('comments')![0]).to.include({ target_type: 'document', resolved: true, author: 'ada' });
    expect(edgesOf(plan)).to.have.members(['Dig -then-> Sow', 'Know -documents-> Dig']);
  });

  it('keeps values without a field in the description, and reports omissions [D9.moving.kept]', () => {
    const tasks = named(plan, 'tasks');
    expect(tasks['Dig'].description).to.contain('- estimate: 3');
    expect(tasks['Sow'].description).to.contain('- status: review').and.to.contain('- priority: P1');
    expect(named(plan, 'goals')['Harvest'].objective).to.contain('- budget: 10 days');
    expect(remarksOf(plan)).to.deep.equal([]);
    expect(plan.report.left_out.map(({ of, reason, count }) => `${count} ${of}: ${reason}`)).to.deep.equal([
      '1 member of a record in notes: it is unknown',
      '1 comment: it is on what is not in the export',
      '1 edge: it leads to what is not in the export',
      '2 list or member: it is unknown',
    ]);
  });

  it('rejects another version [D9.moving.plandesk]', () => {
    expect(() => readPlanDesk({ ...desk, format: 'plandesk-export-v4' }, 'x')).to.throw(
      'format is "plandesk-export-v4"',
    );
    expect(readPlanDesk({ ...desk, format: undefined, version: 3 }, 'x').report.counts['tasks']).to.equal(2);
  });
});
