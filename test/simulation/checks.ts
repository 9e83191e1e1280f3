import { projectCodeOf } from '../../src/base/ids.ts';
import { idByPath, LocationMap } from '../../src/store/record/locations.ts';
import { faultsOf } from '../support/item-events.ts';
import { testCollections, type TestStore } from '../support/plan-store.ts';
import { shown } from './actors/client.ts';
import { recordFiles, short } from './actors/editor.ts';
import { type Change, tokensIn } from './ledger.ts';
import { home } from './world.ts';
import type { World } from './world.ts';

/** A record as the service serves it. */
interface Served {
  readonly collection: string;
  readonly fields: ReadonlyMap<string, string>;
  /** Absolute; undefined without a file. */
  readonly path: string | undefined;
}

/** The served state at a quiet point. */
export interface Snapshot {
  readonly records: ReadonlyMap<string, Served>;
  /** The records whose files contain their ids. */
  readonly named: ReadonlySet<string>;
  /** The ids of more than one file. */
  readonly copied: ReadonlySet<string>;
}

export const nothing: Snapshot = { records: new Map(), named: new Set(), copied: new Set() };

const locations = new LocationMap(testCollections);
const faults: ReadonlySet<string> = new Set(['missing_file', 'changed_file', 'index']);
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  task: ['title', 'status', 'owner', 'text'],
  document: ['title', 'status', 'folder_id', 'body'],
  folder: ['name', 'parent_folder_id'],
};

/** Compares everything at rest: the served state, the files, the history and the ledger. Returns the served state. */
export async function check(world: World, before: Snapshot): Promise<Snapshot> {
  const { store, project } = world;
  if (store === undefined) return before;
  const found = await store.read(project, (view) => {
    const records = new Map<string, Served>();
    for (const collection of ['task', 'document', 'folder'] as const)
      for (const record of view.list(collection)) {
        const fields = new Map(fieldsOf[collection]!.map((name) => [name, shown(membersOf(record)[name])]));
        const path = view.pathOf(record.id);
        records.set(record.id, { collection, fields, path: path === undefined ? path : `${home}/${path}` });
      }
    const history = new Set<string>();
    for (const { target, before: former } of view.revisions()) {
      for (const token of tokensIn(JSON.stringify(former))) history.add(token);
      if ((former['text'] ?? former['body']) === '' && world.withText.has(target))
        world.fail(`${target} had no text for a while, as if its file had been emptied`);
    }
    return { records, history, problems: view.problems.filter(({ severity }) => severity === undefined) };
  });
  await checkEvents(world, store);
  const listed = new Set(found.problems.map(({ path }) => `${home}/${path}`));
  const troubled = new Set(found.problems.map(({ id }) => id ?? ''));
  const { pending } = store.status();
  const allowed = found.problems.filter(({ kind }) => kind !== 'missing').length + foldersAbove(world, listed).size;
  if (pending > allowed) world.fail(`${pending} changes stay dirty`);
  const { named, copied } = checkFiles(world, found.records, listed, troubled);
  // One of them may have lost the id.
  for (const { kind, id } of found.problems) if (kind === 'duplicate_id' && id !== undefined) copied.add(id);
  for (const id of [...copied, ...before.copied, ...world.ledger.idsCopied]) troubled.add(id);
  for (const { kind, path, reason, id } of store.check())
    if (faults.has(kind) && !troubled.has(id ?? '')) world.fail(`check: ${kind} ${path}: ${reason}`);
  // One of the files with one id is served, and the id is listed.
  for (const path of recordFiles(world))
    if (copied.has(parsed(world.hands.read(path) ?? '').id ?? '')) listed.add(path);
  checkTokens(world, found.records, found.history, listed);
  checkFreshness(world, before, found.records, troubled);
  checkExistence(world, before, { records: found.records, named, copied }, troubled);
  if (world.failures.length > 0) describe(world, before, found.records);
  return { records: found.records, named, copied };
}

