/** A word that is written once, so that it can be followed; a part of a token is no token. */
const tokenPattern = /zq\d+z/g;

export function tokensIn(text: string): Set<string> {
  return new Set(text.match(tokenPattern));
}

/** The known facts of a token. */
interface Written {
  readonly by: 'client' | 'person';
  readonly step: number;
  /**
   * Sent, or not saved yet. Of a client's then: acknowledged; refused, and not to be served; or unknown, since the service
   * ended. Of a person's: in a file; or replaced by another person or excused, so that it need not be found.
   */
  state: 'sent' | 'acknowledged' | 'refused' | 'unknown' | 'present' | 'replaced';
}

/** A client's change of one field, of a record's existence too (`$exists`). */
export interface Change {
  readonly record: string;
  readonly field: string;
  /** null: removed. */
  readonly value: string | null;
  readonly step: number;
  readonly began: number;
  ended: number;
  state: 'sent' | 'acknowledged' | 'refused' | 'unknown';
}

/** Follows every value that was written: through the service by clients, into files by people and by git. */
export class Ledger {
  readonly tokens = new Map<string, Written>();
  /** The changes of clients since the last quiet point, by record and field. */
  readonly changes = new Map<string, Change[]>();
  /** Tokens that people wrote since the last quiet point, new ones or copies. */
  readonly writtenByPeople = new Set<string>();
  /** Ids in files that people wrote, moved or removed since the last quiet point. */
  readonly idsTouched = new Set<string>();
  /** Ids in files that people made while another file contained them, since the last quiet point. */
  readonly idsCopied = new Set<string>();
  /** Paths at which people wrote, put or removed a record file since the last quiet point: a file without an id is the record that was there. */
  readonly pathsTouched = new Set<string>();
  /** The paths at which people removed or emptied a file. */
  readonly pathsRemoved = new Set<string>();
  /** The former paths of the files that people renamed since the last quiet point. */
  readonly #renamedFrom = new Map<string, string>();
  /** Where the file of a record was, by its id, when a client removed the record, until it is served at a quiet point. */
  readonly pathsOfRemoved = new Map<string, string>();
  /**
   * Tokens that were in listed files alone at the last quiet point: a person's text in an unserved file is not synced,
   * and the journal does not have it.
   */
  readonly inListedFiles = new Set<string>();
  /** True if people moved, made or removed files or folders since the last quiet point. */
  arePlacesTouched = false;
  #count = 0;
  #moment = 0;
  step = 0;

  token(by: 'client' | 'person'): string {
    const token = `zq${++this.#count}z`;
    this.tokens.set(token, { by, step: this.step, state: 'sent' });
    return token;
  }

  sent(record: string, field: string, value: string | null): Change {
    const { step } = this;
    const change: Change = { record, field, value, step, began: ++this.#moment, ended: Infinity, state: 'sent' };
    const key = `${record} ${field}`;
    const before = this.changes.get(key);
    if (before === undefined) this.changes.set(key, [change]);
    else before.push(change);
    return change;
  }

  ended(change: Change, state: Change['state']): void {
    change.state = state;
    change.ended = state === 'acknowledged' ? ++this.#moment : Infinity;
    for (const token of tokensIn(change.value ?? '')) {
      const written = this.tokens.get(token);
      // A refused change of a text leaves the lines of others in it, which may not be acknowledged yet.
      if (state === 'refused' && written?.step !== change.step) continue;
      if (written?.by === 'client' && written.state === 'sent') written.state = state;
    }
  }

  /** A person changed the content of a file, or removed it (''), or made it (from ''). */
  changedFile(path: string, before: string, after: string): void {
    this.pathsTouched.add(path);
    if (after === '') this.#removed(path);
    const now = tokensIn(after);
    for (const token of tokensIn(before)) if (!now.has(token)) this.excuse(token);
    for (const token of now) {
      this.writtenByPeople.add(token);
      const written = this.tokens.get(token);
      if (written?.by === 'person') written.state = 'present';
    }
    // A file without a title has its name as one, an empty one too.
    for (const token of tokensIn(path.slice(path.lastIndexOf('/')))) this.writtenByPeople.add(token);
    // A file without an id is the record whose id is in its name.
    for (const text of [path, before, after]) for (const [id] of text.matchAll(idPattern)) this.idsTouched.add(id);
  }

  /** A person renamed a record file: if it is removed now, its former path counts as removed. */
  renamedFile(from: string, to: string): void {
    this.#renamedFrom.set(to, from);
  }

  #removed(path: string): void {
    let former: string | undefined = path;
    for (; former !== undefined && !this.pathsRemoved.has(former); former = this.#renamedFrom.get(former))
      this.pathsRemoved.add(former);
  }

  /** A person's token need not be seen any more. */
  excuse(token: string): void {
    const written = this.tokens.get(token);
    if (written?.by === 'person') written.state = 'replaced';
  }

  /** Nothing that was written to files is certain, since a power cut lost some of it. */
  onPowerCut(): void {
    for (const token of this.inListedFiles) this.excuse(token);
    for (const token of this.writtenByPeople) {
      this.excuse(token);
      // A client's value that a person has copied to a file that was not synced.
      const written = this.tokens.get(token);
      if (written?.state === 'acknowledged') written.state = 'unknown';
    }
    this.isCut = true;
  }

  /** True if the power was cut since the last quiet point. */
  isCut = false;

  /** Changes that were sent and will have no answer. */
  onServiceEnded(): void {
    for (const changes of this.changes.values())
      for (const change of changes) if (change.state === 'sent') this.ended(change, 'unknown');
  }

  /** Everything was checked: the next changes are compared with this state. */
  onQuiet(): void {
    this.changes.clear();
    this.writtenByPeople.clear();
    this.idsTouched.clear();
    this.idsCopied.clear();
    this.pathsTouched.clear();
    this.pathsRemoved.clear();
    this.#renamedFrom.clear();
    this.arePlacesTouched = false;
    this.isCut = false;
  }
}

export const idPattern = /\b(?:tsk|doc|fld|prj)_[0-9a-z]+/g;
