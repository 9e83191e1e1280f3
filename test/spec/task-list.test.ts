import { expect } from 'chai';
import { type Transport, overBoth } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Made {
  readonly id: string;
  readonly [field: string]: unknown;
}

const members = {
  status: ['scope', 'todo', 'in_progress', 'done', 'backlog'],
  kind: ['build', 'decision'],
  priority: ['urgent', 'high', 'low', null],
  lane: ['auto', 'full', null],
  severity: ['low', 'high', null],
  assignee: ['ann', 'bob', null],
} as const;
type Member = keyof typeof members;

const tagSets = [[], ['bed'], ['path'], ['bed', 'path'], ['Fence']] as const;

/** Tasks of every kind, so that each filter matches some and not others. */
async function mixed(transport: Transport): Promise<{ project_id: string; made: Made[] }> {
  const project_id = await transport.service.project();
  const { id: goal } = await transport.call('create_goal', { project_id, objective: 'Harvest' });
  const made: Made[] = [];
  for (let at = 0; at < 40; at++) {
    const fields = Object.fromEntries(
      Object.entries(members).map(([name, values], step) => [
        name,
        values[Math.floor((at * 7) / (step + 1)) % values.length],
      ]),
    );
    const tags = tagSets[(at * 3) % tagSets.length]!;
    const goal_id = at % 3 === 0 ? { goal_id: goal } : {};
    const task = await transport.call('create_task', { project_id, label: `Task ${at}`, ...fields, ...goal_id, tags });
    made.push({ ...task, tags });
  }
  return { project_id, made };
}

function chosen(made: readonly Made[], filter: Readonly<Record<string, unknown>>): string[] {
  const { tags, ...plain } = filter as { readonly tags?: readonly string[] };
  const folded = tags?.map((tag) => tag.toLowerCase());
  return made
    .filter((task) => Object.entries(plain).every(([name, value]) => task[name] === value))
    .filter((task) => !folded || (task['tags'] as string[]).some((tag) => folded.includes(tag.toLowerCase())))
    .map(({ id }) => id);
}

