import { Ajv2020 } from 'ajv/dist/2020.js';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { notFound } from '../../src/base/errors.ts';
import { Dispatcher } from '../../src/operations/pipeline/dispatch.ts';
import type { Call } from '../../src/operations/pipeline/dispatch.ts';
import type { AnyOperation, Caller, Group } from '../../src/operations/declaration/operation.ts';
import { serviceCollections } from '../../src/operations/service-collections.ts';
import type { Violation } from '../../src/store/record/collection.ts';
import type { Collection } from '../../src/store/record/collection.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { FileStore } from '../../src/store/file-store.ts';
import type { ReadTransaction } from '../../src/store/record/read-transaction.ts';

/**
 * A small catalogue of its own, over a real store: the pipeline and the transports are tested apart from any noun's rules.
 */
export interface ItemRecord extends StoredRecord {
  readonly label: string;
  readonly note: string;
}
interface ProjectRecord extends StoredRecord {
  readonly name: string;
}
// A type and not an interface: only types have the index signature that collections need.
export type Items = { project: ProjectRecord; task: ItemRecord };

const text = (name: string): Collection['shape']['fields'][number] => ({
  name,
  kind: 'text',
  absent: '',
  always: true,
});

const collections: readonly Collection[] = [
  {
    name: 'project',
    id: 'project',
    location: { kind: 'single', file: 'project.json' },
    shape: { format: 'json', fields: [text('id'), text('name'), text('created_at')] },
    versioned: [],
    sets: [],
    texts: [],
    validate: () => [],
  },
  {
    name: 'task',
    id: 'task',
    location: { kind: 'slug', directory: 'tasks', title: 'label' },
    shape: { format: 'markdown', fields: [text('id'), text('label'), text('created_at')], body: 'note' },
    versioned: ['label', 'note'],
    sets: [],
    texts: ['note'],
    validate: () => [],
  },
];

const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const object = (properties: Record<string, object>, required: string[] = []): Record<string, unknown> => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

export const schemas: Record<string, Record<string, unknown>> = {
  Nothing: object({}),
  OneProject: object({ project_id: id }, ['project_id']),
  NewProject: object({ name: { type: 'string', minLength: 1 } }, ['name']),
  OneItem: object({ project_id: id, item_id: id }, ['item_id']),
  ListItems: object({
    project_id: id,
    label: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer', minimum: 1 },
    verbose: { type: 'boolean' },
  }),
  NewItem: object({ project_id: id, label: { type: 'string', minLength: 1 }, note_line: { type: 'string' } }, [
    'label',
  ]),
  ChangeItem: object(
    { project_id: id, item_id: id, label: { type: 'string', minLength: 1 }, note_line: { type: 'string' } },
    ['item_id'],
  ),
};

const ajv = new Ajv2020({ allErrors: true });

export function validator(definition: string): (value: unknown) => readonly Violation[] {
  const check = ajv.compile(schemas[definition]!);
  return (value) => {
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, params, message = '' }) => {
      const unknown = (params as { additionalProperty?: string }).additionalProperty;
      const missing = (params as { missingProperty?: string }).missingProperty;
      const path = instancePath.slice(1).replaceAll('/', '.');
      return { field: unknown ?? missing ?? path, message: `${unknown ?? missing ?? path} ${message}` };
    });
  };
}

function item(view: ReadTransaction<Items>, itemId: string): ItemRecord {
  const found = view.get('task', itemId);
  if (found === undefined) throw notFound('item', itemId);
  return found;
}

const tag = (view: ReadTransaction<Items>, input: { item_id: string }): { own: string; rest: string } => ({
  own: hash('sha256', JSON.stringify(item(view, input.item_id)), 'hex').slice(0, 16),
  rest: '0',
});

/** A separate group, which the description lists after the known ones. */
export const group: Group = { name: 'Items', description: 'What the tests of the pipeline work on.' };

