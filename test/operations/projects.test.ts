import { expect } from 'chai';
import { planner } from './planner.ts';

describe('Projects', () => {
  const planned = planner();

  it('have all of their fields and are created with the active goal General [D3.project] [D4.general]', async () => {
    const { project } = await planned.it.call('create_project', { name: 'Garden', description: 'Green' });
    const { id, default_goal_id: goal, created_at, updated_at, ...rest } = project;
    expect(id).to.match(/^prj_/);
    expect(created_at).to.equal(updated_at);
    expect(rest).to.deep.equal({ name: 'Garden', description: 'Green', repo_url: null, folder_path: null });
    const found = await planned.it.store.read(id as string, (view) => view.get('goal', goal as string));
    expect(found).to.include({ name: 'General', status: 'active' });
  });

  it('accept every settable field, and null if one can be cleared [D3.project-patch]', async () => {
    const project_id = await planned.it.project();
    const set = { name: 'Yard', description: 'x', repo_url: 'git@example.org:a/b.git', folder_path: 'code/app' };
    expect((await planned.it.call('update_project', { project_id, ...set })).project).to.include(set);
    const cleared = { description: null, repo_url: null, folder_path: null };
    expect((await planned.it.call('update_project', { project_id, ...cleared })).project).to.include({
      name: 'Yard',
      ...cleared,
    });
    await planned.reopen();
    expect((await planned.it.call('get_project', { project_id })).project).to.include({ name: 'Yard', ...cleared });
  });

  it('take a repo_url of known form without credentials [D3.repo_url]', async () => {
    const project_id = await planned.it.project();
    for (const repo_url of [
      'https://example.org/a.git',
      'ssh://git@example.org/a',
      'git://h/a',
      'http://h',
      'host:path/a',
      'me@host:a',
    ]) {
      expect((await planned.it.call('update_project', { project_id, repo_url })).project.repo_url).to.equal(repo_url);
    }
    for (const repo_url of [
      '',
      'x',
      'https://a:b@example.org/a',
      'https://token@example.org/a',
      'ssh://git:pw@h/a',
      'file:///etc',
      'javascript:alert(1) ',
      'https://',
      'ext::sh -c x',
    ]) {
      const refusal = await planned.it.refusal('update_project', { project_id, repo_url });
      expect(refusal, repo_url).to.include({ error: 'invalid_argument', field: 'repo_url' });
    }
  });

  it('take a folder_path inside the directory of .planner [D3.folder_path]', async () => {
    const project_id = await planned.it.project();
    for (const folder_path of ['.', 'a', 'a/b c/d.e', '..a/b']) {
      expect((await planned.it.call('update_project', { project_id, folder_path })).project.folder_path).to.equal(
        folder_path,
      );
    }
    for (const folder_path of ['', '/', '/etc', 'a/', 'a//b', '..', 'a/../b', 'a\\b', 'C:/x', 'a/\u0000', './a']) {
      expect(await planned.it.refusal('update_project', { project_id, folder_path }), folder_path).to.include({
        field: 'folder_path',
      });
    }
  });

  it('have counts of their contents [D3.summary]', async () => {
    const project_id = await planned.it.project();
    for (const status of ['todo', 'todo', 'done'])
      await planned.it.call('create_task', { project_id, label: 'x', status });
    await planned.it.call('create_document', { project_id, title: 'x', body: '' });
    const { project } = await planned.it.call('get_project', { project_id });
    expect(project.summary.tasks).to.deep.equal({ scope: 0, todo: 2, in_progress: 0, done: 1, backlog: 0 });
    expect(project.summary).to.include({ documents: 1, goals: 1, problems: 0 });
    expect(project).not.to.have.any.keys('tasks', 'documents', 'canvas');
  });

  it('show agents their tasks, documents and canvas, with one cursor for all of them [D3.get_project] [D2.mcp-embedded]', async () => {
    const project_id = await planned.it.project();
    const nodes = Array.from({ length: 12 }, (_, at) => ({ id: `t${at}`, label: `Task ${at}` }));
    const edges = nodes.slice(1).map(({ id }, at) => ({ from_id: `t${at}`, to_id: id }));
    await planned.it.call('put_canvas', { project_id, nodes, edges, layout: { zoom: 1 } });
    for (const title of ['a', 'b', 'c']) await planned.it.call('create_document', { project_id, title, body: 'long' });
    const seen = { tasks: 0, documents: 0, nodes: 0, edges: 0, pages: 0 };
    let cursor: string | undefined;
    do {
      const input = { project_id, limit: 5, ...(cursor && { cursor }) };
      const answer = await planned.it.call('get_project', input, { transport: 'mcp' });
      const { tasks, tasks_total, documents, documents_total, canvas } = answer.project;
      expect([tasks_total, documents_total, canvas.nodes_total, canvas.edges_total]).to.deep.equal([12, 3, 12, 11]);
      seen.tasks += tasks.length;
      seen.documents += documents.length;
      seen.nodes += canvas.nodes.length;
      seen.edges += canvas.edges.length;
      seen.pages++;
      cursor = answer.next_cursor as string | undefined;
    } while (cursor !== undefined);
    expect(seen).to.deep.equal({ tasks: 12, documents: 3, nodes: 12, edges: 11, pages: 3 });
  });

  it('are listed by created_at, page by page, and not after deletion', async () => {
    const ids = [await planned.it.project('a'), await planned.it.project('b'), await planned.it.project('c')];
    const listed = async (input: Record<string, unknown> = {}): Promise<{ ids: string[]; cursor?: string }> => {
      const { projects, next_cursor } = await planned.it.call('list_projects', input);
      return { ids: projects.map(({ id }: { id: string }) => id), cursor: next_cursor };
    };
    const { ids: first, cursor } = await listed({ limit: 2 });
    const { ids: rest } = await listed({ cursor });
    expect([...first, ...rest]).to.have.members(ids);
    await planned.it.call('delete_project', { project_id: ids[1] });
    expect((await listed()).ids).to.have.members([ids[0], ids[2]]);
    expect(await planned.it.refusal('get_project', { project_id: ids[1] })).to.include({
      error: 'not_found',
      resource: 'project',
    });
  });
});
