import { equal, foldName, idOfFolder, membersOf } from '../../store/index.ts';
import type { Link, StoredRecord } from '../../store/index.ts';
import { eachInSteps, mapInSteps, type Steps } from '../../base/slices.ts';
import { isEndType, putLinks } from '../links/edges.ts';
import type { End } from '../links/edges.ts';
import { unfiled } from '../records/collections.ts';
import type { ImportMerge, ImportReport, PlanTransaction, ProjectRecord } from '../records/collections.ts';
import { foldTagName } from '../records/tag-name.ts';
import type { Draft, Fields } from './draft.ts';
import { collectionOf, sectionOf } from './export-format.ts';
import { IdMap } from './id-map.ts';
import { placeFolders } from './import-folders.ts';
import { adopt, newId, recordOf, register, weightOf } from './import.ts';
import type { Arriving } from './import.ts';
import { ReferenceRewriter, harmless } from './reference-rewriter.ts';

/** Collections whose records keep the id that they have in the tool. */
const identified = ['goal', 'task', 'document'] as const;
type Identified = (typeof identified)[number];

/** A record of the draft that the project has already. */
interface Present extends Arriving {
  readonly record: StoredRecord;
}

/** Fields by which records without an id of the tool are the same. */
const contentFields: Readonly<Record<string, readonly string[]>> = {
  note: ['title', 'body'],
  prototype: ['name'],
  artifact: ['title', 'content'],
  file: ['filename', 'sha256'],
  comment: ['target_id', 'author', 'body'],
};

/** Fields that a plan says nothing of, or that have their own rules. */
const notCompared = new Set(['id', 'links', 'position', 'size', 'created_at', 'updated_at', 'imported_from']);

/**
 * Merges a draft of another tool's plan into the transaction's project: records that the project has, by the tool's id, stay as they are,
 * and the others are added. Importing a plan a second time therefore changes nothing. Edges are added if one of their ends is.
 */
export function* mergeDraft(tx: PlanTransaction, draft: Draft): Steps<ImportMerge> {
  return yield* new Merge(tx, draft).run();
}

/** The report of a merge: the project keeps its description, so that a description in the draft is left out. */
export function withDescriptionLeftOut(report: ImportReport, draft: Draft, project: ProjectRecord): ImportReport {
  const { description } = draft.project;
  const text = typeof description === 'string' ? description.trim() : '';
  if (text === '' || text === project.description?.trim()) return report;
  const reason = 'the project that the plan is merged into keeps its own';
  const [firstLine] = text.split('\n', 1);
  const left = { of: 'description of the project', reason, count: 1, total: 1, places: [firstLine!], expected: false };
  return { ...report, left_out: [...report.left_out, left] };
}

class Merge {
  readonly #tx: PlanTransaction;
  readonly #draft: Draft;
  readonly #ids: IdMap;
  readonly #rewriter: ReferenceRewriter;
  readonly #added: Arriving[] = [];
  /** New folders. */
  readonly #folders: Arriving[] = [];
  readonly #present: Present[] = [];

  constructor(tx: PlanTransaction, draft: Draft) {
    this.#tx = tx;
    this.#draft = draft;
    this.#ids = new IdMap((kind) => tx.newId(kind));
    this.#rewriter = new ReferenceRewriter(this.#ids, '', tx.code, () => tx.newId('edge'));
  }

