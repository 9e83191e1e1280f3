import { useSyncExternalStore } from 'react';
import type { CommentTarget } from '../rest/types.ts';
import type { DraftStorage, Fields } from './draft-keeper.ts';

/** The kinds of records with texts that are kept as drafts. */
export type DraftedKind = 'document' | 'note' | 'artifact' | 'task';

/** The texts of a record that the service has not saved yet, as a `DraftKeeper` stores them. */
export interface RecordDraft {
  readonly kind: 'record';
  readonly type: DraftedKind;
  readonly key: string;
  readonly projectId: string;
  readonly id: string;
  readonly fields: Fields;
  /** True if the person submitted it: it is sent without being opened. */
  readonly due: boolean;
}

/** A comment, or a new text of one, that the service has not saved yet. */
export interface CommentDraft extends StoredComment {
  readonly kind: 'comment';
  readonly key: string;
}

/** The stored form of a comment. */
export interface StoredComment {
  readonly projectId: string;
  readonly targetType: CommentTarget;
  readonly targetId: string;
  /** The comment that it changes. Undefined for a new one. */
  readonly commentId?: string | undefined;
  readonly html: string;
  readonly place?: object | undefined;
  /** The idempotency key of a comment that was handed in: it is sent without being opened, and once, however many tabs send it. */
  readonly due?: string | undefined;
}

export type StoredDraft = RecordDraft | CommentDraft;

const prefix = 'planner.draft.';
const commentPrefix = `${prefix}comment.`;

/** The storage key of a record's draft. */
export function recordKey(type: DraftedKind, projectId: string, id: string): string {
  return `${prefix}${type}.${projectId}.${id}`;
}

/** The storage key of the comment that is being written. */
export function commentKey({ targetType, targetId, commentId }: Omit<StoredComment, 'html' | 'projectId'>): string {
  return commentId === undefined ? `${commentPrefix}${targetType}.${targetId}` : `${commentPrefix}edit.${commentId}`;
}

const listeners = new Set<() => void>();
/** The drafts that an editor of this tab has open: the editor shows and sends them. */
const opened = new Map<string, number>();
let drafts: readonly StoredDraft[] = [];
let isRead = false;

function changed(): void {
  isRead = false;
  for (const listener of listeners) listener();
}

// Other tabs.
window.addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith(prefix)) changed();
});

/** `localStorage`, whose changes are noticed. */
export const draftStorage: DraftStorage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => {
    const before = localStorage.getItem(key);
    localStorage.setItem(key, value);
    // Each letter changes the text of an open draft, which is not listed.
    if (before === null || !opened.has(key)) changed();
  },
  removeItem: (key) => {
    if (localStorage.getItem(key) === null) return;
    localStorage.removeItem(key);
    changed();
  },
};

/** An editor takes over a draft; returns the function that gives it back. */
export function openDraft(key: string): () => void {
  opened.set(key, (opened.get(key) ?? 0) + 1);
  changed();
  return () => {
    const left = (opened.get(key) ?? 1) - 1;
    if (left === 0) opened.delete(key);
    else opened.set(key, left);
    changed();
  };
}

/** The stored comment of a key. */
export function storedComment(key: string): StoredComment | undefined {
  const draft = parsed(key, localStorage.getItem(key));
  return draft?.kind === 'comment' ? draft : undefined;
}

export function storeComment(key: string, comment: StoredComment): void {
  try {
    draftStorage.setItem(key, JSON.stringify(comment));
  } catch {
    // The storage is full: the text remains in the editor.
  }
}

/** Stores a comment that was handed in while the service did not respond, apart from the one that is written next. */
export function holdComment(comment: StoredComment): void {
  const due = crypto.randomUUID();
  storeComment(`${commentPrefix}due.${due}`, { ...comment, due });
}

/** The drafts that no editor of this tab has open. */
export function unopenedDrafts(): readonly StoredDraft[] {
  if (isRead) return drafts;
  isRead = true;
  const found: StoredDraft[] = [];
  for (let at = 0; at < localStorage.length; at++) {
    const key = localStorage.key(at)!;
    if (!key.startsWith(prefix) || opened.has(key)) continue;
    const draft = parsed(key, localStorage.getItem(key));
    if (draft !== undefined) found.push(draft);
  }
  drafts = found.sort((a, b) => (a.key < b.key ? -1 : 1));
  return drafts;
}

/** The part of the stored form of a `DraftKeeper` that is read here. */
interface StoredFields {
  readonly fields?: Fields;
  readonly due?: unknown;
}

function parsed(key: string, text: string | null): StoredDraft | undefined {
  try {
    const value = JSON.parse(text ?? 'null') as (Partial<Omit<StoredComment, 'due'>> & StoredFields) | null;
    if (value === null) return undefined;
    if (key.startsWith(commentPrefix))
      return typeof value.html === 'string' ? { ...(value as StoredComment), kind: 'comment', key } : undefined;
    const [, type, projectId, id] = /^planner\.draft\.(document|note|artifact|task)\.([^.]+)\.(.+)$/.exec(key) ?? [];
    if (projectId === undefined || id === undefined || typeof value.fields !== 'object') return undefined;
    return {
      kind: 'record',
      type: type as DraftedKind,
      key,
      projectId,
      id,
      fields: value.fields,
      due: value.due !== false,
    };
  } catch {
    return undefined;
  }
}

/** Version 0.1.0 named no kind: `planner.draft.<project>.<record>`. The fields say which it is. */
function adoptFormerDrafts(): void {
  const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at)!);
  for (const former of keys) {
    const [, projectId, id] = /^planner\.draft\.(prj_[^.]+)\.(.+)$/.exec(former) ?? [];
    const text = localStorage.getItem(former);
    if (projectId === undefined || id === undefined) continue;
    const draft = parsed(recordKey('note', projectId, id), text);
    if (text === null || draft?.kind !== 'record') continue;
    const type = 'content' in draft.fields ? 'artifact' : 'status' in draft.fields ? 'document' : 'note';
    const key = recordKey(type, projectId, id);
    if (localStorage.getItem(key) !== null) continue;
    localStorage.setItem(key, text);
    localStorage.removeItem(former);
  }
}

adoptFormerDrafts();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The drafts that no editor of this tab has open. */
export function useUnopenedDrafts(): readonly StoredDraft[] {
  return useSyncExternalStore(subscribe, unopenedDrafts);
}
