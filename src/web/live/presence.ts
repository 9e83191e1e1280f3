import { callWithTag } from '../rest/client.ts';
import type { Presence as Present } from '../rest/types.ts';

/** The data of an event of the type `presence`. */
interface PresenceChange {
  readonly whole: boolean;
  readonly present: readonly Present[];
  readonly gone: readonly string[];
}

/** The record that this page looks at. */
export interface Look {
  readonly projectId: string;
  readonly recordId: string;
  readonly editing: boolean;
}

/** Records that are passed by are not said. */
const settledMs = 200;

/** The sessions that look at records of the project, by its stream, and the record that this page shows. */
export class Presence {
  /** The name of this page's session. */
  readonly session = crypto.randomUUID();
  #present: ReadonlyMap<string, Present> = new Map();
  /** The records that are shown, the uppermost last. */
  readonly #looks: { readonly look: Look }[] = [];
  /** The look that was sent last. */
  #said: Look | undefined;
  #isOpen = false;
  #timer: number | undefined;
  readonly #listeners = new Set<() => void>();

  /** The sessions that are present, by session; a new map after each change. */
  get present(): ReadonlyMap<string, Present> {
    return this.#present;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** A stream is open: it begins with everybody who is present. */
  open(): void {
    this.#isOpen = true;
    this.#said = undefined;
    this.#sayAtRest();
  }

  /** Without a stream the sessions are unknown. */
  close(): void {
    this.#isOpen = false;
    if (this.#present.size > 0) this.#become(new Map());
  }

  take({ whole, present, gone }: PresenceChange): void {
    const next = new Map(whole ? [] : this.#present);
    for (const each of present) next.set(each.session, each);
    for (const session of gone) next.delete(session);
    this.#become(next);
  }

  /** Shows a record, above the one that the page showed before. Returns the function that ends it. */
  show(look: Look): () => void {
    const entry = { look };
    this.#looks.push(entry);
    this.#sayAtRest();
    return () => {
      this.#looks.splice(this.#looks.indexOf(entry), 1);
      this.#sayAtRest();
    };
  }

  #become(present: ReadonlyMap<string, Present>): void {
    this.#present = present;
    for (const listener of this.#listeners) listener();
  }

  #sayAtRest(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#say(), settledMs);
  }

  async #say(): Promise<void> {
    const look = this.#looks.at(-1)?.look;
    const said = this.#said;
    if (!this.#isOpen || (look === undefined && said === undefined)) return;
    if (look?.recordId === said?.recordId && look?.editing === said?.editing) return;
    this.#said = look;
    const { projectId } = look ?? said!;
    const place = look === undefined ? { record_id: null } : { record_id: look.recordId, editing: look.editing };
    // Nothing depends on the response: a failed report is repeated with the next stream.
    await callWithTag(
      'set_presence',
      { project_id: projectId, session: this.session, ...place },
      { unrepeatable: true },
    ).catch(() => undefined);
  }
}