  *run(): Steps<ImportMerge> {
    this.#placeFolders();
    // Texts reference files, comments their targets: the records that identify others come first.
    for (const kind of ['tag', ...identified, 'file', 'note', 'prototype', 'artifact', 'comment'])
      yield* this.#sort(kind);
    const offset = yield* this.#offset();
    for (const some of [this.#added.filter(isGoal), this.#added.filter((one) => !isGoal(one))])
      yield* eachInSteps(some, (one) => this.#adopt(one, offset), weightOf);
    const fresh = new Set(this.#added.map(({ id }) => id));
    const edges = yield* mapInSteps(this.#present, (one) => this.#addEdges(one, fresh), weightOf);
    const differing = (yield* mapInSteps(this.#present, (one) => this.#difference(one), weightOf)).filter(
      (one) => one !== undefined,
    );
    const more = edges.reduce((sum, count) => sum + count, 0);
    return {
      added: { ...counted([...this.#folders, ...this.#added]), ...(more > 0 && { edges: more }) },
      present: counted(this.#present),
      differing,
    };
  }

  /** A folder is the same if it has the same path. */
  #placeFolders(): void {
    for (const { fields, path, names } of placeFolders(this.#draft.lists.get('folders') ?? [])) {
      const found = this.#folderAt(names);
      const collection = collectionOf('folder');
      const derived = idOfFolder(this.#tx.code, 'documents', names);
      const free = this.#tx.get('folder', derived) === undefined ? derived : this.#tx.newId('folder');
      const id = found?.id ?? free;
      const old = register(fields, path, id, this.#ids);
      const one: Arriving = { collection, references: ['parent_folder_id'], fields, path, id, old };
      if (found !== undefined) this.#present.push({ ...one, record: found });
      else {
        // Immediately, because the next folder may be inside it.
        this.#adopt(one, 0);
        this.#folders.push(one);
      }
    }
  }

  #folderAt(names: readonly string[]): StoredRecord | undefined {
    let parent = unfiled;
    let found: StoredRecord | undefined;
    for (const name of names) {
      const key = foldName(name);
      found = this.#tx.by('folder', 'parent', parent).find((one) => one.name !== null && foldName(one.name) === key);
      if (found === undefined) return undefined;
      parent = found.id;
    }
    return found;
  }

  /** Divides the records of a collection into new ones and existing ones. */
  *#sort(kind: string): Steps<void> {
    const section = sectionOf(kind);
    const known = yield* this.#known(kind);
    const collection = collectionOf(kind);
    yield* eachInSteps((this.#draft.lists.get(section.name) ?? []).entries(), ([at, fields]) => {
      const path = `${section.name}[${at}]`;
      const found = known(fields);
      const id = found?.id ?? newId(this.#tx, kind, fields);
      const one = {
        collection,
        references: section.references,
        fields,
        path,
        id,
        old: register(fields, path, id, this.#ids),
      };
      if (found === undefined) this.#added.push(one);
      else this.#present.push({ ...one, record: found });
    });
  }

  /** Finds the project's record for one of the draft. Each is found once: a plan may have two equal comments. */
  *#known(kind: string): Steps<(fields: Fields) => StoredRecord | undefined> {
    if (kind === 'tag') return ({ name }) => this.#tx.by('tag', 'name', foldTagName(String(name)))[0];
    const keyOf = isIdentified(kind) ? ({ imported_from: origin }: Fields): unknown => origin : this.#contentKey(kind);
    const byKey = new Map<unknown, StoredRecord[]>();
    yield* eachInSteps(this.#tx.list(kind as 'task') as Iterable<StoredRecord>, (record) => {
      const key = keyOf(membersOf(record), true);
      if (key === null || key === undefined) return;
      const alike = byKey.get(key);
      if (alike === undefined) byKey.set(key, [record]);
      else alike.push(record);
    });
    return (fields) => {
      const key = keyOf(fields, false);
      const found = key === undefined ? undefined : byKey.get(key)?.shift();
      // Tasks are grouped by the names of goals: one of the same name is the same goal.
      if (found !== undefined || kind !== 'goal') return found;
      return this.#tx.by('goal', 'name', String(fields['name']))[0];
    };
  }

  #contentKey(kind: string): (fields: Fields, isStored: boolean) => string {
    const names = contentFields[kind]!;
    const { references } = sectionOf(kind);
    return (fields, isStored) => {
      const chosen = Object.fromEntries(names.map((name) => [name, fields[name]]));
      const present = isStored
        ? chosen
        : harmless(kind, this.#rewriter.fields(chosen, { references, old: undefined, id: '' }));
      return JSON.stringify(names.map((name) => trimmed(present[name])));
    };
  }

  #adopt(one: Arriving, offset: number): void {
    const record = recordOf(this.#tx, one, this.#rewriter, new Map()) as StoredRecord & { position?: unknown };
    const { position } = record as { readonly position?: { readonly x: number; readonly y: number } | null };
    const moved =
      position && offset !== 0 ? { ...record, position: { x: position.x, y: position.y + offset } } : record;
    adopt(this.#tx, one.collection, moved, one.path);
  }

  /** How far down new records are moved on the canvas, so that they are below the existing ones. */
  *#offset(): Steps<number> {
    let [lowest, highest] = [-Infinity, Infinity];
    for (const kind of ['task', 'document'] as const)
      yield* eachInSteps(this.#tx.list(kind), ({ position }) => (lowest = Math.max(lowest, position?.y ?? -Infinity)));
    for (const { fields } of this.#added) {
      const { y } = (fields['position'] ?? {}) as { readonly y?: unknown };
      if (typeof y === 'number') highest = Math.min(highest, y);
    }
    return Number.isFinite(lowest) && Number.isFinite(highest) ? lowest + gap - highest : 0;
  }

  /** Adds the edges from a record that the project has to records that are new. */
  #addEdges({ collection: { name }, fields, old, id }: Present, fresh: ReadonlySet<string>): number {
    if (!isEndType(name) || !Array.isArray(fields['links'])) return 0;
    const { links } = this.#rewriter.fields({ links: fields['links'] }, { references: [], old, id });
    const source = this.#tx.get(name, id) as End;
    const added = (links as Link[]).filter(({ to }) => fresh.has(to));
    if (added.length > 0) putLinks(this.#tx, name, source, [...source.links, ...added]);
    return added.length;
  }

  /** The fields of the draft that the project's record has other values in. */
  #difference(one: Present): ImportMerge['differing'][number] | undefined {
    const { collection, fields, id, record } = one;
    const { imported_from: origin } = membersOf(record);
    if (!isIdentified(collection.name) || typeof origin !== 'string') return undefined;
    const planned = recordOf(this.#tx, one, this.#rewriter, new Map()) as unknown as Fields;
    const current = membersOf(record);
    const names = Object.keys(fields).filter((name) => !notCompared.has(name) && !same(planned[name], current[name]));
    return names.length === 0 ? undefined : { id, imported_from: origin, fields: names };
  }
}

/** The distance between the existing part of the canvas and the part added below it. */
const gap = 240;

function isGoal({ collection }: Arriving): boolean {
  return collection.name === 'goal';
}

function isIdentified(kind: string): kind is Identified {
  return (identified as readonly string[]).includes(kind);
}

/** Files have no empty lines at the end of a text, and tags no order that matters. */
function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    return items.every((item) => typeof item === 'string')
      ? items.map((item) => foldTagName(item)).sort((a, b) => (a < b ? -1 : Number(a > b)))
      : items;
  }
  return typeof value === 'string' ? value.trim() : value;
}

function same(planned: unknown, current: unknown): boolean {
  return equal(trimmed(planned), trimmed(current));
}

/** The number of records by the names of their lists. */
function counted(records: readonly Arriving[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { collection } of records) {
    const { name } = sectionOf(collection.name);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
