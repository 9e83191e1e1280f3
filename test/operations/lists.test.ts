import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { planner } from './planner.ts';

interface Answer {
  readonly tasks: readonly { readonly id: string; readonly label: string }[];
  readonly next_cursor?: string;
  readonly removed?: readonly string[];
}

describe('Lists', () => {
  const planned = planner();

  /** A project with tasks labelled by their number. */
  async function withTasks(count: number, fields: object = {}): Promise<string> {
    const project_id = await planned.it.project();
    const nodes = Array.from({ length: count }, (_, at) => ({
      id: `t${String(at).padStart(4, '0')}`,
      label: `Task ${at}`,
    }));
    await planned.it.call('put_canvas', { project_id, nodes });
    if (Object.keys(fields).length > 0) {
      for (const { id: task_id } of nodes) await planned.it.call('update_task', { project_id, task_id, ...fields });
    }
    return project_id;
  }

  async function all(
    project_id: string,
    input: object,
    transport: 'rest' | 'mcp',
  ): Promise<{ ids: string[]; pages: Answer[] }> {
    const pages: Answer[] = [];
    let cursor: string | undefined;
    do {
      const page = (await planned.it.call(
        'list_tasks',
        { project_id, ...input, ...(cursor && { cursor }) },
        { transport },
      )) as Answer;
      pages.push(page);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return { ids: pages.flatMap(({ tasks }) => tasks.map(({ id }) => id)), pages };
  }

  it('are complete over REST without limit and cursor [D1.all] [D1.order]', async () => {
    const { tasks, next_cursor } = (await planned.it.call('list_tasks', {
      project_id: await withTasks(150),
    })) as Answer;
    expect(tasks.map(({ id }) => id)).to.deep.equal(tasks.map(({ id }) => id).sort());
    expect([tasks.length, next_cursor]).to.deep.equal([150, undefined]);
  });

  it('are read page by page with limit and cursor, each item once [D1.limit]', async () => {
    const { ids, pages } = await all(await withTasks(25), { limit: 10 }, 'rest');
    expect(pages.map(({ tasks }) => tasks.length)).to.deep.equal([10, 10, 5]);
    expect(new Set(ids).size).to.equal(25);
  });

  it('are cut to 100 rows for agents without a limit [D2.mcp-rows]', async () => {
    const { ids, pages } = await all(await withTasks(205), {}, 'mcp');
    expect(pages.map(({ tasks }) => tasks.length)).to.deep.equal([100, 100, 5]);
    expect(new Set(ids).size).to.equal(205);
  });

  it('have a bounded size for agents, for any limit [D2.mcp-size]', async () => {
    const project_id = await withTasks(30, { description: 'x'.repeat(5000) });
    const { ids, pages } = await all(project_id, { limit: 1000, verbose: true }, 'mcp');
    for (const page of pages) expect(JSON.stringify(page).length).to.be.below(limits.agentAnswerBytesMax);
    expect(ids).to.have.length(30);
    const { project } = await planned.it.call('get_project', { project_id, limit: 1000 }, { transport: 'mcp' });
    expect(JSON.stringify(project).length).to.be.below(limits.agentAnswerBytesMax);
  });

  it('show an agent a single item that is too large in its light form [D2.mcp-size]', async () => {
    const project_id = await withTasks(2, { description: 'x'.repeat(100_000) });
    const { pages, ids } = await all(project_id, { verbose: true }, 'mcp');
    expect(ids).to.have.length(2);
    for (const page of pages) expect(JSON.stringify(page).length).to.be.below(limits.agentAnswerBytesMax);
  });

  it('reject an invalid cursor, and a limit out of bounds [D1.limit]', async () => {
    const project_id = await planned.it.project();
    for (const cursor of [
      '',
      'x',
      '%%%',
      Buffer.from('[1,2]').toString('base64url'),
      Buffer.from('["a"]').toString('base64url'),
    ]) {
      expect(await planned.it.refusal('list_tasks', { project_id, cursor })).to.include({
        error: 'invalid_argument',
        field: 'cursor',
      });
    }
    for (const limit of [0, 1001, 1.5]) {
      expect(await planned.it.refusal('list_tasks', { project_id, limit })).to.include({ field: 'limit' });
    }
  });

  it('return changes and removals since a tag [D1.since]', async () => {
    const project_id = await withTasks(5);
    const { etag: since } = await planned.it.dispatch('list_tasks', { project_id });
    expect(await planned.it.call('list_tasks', { project_id, since })).to.deep.equal({ tasks: [], removed: [] });
    await planned.it.call('update_task', { project_id, task_id: 't0001', label: 'other' });
    await planned.it.call('delete_task', { project_id, task_id: 't0003' });
    const { tasks, removed } = (await planned.it.call('list_tasks', { project_id, since })) as Answer;
    expect(tasks.map(({ id, label }) => [id, label])).to.deep.equal([['t0001', 'other']]);
    expect(removed).to.deep.equal(['t0003']);
  });

  it('count rows as changed if another record changes their shown members, and as removed if a filter no longer matches [D1.since]', async () => {
    const project_id = await withTasks(3, { tags: ['bed'] });
    const ends = { from_type: 'task', from_id: 't0000', to_type: 'task', to_id: 't0001' };
    await planned.it.call('create_edge', { project_id, ...ends });
    const input = { project_id, status: 'todo' };
    const { etag: since } = await planned.it.dispatch('list_tasks', input);
    await planned.it.call('update_task', { project_id, task_id: 't0000', status: 'done' });
    const { tasks, removed } = (await planned.it.call('list_tasks', { ...input, since })) as Answer;
    expect(tasks.map(({ id }) => id)).to.deep.equal(['t0001']);
    expect(removed).to.deep.equal(['t0000']);
    const { etag: later } = await planned.it.dispatch('list_tasks', input);
    const { tags } = await planned.it.call('list_tags', { project_id });
    await planned.it.call('update_tag', { project_id, tag_id: tags[0].id, color: '#00ff00' });
    const recolored = (await planned.it.call('list_tasks', { ...input, since: later })) as Answer;
    expect(recolored.tasks.map(({ id }) => id)).to.deep.equal(['t0001', 't0002']);
  });

  it('return the changes since a tag of an earlier process, and reject since with a cursor [D1.since, D1.tag-restart]', async () => {
    const project_id = await withTasks(3);
    const { etag: since } = await planned.it.dispatch('list_tasks', { project_id });
    await planned.reopen();
    await planned.it.call('update_task', { project_id, task_id: 't0001', label: 'other' });
    const { tasks, removed } = (await planned.it.call('list_tasks', { project_id, since })) as Answer;
    expect([tasks.map(({ id }) => id), removed]).to.deep.equal([['t0001'], []]);
    expect(await planned.it.refusal('list_tasks', { project_id, since, limit: 3 })).to.include({ field: 'since' });
    for (const nonsense of ['x', '"a.b"', '"-.0"']) {
      expect(((await planned.it.call('list_tasks', { project_id, since: nonsense })) as Answer).tasks).to.have.length(
        3,
      );
    }
  });

  it('report no change without building a response [D1.304]', async () => {
    const project_id = await withTasks(3);
    for (const name of [
      'list_tasks',
      'list_documents',
      'list_edges',
      'list_tags',
      'list_folders',
      'list_revisions',
      'list_problems',
      'get_canvas',
    ]) {
      const { etag } = await planned.it.dispatch(name, { project_id });
      const again = await planned.it.dispatch(name, { project_id }, { ifNoneMatch: etag });
      expect(again, name).to.include({ notModified: true, value: undefined });
    }
  });
});
