import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Disk, nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Collection, Field } from '../../src/store/record/collection.ts';
import { idOfFolder } from '../../src/store/record/locations.ts';
import type { Link, StoredRecord } from '../../src/store/record/record.ts';
import type { ChangeMeta } from '../../src/store/record/status.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { skippingClock } from './manual-clock.ts';
import { scratchDirectory } from './scratch.ts';
import type { StoreOptions } from '../../src/store/files/project/options.ts';

/** Collections of the engine's own tests: one of each place and shape, without any meaning. */
export interface Item extends StoredRecord {
  readonly title: string;
  readonly status: string;
  readonly owner: string | null;
  readonly text: string;
  readonly tags: readonly string[];
  readonly links: readonly Link[];
}

export interface Page extends StoredRecord {
  readonly title: string;
  readonly status: string | null;
  readonly folder_id: string | null;
  readonly body: string;
  readonly links: readonly Link[];
}

export interface Folder extends StoredRecord {
  readonly name: string;
  readonly parent_folder_id: string | null;
}

export interface Plan extends StoredRecord {
  readonly name: string;
}

export interface TestCollections {
  [name: string]: StoredRecord;
  project: Plan;
  task: Item;
  document: Page;
  folder: Folder;
}

const text = (name: string, always = false): Field => ({ name, kind: 'text', absent: null, always });
const links: Field = { name: 'links', kind: 'links', absent: [] };
const valid = (): readonly never[] => [];

export const testCollections: readonly Collection[] = [
  {
    name: 'project',
    id: 'project',
    location: { kind: 'single', file: 'project.json' },
    shape: {
      format: 'json',
      fields: [text('id', true), text('name', true), text('created_at', true), text('updated_at', true)],
    },
    versioned: [],
    sets: [],
    texts: [],
    validate: valid,
  },
  {
    name: 'task',
    id: 'task',
    location: { kind: 'slug', directory: 'tasks', title: 'title' },
    shape: {
      format: 'markdown',
      body: 'text',
      fields: [
        { name: 'status', kind: 'text', absent: 'todo', always: true },
        text('id', true),
        text('owner'),
        text('created_at', true),
        { name: 'title', kind: 'text', absent: '', always: true },
        { name: 'tags', kind: 'texts', absent: [] },
        links,
      ],
    },
    versioned: ['title', 'status', 'owner', 'text', 'tags'],
    sets: ['tags'],
    texts: ['text'],
    indexes: { status: (record: Item) => record.status },
    validate: (record) => ((record as Item).title === '' ? [{ field: 'title', message: 'must not be blank' }] : []),
  },
  {
    name: 'document',
    id: 'document',
    location: { kind: 'tree', directory: 'documents', title: 'title', folder: 'folder_id', folders: 'folder' },
    shape: {
      format: 'markdown',
      body: 'body',
      fields: [
        text('status'),
        text('id', true),
        { name: 'title', kind: 'text', absent: '', always: true },
        text('created_at', true),
        links,
      ],
    },
    versioned: ['title', 'status', 'body', 'folder_id'],
    sets: [],
    texts: ['body'],
    validate: valid,
  },
  {
    name: 'folder',
    id: 'folder',
    location: { kind: 'folder', directory: 'documents', parent: 'parent_folder_id' },
    shape: { format: 'json', fields: [text('id', true), text('name')] },
    versioned: [],
    sets: [],
    texts: [],
    validate: valid,
  },
];

export const meta: ChangeMeta = { author: 'human:test', source: 'rest' };

export type TestStore = FileStore<TestCollections>;

/** The clock of all stores here, unless the options say otherwise. */
export const clock = skippingClock();

/** Opens a store over `<directory>/.planner` with short intervals and the inline writer, unless the options say otherwise. */
export function openStore(directory: string, options: Partial<StoreOptions> = {}): Promise<TestStore> {
  return FileStore.open<TestCollections>({ ...optionsOf(directory), ...options });
}

/** The options of such a store. */
export function optionsOf(directory: string): StoreOptions {
  return {
    root: join(directory, '.planner'),
    collections: testCollections,
    serviceCollections: [
      { name: 'leases', placement: 'project' },
      { name: 'keys', placement: 'service' },
      { name: 'responses', placement: 'answer' },
    ],
    clock,
    writer: 'inline',
    watch: false,
    rescanIntervalMs: 0,
    log: (message) => process.stderr.write(`      store: ${message}\n`),
  };
}

/** The file system of a machine that was started under this boot id. */
export function afterBoot(bootId: string): Disk {
  return { ...nodeDisk, bootId: () => bootId };
}

/** The file system, with the directories whose names it has synced so far. */
export function recordingSyncs(): { readonly disk: Disk; readonly synced: string[] } {
  const synced: string[] = [];
  const syncDirectory = (path: string): void => {
    synced.push(path);
    nodeDisk.syncDirectory(path);
  };
  return { disk: { ...nodeDisk, syncDirectory }, synced };
}

