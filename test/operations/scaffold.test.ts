import { expect } from 'chai';
import { overBoth } from '../support/both.ts';
import { TestService } from '../support/service.ts';

const plan = {
  goal: { name: 'Ship', objective: 'Ship it' },
  tasks: [
    { key: 'a', label: 'A', priority: 'high', tags: ['api'] },
    { key: 'b', label: 'B', status: 'scope' },
  ],
  edges: [{ from: 'a', to: 'b', label: 'blocks' }],
  documents: [{ key: 'd', title: 'Notes', body: '# Notes', status_line: 'draft', link_to: 'a' }],
};

describe('A scaffold', () => {
  overBoth(
    'creates a new project with its whole content [S.mcp.scaffold_project_from_plan, S.rule.9, D9.scaffold, D9.new-project]',
    async (transport) => {
      const { scaffold } = await transport.call('scaffold_project_from_plan', {
        name: 'Plan',
        description: 'Ours',
        ...plan,
      });
      const { project, goal, tasks, edges, documents, key_to_id: ids, counts } = scaffold;
      expect(project).to.include({ name: 'Plan', description: 'Ours' });
      expect(goal).to.include({ name: 'Ship', project_id: project.id });
      expect(tasks.map(({ id }: { id: string }) => id)).to.deep.equal([ids.a, ids.b]);
      expect(tasks[0]).to.include({ label: 'A', goal_id: goal.id, blocked: false });
      expect(edges[0]).to.include({ from_id: ids.a, to_id: ids.b, label: 'blocks' });
      expect(documents[0]).to.include({ id: ids.d, title: 'Notes', status: 'draft' });
      expect(counts).to.deep.equal({ tasks: 2, edges: 1, documents: 1 });
      const document = await transport.call('get_document', { document_id: ids.d });
      expect(document.links[0]).to.include({ id: ids.a, label: 'documents' });
      const { goals } = await transport.call('list_goals', { project_id: project.id });
      expect(goals.map(({ name }: { name: string }) => name)).to.deep.equal(['General', 'Ship']);
    },
  );

  overBoth('extends an existing project [D9.new-project]', async (transport) => {
    const project_id = await transport.service.project();
    const { scaffold } = await transport.call('scaffold_project_from_plan', { project_id, ...plan });
    expect(scaffold.project.id).to.equal(project_id);
    const again = await transport.refusal('scaffold_project_from_plan', { project_id, ...plan });
    expect(again).to.include({ error: 'conflict', field: 'name' });
    const { tasks } = await transport.call('list_tasks', { project_id });
    expect(tasks).to.have.length(2);
  });

  overBoth('that is invalid leaves no record, and no project [D9.atomic, D9.keys]', async (transport) => {
    const edges = [{ from: 'a', to: 'nowhere' }];
    const refused = await transport.refusal('scaffold_project_from_plan', { name: 'Plan', ...plan, edges });
    expect(refused).to.include({ error: 'invalid_argument', field: 'edges[0].to', key: 'nowhere' });
    expect((await transport.call('list_projects')).projects).to.deep.equal([]);
  });

  overBoth('names neither a project nor a new name is rejected if none is bound', async (transport) => {
    expect(await transport.refusal('scaffold_project_from_plan', plan)).to.include({
      error: 'invalid_argument',
      field: 'project_id',
    });
  });

  it('has a route below a project, too', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const { status, body } = await service.rest.post(`/projects/${project}/scaffold`, plan);
      expect(status).to.equal(201);
      expect(body.scaffold.project.id).to.equal(project);
      expect((await service.rest.post(`/projects/${project}/scaffold`, { ...plan, name: 'Other' })).body).to.include({
        field: 'name',
      });
    } finally {
      await service.stop();
    }
  });
});
