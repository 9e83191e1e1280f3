import { expect } from 'chai';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { overBoth } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { TestService } from '../support/service.ts';

interface Tag {
  readonly id: string;
  readonly name: string;
  readonly color: string | null;
}

const tagFiles = (files: PlanFiles): string[] => files.paths().filter((path) => path.startsWith('tags/'));
const namesOf = (tags: readonly Tag[]): string[] => tags.map(({ name }) => name);

describe('Tags', () => {
  overBoth(
    'are listed by name with id, name and color, including those that no task has any more [S.tag.list, S.mcp.list_tags, D3.tag-stays]',
    async (transport) => {
      const project_id = await transport.service.project();
      expect((await transport.call('list_tags', { project_id }))['tags']).to.deep.equal([]);
      const green = (
        await transport.service.rest.post(`/projects/${project_id}/tags`, { name: 'bed', color: '#00FF00' })
      ).body;
      const task = await transport.call('create_task', { project_id, label: 'Dig', tags: ['path', 'Bed', 'Arbor'] });
      const { tags } = await transport.call('list_tags', { project_id });
      expect(namesOf(tags)).to.deep.equal(['Arbor', 'bed', 'path']);
      expect(tags[1]).to.include({ id: green.id, name: 'bed', color: '#00ff00', project_id });
      expect(tags[0]).to.include({ color: null });
      expect(tags[0].id).to.match(/^tag_/);
      await transport.call('update_task', { task_id: task.id, tags: ['bed'] });
      expect((await transport.call('list_tags', { project_id }))['tags']).to.deep.equal(tags);
      const other = await transport.service.project('Other');
      expect((await transport.call('list_tags', { project_id: other })).tags, 'of this project alone').to.deep.equal(
        [],
      );
    },
  );

  overBoth(
    'are given to tasks as names; unknown ones are created, and names that differ only in case or surrounding blanks are one [D3.tags]',
    async (transport) => {
      const project_id = await transport.service.project();
      const make = async (tags: readonly string[]): Promise<Tag[]> =>
        (await transport.call('create_task', { project_id, label: 'Dig', tags })).tags as Tag[];
      const [bed, path, ...others] = await make(['Path', 'bed', 'PATH', ' path ']);
      expect(others).to.deep.equal([]);
      expect([bed!.name, path!.name]).to.deep.equal(['bed', 'Path']);
      expect(await make(['path'])).to.deep.equal([path]);
      const [accented] = await make(['Caf\u00e9']);
      expect(await make(['cafe\u0301']), 'nor in Unicode form').to.deep.equal([accented]);
      expect((await transport.call('list_tags', { project_id })).tags).to.have.length(3);
    },
  );

  overBoth('of a task are 50 at most [D1.tags-max]', async (transport) => {
    const project_id = await transport.service.project();
    const tags = Array.from({ length: 51 }, (_, at) => `tag ${at}`);
    const { id: task_id, tags: most } = await transport.call('create_task', {
      project_id,
      label: 'x',
      tags: tags.slice(1),
    });
    expect(most).to.have.length(50);
    for (const [name, input] of [
      ['create_task', { project_id, label: 'x' }],
      ['update_task', { task_id }],
    ] as const) {
      const refused = await transport.refusal(name, { ...input, tags });
      expect(refused).to.include({ error: 'invalid_argument', field: 'tags' });
      expect(refused.message).to.include('50');
    }
  });
});