describe('The list of tasks', () => {
  overBoth(
    'is filtered by each member, by several as all of them, and by tags as any of them [S.rest.GET /projects/:id/tasks, S.mcp.list_tasks, S.task.filter, D3.filters]',
    async (transport) => {
      const { project_id, made } = await mixed(transport);
      const single = Object.entries(members).flatMap(([name, values]) =>
        values.filter((value) => value !== null).map((value) => ({ [name]: value })),
      );
      const goals = [...new Set(made.map((task) => task['goal_id']))].map((goal_id) => ({ goal_id }));
      expect(goals).to.have.length(2);
      const tags = [['bed'], ['PATH'], ['bed', 'path'], ['path', 'fence'], ['none', 'bed']].map((some) => ({
        tags: some,
      }));
      const both = [
        ...tags.map((some) => ({ ...some, ...goals[1] })),
        ...single.flatMap((one, at) => [
          { ...one, ...goals[at % 2] },
          { ...one, ...tags[at % tags.length] },
          { ...one, ...single[(at + 7) % single.length] },
        ]),
      ];
      for (const filter of [{}, ...single, ...goals, ...tags, ...both]) {
        const { tasks } = await transport.call('list_tasks', { project_id, ...filter });
        const ids = tasks.map(({ id }: Made) => id);
        expect(ids, JSON.stringify(filter)).to.deep.equal(chosen(made, filter));
      }
      for (const filter of [...single, ...goals, ...tags]) {
        const { length } = chosen(made, filter);
        expect(length, `${JSON.stringify(filter)} chooses some and leaves some`).to.be.within(1, made.length - 1);
      }
      expect((await transport.call('list_tasks', { project_id, tags: ['none'] })).tasks).to.deep.equal([]);
    },
  );

  overBoth('is read page by page with a filter, each task once [D3.filters, D1.limit]', async (transport) => {
    const { project_id, made } = await mixed(transport);
    for (const filter of [{ kind: 'build' }, { tags: ['bed', 'Fence'] }, { assignee: 'ann' }, { status: 'done' }]) {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const input = { project_id, ...filter, limit: 3, ...(cursor === undefined ? {} : { cursor }) };
        const { tasks, next_cursor } = await transport.call('list_tasks', input);
        expect(tasks.length).to.be.within(1, 3);
        ids.push(...tasks.map(({ id }: Made) => id));
        cursor = next_cursor as string | undefined;
      } while (cursor !== undefined);
      expect(ids, JSON.stringify(filter)).to.deep.equal(chosen(made, filter));
    }
  });

  overBoth('follows its tasks as they change [D3.filters]', async (transport) => {
    const { project_id, made } = await mixed(transport);
    const now = new Map(made.map((task) => [task.id, task]));
    for (const [at, { id: task_id }] of made.slice(0, 12).entries()) {
      const name = Object.keys(members)[at % 6] as Member;
      const value = members[name][at % members[name].length];
      const tags = tagSets[at % tagSets.length]!;
      await transport.call('update_task', { task_id, [name]: value, tags });
      now.set(task_id, { ...now.get(task_id)!, [name]: value, tags });
    }
    for (const filter of [
      ...[{ status: 'todo' }, { kind: 'decision' }, { priority: 'urgent' }, { lane: 'auto' }, { severity: 'high' }],
      ...[{ assignee: 'bob' }, { tags: ['bed'] }, { tags: ['fence'] }, { status: 'scope', tags: ['path'] }],
    ]) {
      const { tasks } = await transport.call('list_tasks', { project_id, ...filter });
      const ids = tasks.map(({ id }: Made) => id);
      expect(ids, JSON.stringify(filter)).to.deep.equal(chosen([...now.values()], filter));
    }
  });

  overBoth('rejects a filter that could match nothing by mistake [D2.invalid_argument]', async (transport) => {
    const project_id = await transport.service.project();
    for (const [field, value] of [
      ...([
        ['status', 'finished'],
        ['kind', 'test'],
        ['priority', 'top'],
        ['lane', 'fast'],
        ['severity', 'urgent'],
      ] as const),
      ...([
        ['colour', 'red'],
        ['assignee', ' '],
        ['limit', 0],
      ] as const),
    ]) {
      const refused = await transport.refusal('list_tasks', { project_id, [field]: value });
      expect(refused, field).to.include({ error: 'invalid_argument', field });
    }
    const refused = await transport.refusal('list_tasks', { project_id, goal_id: 'gol_none' });
    expect(refused).to.include({ error: 'not_found', resource: 'goal', id: 'gol_none' });
  });

  it('accepts tag in a query once or repeatedly, with any text as its name [D3.filters]', async () => {
    const service = await TestService.start();
    try {
      const path = `/projects/${await service.project()}/tasks`;
      for (const tags of [['a&b=c'], ['späť 100%'], ['plain'], ['a,b']]) {
        expect((await service.rest.post(path, { label: tags[0], tags })).status).to.equal(201);
      }
      const labels = async (query: string): Promise<string[]> =>
        (await service.rest.get(`${path}?${query}`)).body.tasks.map(
          ({ label }: { label: string }) => label,
        ) as string[];
      const name = encodeURIComponent;
      expect(await labels(`tag=${name('a&b=c')}`)).to.deep.equal(['a&b=c']);
      expect(await labels(`tag=${name('a,b')}`), 'a comma parts no tags').to.deep.equal(['a,b']);
      expect(await labels(`tag=${name('späť 100%')}&tag=PLAIN`)).to.deep.equal(['späť 100%', 'plain']);
      expect((await service.rest.get(`${path}?tags=plain`)).body).to.include({
        error: 'invalid_argument',
        field: 'tags',
      });
      expect((await service.rest.get(`${path}?status=todo&status=done`)).body).to.include({ field: 'status' });
    } finally {
      await service.stop();
    }
  });
});
