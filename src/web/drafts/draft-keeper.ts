import { isDisputed, mergeText, textOf } from '../../base/merge-text.ts';
import type { Piece } from '../../base/merge-text.ts';

/** The editable texts of a record. */
export type Fields = Readonly<Record<string, string>>;

/** The state at the service, and its tag. */
export interface Known<F extends Fields> {
  readonly fields: F;
  readonly tag: string;
}

/** The keeper's access to the service. */
export interface DraftSource<F extends Fields> {
  load(): Promise<Known<F>>;
  /** Saves the given fields against the state with this tag. Throws an error with code `precondition_failed` if the state has changed. */
  save(changed: Partial<F>, tag: string): Promise<Known<F>>;
}

/** The state of a draft. */
export type DraftState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** The service does not respond; saving is retried. */
  | { readonly kind: 'offline' }
  /** The service rejects it, for this reason; saving is retried with the next change. */
  | { readonly kind: 'refused'; readonly message: string; readonly field: string | undefined }
  /** Another user changed the same text; the person has to choose. */
  | { readonly kind: 'conflict'; readonly pieces: Readonly<Record<string, readonly Piece[]>> };

export interface Draft<F extends Fields> {
  readonly fields: F;
  readonly state: DraftState;
}

/** The storage of a draft until the service has saved it: the used part of `localStorage`. */
export interface DraftStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface DraftOptions<F extends Fields> {
  readonly source: DraftSource<F>;
  readonly storage: DraftStorage;
  readonly key: string;
  readonly known: Known<F>;
  readonly onDraft: (draft: Draft<F>) => void;
  /** Called with the saved state, for other views of the record. */
  readonly onSaved?: (known: Known<F>) => void;
  /** Nothing is saved before the person asks for it with `save`. */
  readonly manual?: boolean;
  /** The debounce before saving, in milliseconds. */
  readonly idleMs?: number;
  readonly retryMs?: number;
}

interface Kept<F extends Fields> {
  readonly base: Known<F>;
  readonly fields: F;
  /** false: the person has not asked for saving it. */
  readonly due?: boolean;
}

/**
 * Keeps a draft from the first typed letter until the service has saved it. It is saved only against the state that it is based on: a
 * change by another user is merged in, and if both changed the same text the person chooses; until then nothing is sent. The draft is
 * stored in the browser before anything else, so that a reload loses nothing.
 */
export class DraftKeeper<F extends Fields> {
  readonly #options: DraftOptions<F>;
  #base: Known<F>;
  #fields: F;
  #state: DraftState = { kind: 'saved' };
  #theirs: Known<F> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;
  /** The tag of a state that was polled while saving. */
  #passedOver: string | undefined;
  #closed = false;
  /** True if the draft is saved without a request of the person. */
  #due: boolean;
  /** The stored draft of this keeper. */
  #stored: string | null = null;