describe('Tags, over REST and in files', () => {
  let service: TestService;
  let files: PlanFiles;
  let project_id: string;
  beforeEach(async () => {
    service = await TestService.start({ watch: false });
    files = new PlanFiles(service);
    project_id = await service.project();
  });
  afterEach(() => service.stop());

  const tag = async (body: object): Promise<Tag> =>
    (await service.rest.post(`/projects/${project_id}/tags`, body)).body;
  const task = async (tags: readonly string[], rest: object = {}): Promise<{ id: string; tags: Tag[] }> =>
    (await service.rest.post(`/projects/${project_id}/tasks`, { label: 'Dig', tags, ...rest })).body;
  const labels = async (filter: string): Promise<string[]> =>
    (await service.rest.get(`/projects/${project_id}/tasks?${filter}`)).body.tasks.map(
      ({ label }: { label: string }) => label,
    ) as string[];

  it('are created, changed and deleted by their own routes, with a color #rrggbb or null [D7.tag-rest]', async () => {
    const { status, body } = await service.rest.post(`/projects/${project_id}/tags`, { name: 'bed', color: '#AbCdEf' });
    expect(status).to.equal(201);
    expect(body).to.include({ project_id, name: 'bed', color: '#abcdef' });
    const path = `/tags/${body.id}`;
    expect((await service.rest.get(path)).body).to.deep.equal(body);
    const { id: task_id } = await task(['bed', 'path']);
    expect((await service.rest.patch(path, { name: 'Flower bed' })).body).to.include({
      name: 'Flower bed',
      color: '#abcdef',
    });
    expect((await service.rest.patch(path, { color: null })).body).to.include({ name: 'Flower bed', color: null });
    for (const [field, value] of [
      ...(['red', '#fff', '#gggggg', '', '#1234567', 1].map((color) => ['color', color]) as [string, unknown][]),
      ...([' ', null, 'x'.repeat(501)].map((name) => ['name', name]) as [string, unknown][]),
      ...([
        ['shade', 'x'],
        ['id', 'tag_mine'],
      ] as const),
    ]) {
      const refused = await service.rest.patch(path, { [field]: value });
      expect([refused.status, refused.body.field], `${field} ${String(value)}`).to.deep.equal([400, field]);
    }
    expect((await service.rest.delete(path)).status).to.equal(204);
    expect(namesOf((await service.rest.get(`/tasks/${task_id}`)).body.tags)).to.deep.equal(['path']);
    expect(namesOf((await service.rest.get(`/projects/${project_id}/tags`)).body.tags)).to.deep.equal(['path']);
    for (const answer of [
      await service.rest.get(path),
      await service.rest.patch(path, {}),
      await service.rest.delete(path),
    ])
      expect(answer.body).to.include({ error: 'not_found', resource: 'tag', id: body.id });
  });

  it('have unique names: a name in use is a conflict [D2.conflict]', async () => {
    const [first, second] = [await tag({ name: 'one', color: '#123456' }), await tag({ name: 'two' })];
    for (const answer of [
      await service.rest.post(`/projects/${project_id}/tags`, { name: 'ONE' }),
      await service.rest.post(`/projects/${project_id}/tags`, { name: ' one ' }),
      await service.rest.patch(`/tags/${second.id}`, { name: 'One' }),
      await service.rest.patch(`/tags/${second.id}`, { name: ' one' }),
    ]) {
      expect(answer.status).to.equal(409);
      expect(answer.body).to.include({ error: 'conflict', field: 'name', id: first.id });
    }
    expect((await task([' One '])).tags).to.deep.equal([{ id: first.id, name: 'one', color: '#123456' }]);
    expect(await labels(`tag=${encodeURIComponent(' one ')}`)).to.deep.equal(['Dig']);
    expect((await service.rest.patch(`/tags/${first.id}`, { name: 'ONE' })).body).to.include({ name: 'ONE' });
  });

  it('get one id and one file on every branch that creates them [A.format.tag-id]', async () => {
    await service.store.flush();
    const directory = mkdtempSync(join(tmpdir(), 'planner-branch-'));
    cpSync(files.directory, join(directory, '.planner/projects/plan'), { recursive: true });
    const branch = await TestService.start({ directory, watch: false });
    try {
      const here = await tag({ name: 'Garden Pâth', color: '#112233' });
      const there = (await branch.rest.post(`/projects/${project_id}/tags`, { name: 'garden pa\u0302TH' })).body as Tag;
      expect(there).to.include({ id: here.id, name: 'garden pa\u0302TH', color: null });
      await branch.store.flush();
      await service.store.flush();
      const [path, ...others] = tagFiles(files);
      expect(others).to.deep.equal([]);
      expect(tagFiles(new PlanFiles(branch))).to.deep.equal([path]);
    } finally {
      await branch.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('are renamed in one file: the former name becomes an alias [A.format.aliases]', async () => {
    const { id: task_id, tags } = await task(['bed']);
    await task(['bed', 'path'], { label: 'Plant' });
    await service.store.flush();
    const path = tagFiles(files).find((one) => files.read(one).includes('"bed"'))!;
    const contents = (): Map<string, string> => new Map(files.paths().map((one) => [one, files.read(one)]));
    const before = contents();
    await service.rest.patch(`/tags/${tags[0]!.id}`, { name: 'Flower bed' });
    await service.store.flush();
    const after = contents();
    const changed = [...after].filter(([one, text]) => before.get(one) !== text).map(([one]) => one);
    expect([changed, after.size]).to.deep.equal([[path], before.size]);
    expect(JSON.parse(files.read(path))).to.deep.include({ name: 'Flower bed', aliases: ['bed'] });
    for (const life of ['this', 'the next']) {
      expect(namesOf((await service.rest.get(`/tasks/${task_id}`)).body.tags), life).to.deep.equal(['Flower bed']);
      for (const name of ['bed', 'BED', 'flower bed'])
        expect(await labels(`tag=${encodeURIComponent(name)}`), `${name} in ${life} life`).to.deep.equal([
          'Dig',
          'Plant',
        ]);
      await service.restart();
    }
  });

  it('and goals are referenced by name in a file, also by a former one [A.format.by-name]', async () => {
    const { id: goal_id } = (
      await service.rest.post(`/projects/${project_id}/goals`, { name: 'Harvest', objective: 'x' })
    ).body;
    const { id: tag_id } = await tag({ name: 'bed', color: '#123456' });
    await service.rest.patch(`/goals/${goal_id}`, { name: 'Yield' });
    await service.rest.patch(`/tags/${tag_id}`, { name: 'plot' });
    await service.store.flush();
    for (const [at, [goal, name]] of Object.entries([
      [goal_id, 'plot'],
      ['Yield', 'PLOT'],
      ['Harvest', 'bed'],
    ])) {
      files.write(`tasks/hand-${at}.md`, `---\nlabel: Hand ${at}\ngoal: ${goal}\ntags:\n  - ${name}\n---\nBy hand.\n`);
    }
    const expected = ['Hand 0', 'Hand 1', 'Hand 2'];
    for (const life of ['this', 'the next']) {
      await service.store.rescan();
      expect((await labels(`goal_id=${goal_id}`)).sort(), `goal in ${life} life`).to.deep.equal(expected);
      expect((await labels('tag=plot')).sort(), `tag in ${life} life`).to.deep.equal(expected);
      const { tasks } = (await service.rest.get(`/projects/${project_id}/tasks`)).body;
      for (const one of tasks) {
        expect(one.goal_id).to.equal(goal_id);
        expect(one.tags).to.deep.equal([{ id: tag_id, name: 'plot', color: '#123456' }]);
      }
      expect((await service.rest.get(`/projects/${project_id}/tags`)).body.tags).to.have.length(1);
      await service.restart();
    }
  });
});
