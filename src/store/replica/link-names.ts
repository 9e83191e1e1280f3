import { idInName, isOwnId } from '../../base/ids.ts';
import type { Collection } from '../record/collection.ts';
import { foldName } from '../record/file-name.ts';
import { nameOf, serviceName } from '../record/locations.ts';
import { type Link, membersOf, type StoredRecord } from '../record/record.ts';

/** The part of a collection's declaration that its names need. */
export type NamedSpec = Pick<Collection, 'id' | 'name' | 'location' | 'shape' | 'linkable'>;

type Find = (id: string) => { readonly collection: string; readonly record: StoredRecord } | undefined;

/**
 * The ways by which a name means a record, the smaller the better: an id of another tool, its file, its title, a former
 * title.
 */
const ranks = { id: 0, file: 1, title: 2, former: 3 } as const;

/** The names of a record, folded, each with its rank. */
type Names = ReadonlyMap<string, number>;

const none: Names = new Map();

/** How a store with files names them. */
export interface FileNames {
  /** The name of a record's file; undefined while it has no file. */
  nameOf(id: string): string | undefined;
  /** The file's name if a person gave it; undefined if the service made it of the title. */
  nameByPerson(id: string): string | undefined;
}

const withoutFiles: FileNames = { nameOf: () => undefined, nameByPerson: () => undefined };

/** The maximum number of names for which the records' beginnings are compared before their names are derived. */
const headsMax = 50;

/**
 * The names that links have in place of ids, the records that use them, and the records that they can mean. Memory is
 * proportional to the names in use: records that no link names cost nothing but a look when a name is used first.
 */
export class LinkNames {
  files: FileNames = withoutFiles;
  readonly #specs: ReadonlyMap<string, NamedSpec>;
  readonly #find: Find;
  /** The records with links by each name. */
  readonly #users = new Map<string, Set<string>>();
  /** The names that a record's links have. */
  readonly #used = new Map<string, ReadonlySet<string>>();
  /** The records with each name in use. */
  readonly #bearers = new Map<string, Map<string, number>>();
  /** The names in use of each record that has some. */
  readonly #names = new Map<string, Names>();
  /** Records whose files have other names since the names were derived. */
  readonly #moved = new Set<string>();

  constructor(specs: Iterable<NamedSpec>, find: Find) {
    this.#specs = new Map([...specs].filter(({ linkable }) => linkable).map((spec) => [spec.name, spec]));
    this.#find = find;
  }

  /** The collections whose records have names. */
  get collections(): Iterable<string> {
    return this.#specs.keys();
  }

