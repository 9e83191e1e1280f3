import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import type { Call } from '../../src/operations/pipeline/dispatch.ts';
import type { Caller } from '../../src/operations/declaration/operation.ts';
import { asOwner, ItemWorld, owner } from '../support/items.ts';
import type { ItemRecord } from '../support/items.ts';

describe('dispatch', () => {
  let world: ItemWorld;
  let one: string;
  let two: string;

  async function makeProject(name: string): Promise<string> {
    const { project } = (await world.call('create_project', { name })) as { project: { id: string } };
    return project.id;
  }

  async function makeItem(project_id: string, label = 'Item', call: Partial<Call> = {}): Promise<ItemRecord> {
    return ((await world.call('create_task', { project_id, label }, call)) as { item: ItemRecord }).item;
  }

  async function labels(project_id: string): Promise<string[]> {
    const { items } = (await world.call('list_tasks', { project_id })) as { items: ItemRecord[] };
    return items.map(({ label }) => label);
  }

  async function refusal(promise: Promise<unknown>): Promise<PlannerError> {
    return promise.then(
      () => expect.fail('it was not refused'),
      (error: unknown) => error as PlannerError,
    );
  }

  const agent = (boundTo: string): Caller => ({
    kind: 'agent',
    id: 'key_1',
    author: 'agent:helper',
    boundTo,
    defaultProject: boundTo,
  });

  beforeEach(async () => {
    world = await new ItemWorld().open();
    one = await makeProject('One');
    two = await makeProject('Two');
  });

  afterEach(async () => {
    await world.close();
    world.remove();
  });

  describe('finds the project', () => {
    it('that an id belongs to', async () => {
      const item = await makeItem(two);
      const answer = (await world.call('get_task', { item_id: item.id })) as { item: ItemRecord };
      expect(answer.item.id).to.equal(item.id);
    });

    it('that the call names, and no other for an id', async () => {
      const item = await makeItem(two);
      const error = await refusal(world.call('get_task', { project_id: one, item_id: item.id }));
      expect(error.toJSON()).to.include({ error: 'not_found', resource: 'item', id: item.id });
    });

    it('that config.json binds if none is named [D2.project-default]', async () => {
      await world.call('create_task', { label: 'Here' }, { caller: { ...owner, defaultProject: two } });
      expect(await labels(two)).to.deep.equal(['Here']);
    });

    it('or reports that none is bound [D2.project-missing]', async () => {
      const error = await refusal(world.call('create_task', { label: 'Where' }));
      expect(error.toJSON()).to.include({ error: 'invalid_argument', field: 'project_id' });
      expect(error.message).to.include('list_projects');
    });

    it('or fails and names the projects, if several have the id [D1.ambiguous-id]', async () => {
      const meta = { author: 'human:owner', source: 'rest' } as const;
      for (const project of [one, two]) {
        await world.store.update(project, meta, (tx) =>
          tx.put('task', { id: 'same', created_at: tx.now, label: project, note: '' }),
        );
      }
      const error = await refusal(world.call('get_task', { item_id: 'same' }));
      expect(error.code).to.equal('conflict');
      expect(error.details['project_ids']).to.have.members([one, two]);
      const named = (await world.call('get_task', { item_id: 'same', project_id: two })) as { item: ItemRecord };
      expect(named.item.label).to.equal(two);
      const bound = (await world.call('get_task', { item_id: 'same' }, { caller: agent(one) })) as { item: ItemRecord };
      expect(bound.item.label).to.equal(one);
    });

    it('and returns not_found for one that does not exist', async () => {
      expect((await refusal(world.call('list_tasks', { project_id: 'prj_none' }))).toJSON()).to.include({
        error: 'not_found',
        resource: 'project',
        id: 'prj_none',
      });
      expect((await refusal(world.call('get_task', { item_id: 'tsk_none' }))).toJSON()).to.include({
        error: 'not_found',
        resource: 'item',
      });
    });
  });

  describe('authorises', () => {
    it('a bound caller only for its project: others are not found', async () => {
      const item = await makeItem(two);
      const caller = agent(one);
      const byId = await refusal(world.call('get_task', { item_id: item.id }, { caller }));
      const unknown = await refusal(world.call('get_task', { item_id: 'tsk_none' }, { caller }));
      expect({ ...byId.toJSON(), id: '', message: '' }).to.deep.equal({ ...unknown.toJSON(), id: '', message: '' });
      const byProject = await refusal(world.call('list_tasks', { project_id: two }, { caller }));
      expect(byProject.toJSON()).to.include({ error: 'not_found', resource: 'project', id: two });
      const { projects } = (await world.call('list_projects', {}, { caller })) as { projects: { id: string }[] };
      expect(projects.map(({ id }) => id)).to.deep.equal([one]);
    });

    it('no agent to delete content or to create a project', async () => {
      const item = await makeItem(one);
      const caller = agent(one);
      for (const [name, input] of [
        ['delete_item', { item_id: item.id }],
        ['delete_project', { project_id: one }],
        ['create_project', { name: 'Three' }],
      ] as const) {
        expect((await refusal(world.call(name, input, { caller }))).code).to.equal('forbidden');
      }
      expect(await labels(one)).to.deep.equal(['Item']);
    });
  });

  describe('validates', () => {
    it('before any lookup, naming the member [D2.invalid_argument]', async () => {
      const error = await refusal(world.call('create_task', { project_id: 'prj_none', label: 'x', colour: 'red' }));
      expect(error.toJSON()).to.include({ error: 'invalid_argument', field: 'colour' });
      expect(error.details['details']).to.have.length(1);
    });

    it('text that a file could not store unchanged', async () => {
      const error = await refusal(world.call('create_task', { project_id: one, label: 'half \ud83d' }));
      expect(error.toJSON()).to.include({ error: 'invalid_argument', field: 'label' });
    });
  });

  describe('rolls everything back', () => {
    it('when a rule fails', async () => {
      const item = await makeItem(one);
      await refusal(world.call('break_item', { item_id: item.id }));
      expect(await labels(one)).to.deep.equal(['Item']);
    });
  });

  describe('compares preconditions', () => {
    async function tagOf(item_id: string): Promise<string> {
      const operation = world.dispatcher.operations.get('get_task')!;
      return (await world.dispatcher.dispatch(operation, { item_id }, asOwner)).etag!;
    }

    it('and returns only the tag for an unchanged resource [D1.304]', async () => {
      const { id } = await makeItem(one);
      const operation = world.dispatcher.operations.get('get_task')!;
      const etag = await tagOf(id);
      for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const outcome = await world.dispatcher.dispatch(operation, { item_id: id }, { ...asOwner, ifNoneMatch });
        expect(outcome).to.deep.equal({ value: undefined, etag, notModified: true });
      }
      const changed = await world.dispatcher.dispatch(
        operation,
        { item_id: id },
        { ...asOwner, ifNoneMatch: '"other"' },
      );
      expect(changed.notModified).to.equal(false);
    });

    it('and changes nothing that changed since If-Match [D1.if-match]', async () => {
      const { id } = await makeItem(one);
      const etag = await tagOf(id);
      const own = etag.slice(1, etag.indexOf('.'));
      await world.call('update_task', { item_id: id, label: 'Second' }, { ifMatch: `"${own}.anything"` });
      const error = await refusal(world.call('update_task', { item_id: id, label: 'Third' }, { ifMatch: etag }));
      expect(error.code).to.equal('precondition_failed');
      expect(await labels(one)).to.deep.equal(['Second']);
      await world.call('update_task', { item_id: id, label: 'Third' }, { ifMatch: '*' });
      expect(await labels(one)).to.deep.equal(['Third']);
    });

    it('and returns a change with the tag of a read', async () => {
      const { id } = await makeItem(one);
      const operation = world.dispatcher.operations.get('update_task')!;
      const { etag } = await world.dispatcher.dispatch(operation, { item_id: id, label: 'Second' }, asOwner);
      expect(etag).to.equal(await tagOf(id));
    });

    it('and rejects If-Match if nothing is compared', async () => {
      const error = await refusal(world.call('create_task', { project_id: one, label: 'x' }, { ifMatch: '"1.2"' }));
      expect(error.toJSON()).to.include({ error: 'invalid_argument', field: 'If-Match' });
    });
  });

  describe('handles a retry of a keyed call', () => {
    it('with the first response [D1.idempotency]', async () => {
      const first = await makeItem(one, 'Once', { idempotencyKey: 'k1' });
      await world.call('update_task', { item_id: first.id, label: 'Changed since' });
      const again = await makeItem(one, 'Once', { idempotencyKey: 'k1' });
      expect(again).to.deep.equal(first);
      expect(await labels(one)).to.deep.equal(['Changed since']);
    });

    it('also while the first one is in flight', async () => {
      const all = await Promise.all(Array.from({ length: 8 }, () => makeItem(one, 'Once', { idempotencyKey: 'k1' })));
      expect(new Set(all.map(({ id }) => id)).size).to.equal(1);
      expect(await labels(one)).to.deep.equal(['Once']);
    });

    it('also when projects are created', async () => {
      const make = (): Promise<{ project: { id: string } }> =>
        world.call('create_project', { name: 'Three' }, { idempotencyKey: 'k' });
      const all = await Promise.all([make(), make(), make()]);
      expect(new Set(all.map(({ project }) => project.id)).size).to.equal(1);
      expect(world.store.projects()).to.have.length(3);
    });

    it('also when the resource was deleted by it', async () => {
      const { id } = await makeItem(one);
      await world.call('delete_item', { item_id: id }, { idempotencyKey: 'k' });
      expect(await world.call('delete_item', { item_id: id }, { idempotencyKey: 'k' })).to.equal(undefined);
      await world.call('delete_project', { project_id: two }, { idempotencyKey: 'p' });
      await world.call('delete_project', { project_id: two }, { idempotencyKey: 'p' });
      expect(world.store.projects()).to.deep.equal([one]);
    });

    it('also after a restart [D1.idempotency-restart]', async () => {
      const first = await makeItem(one, 'Once', { idempotencyKey: 'k1' });
      await world.close();
      await world.open();
      expect(await makeItem(one, 'Once', { idempotencyKey: 'k1' })).to.deep.equal(first);
      expect(await labels(one)).to.deep.equal(['Once']);
    });

    it('with conflict if the key belongs to another call', async () => {
      await makeItem(one, 'Once', { idempotencyKey: 'k1' });
      const otherInput = await refusal(makeItem(one, 'Twice', { idempotencyKey: 'k1' }));
      const otherOperation = await refusal(world.call('create_project', { name: 'Once' }, { idempotencyKey: 'k1' }));
      expect([otherInput.code, otherOperation.code]).to.deep.equal(['conflict', 'conflict']);
    });

    it('for its own credential only', async () => {
      const first = await makeItem(one, 'Once', { idempotencyKey: 'k1' });
      const other = await makeItem(one, 'Once', { idempotencyKey: 'k1', caller: { ...owner, id: 'key_2' } });
      expect(other.id).not.to.equal(first.id);
    });

    it('by executing it again if the first one failed', async () => {
      const { id } = await makeItem(one);
      const change = (label: string): Promise<unknown> =>
        world.call('update_task', { item_id: id, label }, { ifMatch: '"0.0"', idempotencyKey: 'k' });
      expect((await refusal(change('Second'))).code).to.equal('precondition_failed');
      await world.call('update_task', { item_id: id, label: 'Second' }, { idempotencyKey: 'k' });
      expect(await labels(one)).to.deep.equal(['Second']);
    });

    it('and rejects an invalid key', async () => {
      expect((await refusal(makeItem(one, 'x', { idempotencyKey: 'with space' }))).toJSON()).to.include({
        error: 'invalid_argument',
        field: 'Idempotency-Key',
      });
    });
  });

  it('attributes a change to the caller', async () => {
    const item = await makeItem(one, 'Item', { caller: { ...owner, author: 'agent:tester' } });
    await world.call(
      'update_task',
      { item_id: item.id, label: 'Other' },
      { caller: { ...owner, author: 'agent:tester' } },
    );
    const [newest] = await world.store.read(one, (view) => view.revisions(item.id));
    expect(newest).to.deep.include({ author: 'agent:tester', fields: ['label'] });
  });
});