  constructor(options: DraftOptions<F>) {
    this.#options = options;
    this.#due = options.manual !== true;
    this.#base = options.known;
    this.#fields = options.known.fields;
    const kept = this.#kept();
    if (kept === undefined) return;
    // A draft from before the reload is based on the state of that time.
    [this.#base, this.#fields, this.#due] = [kept.base, kept.fields, kept.due ?? true];
    this.#state = { kind: 'unsaved' };
    if (kept.base.tag !== options.known.tag) this.#take(options.known);
    this.#settle();
  }

  get draft(): Draft<F> {
    return { fields: this.#fields, state: this.#state };
  }

  /** Called when the text changes. */
  change(changed: Partial<F>): void {
    this.#fields = { ...this.#fields, ...changed };
    if (this.#state.kind === 'conflict') {
      this.#keep();
      this.#notify();
      return;
    }
    this.#settle();
  }

  /** Called with the state of a poll. */
  polled(known: Known<F>): void {
    // While saving, a polled state may be older or newer than the fields that were sent.
    if (this.#saving !== undefined) this.#passedOver = known.tag;
    if (this.#saving !== undefined || known.tag === this.#base.tag) return;
    if (this.#state.kind === 'conflict' && known.tag === this.#theirs?.tag) return;
    this.#take(known);
    this.#settle();
  }

  /** Resolves a conflict with the person's choice. */
  resolve(fields: Partial<F>): void {
    if (this.#theirs !== undefined) this.#base = this.#theirs;
    this.#theirs = undefined;
    this.#fields = { ...this.#fields, ...fields };
    this.#state = { kind: 'unsaved' };
    this.#settle();
    void this.save();
  }

  /** Sends unsaved changes now. */
  async save(): Promise<void> {
    this.#due = true;
    clearTimeout(this.#timer);
    while (this.#saving !== undefined) await this.#saving;
    if (this.#state.kind === 'conflict' || !this.#differs()) return;
    this.#saving = this.#send();
    await this.#saving;
    this.#saving = undefined;
    await this.#catchUp();
    if (!this.#closed && this.#due && this.#state.kind === 'unsaved')
      this.#later(this.#options.idleMs ?? idleDefaultMs);
  }

  /** Takes a change of another user that the page received before the response of its own. */
  async #catchUp(): Promise<void> {
    const tag = this.#passedOver;
    this.#passedOver = undefined;
    if (this.#closed || tag === undefined || tag === this.#base.tag) return;
    // Without a response, the next save finds it out.
    const known = await this.#options.source.load().catch(() => undefined);
    if (known !== undefined) this.polled(known);
  }

  /** Closes the draft: unsaved changes are sent once, and remain in the storage until the service has saved them. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#due) void this.save();
  }

  /** Closes the draft without sending anything; `save` still does. */
  abandon(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Forgets unsaved changes. */
  discard(): void {
    clearTimeout(this.#timer);
    this.#theirs = undefined;
    this.#fields = this.#base.fields;
    this.#state = { kind: 'saved' };
    this.#keep();
    this.#notify();
  }

  async #send(): Promise<void> {
    const sent = this.#fields;
    this.#become({ kind: 'saving' });
    try {
      const known = await this.#saved(sent);
      this.#base = known;
      this.#options.onSaved?.(known);
      // Text typed while saving is based on the fields that were sent.
      this.#fields = rebased(this.#fields, sent, known.fields);
      this.#due = this.#options.manual !== true;
      this.#become(this.#differs() ? { kind: 'unsaved' } : { kind: 'saved' });
    } catch (error) {
      this.#failed(error);
    }
    this.#keep();
  }

  /** Saves against the newest state; rethrows errors other than a concurrent change. */
  async #saved(sent: F): Promise<Known<F>> {
    let fields = sent;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#options.source.save(changesOf(fields, this.#base.fields), this.#base.tag);
      } catch (error) {
        if (codeOf(error) !== 'precondition_failed' || tries >= triesMax) throw error;
      }
      this.#take(await this.#options.source.load());
      if (isConflict(this.#state)) throw new Disputed();
      fields = this.#fields;
      if (!this.#differs()) return this.#base;
    }
  }

  /** Merges a change by another user. */
  #take(known: Known<F>): void {
    const pieces: Record<string, readonly Piece[]> = {};
    const merged: Record<string, string> = {};
    for (const [name, mine] of Object.entries(this.#fields)) {
      const all = mergeText(this.#base.fields[name] ?? '', mine, known.fields[name] ?? '');
      if (all.some(isDisputed)) pieces[name] = all;
      else merged[name] = textOf(all, 'ours');
    }
    if (Object.keys(pieces).length > 0) {
      // Fields without a conflict are merged immediately; the others keep their base.
      const open = Object.keys(pieces).map((name) => [name, this.#base.fields[name]]);
      this.#theirs = known;
      this.#base = { tag: this.#base.tag, fields: { ...known.fields, ...Object.fromEntries(open) } as F };
      this.#fields = { ...this.#fields, ...merged };
      this.#become({ kind: 'conflict', pieces });
      return;
    }
    this.#theirs = undefined;
    this.#base = known;
    this.#fields = { ...this.#fields, ...merged };
    // A concurrent change that was undone is no conflict.
    if (isConflict(this.#state)) this.#state = { kind: 'unsaved' };
  }

  #failed(error: unknown): void {
    if (error instanceof Disputed) return;
    const message = error instanceof Error ? error.message : String(error);
    if (isAway(error)) {
      this.#become({ kind: 'offline' });
      if (!this.#closed) this.#later(this.#options.retryMs ?? retryDefaultMs);
    } else {
      if (this.#options.manual === true) this.#due = false;
      this.#become({ kind: 'refused', message, field: (error as { field?: string }).field });
    }
  }

  /** Stores the draft and schedules saving. */
  #settle(): void {
    this.#keep();
    if (isConflict(this.#state)) return this.#notify();
    if (!this.#differs()) {
      clearTimeout(this.#timer);
      return this.#become(this.#saving === undefined ? { kind: 'saved' } : this.#state);
    }
    if (this.#saving === undefined) {
      this.#become({ kind: 'unsaved' });
      if (this.#due) this.#later(this.#options.idleMs ?? idleDefaultMs);
    } else this.#notify();
  }

  #later(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), milliseconds);
  }

  #differs(): boolean {
    return Object.keys(changesOf(this.#fields, this.#base.fields)).length > 0;
  }

  #become(state: DraftState): void {
    this.#state = state;
    this.#notify();
  }

  #notify(): void {
    if (!this.#closed) this.#options.onDraft(this.draft);
  }

  #keep(): void {
    const { storage, key } = this.#options;
    try {
      // The record may have been opened again while this keeper sends the last changes: the stored draft then belongs
      // to another keeper.
      if (this.#closed && storage.getItem(key) !== this.#stored) return;
      const unsaved = this.#differs() || isConflict(this.#state);
      this.#stored = unsaved
        ? JSON.stringify({
            base: this.#base,
            fields: this.#fields,
            ...(this.#due ? {} : { due: false }),
          } satisfies Kept<F>)
        : null;
      if (this.#stored === null) storage.removeItem(key);
      else storage.setItem(key, this.#stored);
    } catch {
      // If the storage is full, the draft is saved immediately.
      this.#later(0);
    }
  }

  #kept(): Kept<F> | undefined {
    const text = this.#options.storage.getItem(this.#options.key);
    if (text === null) return undefined;
    try {
      const kept = JSON.parse(text) as Partial<Kept<F>>;
      const whole = typeof kept.base?.tag === 'string' && typeof kept.fields === 'object' && kept.base.fields !== null;
      this.#stored = text;
      return whole ? (kept as Kept<F>) : undefined;
    } catch {
      return undefined;
    }
  }
}

const idleDefaultMs = 1500;
const retryDefaultMs = 3000;
/** The number of retries after concurrent changes before saving fails. */
const triesMax = 5;

class Disputed extends Error {}

function isConflict(state: DraftState): boolean {
  return state.kind === 'conflict';
}

/** Returns whether the service did not respond, or not yet, so that a retry is worthwhile. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'offline' || code === 'unavailable' || code === 'rate_limited';
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function changesOf<F extends Fields>(fields: F, base: F): Partial<F> {
  return Object.fromEntries(Object.entries(fields).filter(([name, text]) => text !== base[name])) as Partial<F>;
}

/** Rebases text typed after sending onto the saved state. */
function rebased<F extends Fields>(now: F, sent: F, known: F): F {
  return Object.fromEntries(
    Object.entries(now).map(([name, text]) => [name, text === sent[name] ? known[name] : text]),
  ) as unknown as F;
}
