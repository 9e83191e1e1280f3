import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectCodeOf } from '../../src/base/ids.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { derivedEdgeId } from '../../src/store/record/links.ts';
import type { Link } from '../../src/store/record/record.ts';
import type { Problem } from '../../src/store/record/read-transaction.ts';
import {
  change,
  fileNamed,
  makeProject,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  projectDirectory,
  testCollections,
  type TestStore,
  write,
} from '../support/plan-store.ts';
import type { Scenario, Step, World } from './scenario.ts';
import { shownState, type ShownState } from './shown-state.ts';

type Titled = 'task' | 'document' | 'folder';

/** The engine over records without a meaning. */
export class StoreWorld implements World {
  readonly directory: string;
  readonly disk: Disk;
  /** Ids by the names that the steps give them. */
  readonly ids = new Map<string, string>();
  #store: TestStore | undefined;

  constructor(directory: string, disk: Disk) {
    this.directory = directory;
    this.disk = disk;
  }

  get store(): TestStore {
    if (this.#store === undefined) throw new Error('The store is not open.');
    return this.#store;
  }

  /** The project that is made first. */
  get project(): string {
    return this.store.projects()[0]!;
  }

  /** The project's directory. */
  get files(): string {
    return projectDirectory(this.directory);
  }

  async open(): Promise<void> {
    // Small segments: the journal begins new ones and lets old ones go within a few changes.
    const historyIndex = { rowsMin: 2, rowsMax: 6, blockRows: 2, filesMax: 2 };
    const options = { disk: this.disk, parkedRetryMs: 5, segmentBytes: 4096, historyIndex, log: () => undefined };
    this.#store = await openStore(this.directory, options);
  }

  async close(): Promise<void> {
    await this.store.close();
    this.#store = undefined;
  }

  flush(): Promise<void> {
    return this.store.flush();
  }

  /** An edit by hand that came to nothing durable is no step that was done: the file alone has it. */
  async rescan(): Promise<void> {
    await this.store.rescan();
    if (!this.store.status().writable) throw new Error('The journal has failed.');
  }

  async shown(): Promise<ShownState | undefined> {
    return this.#store && shownState(this.#store, testCollections);
  }

  check(): readonly Problem[] {
    return this.store.check();
  }

  abandon(): Promise<void> {
    this.#store?.abandon();
    return Promise.resolve();
  }

  /** The id of the record with this title, by whatever operation it was created. */
  async idOf(name: Titled, title: string): Promise<string> {
    const id = await this.#find(name, title);
    if (id === undefined) throw new Error(`There is no ${name} ${title}.`);
    return id;
  }

  async has(name: Titled, title: string): Promise<boolean> {
    return (await this.#find(name, title)) !== undefined;
  }

  #find(name: Titled, title: string): Promise<string | undefined> {
    return this.store.read(
      this.project,
      (view) => [...view.list(name)].find((record) => ('title' in record ? record.title : record.name) === title)?.id,
    );
  }
}

type StoreStep = Step<StoreWorld>;

const long = 'A line of a long text that fills some blocks of the disk.\n'.repeat(60);
const huge = 'A text that is too large for the index and is read from its copy.\n'.repeat(1200);

const open: StoreStep = (world) => world.open();
const close: StoreStep = (world) => world.close();
const flush: StoreStep = (world) => world.flush();
const project =
  (name: string): StoreStep =>
  (world) =>
    makeProject(world.store, name);
const task =
  (title: string, fields: object = {}): StoreStep =>
  (world) =>
    newItem(world.store, world.project, { title, ...fields });
const page =
  (title: string, body = '', folder?: string): StoreStep =>
  async (world) =>
    newPage(world.store, world.project, {
      title,
      body,
      folder_id: folder === undefined ? null : await world.idOf('folder', folder),
    });
const folder =
  (name: string, parent?: string): StoreStep =>
  async (world) =>
    newFolder(world.store, world.project, {
      name,
      parent_folder_id: parent === undefined ? null : await world.idOf('folder', parent),
    });
const edit =
  (name: Titled, title: string, fields: object): StoreStep =>
  async (world) =>
    change(world.store, world.project, name, await world.idOf(name, title), fields);
const move =
  (title: string, to: string | null): StoreStep =>
  async (world) =>
    change(world.store, world.project, 'document', await world.idOf('document', title), {
      folder_id: to === null ? null : await world.idOf('folder', to),
    });
const remove =
  (name: Titled, title: string): StoreStep =>
  async (world) => {
    const id = await world.idOf(name, title);
    return world.store.update(world.project, meta, (tx) => tx.remove(name, id));
  };

function linkTo({ project: id }: StoreWorld, from: string, to: string): Link {
  return {
    to,
    type: to.startsWith('tsk') ? 'task' : 'document',
    id: derivedEdgeId(projectCodeOf(id)!, from, to, undefined),
  };
}

/** One transaction that adds, changes and removes records and links one to the other. */
const many =
  (suffix: string, changed: string, removed: string): StoreStep =>
  async (world) => {
    const [from, gone] = [await world.idOf('task', changed), await world.idOf('task', removed)];
    return world.store.update(world.project, meta, (tx) => {
      const added = ['left', 'right'].map((side) =>
        tx.put('task', {
          ...{ id: tx.newId('task'), created_at: tx.now, title: `${side} ${suffix}`, status: 'todo' },
          ...{ owner: null, text: long, tags: ['x'], links: [] },
        }),
      );
      tx.put('task', { ...tx.get('task', from)!, owner: suffix, links: [linkTo(world, from, added[0]!.id)] });
      tx.remove('task', gone);
    });
  };

const storeScenario = (
  title: string,
  steps: { readonly before?: readonly StoreStep[]; readonly steps: readonly StoreStep[] },
  more: Pick<Scenario, 'revisions'> = {},
): Scenario<StoreWorld> => ({
  title,
  make: (directory, disk) => new StoreWorld(directory, disk),
  steps: () => steps,
  ...more,
});

const commits = storeScenario('commit', {
  steps: [
    open,
    project('Plan'),
    task('one'),
    task('two', { text: long }),
    edit('task', 'one', { status: 'done', owner: 'me' }),
    many('first', 'one', 'two'),
    edit('task', 'one', { text: huge }),
    edit('task', 'one', { title: 'one renamed' }),
    many('second', 'one renamed', 'left first'),
    remove('task', 'one renamed'),
    project('Other'),
    close,
  ],
});

const checkpoints = storeScenario('checkpoint', {
  before: [open, project('Plan'), task('one', { text: long }), task('two'), folder('Folder'), flush, close],
  steps: [
    open,
    edit('task', 'one', { title: 'one renamed', text: `${long}${long}` }),
    page('page', long, 'Folder'),
    flush,
    edit('folder', 'Folder', { name: 'Renamed' }),
    edit('document', 'page', { body: huge }),
    flush,
    folder('Inner', 'Renamed'),
    move('page', 'Inner'),
    edit('document', 'page', { title: 'page moved' }),
    flush,
    move('page moved', null),
    remove('folder', 'Inner'),
    remove('task', 'two'),
    project('Other'),
    flush,
    task('late'),
    many('late', 'one renamed', 'late'),
    close,
  ],
});

/** The changes that a crash left: some in files, some in the journal alone. */
const left: readonly StoreStep[] = [
  open,
  project('Plan'),
  task('one', { text: long }),
  task('two'),
  task('three'),
  folder('Folder'),
  page('page', long, 'Folder'),
  flush,
  edit('task', 'one', { title: 'one renamed', text: huge }),
  edit('folder', 'Folder', { name: 'Renamed' }),
  edit('document', 'page', { title: 'page renamed' }),
  many('left', 'two', 'three'),
  task('four'),
  remove('task', 'four'),
  project('Other'),
];

const recovers = storeScenario('recovery', {
  before: left,
  steps: [open, flush, edit('task', 'one renamed', { owner: 'me' }), close, open, close],
});

/** As an editor saves that leaves nothing to the system: whole, and safe from a power cut. */
function save(path: string, text: string): void {
  write(`${path}~`, text);
  renameSync(`${path}~`, path);
}

const byHand =
  (path: string, text: string): StoreStep =>
  async (world) => {
    save(join(world.files, path), text);
    await world.rescan();
  };
const rewrite =
  (part: string, from: string | RegExp, to: string): StoreStep =>
  async (world) => {
    const path = fileNamed(world.files, part);
    save(path, readFileSync(path, 'utf8').replace(from, to));
    await world.rescan();
  };

const adopts = storeScenario(
  'adoption',
  {
    before: [open, project('Plan'), task('one', { text: long }), task('two'), page('page', long), flush, close],
    steps: [
      open,
      byHand('tasks/idea.md', '---\ntitle: Idea\nowner: Bo # by hand\nextra: stays\n---\nWhat came to mind.\n'),
      byHand('documents/Dropped/notes.md', '# Notes\n\nWithout front matter.\n'),
      edit('task', 'Idea', { status: 'done' }),
      flush,
      async (world) => {
        const [from, to] = [await world.idOf('task', 'one'), await world.idOf('document', 'notes')];
        return change(world.store, world.project, 'task', from, { links: [linkTo(world, from, to)] });
      },
      flush,
      rewrite('one.', 'title: one\n', 'title: one # a remark\nother: kept\n'),
      edit('task', 'one', { owner: 'me', text: `${long}more` }),
      flush,
      async (world) => {
        const path = fileNamed(world.files, 'two.');
        renameSync(path, join(world.files, 'tasks/my own name.md'));
        await world.rescan();
      },
      edit('task', 'two', { title: 'two renamed' }),
      flush,
      byHand('tasks/plain.md', 'Without an id.\n'),
      // Its first change writes its id: without one, a power cut may leave a renamed file and its former record.
      edit('task', 'plain', { owner: 'me' }),
      flush,
      async (world) => {
        const id = await world.idOf('task', 'plain');
        renameSync(join(world.files, 'tasks/plain.md'), join(world.files, 'tasks/renamed.md'));
        await world.rescan();
        if ((await world.idOf('task', 'renamed')) !== id) throw new Error('The renamed file is another record.');
      },
      async (world) => {
        rmSync(fileNamed(world.files, 'page'));
        // A missing file is checked again before it counts as deleted.
        for (let looks = 0; looks < 1000 && (await world.has('document', 'page')); looks++) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          await world.rescan();
        }
      },
      close,
    ],
  },
  { revisions: 'at least' },
);

