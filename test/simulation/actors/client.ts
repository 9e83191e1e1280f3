import { PlannerError } from '../../../src/base/errors.ts';
import { idOfFolder } from '../../../src/store/record/locations.ts';
import type { Tx } from '../../../src/store/record/read-transaction.ts';
import type { StoredRecord } from '../../../src/store/record/record.ts';
import { type Folder, type Item, meta, type Page, type TestCollections } from '../../support/plan-store.ts';
import { Random } from '../../support/random.ts';
import type { Change } from '../ledger.ts';
import { home, type World } from '../world.ts';

type Transaction = Tx<TestCollections>;

/** One transaction of a client, with its entries in the ledger. */
class Attempt {
  readonly #world: World;
  readonly #changes: Change[] = [];
  readonly tx: Transaction;
  readonly said: string[] = [];

  constructor(world: World, tx: Transaction) {
    this.#world = world;
    this.tx = tx;
  }

  token(): string {
    return this.#world.ledger.token('client');
  }

  put<N extends 'task' | 'document' | 'folder'>(collection: N, record: Omit<TestCollections[N], 'updated_at'>): void {
    const { id } = record as { id: string };
    const before = this.tx.get(collection, id) as Record<string, unknown> | undefined;
    this.tx.put(collection, record);
    if ('name' in record) this.#world.folderNames.add(String(record.name));
    if (before === undefined) {
      this.#sent(id, '$exists', 'yes');
      const isRestored = this.#world.removed.some((former) => former.id === id);
      const { text, body } = record as { text?: string; body?: string };
      if (!isRestored && (text ?? body ?? '') !== '') this.#world.withText.add(id);
    }
    for (const [field, value] of Object.entries(record))
      if (!['id', 'created_at', 'updated_at', 'links'].includes(field) && !(before && isSame(before[field], value)))
        this.#sent(id, field, shown(value));
    this.said.push(`${before === undefined ? 'creates' : 'changes'} ${id}`);
  }

  remove(collection: 'task' | 'document' | 'folder', record: StoredRecord): void {
    const path = this.tx.pathOf(record.id);
    if (path !== undefined) this.#world.ledger.pathsOfRemoved.set(record.id, `${home}/${path}`);
    this.tx.remove(collection, record.id);
    this.#sent(record.id, '$exists', null);
    // The file that an editor may be writing is a new one, read as it is.
    this.#world.withText.delete(record.id);
    if (collection !== 'folder') this.#world.removed.push({ collection, id: record.id, fields: { ...record } });
    this.said.push(`removes ${record.id}`);
  }

