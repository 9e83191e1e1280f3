import { conflict, invalid, notFound } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { idOfKey } from '../../store/index.ts';
import type { Snapshot } from '../../store/index.ts';
import type {
  CreateTagInput,
  PlannerCollections,
  PlanReadTransaction,
  PlanTransaction,
  Tag,
  TagRecord,
  TagReference,
  TaskRecord,
  UpdateTagInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { foldTagName } from '../records/tag-name.ts';
import { discard } from '../records/trash.ts';

/**
 * The tag of a name: the one that has it, else the one that had it, else the one created under it. Names compare folded. Undefined for a
 * name that only tasks use: it is a tag nevertheless, see `tagNamed`.
 */
function storedTag(view: Snapshot<PlannerCollections>, name: string): TagRecord | undefined {
  const key = foldTagName(name);
  const holders = view.by('tag', 'name', key).sort((a, b) => (a.id < b.id ? -1 : 1));
  const owner = holders.find((tag) => foldTagName(tag.name) === key);
  return owner ?? holders[0] ?? view.get('tag', idOfName(view, name));
}

/** The tag of a name; without a record, its id is derived from the name. */
export function tagNamed(view: Snapshot<PlannerCollections>, name: string): TagReference {
  const stored = storedTag(view, name);
  if (stored === undefined) return { id: idOfName(view, name), name: name.trim(), color: null };
  return { id: stored.id, name: stored.name, color: stored.color };
}

function idOfName(view: Snapshot<PlannerCollections>, name: string): string {
  return idOfKey('tag', view.code, name.trim());
}

/** The tags of a task in the form for callers, by name. Two names of one tag are one. */
export function tagsOf(view: Snapshot<PlannerCollections>, task: TaskRecord): TagReference[] {
  if (task.tags.length === 0) return [];
  const byId = new Map<string, TagReference>();
  for (const name of task.tags) {
    const tag = tagNamed(view, name);
    if (!byId.has(tag.id)) byId.set(tag.id, tag);
  }
  return [...byId.values()].sort(byName);
}

/** Tasks with a tag, under any of the tag's names, in no order. Time proportional to their number. */
export function tasksTagged(view: PlanReadTransaction, name: string): TaskRecord[] {
  const tag = storedTag(view, name);
  const names = new Set([name, ...(tag === undefined ? [] : [tag.name, ...tag.aliases])].map(foldTagName));
  const found = new Map<string, TaskRecord>();
  for (const key of names) {
    for (const task of view.by('task', 'tag', key)) {
      // A former name may belong to another tag by now.
      if (tag === undefined || task.tags.some((one) => storedTag(view, one)?.id === tag.id)) found.set(task.id, task);
    }
  }
  return [...found.values()];
}

/** The names under which a task stores its tags: the tags' current names. Unknown tags are created. */
export function takeTags(tx: PlanTransaction, names: readonly string[]): string[] {
  const kept = new Set<string>();
  for (const name of names) kept.add((storedTag(tx, name) ?? makeTag(tx, name, null)).name);
  return [...kept].sort();
}

/** The names of a task's tags with some more and some fewer. Throws `invalid_argument` for one to take away that is not among them. */
export function changedTags(
  tx: PlanTransaction,
  names: readonly string[],
  {
    add = [],
    remove = [],
  }: { readonly add?: readonly string[] | undefined; readonly remove?: readonly string[] | undefined },
): string[] {
  const kept = new Set(takeTags(tx, [...names, ...add]));
  for (const name of remove)
    if (!kept.delete(storedTag(tx, name)?.name ?? name)) {
      const has = kept.size === 0 ? 'it has none' : `its tags are ${[...kept].join(', ')}`;
      throw invalid('remove_tags', `The task does not have the tag ${JSON.stringify(name)}; ${has}.`);
    }
  const { tagsPerTaskMax: most } = limits;
  if (kept.size > most) throw invalid('add_tags', `A task has at most ${most} tags; these would be ${kept.size}.`);
  return [...kept];
}

function makeTag(tx: PlanTransaction, name: string, color: string | null): TagRecord {
  return tx.put('tag', newRecord('tag', { id: idOfName(tx, name), created_at: tx.now, name: name.trim(), color }));
}

/** Creates a tag. Throws `conflict` if a tag has or had the name; a name that only tasks use becomes a tag with a record. */
export function createTag(tx: PlanTransaction, { name, color = null }: Omit<CreateTagInput, 'project_id'>): TagRecord {
  const former = storedTag(tx, name);
  if (former !== undefined) throw taken(name, former);
  return makeTag(tx, name, color === null ? null : color.toLowerCase());
}

/** Renames or recolors a tag. Tasks are not changed: the former name still refers to this tag. */
export function updateTag(tx: PlanTransaction, { tag_id: id, name, color }: UpdateTagInput): TagRecord {
  const former = tagById(tx, id);
  let { aliases } = former;
  if (name !== undefined && name.trim() !== former.name) {
    freeName(tx, name, former);
    const kept = new Map([...aliases, former.name].map((alias) => [foldTagName(alias), alias]));
    kept.delete(foldTagName(name));
    aliases = [...kept.values()].sort();
  }
  return tx.put('tag', {
    ...former,
    name: name?.trim() ?? former.name,
    aliases,
    color: color === undefined ? former.color : (color?.toLowerCase() ?? null),
  });
}

/** Throws if another tag has the name. A former name of another tag is released: tasks that use it get that tag's current name. */
function freeName(tx: PlanTransaction, name: string, taker: TagRecord): void {
  const key = foldTagName(name);
  for (const holder of tx.by('tag', 'name', key)) {
    if (holder.id === taker.id) continue;
    if (foldTagName(holder.name) === key) throw taken(name, holder);
    renameInTasks(tx, key, holder.name);
    tx.put('tag', { ...holder, aliases: holder.aliases.filter((alias) => foldTagName(alias) !== key) });
  }
  // Tasks may use the name without a record: they now refer to this tag, as the caller requests.
}

function renameInTasks(tx: PlanTransaction, key: string, name: string): void {
  for (const task of tx.by('task', 'tag', key)) {
    const tags = new Set(task.tags.map((one) => (foldTagName(one) === key ? name : one)));
    tx.put('task', { ...task, tags: [...tags].sort() });
  }
}

/** Removes a tag from its tasks and then itself. Returns the id of its entry in the trash. */
export function* deleteTag(tx: PlanTransaction, id: string): Steps<string> {
  const tag = tagById(tx, id);
  return yield* discard(tx, { type: 'tag', id, label: tag.name }, function* () {
    yield* eachInSteps(tasksTagged(tx, tag.name), (task) =>
      tx.put('task', { ...task, tags: task.tags.filter((name) => tagNamed(tx, name).id !== id) }),
    );
    yield* tx.removeInSteps('tag', id);
  });
}

/** Restores a deleted tag. Former names that another tag has now stay there. Throws `conflict` if its name is taken. */
export function putBackTag(tx: PlanTransaction, tag: TagRecord): void {
  const taker = storedTag(tx, tag.name);
  if (taker !== undefined && foldTagName(taker.name) === foldTagName(tag.name)) throw taken(tag.name, taker);
  const aliases = tag.aliases.filter((alias) => tx.by('tag', 'name', foldTagName(alias)).length === 0);
  tx.put('tag', { ...tag, aliases });
}

/** A tag by its id, also one that only tasks use. Throws `not_found`. */
export function tagById(view: PlanReadTransaction, id: string): TagRecord {
  const stored = view.get('tag', id) ?? [...namesOnly(view)].find((tag) => tag.id === id);
  if (stored === undefined) throw notFound('tag', id);
  return stored;
}

/** All tags by name: tags with a record, used or not, and tags that only tasks use. */
export function listTags(view: PlanReadTransaction): TagRecord[] {
  return [...view.list('tag'), ...namesOnly(view)].sort(byName);
}

/** Tags without a record, in the form of records. Time proportional to the number of distinct names. */
function* namesOnly(view: PlanReadTransaction): IterableIterator<TagRecord> {
  for (const key of view.keys('task', 'tag')) {
    const [task] = view.by('task', 'tag', key);
    const name = task?.tags.find((one) => foldTagName(one) === key);
    if (task === undefined || name === undefined || storedTag(view, name) !== undefined) continue;
    const { created_at } = task;
    yield { ...tagNamed(view, name), created_at, updated_at: created_at, aliases: [] };
  }
}

/** A tag in the form for callers. */
export function showTag(view: PlanReadTransaction, tag: TagRecord): Tag {
  return shown.tag.details(tag, { project_id: view.project });
}

function byName(a: TagReference, b: TagReference): number {
  const [left, right] = [foldTagName(a.name), foldTagName(b.name)];
  return left < right ? -1 : left > right ? 1 : a.id < b.id ? -1 : 1;
}

function taken(name: string, holder: TagRecord): Error {
  const which = holder.name === name ? holder.id : `${holder.id}, ${JSON.stringify(holder.name)}`;
  return conflict(`A tag named ${JSON.stringify(name)} already exists (${which}). Choose another name.`, {
    field: 'name',
    id: holder.id,
  });
}
