import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../src/base/limits.ts';
import { projectFiles } from './project-files.ts';
import { planner } from './planner.ts';

interface Tag {
  readonly id: string;
  readonly name: string;
  readonly color: string | null;
}

describe('Tags', () => {
  const planned = planner();

  const tagged = async (project_id: string, tags: readonly string[]): Promise<{ id: string; tags: Tag[] }> =>
    (
      (await planned.it.call('create_task', { project_id, label: 'Dig', tags })) as {
        task: { id: string; tags: Tag[] };
      }
    ).task;
  const listed = async (project_id: string): Promise<Tag[]> =>
    ((await planned.it.call('list_tags', { project_id })) as { tags: Tag[] }).tags;
  const shown = async (task_id: string): Promise<string[]> =>
    ((await planned.it.call('get_task', { task_id })) as { task: { tags: Tag[] } }).task.tags.map(({ name }) => name);

  it('are given by name; unknown ones are created, names that differ only in case are one [D3.tags]', async () => {
    const project_id = await planned.it.project();
    const first = await tagged(project_id, ['Path', 'bed', 'path']);
    expect(first.tags.map(({ name }) => name)).to.deep.equal(['bed', 'Path']);
    const second = await tagged(project_id, ['PATH']);
    expect(second.tags).to.deep.equal([first.tags[1]]);
    expect((await listed(project_id)).map(({ name }) => name)).to.deep.equal(['bed', 'Path']);
  });

  it('of a task are replaced by the given set; one without tasks stays listed [D3.tags] [D3.tag-stays]', async () => {
    const project_id = await planned.it.project();
    const { id: task_id } = await tagged(project_id, ['a', 'b']);
    await planned.it.call('update_task', { task_id, tags: ['c', 'a'] });
    expect(await shown(task_id)).to.deep.equal(['a', 'c']);
    await planned.it.call('update_task', { task_id, tags: [] });
    expect(await shown(task_id)).to.deep.equal([]);
    expect((await listed(project_id)).map(({ name }) => name)).to.deep.equal(['a', 'b', 'c']);
  });

  it('of a task are added and taken away one by one, each change on the result of the one before [D3.tags]', async () => {
    const project_id = await planned.it.project();
    const { id: task_id } = await tagged(project_id, ['Bed']);
    const change = (input: object): Promise<unknown> => planned.it.call('update_task', { task_id, ...input });
    // A caller that reads the tags and writes them back would lose the tags of the others.
    await Promise.all(['a', 'b', 'c'].map((name) => change({ add_tags: [name] })));
    await change({ add_tags: ['BED'], remove_tags: ['B'], label: 'Dig on' });
    expect(await shown(task_id)).to.deep.equal(['a', 'Bed', 'c']);
    const refused = (input: object): Promise<unknown> => planned.it.refusal('update_task', { task_id, ...input });
    expect(await refused({ add_tags: ['d'], remove_tags: ['none'] })).to.include({ field: 'remove_tags' });
    expect(await refused({ add_tags: ['d'], tags: [] })).to.include({ field: 'tags' });
    const many = Array.from({ length: limits.tagsPerTaskMax - 2 }, (_, at) => `t${at}`);
    expect(await refused({ add_tags: many })).to.include({ field: 'add_tags' });
    expect(await shown(task_id)).to.deep.equal(['a', 'Bed', 'c']);
  });

  it('get one id on every branch that creates them', async () => {
    const project_id = await planned.it.project();
    const [made] = (await tagged(project_id, ['Garden path'])).tags;
    await planned.it.call('delete_tag', { tag_id: made!.id });
    const { tag } = await planned.it.call('create_tag', { project_id, name: 'garden PATH', color: '#AABBCC' });
    expect(tag).to.include({ id: made!.id, name: 'garden PATH', color: '#aabbcc' });
  });

  it('are renamed without changing their tasks: a former name still refers to them', async () => {
    const project_id = await planned.it.project();
    const { id: task_id, tags } = await tagged(project_id, ['bed']);
    await planned.it.store.flush();
    await planned.it.call('update_tag', { tag_id: tags[0]!.id, name: 'Flower bed' });
    expect(await shown(task_id)).to.deep.equal(['Flower bed']);
    expect((await planned.it.call('list_revisions', { project_id })).revisions).to.deep.equal([]);
    await planned.reopen();
    expect(await shown(task_id)).to.deep.equal(['Flower bed']);
    expect((await tagged(project_id, ['BED'])).tags).to.deep.equal([
      { id: tags[0]!.id, name: 'Flower bed', color: null },
    ]);
    for (const name of ['bed', 'flower bed']) {
      const { tasks } = await planned.it.call('list_tasks', { project_id, tags: [name] });
      expect(tasks).to.have.length(2);
    }
  });

  it('reject the name of another tag, and accept a former name of another', async () => {
    const project_id = await planned.it.project();
    const first = await tagged(project_id, ['one']);
    const { id: second } = (await planned.it.call('create_tag', { project_id, name: 'two' })).tag;
    expect(await planned.it.refusal('update_tag', { tag_id: second, name: 'ONE' })).to.include({ error: 'conflict' });
    expect(await planned.it.refusal('create_tag', { project_id, name: 'One' })).to.include({ error: 'conflict' });
    await planned.it.call('update_tag', { tag_id: first.tags[0]!.id, name: 'uno' });
    await planned.it.call('update_tag', { tag_id: second, name: 'one' });
    expect(await shown(first.id)).to.deep.equal(['uno']);
    expect((await tagged(project_id, ['one'])).tags.map(({ id }) => id)).to.deep.equal([second]);
  });

  it('are removed from their tasks when they are deleted [D7.tag-rest]', async () => {
    const project_id = await planned.it.project();
    const { id: task_id, tags } = await tagged(project_id, ['a', 'b']);
    await planned.it.call('delete_tag', { tag_id: tags[0]!.id });
    expect(await shown(task_id)).to.deep.equal(['b']);
    expect(await planned.it.refusal('get_tag', { project_id, tag_id: tags[0]!.id })).to.include({
      error: 'not_found',
      resource: 'tag',
    });
  });

  it("that only a task's file uses are tags nevertheless", async () => {
    const project_id = await planned.it.project();
    await planned.it.store.flush();
    const { directory } = projectFiles(planned.root);
    mkdirSync(join(directory, 'tasks'));
    writeFileSync(join(directory, 'tasks', 'hand.md'), '---\nlabel: By hand\ntags:\n  - wild\n---\n');
    await planned.it.store.rescan();
    const [tag, ...others] = await listed(project_id);
    expect(tag).to.include({ name: 'wild', color: null });
    expect(others).to.deep.equal([]);
    expect((await tagged(project_id, ['Wild'])).tags[0]!.id).to.equal(tag!.id);
  });
});