  #sent(id: string, field: string, value: string | null): void {
    this.#changes.push(this.#world.ledger.sent(id, field, value));
  }

  end(state: Change['state']): void {
    for (const change of this.#changes) this.#world.ledger.ended(change, state);
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return shown(a) === shown(b);
}

/** A field's value as the ledger has it. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : '';
}

type Action = (attempt: Attempt, random: Random, world: World) => void;

/** Whatever people are doing to the files, a record never names a folder that is not served, and no folder is in itself. */
function requireClosed(world: World, tx: Transaction): void {
  for (const { id, folder_id: folder } of tx.list('document'))
    if (folder !== null && tx.get('folder', folder) === undefined)
      world.fail(`${id} is in ${folder}, which is not served`);
  for (const { id, parent_folder_id: above } of tx.list('folder')) {
    const folder = above === null ? undefined : tx.get('folder', above);
    if (above !== null && folder === undefined) world.fail(`${id} is in ${above}, which is not served`);
    else if (folder !== undefined && isBelow(tx, folder, id)) world.fail(`${id} is in itself`);
  }
}

/** Calls the service as a client does: the answer counts. */
export async function client(world: World, random: Random, name: keyof typeof actions): Promise<void> {
  const { store, process: service } = world;
  if (store === undefined) return;
  world.calls++;
  world.operations++;
  let attempt: Attempt | undefined;
  let answer: Change['state'] = 'acknowledged';
  let reason = '';
  const seed = random.integer(0, 2 ** 31);
  try {
    await store.update(world.project, meta, (tx) => {
      // The service runs the rule again if a file became readable.
      attempt?.end('refused');
      requireClosed(world, tx);
      attempt = new Attempt(world, tx);
      actions[name](attempt, new Random(seed), world);
      world.say(`a client ${attempt.said.join(', ') || 'changes nothing'} (${name})`);
    });
  } catch (error) {
    reason = ` (${(error as Error).message})`;
    if (!(error instanceof PlannerError)) answer = 'unknown';
    else answer = error.code === 'unavailable' ? 'unknown' : 'refused';
    if (!(error instanceof PlannerError) && service?.isAlive === true && world.machine.fault === undefined)
      world.fail(`a client's call fails: ${(error as Error).stack}`);
  }
  if (service?.isAlive !== true || world.process !== service) return;
  attempt?.end(answer);
  world.calls--;
  world.say(`  ${answer}: ${attempt?.said.join(', ') ?? name}${reason}`);
}

/** How often clients do what. */
export const clientWeights: readonly (readonly [name: keyof typeof actions, weight: number])[] = [
  ['create a task', 3],
  ['create a document', 3],
  ['create a folder', 1],
  ['change a task', 8],
  ['change a document', 6],
  ['rename a record', 4],
  ['move a document', 3],
  ['change a folder', 2],
  ['remove a record', 2],
  ['remove a folder', 1],
  ['restore a record', 2],
  ['change several records', 2],
];

export type ClientAction = keyof typeof actions;

function pick<N extends 'task' | 'document' | 'folder'>(
  { tx }: Attempt,
  random: Random,
  collection: N,
): TestCollections[N] | undefined {
  const all = [...tx.list(collection)];
  return all.length === 0 ? undefined : random.pick(all);
}

const recordsMax = 24;

const actions = {
  'create a task': (attempt, random) => {
    const { tx } = attempt;
    if (tx.count('task') >= recordsMax) return;
    attempt.put('task', {
      id: tx.newId('task'),
      created_at: tx.now,
      title: random.chance(0.1) ? 'Same' : attempt.token(),
      status: attempt.token(),
      owner: random.chance(0.5) ? null : attempt.token(),
      text: linesOf(attempt, random),
      tags: [],
      links: [],
    });
  },
  'create a document': (attempt, random) => {
    const { tx } = attempt;
    if (tx.count('document') >= recordsMax) return;
    attempt.put('document', {
      id: tx.newId('document'),
      created_at: tx.now,
      title: random.chance(0.1) ? 'Same' : attempt.token(),
      status: attempt.token(),
      folder_id: random.chance(0.4) ? null : (pick(attempt, random, 'folder')?.id ?? null),
      body: linesOf(attempt, random),
      links: [],
    });
  },
  'create a folder': (attempt, random) => {
    const { tx } = attempt;
    if (tx.count('folder') >= 8) return;
    const parent = random.chance(0.5) ? null : (pick(attempt, random, 'folder')?.id ?? null);
    const name = attempt.token();
    const id = idOfFolder(tx.code, 'documents', [parent ?? '', name].filter(Boolean));
    attempt.put('folder', { id, created_at: tx.now, name, parent_folder_id: parent });
  },
  'change a task': (attempt, random) => {
    const task = pick(attempt, random, 'task');
    if (task !== undefined) attempt.put('task', changed(attempt, random, task, ['status', 'owner', 'text']));
  },
  'change a document': (attempt, random) => {
    const page = pick(attempt, random, 'document');
    if (page !== undefined) attempt.put('document', changed(attempt, random, page, ['status', 'body']));
  },
  'rename a record': (attempt, random) => {
    const collection = random.pick(['task', 'document'] as const);
    const record = pick(attempt, random, collection);
    if (record !== undefined) attempt.put(collection, { ...record, title: attempt.token() });
  },
  'move a document': (attempt, random) => {
    const page = pick(attempt, random, 'document');
    const folder = random.chance(0.3) ? null : (pick(attempt, random, 'folder')?.id ?? null);
    if (page !== undefined) attempt.put('document', { ...page, folder_id: folder });
  },
  'change a folder': (attempt, random) => {
    const folder = pick(attempt, random, 'folder');
    if (folder === undefined) return;
    if (random.chance(0.6)) return attempt.put('folder', { ...folder, name: attempt.token() });
    const parent = random.chance(0.3) ? undefined : pick(attempt, random, 'folder');
    if (parent === undefined || !isBelow(attempt.tx, parent, folder.id))
      attempt.put('folder', { ...folder, parent_folder_id: parent?.id ?? null });
  },
  'remove a record': (attempt, random) => {
    const collection = random.pick(['task', 'document'] as const);
    const record = pick(attempt, random, collection);
    if (record !== undefined) attempt.remove(collection, record);
  },
  'remove a folder': (attempt, random) => {
    const folder = pick(attempt, random, 'folder');
    if (folder === undefined) return;
    const { tx } = attempt;
    const folders = [...tx.list('folder')].filter((inner) => isBelow(tx, inner, folder.id));
    const ids = new Set(folders.map(({ id }) => id));
    for (const page of [...tx.list('document')]) if (ids.has(page.folder_id ?? '')) attempt.remove('document', page);
    for (const inner of folders) attempt.remove('folder', inner);
  },
  'restore a record': (attempt, random, world) => {
    if (world.removed.length === 0) return;
    const { collection, id, fields } = random.pick(world.removed);
    if (attempt.tx.find(id) !== undefined) return;
    const record = fields as Item & Page;
    const isKept = record.folder_id == null || attempt.tx.get('folder', record.folder_id) !== undefined;
    attempt.put(collection, isKept ? record : { ...record, folder_id: null });
  },
  'change several records': (attempt, random) => {
    for (const task of [...attempt.tx.list('task')])
      if (random.chance(0.4)) attempt.put('task', changed(attempt, random, task, ['status', 'text']));
  },
} satisfies Record<string, Action>;

/** Returns whether a folder has this id, or is in the folder that has it. */
function isBelow(tx: Transaction, folder: Folder, id: string): boolean {
  const seen = new Set<string>();
  for (let at: Folder | undefined = folder; at !== undefined && !seen.has(at.id);) {
    if (at.id === id) return true;
    seen.add(at.id);
    at = at.parent_folder_id === null ? undefined : tx.get('folder', at.parent_folder_id);
  }
  return false;
}

function linesOf(attempt: Attempt, random: Random): string {
  return Array.from({ length: random.integer(0, 4) }, () => `${attempt.token()}\n`).join('');
}

function changed<R extends Item | Page>(attempt: Attempt, random: Random, record: R, fields: readonly string[]): R {
  const field = random.pick(fields);
  const value = (record as unknown as Record<string, unknown>)[field];
  if (field !== 'text' && field !== 'body') return { ...record, [field]: attempt.token() };
  const lines = String(value).split('\n').filter(Boolean);
  const at = random.integer(0, lines.length);
  lines.splice(at, random.integer(0, 1), attempt.token());
  return { ...record, [field]: lines.map((line) => `${line}\n`).join('') };
}
