import { hash } from 'node:crypto';
import type { Collection, Field } from '../../src/store/record/collection.ts';
import type { StoreOptions } from '../../src/store/files/project/options.ts';
import type { Link, StoredRecord } from '../../src/store/record/record.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { clock, meta, type Plan, testCollections } from './plan-store.ts';

/** Pages of two formats, for the engine's tests. */
export interface Screen extends StoredRecord {
  readonly title: string;
  readonly kind: 'markdown' | 'html';
  readonly content: string;
  readonly links: readonly Link[];
}

/** Records with bytes next to their file, for the engine's tests. */
export interface Picture extends StoredRecord {
  readonly filename: string;
  readonly size: number;
  readonly sha256: string;
}

export interface PageCollections {
  [name: string]: StoredRecord;
  project: Plan;
  artifact: Screen;
  file: Picture;
}

const text = (name: string, always = false, absent: unknown = null): Field => ({ name, kind: 'text', absent, always });

const pageCollections: readonly Collection[] = [
  ...testCollections.filter(({ name }) => name === 'project'),
  {
    name: 'artifact',
    id: 'artifact',
    location: { kind: 'slug', directory: 'artifacts', title: 'title' },
    shape: {
      format: 'markdown',
      body: 'content',
      fields: [
        ...[text('id', true), text('kind', false, 'markdown'), text('created_at', true), text('title', true, '')],
        { name: 'links', kind: 'links', absent: [] },
      ],
      alternative: { field: 'kind', value: 'html', format: 'html' },
    },
    versioned: ['title', 'kind', 'content'],
    sets: [],
    texts: ['content'],
    validate: () => [],
  },
  {
    name: 'file',
    id: 'file',
    location: { kind: 'slug', directory: 'files', title: 'filename' },
    shape: {
      format: 'json',
      fields: [
        ...[
          text('id', true),
          text('filename', true),
          { name: 'size', kind: 'number', absent: null, always: true } as const,
        ],
        ...[text('sha256', true), text('created_at', true)],
      ],
    },
    versioned: [],
    sets: [],
    texts: [],
    bytes: { sha256: 'sha256', size: 'size', name: 'filename' },
    validate: () => [],
  },
];

export type PageStore = FileStore<PageCollections>;

/** Opens a store over `<directory>/.planner` with short intervals and the inline writer, unless the options say otherwise. */
export function openPageStore(directory: string, options: Partial<StoreOptions> = {}): Promise<PageStore> {
  return FileStore.open<PageCollections>({
    root: `${directory}/.planner`,
    collections: pageCollections,
    serviceCollections: [],
    clock,
    writer: 'inline',
    watch: false,
    rescanIntervalMs: 0,
    parkedRetryMs: 5,
    log: () => undefined,
    ...options,
  });
}

export function makePageProject(store: PageStore): Promise<string> {
  return store.createProject('Pages', meta, (tx) => {
    tx.put('project', { id: tx.project, created_at: tx.now, name: 'Pages' });
    return tx.project;
  });
}

export function putScreen(store: PageStore, project: string, fields: Partial<Screen>): Promise<Screen> {
  return store.update(project, meta, (tx) => {
    const former = fields.id === undefined ? undefined : tx.get('artifact', fields.id);
    const fresh: Omit<Screen, 'updated_at'> = {
      ...{ id: tx.newId('artifact'), created_at: tx.now, title: 'Page', kind: 'html', content: '', links: [] },
    };
    return tx.put('artifact', { ...(former ?? fresh), ...fields });
  });
}

/** Stages bytes and puts a record that names them. */
export async function putPicture(
  store: PageStore,
  project: string,
  content: string | Uint8Array,
  filename = 'Logo.png',
): Promise<Picture> {
  const staged = await store.stage([Buffer.from(content)]);
  return store.update(project, meta, (tx) =>
    tx.put('file', { id: tx.newId('file'), created_at: tx.now, filename, ...staged }),
  );
}

/** The bytes of a record as the store reads them. */
export function pictureBytes(store: PageStore, project: string, id: string): Promise<Buffer> {
  return store.read(project, (view) => Buffer.from(view.bytes('file', id)!.whole()));
}

export function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