/** The directories of folders that listed files are in: one that was removed waits until a person has repaired those. */
function foldersAbove(world: World, listed: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of listed)
    for (const directory of world.hands.directories(`${world.directory}/documents`))
      if (path.startsWith(`${directory}/`)) found.add(directory);
  return found;
}

/** A follower that knows only the events has the served state. Everything is durable at a quiet point. */
async function checkEvents(world: World, store: TestStore): Promise<void> {
  const faults = await faultsOf(store, world.project, world.fold);
  for (const fault of faults) world.fail(`events: ${fault}`);
  const { rewritten, resaved, wasGitAlone, wereEditorsAlone, ledger } = world;
  for (const id of world.fold.deleted) {
    if (ledger.changes.has(`${id} $exists`)) continue;
    if (wasGitAlone && rewritten.get(id) === true)
      world.fail(`${id} was deleted for a while, as if git had removed it`);
    if (wereEditorsAlone && resaved.get(id) === true && !ledger.idsCopied.has(id))
      world.fail(`${id} was deleted for a while, as if an editor had removed it`);
  }
}

/** Describes the served states before and now, and the contents of the files. */
function describe(world: World, before: Snapshot, now: ReadonlyMap<string, Served>): void {
  for (const [when, records] of [
    ['before', before.records],
    ['now', now],
  ] as const)
    for (const [id, { fields, path }] of records) {
      const values = [...fields].map(([name, value]) => `${name}: ${value.replaceAll('\n', ' ')}`).join(', ');
      world.say(`${when}: ${id} in ${path === undefined ? 'no file' : short(world, path)}: ${values}`);
    }
  for (const path of world.hands.list(`${world.directory}/documents`).concat(recordFiles(world)))
    world.say(`file ${short(world, path)}: ${(world.hands.read(path) ?? '').replaceAll('\n', ' | ')}`);
}

function membersOf(record: object): Record<string, unknown> {
  return record as Record<string, unknown>;
}

/**
 * Reads every file on its own: it is served as it is, or listed. Returns the ids that files contain, and the ids that
 * several contain.
 */
function checkFiles(
  world: World,
  records: ReadonlyMap<string, Served>,
  listed: ReadonlySet<string>,
  troubled: ReadonlySet<string>,
): { readonly named: Set<string>; readonly copied: Set<string> } {
  const byPath = new Map([...records].map(([id, served]) => [served.path, id]));
  const named = new Set<string>();
  const copied = new Set<string>();
  for (const path of recordFiles(world)) {
    const file = parsed(world.hands.read(path) ?? '');
    const id = byPath.get(path);
    if (file.id !== undefined) (named.has(file.id) ? copied : named).add(file.id);
    if (listed.has(path) || copied.has(file.id ?? '') || (id !== undefined && troubled.has(id))) continue;
    if (id === undefined) world.fail(`the file ${short(world, path)} is neither served nor listed`);
    else
      for (const difference of differences(file, records.get(id)!)) world.fail(`${short(world, path)}: ${difference}`);
  }
  const rows = world.hands.read(`${world.directory}/documents/.folders.json`) ?? '';
  for (const [id, { collection, path }] of records) {
    if (collection === 'folder' && rows.includes(id)) named.add(id);
    if (!troubled.has(id) && collection !== 'folder' && (path === undefined || world.hands.read(path) === undefined))
      world.fail(`${id} is served without a file`);
  }
  return { named, copied };
}

