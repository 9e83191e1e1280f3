import { replaceFile } from '../store/index.ts';
import type { Disk } from '../store/index.ts';
import type { CommonRecord, Fields } from './listing.ts';
import type { ChangedRecord } from './side.ts';

/** The hosted project that a state is of. */
export interface StateOrigin {
  readonly url: string;
  readonly project_id: string;
}

const format = 'planner-sync-v1';

interface StateFile extends StateOrigin {
  readonly format: string;
  readonly token: string | undefined;
  readonly records: Readonly<Record<string, Readonly<Record<string, Fields>>>>;
  readonly revisions: Readonly<Record<string, readonly string[]>>;
}

/**
 * The last common state of a working copy and its hosted project: the records, the ids of revisions, and the token from
 * which the hosted project is read. It may be older than necessary, which costs only a merge of equal records; without
 * it nothing counts as removed.
 */
export class CommonState {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #origin: StateOrigin;
  readonly #records = new Map<string, CommonRecord>();
  readonly #revisions = new Map<string, Set<string>>();
  #token: string | undefined;
  #isSaved = true;

  /** `path`: of its file. A file of another hosted project, or one that cannot be read, counts as absent. */
  static read(disk: Disk, path: string, origin: StateOrigin): CommonState {
    const state = new CommonState(disk, path, origin);
    const file = parsed(disk.readIfExists(path)?.toString());
    if (file?.url !== origin.url || file.project_id !== origin.project_id) return state;
    state.#token = file.token;
    for (const [collection, records] of Object.entries(file.records))
      for (const [id, fields] of Object.entries(records)) state.#records.set(id, { collection, fields });
    for (const [collection, ids] of Object.entries(file.revisions)) state.#revisions.set(collection, new Set(ids));
    return state;
  }

  private constructor(disk: Disk, path: string, origin: StateOrigin) {
    this.#disk = disk;
    this.#path = path;
    this.#origin = origin;
  }

  get records(): ReadonlyMap<string, CommonRecord> {
    return this.#records;
  }

  get token(): string | undefined {
    return this.#token;
  }

  set token(token: string | undefined) {
    if (token === this.#token) return;
    this.#token = token;
    this.#isSaved = false;
  }

  /** Both sides have this record now; undefined: neither. */
  setRecord(id: string, collection: string, fields: Fields | undefined): void {
    if (fields === undefined) this.#records.delete(id);
    else this.#records.set(id, { collection, fields });
    this.#isSaved = false;
  }

  hasRevision(collection: string, id: string): boolean {
    return this.#revisions.get(collection)?.has(id) === true;
  }

  /** The hosted project has these revisions. */
  addRevisions({ collection, revisions }: Pick<ChangedRecord, 'collection' | 'revisions'>): void {
    if (revisions.length === 0) return;
    let known = this.#revisions.get(collection);
    if (known === undefined) this.#revisions.set(collection, (known = new Set()));
    const { size } = known;
    for (const id of revisions) known.add(id);
    if (known.size > size) this.#isSaved = false;
  }

  /** The hosted project has no revisions of a collection except the ones that are added next. */
  forgetRevisions(collection: string): void {
    this.#revisions.delete(collection);
    this.#isSaved = false;
  }

  /** Writes the file, if anything changed: durable when it returns, and whole or not there after a crash. */
  save(): void {
    if (this.#isSaved) return;
    const records: Record<string, Record<string, Fields>> = {};
    for (const [id, { collection, fields }] of this.#records) (records[collection] ??= {})[id] = fields;
    const revisions = Object.fromEntries(Array.from(this.#revisions, ([collection, ids]) => [collection, [...ids]]));
    const file: StateFile = { format, ...this.#origin, token: this.#token, records, revisions };
    this.#disk.makeDirectory(this.#path.slice(0, this.#path.lastIndexOf('/')));
    replaceFile(this.#disk, this.#path, Buffer.from(`${JSON.stringify(file)}\n`));
    this.#isSaved = true;
  }
}

function parsed(text: string | undefined): StateFile | undefined {
  if (text === undefined) return undefined;
  try {
    const file = JSON.parse(text) as Partial<StateFile> | null;
    return file?.format === format ? (file as StateFile) : undefined;
  } catch {
    return undefined;
  }
}