export async function makeProject(store: Pick<TestStore, 'createProject'>, name = 'Plan'): Promise<string> {
  return store.createProject(name, meta, (tx) => {
    tx.put('project', { id: tx.project, created_at: tx.now, name });
    return tx.project;
  });
}

export function newItem(store: Pick<TestStore, 'update'>, project: string, fields: Partial<Item> = {}): Promise<Item> {
  return store.update(project, meta, (tx) =>
    tx.put('task', {
      id: tx.newId('task'),
      created_at: tx.now,
      title: 'An item',
      status: 'todo',
      owner: null,
      text: '',
      tags: [],
      links: [],
      ...fields,
    }),
  );
}

export function newPage(store: TestStore, project: string, fields: Partial<Page> = {}): Promise<Page> {
  return store.update(project, meta, (tx) =>
    tx.put('document', {
      id: tx.newId('document'),
      created_at: tx.now,
      title: 'A page',
      status: null,
      folder_id: null,
      body: '',
      links: [],
      ...fields,
    }),
  );
}

export function newFolder(store: TestStore, project: string, fields: Partial<Folder> = {}): Promise<Folder> {
  return store.update(project, meta, (tx) =>
    tx.put('folder', {
      id: idOfFolder(tx.code, 'documents', [fields.parent_folder_id ?? '', fields.name ?? 'Folder'].filter(Boolean)),
      created_at: tx.now,
      name: 'Folder',
      parent_folder_id: null,
      ...fields,
    }),
  );
}

export function change<N extends 'task' | 'document' | 'folder'>(
  store: Pick<TestStore, 'update'>,
  project: string,
  name: N,
  id: string,
  fields: Partial<TestCollections[N]>,
): Promise<TestCollections[N]> {
  return store.update(project, meta, (tx) => {
    const record = tx.get(name, id);
    if (record === undefined) throw new Error(`${id} is not there`);
    return tx.put(name, { ...record, ...fields });
  });
}

export function read<N extends 'task' | 'document' | 'folder' | 'project'>(
  store: TestStore,
  project: string,
  name: N,
  id: string,
): Promise<TestCollections[N] | undefined> {
  return store.read(project, (view) => view.get(name, id));
}

/**
 * A missing file counts as deleted only after the grace period. For a store of `openStore` or `openPageStore` with
 * their own clock.
 */
export async function rescanTwice(store: { rescan(): Promise<unknown> }): Promise<void> {
  await store.rescan();
  clock.skip(90);
  await store.rescan();
}

/** A store with one project that is in files. */
export interface OpenedPlan {
  readonly store: TestStore;
  readonly project: string;
  /** The project's directory. */
  readonly directory: string;
}

/**
 * Opens a store with one project before each test, in a directory of its own, and closes it afterwards. `current`: the
 * store that a test has opened since.
 */
export function storeWithProject(
  current: () => TestStore,
  onOpened: (plan: OpenedPlan) => void,
): { readonly path: string } {
  // Before the scratch directory's own hook, which removes the files.
  afterEach(() => current().close());
  const scratch = scratchDirectory();
  beforeEach(async () => {
    const store = await openStore(scratch.path);
    const project = await makeProject(store);
    await store.flush();
    onOpened({ store, project, directory: projectDirectory(scratch.path) });
  });
  return scratch;
}

/** Closes a store and opens its root again, without the index cache unless `withCache`. */
export async function reopened(store: TestStore, directory: string, withCache = true): Promise<TestStore> {
  await store.close();
  if (!withCache) rmSync(join(directory, '.planner/local/index-cache'));
  return openStore(directory);
}

/** The only project directory below a root. */
export function projectDirectory(directory: string): string {
  const projects = join(directory, '.planner', 'projects');
  const [name] = readdirSync(projects);
  return join(projects, name ?? '');
}

/** Every file below a directory with its content, by relative path. */
export function tree(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  if (!existsSync(directory)) return found;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(directory.length + 1)] = readFileSync(path, 'utf8');
  }
  return found;
}

/** The path of the one file whose name contains the text. */
export function fileNamed(directory: string, part: string): string {
  // With the types, Node needs no call per file.
  for (const { parentPath, name } of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(parentPath, name);
    if (path.slice(directory.length).includes(part)) return path;
  }
  throw new Error(`no file with ${part} in its name`);
}

/** Replaces a text in the only file with a part in its name. */
export function editFile(directory: string, part: string, from: string, to: string): void {
  const path = fileNamed(directory, part);
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

/** The former values that the revisions of a record have, as JSON. */
export function formerValuesOf(store: TestStore, project: string, id: string): Promise<string> {
  return store.read(project, (view) => JSON.stringify(view.revisions(id).map(({ before }) => before)));
}

export function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

export function remove(path: string): void {
  rmSync(path, { recursive: true });
}
