import { expect } from 'chai';
import { overBoth, restTransport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Shown {
  readonly id: string;
  readonly label: string;
  readonly rank?: string;
  readonly created_at: string;
}

const labelsOf = (rows: readonly { readonly label: string }[]): string => rows.map(({ label }) => label).join('');

describe('The order by hand', () => {
  overBoth(
    'is that of get_next_task below priority and due date, and is kept in the file [A.rank.next, A.rank.move, A.rank.age]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { tasks } = await transport.call('change_tasks', {
        project_id,
        tasks: [...'ABCD'].map((label) => ({ label })),
      });
      const [a, b, c, d] = (tasks as Shown[]).map(({ id }) => id);
      const nextLabel = async (): Promise<string> =>
        (await transport.call('get_next_task', { project_id })).next_task.label as string;
      const listed = async (): Promise<Shown[]> =>
        (await transport.service.rest.get(`/projects/${project_id}/tasks?order=rank`)).body.tasks as Shown[];
      expect(await nextLabel()).to.equal('A');
      await transport.call('change_tasks', { project_id, tasks: [{ task_id: c, above: '*' }] });
      expect(await nextLabel()).to.equal('C');
      await transport.call('change_tasks', { project_id, tasks: [{ task_id: a, below: d }] });
      expect(labelsOf(await listed())).to.equal('CBDA');
      // What is due, or urgent, is taken first.
      await transport.call('update_task', { task_id: d, due_date: '2030-01-01' });
      expect(await nextLabel()).to.equal('D');
      await transport.call('update_task', { task_id: a, priority: 'low' });
      expect(await nextLabel()).to.equal('A');
      const before = await listed();
      expect(await transport.call('get_task', { task_id: b })).to.not.have.property('rank');
      const moved = await transport.call('get_task', { task_id: c });
      expect(moved.rank).to.be.a('string').and.equal(before[0]!.rank);
      await transport.service.restart();
      expect(await listed()).to.deep.equal(before);
      // A client sorts tasks that were moved among those that were not.
      const placeOf = ({ rank, created_at: at, id }: Shown): string => rank ?? `${at.replaceAll(/\D/g, '')}${id}`;
      expect(before.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))).to.deep.equal(before);
    },
    { watch: false },
  );

  it('lists by creation, rank or work, in pages of any size [A.rank.lists]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const path = `/projects/${project_id}/tasks`;
      const tasks = [...'ABCDE'].map((label, at) => ({
        label,
        ...(at % 2 === 0 ? { above: '*' } : { priority: 'high', tags: ['even'] }),
      }));
      await restTransport(service).call('change_tasks', { project_id, tasks });
      for (const [order, expected] of [
        ['created', 'ABCDE'],
        ['rank', 'ECABD'],
        ['work', 'BDECA'],
      ] as const) {
        expect(labelsOf((await service.rest.get(`${path}?order=${order}`)).body.tasks as Shown[])).to.equal(expected);
        let [found, cursor] = ['', ''];
        do {
          const page = (await service.rest.get(`${path}?order=${order}&limit=2${cursor}`)).body;
          found += labelsOf(page.tasks as Shown[]);
          cursor = page.next_cursor === undefined ? '' : `&cursor=${page.next_cursor}`;
        } while (cursor !== '');
        expect(found, order).to.equal(expected);
      }
      expect(labelsOf((await service.rest.get(`${path}?order=work&tag=even`)).body.tasks as Shown[])).to.equal('BD');
      const { next_cursor } = (await service.rest.get(`${path}?limit=2`)).body;
      const refused = (await service.rest.get(`${path}?order=rank&cursor=${next_cursor}`)).body;
      expect(refused).to.include({ error: 'invalid_argument', field: 'cursor' });
    } finally {
      await service.stop();
    }
  });

  it('moves a task with other changes of it, as one change that is taken back [A.rank.move, A.rank.cli]', async () => {
    const service = await TestService.start();
    try {
      const { rest } = service;
      const project_id = await service.project();
      const made: Shown[] = [];
      for (const label of 'ABC') made.push((await rest.post(`/projects/${project_id}/tasks`, { label })).body as Shown);
      const [a, b, c] = made as [Shown, Shown, Shown];
      const order = async (): Promise<string> =>
        labelsOf((await rest.get(`/projects/${project_id}/tasks?order=rank`)).body.tasks as Shown[]);
      const { headers } = await rest.get(`/tasks/${c.id}`);
      const { body: moved } = await rest.patch(`/tasks/${c.id}`, { status: 'in_progress', above: b.id });
      expect(moved).to.include({ status: 'in_progress' });
      expect(await order()).to.equal('ACB');
      expect((await rest.get(`/tasks/${c.id}`)).headers.get('etag')).not.to.equal(headers.get('etag'));
      const { body: feed } = await rest.get(`/projects/${project_id}/events?limit=100`);
      const last = (feed.events as { type: string; changes: { field: string }[] }[]).findLast(
        ({ type }) => type === 'task.updated',
      );
      expect(last?.changes.map(({ field }) => field)).to.have.members(['status', 'rank']);
      expect((await rest.post(`/projects/${project_id}/undo`, {})).status).to.equal(200);
      expect(await order()).to.equal('ABC');
      // Like a move on the canvas it is no change of the content.
      const revisions = async (): Promise<number> =>
        ((await rest.get(`/projects/${project_id}/revisions?target_id=${a.id}`)).body.revisions as []).length;
      const before = await revisions();
      expect((await rest.patch(`/tasks/${a.id}`, { below: '*' })).body.updated_at).to.equal(
        (a as unknown as { updated_at: string }).updated_at,
      );
      expect([await order(), await revisions()]).to.deep.equal(['BCA', before]);
      const removed = await rest.delete(`/tasks/${a.id}`);
      expect(removed.status).to.equal(204);
      expect((await rest.post(`/projects/${project_id}/undo`, {})).status).to.equal(200);
      expect(await order()).to.equal('BCA');
      for (const [body, field] of [
        [{ above: 'tsk_none' }, 'above'],
        [{ above: a.id, below: b.id }, 'below'],
      ] as const)
        expect((await rest.patch(`/tasks/${c.id}`, body)).body).to.include({ error: 'invalid_argument', field });
    } finally {
      await service.stop();
    }
  });

  it('is kept by an export and its import, also among tasks of one time [A.rank.export]', async () => {
    const service = await TestService.start();
    try {
      const { rest } = service;
      const transport = restTransport(service);
      const project_id = await service.project();
      const tasks = [...'ABCDEFGH'].map((label) => ({ label, key: label }));
      const { key_to_id: ids } = await transport.call('change_tasks', { project_id, tasks });
      const order = async (project: string): Promise<string> =>
        labelsOf((await rest.get(`/projects/${project}/tasks?order=rank`)).body.tasks as Shown[]);
      const exported = (await rest.get(`/projects/${project_id}/export`)).body;
      expect((exported.tasks as { rank?: string | null }[]).every(({ rank = null }) => rank === null)).to.equal(true);
      await transport.call('change_tasks', { project_id, tasks: [{ task_id: ids.G, above: ids.C }] });
      const moved = (await rest.get(`/projects/${project_id}/export`)).body;
      for (const [draft, expected] of [
        [exported, 'ABCDEFGH'],
        [moved, 'ABGCDEFH'],
      ] as const) {
        const imported = (await rest.post('/projects/import', draft)).body as { id: string };
        expect(await order(imported.id)).to.equal(expected);
        await rest.delete(`/projects/${imported.id}`);
      }
    } finally {
      await service.stop();
    }
  });
});