/**
 * Saves a file before the service notices, then writes everything back. Files of tasks are found by the id in their name: a
 * new title renames the file, which the service may have done before this step.
 */
const meanwhile =
  (part: string | { readonly task: string }, from: string | RegExp, to: string): StoreStep =>
  async (world) => {
    const path = fileNamed(world.files, typeof part === 'string' ? part : await world.idOf('task', part.task));
    save(path, readFileSync(path, 'utf8').replace(from, to));
    await world.flush();
    await world.rescan();
    await world.flush();
  };

const merges = storeScenario(
  'merge',
  {
    before: [
      open,
      project('Plan'),
      task('one', { text: 'first\n\nsecond\n\nthird\n' }),
      task('two', { tags: ['a'] }),
      page('page', long),
      flush,
    ],
    steps: [
      open,
      edit('task', 'one', { text: 'first\n\nsecond\n\nthird by a call\n' }),
      meanwhile('one.', 'first', 'first by hand'),
      edit('task', 'two', { tags: ['a', 'b'], owner: 'caller' }),
      meanwhile('two.', '- a', '- a\n  - c'),
      edit('task', 'two', { title: 'by a call' }),
      meanwhile({ task: 'by a call' }, /title: .*/, 'title: by hand'),
      edit('document', 'page', { status: 'ready' }),
      meanwhile('page', 'A line', 'One line'),
      close,
    ],
  },
  { revisions: 'at least' },
);

export const storeScenarios: readonly Scenario<StoreWorld>[] = [commits, checkpoints, recovers, adopts, merges];