interface ParsedFile {
  readonly id: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

function parsed(text: string): ParsedFile {
  const front = /^---\n((?:.*\n)*?)---(?:\n|$)/.exec(text);
  const fields = new Map<string, string>();
  for (const [, name, value] of (front?.[1] ?? '').matchAll(/^(\w+): (.*)$/gm))
    fields.set(name!, value!.replace(/^["'](.*)["']$/, '$1'));
  return { id: fields.get('id'), fields, body: text.slice(front?.[0].length ?? 0) };
}

function* differences(file: ParsedFile, { collection, fields }: Served): Generator<string> {
  for (const name of ['title', 'status', 'owner']) {
    const [written, served] = [file.fields.get(name), fields.get(name)];
    if (written !== undefined && served !== undefined && written !== served)
      yield `${name} is ${written} in the file and ${served} served`;
  }
  const body = [...tokensIn(file.body)].join(' ');
  const served = [...tokensIn(fields.get(collection === 'task' ? 'text' : 'body') ?? '')].join(' ');
  if (body !== served) yield `the text is ${body} in the file and ${served} served`;
}

/** Every acknowledged value, and every person's, is served or in history, unless it was replaced by people. */
function checkTokens(
  world: World,
  records: ReadonlyMap<string, Served>,
  history: ReadonlySet<string>,
  listed: ReadonlySet<string>,
): void {
  const served = new Set<string>();
  for (const { fields } of records.values())
    for (const value of fields.values()) for (const token of tokensIn(value)) served.add(token);
  world.ledger.inListedFiles.clear();
  for (const path of listed)
    for (const token of tokensIn(world.hands.read(path) ?? ''))
      if (!served.has(token) && !history.has(token)) world.ledger.inListedFiles.add(token);
  for (const token of world.ledger.inListedFiles) served.add(token);
  for (const [token, { by, state, step }] of world.ledger.tokens) {
    if (state === 'refused' && served.has(token)) world.fail(`${token} of step ${step} was refused and is served`);
    if (state !== 'acknowledged' && state !== 'present') continue;
    if (!served.has(token) && !history.has(token) && !isFolderName(world, token))
      world.fail(
        `${token} of step ${step}, ${state === 'present' ? 'in a file' : 'acknowledged'}, by a ${by}, is neither served nor in history`,
      );
  }
}

/** Folders have no history. */
function isFolderName(world: World, token: string): boolean {
  return world.folderNames.has(token);
}

/** The served values were written last, by a client or by a person. */
function checkFreshness(
  world: World,
  before: Snapshot,
  records: ReadonlyMap<string, Served>,
  troubled: ReadonlySet<string>,
): void {
  const { ledger } = world;
  for (const [id, { fields, path }] of records) {
    if (troubled.has(id)) continue;
    // The directory of a removed folder is one that a person made, with the id of its path, if a file is left in it.
    if (latest(ledger.changes.get(`${id} $exists`) ?? []).includes('')) continue;
    const isPathTouched = [path, before.records.get(id)?.path].some((one) => ledger.pathsTouched.has(one ?? ''));
    for (const [field, value] of fields) {
      const changes = ledger.changes.get(`${id} ${field}`) ?? [];
      const allowed = latest(changes);
      // A power cut leaves blocks of a file that a person was saving as they were: that is an edit back to them.
      const isPartlyLost = ledger.isCut && (ledger.idsTouched.has(id) || isPathTouched);
      // The loss may leave a former name, too, which is the title of a file without one.
      if (isPartlyLost && field === 'title' && path?.endsWith(`/${value}.md`)) continue;
      if (isPartlyLost || !changes.some(({ state }) => state === 'acknowledged'))
        allowed.push(before.records.get(id)?.fields.get(field) ?? value);
      if (allowed.includes(value)) continue;
      const tokens = new Set(allowed.flatMap((one) => [...tokensIn(one)]));
      const odd = [...tokensIn(value)].filter((token) => !tokens.has(token) && !ledger.writtenByPeople.has(token));
      const isPlace = ['folder_id', 'parent_folder_id', 'name'].includes(field);
      const isTouched =
        isPathTouched || ledger.idsTouched.has(id) || !before.named.has(id) || (isPlace && ledger.arePlacesTouched);
      if (isPlace && ledger.arePlacesTouched) continue;
      if (odd.length > 0 || (tokensIn(value).size === 0 && !isTouched && field !== 'text' && field !== 'body'))
        world.fail(
          `${field} of ${id} is "${value}", which was not written last; expected ${allowed.map((one) => `"${one}"`).join(' or ')}`,
        );
    }
  }
}

/** The values that may be the last one: of changes that no acknowledged one came after. */
function latest(changes: readonly Change[]): string[] {
  const isOutdated = (change: Change): boolean =>
    changes.some((later) => later.state === 'acknowledged' && later.began > change.ended);
  return changes.filter((change) => change.state !== 'refused' && !isOutdated(change)).map(({ value }) => value ?? '');
}

/**
 * The directory of a removed folder stays if another file is in it, as a person's copy, or an editor's backup: then it is a folder, with
 * the id that derives from its path, which the removed one may have had.
 */
function hasOthersBelow(world: World, folder: string | undefined): boolean {
  return folder?.endsWith('/') === true && world.hands.list(folder.slice(0, -1)).length > 0;
}

/** The ids of records whose files contain no id, by these absolute paths. */
function idsByPath({ project, directory }: World, paths: ReadonlySet<string>): ReadonlySet<string> {
  const code = projectCodeOf(project)!;
  return new Set(
    [...paths].flatMap((path) => {
      const inside = path.slice(directory.length + 1);
      const collection = locations.at(inside);
      return collection === undefined ? [] : [idByPath(collection, code, project, inside)];
    }),
  );
}

function checkExistence(
  world: World,
  before: Snapshot,
  { records, named }: Snapshot,
  troubled: ReadonlySet<string>,
): void {
  const { ledger } = world;
  // A new file at a path that derives the id of a removed record has it, wherever clients move it then.
  const derived = idsByPath(world, ledger.pathsTouched);
  const derivedOfRemoved = idsByPath(world, ledger.pathsRemoved);
  const created = [...ledger.changes.values()].flat().filter(({ field }) => field === '$exists');
  for (const id of new Set([...before.named, ...created.map(({ record }) => record)])) {
    const isFolder = id.startsWith('fld_') && ledger.arePlacesTouched;
    if (isFolder || ledger.idsTouched.has(id) || troubled.has(id)) continue;
    const changes = created.filter(({ record }) => record === id);
    const allowed = latest(changes);
    const isChanged = changes.some(({ state }) => state === 'acknowledged');
    if (!isChanged) allowed.push(before.records.has(id) ? 'yes' : '');
    const now = records.has(id) ? 'yes' : '';
    // A file without an id may be there again, and has its id by now if the record was changed.
    const isBack = !named.has(id) || (!before.named.has(id) && !changes.some(({ value }) => value === 'yes'));
    const paths = [records, before.records].map((all) => all.get(id)?.path ?? '');
    const isTouched = derived.has(id) || paths.some((path) => ledger.pathsTouched.has(path));
    if (now === 'yes' && (isBack || isTouched)) continue;
    if (now === 'yes' && hasOthersBelow(world, records.get(id)?.path)) continue;
    // A person's removal of a file counts although a power cut had torn the id in it, or a client had removed and restored the
    // record of a file without one.
    const formerPaths = [before.records.get(id)?.path, ledger.pathsOfRemoved.get(id)];
    if (now === '' && formerPaths.some((path) => ledger.pathsRemoved.has(path ?? ''))) continue;
    // A restored record may be in a file without an id that git put where its first one was, and removed again.
    if (now === '' && !before.named.has(id) && derivedOfRemoved.has(id)) continue;
    if (!allowed.includes(now)) world.fail(now === '' ? `${id} has vanished` : `${id} was removed and is served`);
  }
  // A file that git puts back where a removed record's file was belongs to the record until it has another file.
  for (const id of records.keys()) ledger.pathsOfRemoved.delete(id);
}
