import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDocument, updateDocument } from '../../src/domain/content/documents.ts';
import { EdgeSheets } from '../../src/domain/links/edge-sheets.ts';
import { createNote, deleteNote } from '../../src/domain/content/notes.ts';
import { createPrototype } from '../../src/domain/content/prototypes.ts';
import { newRecord } from '../../src/domain/records/collections.ts';
import type { PlanTransaction } from '../../src/domain/records/collections.ts';
import { atOnce } from '../../src/base/slices.ts';
import { createTask } from '../../src/domain/plan/tasks.ts';
import type { TestService } from './service.ts';

const meta = { author: 'human:Ada', source: 'rest' } as const;

/** A project with so many records of each kind, all of them around one of another kind. */
export interface LargeProject {
  readonly id: string;
  /** The tasks, in the default goal, all with one tag; the first leads to each, and each leads to the second. */
  readonly tasks: readonly string[];
  /** The documents, in one folder; the first has as many revisions. */
  readonly documents: readonly string[];
  readonly folder: string;
  readonly prototype: string;
  readonly artifacts: readonly string[];
  /** All on one task. */
  readonly comments: readonly string[];
  readonly discussed: string;
  readonly notes: readonly string[];
  readonly submissions: readonly string[];
  readonly views: readonly string[];
  readonly runs: readonly string[];
  readonly goals: readonly string[];
  readonly files: readonly string[];
}

/** Creates it directly in the store. */
export async function largeProject(service: TestService, count: number): Promise<LargeProject> {
  const id = await service.project('Large');
  const { store } = service;
  const staged = await store.stage([Buffer.from('bytes')]);
  const made = await store.update(id, meta, (tx) => ({
    ...nodes(tx, count),
    ...others(tx, count, staged),
  }));
  await store.update(id, meta, (tx) => joinAll(tx, made.tasks));
  await store.update(id, meta, (tx) => {
    for (const note of times(count, () => createNote(tx, { title: 'Gone' }))) atOnce(deleteNote(tx, note.id));
  });
  const [document_id] = made.documents as [string];
  await Promise.all(
    times(count, (at) =>
      store.update(id, meta, (tx) => void updateDocument(tx, { document_id, body: `Version ${at}.\n` })),
    ),
  );
  await store.flush();
  writeBroken(service, count);
  await store.rescan();
  await store.flush();
  return { id, ...made };
}

function times<V>(count: number, make: (at: number) => V): V[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function nodes(tx: PlanTransaction, count: number): Pick<LargeProject, 'tasks' | 'documents' | 'folder'> {
  const at = { created_at: tx.now };
  const { id: folder } = tx.put(
    'folder',
    newRecord('folder', { id: tx.newId('folder'), ...at, name: 'All', parent_folder_id: null }),
  );
  for (let each = 0; each < count; each++)
    tx.put(
      'folder',
      newRecord('folder', { id: tx.newId('folder'), ...at, name: `In ${each}`, parent_folder_id: folder }),
    );
  return {
    folder,
    tasks: times(count, (each) => createTask(tx, { label: `Bed ${each}`, tags: ['all'], assignee: 'Bo' }).id),
    documents: times(
      count,
      (each) =>
        createDocument(tx, { title: `Bed ${each}`, body: 'A bed', folder_id: folder, position: { x: each, y: 0 } }).id,
    ),
  };
}

type Staged = Awaited<ReturnType<TestService['store']['stage']>>;
type Others = Omit<LargeProject, 'id' | 'tasks' | 'documents' | 'folder'>;

function others(tx: PlanTransaction, count: number, staged: Staged): Others {
  const at = { created_at: tx.now };
  const { id: prototype } = createPrototype(tx, { name: 'Shop' });
  const { id: target_id } = createTask(tx, { label: 'Discussed' });
  const put = (make: (each: number) => { readonly id: string }): string[] => times(count, (each) => make(each).id);
  const comment = { author: 'human:Ada', target_type: 'task', target_id, passage: null, body: '<p>Why?</p>' } as const;
  return {
    prototype,
    discussed: target_id,
    artifacts: put((each) =>
      tx.put(
        'artifact',
        newRecord('artifact', {
          id: tx.newId('artifact'),
          ...at,
          title: `Bed ${each}`,
          kind: 'html',
          content: '<p>',
          prototype_id: prototype,
        }),
      ),
    ),
    comments: put(() => tx.put('comment', newRecord('comment', { id: tx.newId('comment'), ...at, ...comment }))),
    notes: put((each) => createNote(tx, { title: `Bed ${each}` })),
    submissions: put((each) =>
      tx.put(
        'submission',
        newRecord('submission', {
          id: tx.newId('submission'),
          ...at,
          participant_name: 'Bo',
          title: `Bed ${each}`,
          body: '',
          status: each === 0 ? 'pending' : 'rejected',
        } as never),
      ),
    ),
    views: put((each) =>
      tx.put(
        'view',
        newRecord('view', { id: tx.newId('view'), ...at, name: `Mine ${each}`, config: {}, position: each }),
      ),
    ),
    runs: put((each) =>
      tx.put(
        'run',
        newRecord('run', {
          id: tx.newId('run'),
          ...at,
          label: 'Night',
          started_at: tx.now,
          events: times(each === 0 ? count : 1, () => ({ id: tx.newId('event'), message: 'Dug.', created_at: tx.now })),
        }),
      ),
    ),
    goals: put((each) =>
      tx.put(
        'goal',
        newRecord('goal', { id: tx.newId('goal'), ...at, objective: `Bed ${each}`, status: 'active' } as never),
      ),
    ),
    files: put((each) =>
      tx.put(
        'file',
        newRecord('file', { id: tx.newId('file'), ...at, filename: `${each}.txt`, mime: 'text/plain', ...staged }),
      ),
    ),
  };
}

/** The first leads to each, and each to the second, so that neither leads back to itself. */
function joinAll(tx: PlanTransaction, [first, second, ...rest]: readonly string[]): void {
  const sheets = new EdgeSheets(tx);
  for (const id of rest) {
    sheets.create({ from_type: 'task', from_id: first!, to_type: 'task', to_id: id });
    sheets.create({ from_type: 'task', from_id: id, to_type: 'task', to_id: second! });
  }
  sheets.write();
}

/** Files of records that cannot be read: each is a problem. */
function writeBroken({ root }: TestService, count: number): void {
  const projects = join(root, 'projects');
  const [directory] = readdirSync(projects);
  const tasks = join(projects, directory!, 'tasks');
  mkdirSync(tasks, { recursive: true });
  for (let each = 0; each < count; each++)
    writeFileSync(join(tasks, `broken-${each}.md`), '---\nstatus: {\n<<<<<<< ours\n---\n');
}