  /** Every record that has a link with a name. */
  users(): string[] {
    return [...this.#used.keys()];
  }

  /**
   * Notes the names that a record has by now as ends of links. Returns the names that no link had before: see
   * `lookFor`.
   */
  use(id: string, links: readonly Link[]): readonly string[] {
    const keys = new Set(links.map(({ to }) => keyOf(to)));
    for (const key of this.#used.get(id) ?? []) if (!keys.has(key)) this.#unuse(id, key);
    if (keys.size === 0) this.#used.delete(id);
    else this.#used.set(id, keys);
    const fresh: string[] = [];
    for (const key of keys) {
      const users = this.#users.get(key);
      if (users !== undefined) users.add(id);
      else {
        this.#users.set(key, new Set([id]));
        fresh.push(key);
      }
    }
    return fresh;
  }

  #unuse(id: string, key: string): void {
    const users = this.#users.get(key);
    users?.delete(id);
    if (users === undefined || users.size > 0) return;
    this.#users.delete(key);
    for (const bearer of this.#bearers.get(key)?.keys() ?? []) {
      const names = new Map(this.#names.get(bearer));
      names.delete(key);
      if (names.size === 0) this.#names.delete(bearer);
      else this.#names.set(bearer, names);
    }
    this.#bearers.delete(key);
  }

  /** Finds the records with these names among all that may be named. */
  lookFor(keys: readonly string[], records: Iterable<readonly [collection: string, record: StoredRecord]>): void {
    const heads = keys.length > headsMax ? undefined : keys.map(headOf);
    for (const [collection, record] of records)
      if (heads === undefined || this.#mayHave(heads, collection, record))
        this.#setNames(record.id, this.#namesOf(collection, record));
  }

  /**
   * Returns whether a record may have a name with one of these beginnings. To derive its names takes many times as
   * long.
   */
  #mayHave(heads: readonly string[], collection: string, record: StoredRecord): boolean {
    const { location } = this.#specs.get(collection)!;
    const members = membersOf(record);
    const title = 'title' in location && location.title !== undefined ? members[location.title] : '';
    const aliases = members['aliases'];
    if (!isOwnId(record.id) || (Array.isArray(aliases) && aliases.length > 0)) return true;
    const own = [title, this.files.nameOf(record.id)].filter((name) => typeof name === 'string').map(headOf);
    return own.some((head) => heads.some((other) => head.startsWith(other) || other.startsWith(head)));
  }

  /**
   * The records that a link can mean: records of its type, tasks before others if it has no type; first by their files,
   * else by their titles, else by former titles.
   */
  meant(from: string, { to, type }: Link): string[] {
    const bearers = [...(this.#bearers.get(keyOf(to)) ?? [])].filter(([id]) => id !== from);
    const ofType = bearers.filter(([id]) => this.#find(id)?.collection === type);
    const near = ofType.length > 0 || type !== untyped ? ofType : bearers;
    const best = Math.min(...near.map(([, rank]) => rank));
    return near.filter(([, rank]) => rank === best).map(([id]) => id);
  }

  /** The names in use that may mean other records, after a record changed. */
  changed(collection: string, id: string, to: StoredRecord | undefined): readonly string[] {
    if (this.#users.size === 0 || !this.#specs.has(collection)) return [];
    return this.#setNames(id, to === undefined ? none : this.#namesOf(collection, to));
  }

  /** The file of a record has another name. */
  noteMoved(id: string): void {
    if (this.#users.size > 0) this.#moved.add(id);
  }

  /** The records whose links may mean others, since files have other names. */
  takeMoved(): readonly string[] {
    if (this.#moved.size === 0) return [];
    const affected = new Set<string>();
    for (const id of this.#moved) {
      const found = this.#find(id);
      if (found === undefined) continue;
      for (const name of this.changed(found.collection, id, found.record))
        for (const user of this.usersOf(name)) affected.add(user);
    }
    this.#moved.clear();
    return [...affected];
  }

  /** Names that links have for a record, folded, and that it would lose by a change. */
  lost(collection: string, from: StoredRecord, to: StoredRecord): readonly string[] {
    const held = this.#names.get(from.id);
    if (held === undefined) return [];
    const left = this.#namesOf(collection, to);
    return [...held.keys()].filter((key) => !left.has(key));
  }

  usersOf(key: string): Iterable<string> {
    return this.#users.get(key) ?? [];
  }

  /** Notes the names of a record that are in use. Returns those that changed. */
  #setNames(id: string, all: Names): string[] {
    const before = this.#names.get(id) ?? none;
    const names = new Map([...all].filter(([key]) => this.#users.has(key)));
    const affected = new Set<string>();
    for (const [key, rank] of before) {
      if (names.get(key) === rank) continue;
      this.#bearers.get(key)?.delete(id);
      affected.add(key);
    }
    for (const [key, rank] of names) {
      if (before.get(key) === rank) continue;
      const bearers = this.#bearers.get(key);
      if (bearers === undefined) this.#bearers.set(key, new Map([[id, rank]]));
      else bearers.set(id, rank);
      affected.add(key);
    }
    if (names.size === 0) this.#names.delete(id);
    else this.#names.set(id, names);
    return [...affected];
  }

  #namesOf(collection: string, record: StoredRecord): Names {
    const spec = this.#specs.get(collection);
    if (spec === undefined) return none;
    const { location } = spec;
    const members = membersOf(record);
    const names = new Map<string, number>();
    const add = (name: unknown, rank: number): void => {
      if (typeof name !== 'string' || name.trim() === '') return;
      const key = keyOf(name);
      if (!names.has(key)) names.set(key, rank);
    };
    if (!isOwnId(record.id)) add(record.id, ranks.id);
    const file = this.files.nameByPerson(record.id) ?? serviceName(spec as Collection, record);
    add(file, ranks.file);
    add(withoutId(file, record.id), ranks.file);
    if ('title' in location && location.title !== undefined) add(members[location.title], ranks.title);
    const former = members['aliases'];
    for (const name of Array.isArray(former) ? (former as unknown[]) : []) add(name, ranks.former);
    return names;
  }
}

/** The type of a link without a type: see `linkType`. */
const untyped = 'task';

/** Returns whether the end of a link may be a name: ids of other tools have the form of names. */
export function isNamed({ to }: Link): boolean {
  return !isOwnId(to);
}

/** Names that differ in letter case, or in the ending of the file, are one. */
export function keyOf(name: string): string {
  return foldName(name.trim()).replace(/\.(?:md|html|json)$/, '');
}

/** So many letters of any script are in every slug that is cut. */
const headLetters = 12;

/** The first letters of a name, as a title and the file's name of it have them alike. */
function headOf(name: string): string {
  return foldName(name.slice(0, 2 * headLetters))
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, headLetters);
}

/** The name of a file without the id, or the end of one, that the service put there. */
function withoutId(file: string, id: string): string {
  const stem = nameOf(file).replace(/\.[a-z]+$/, '');
  const inName = idInName(id);
  for (const part of [`.${inName}`, `.${inName.slice(-4)}`])
    if (stem.endsWith(part)) return stem.slice(0, -part.length);
  return stem;
}