export const catalogue: readonly AnyOperation<Items>[] = [
  {
    name: 'list_projects',
    summary: 'Projects.',
    group,
    input: 'Nothing',
    scope: 'workspace',
    effect: 'read',
    rest: { method: 'GET', path: '/projects' },
    mcp: { title: 'List projects', description: 'All projects.' },
    run: ({ projects }) => ({ projects: projects.map((view) => view.get('project', view.project)!) }),
  },
  {
    name: 'create_project',
    summary: 'Makes a project.',
    group,
    input: 'NewProject',
    scope: 'project',
    effect: 'create',
    rest: { method: 'POST', path: '/projects', bare: 'project' },
    mcp: { title: 'Create project', description: 'Makes a project.' },
    projectName: ({ name }) => name,
    run: (tx, { name }) => ({ project: tx.put('project', { id: tx.project, created_at: tx.now, name }) }),
  },
  {
    name: 'delete_project',
    summary: 'Deletes a project.',
    group,
    input: 'OneProject',
    scope: 'project',
    effect: 'delete',
    peopleOnly: true,
    rest: { method: 'DELETE', path: '/projects/:project_id' },
  },
  {
    name: 'get_task',
    summary: 'One item.',
    group,
    input: 'OneItem',
    scope: 'project',
    effect: 'read',
    locate: { member: 'item_id', resource: 'item' },
    rest: { method: 'GET', path: '/items/:item_id', bare: 'item' },
    mcp: { title: 'Get item', description: 'One item.' },
    tag,
    run: (view, input) => ({ item: item(view, input.item_id) }),
  },
  {
    name: 'list_tasks',
    summary: 'Items.',
    group,
    input: 'ListItems',
    scope: 'project',
    effect: 'read',
    rest: { method: 'GET', path: '/projects/:project_id/items' },
    mcp: { title: 'List items', description: 'All items.' },
    run: (view, input) => ({ items: [...view.list('task')].slice(0, input.limit), input }),
  },
  {
    name: 'create_task',
    summary: 'Makes an item.',
    group,
    input: 'NewItem',
    scope: 'project',
    effect: 'write',
    rest: { method: 'POST', path: '/projects/:project_id/items', bare: 'item', names: { note: 'note_line' } },
    mcp: { title: 'Create item', description: 'Makes an item.' },
    run: (tx, { label, note_line: note = '' }, { caller }) => ({
      item: tx.put('task', { id: tx.newId('task'), created_at: tx.now, label, note }),
      warnings: [`made by ${caller.author}`],
    }),
  },
  {
    name: 'update_task',
    summary: 'Changes an item.',
    group,
    input: 'ChangeItem',
    scope: 'project',
    effect: 'write',
    locate: { member: 'item_id', resource: 'item' },
    rest: { method: 'PATCH', path: '/items/:item_id', bare: 'item', names: { note: 'note_line' } },
    mcp: { title: 'Update item', description: 'Changes an item.' },
    tag,
    run: (tx, { item_id, label, note_line }) => {
      const from = item(tx, item_id);
      return { item: tx.put('task', { ...from, label: label ?? from.label, note: note_line ?? from.note }) };
    },
  },
  {
    name: 'delete_item',
    summary: 'Deletes an item.',
    group,
    input: 'OneItem',
    scope: 'project',
    effect: 'write',
    peopleOnly: true,
    locate: { member: 'item_id', resource: 'item' },
    rest: { method: 'DELETE', path: '/items/:item_id' },
    run: (tx, { item_id }) => tx.remove('task', item(tx, item_id).id),
  },
  {
    name: 'break_item',
    summary: 'Fails as a fault of the service would.',
    group,
    input: 'OneItem',
    scope: 'project',
    effect: 'write',
    locate: { member: 'item_id', resource: 'item' },
    rest: { method: 'POST', path: '/items/:item_id/break' },
    run: (tx, { item_id }) => {
      tx.put('task', { ...item(tx, item_id), label: 'broken' });
      throw new Error('a secret of the service');
    },
  },
];

export const owner: Caller = { kind: 'owner', id: 'loopback', author: 'human:owner' };
export const asOwner: Call = { caller: owner, transport: 'rest', baseUrl: 'http://127.0.0.1' };

/** A dispatcher over a store in a temporary directory. */
export class ItemWorld {
  readonly directory = mkdtempSync(join(tmpdir(), 'planner-items-'));
  store!: FileStore<Items>;
  dispatcher!: Dispatcher<Items>;

  async open(): Promise<this> {
    this.store = await FileStore.open<Items>({
      root: join(this.directory, '.planner'),
      collections,
      serviceCollections,
      writer: 'inline',
      watch: false,
      rescanIntervalMs: 0,
    });
    this.dispatcher = new Dispatcher({ store: this.store, catalogue, validator, clock: systemClock });
    return this;
  }

  /** Calls an operation by its name; returns its value. */
  async call(name: string, input: Record<string, unknown> = {}, call: Partial<Call> = {}): Promise<never> {
    const operation = this.dispatcher.operations.get(name)!;
    return (await this.dispatcher.dispatch(operation, input, { ...asOwner, ...call })).value as never;
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  /** Removes the files of a closed store. */
  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
