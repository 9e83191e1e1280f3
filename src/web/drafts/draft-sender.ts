import type { QueryClient } from '@tanstack/react-query';
import { refresh } from '../api/cache.ts';
import { call } from '../rest/client.ts';
import type { Input, OperationName } from '../rest/client.ts';
import { adding } from '../api/comments.ts';
import { DraftKeeper, isAway } from './draft-keeper.ts';
import type { Fields } from './draft-keeper.ts';
import { draftStorage, unopenedDrafts } from './draft-store.ts';
import type { CommentDraft, RecordDraft, StoredDraft } from './draft-store.ts';
import { draftSource, refreshDrafted } from './sources.ts';

/** Why a draft was not sent although the service responds. */
export type DraftProblem =
  /** Another user changed the same text; the person has to choose. */
  { readonly kind: 'conflict' } | { readonly kind: 'gone' } | { readonly kind: 'refused'; readonly message: string };

/** Never: the sender itself retries. */
const noMs = 2 ** 30;

/** Sends the drafts that were handed in and that no editor has open, wherever the person is now. */
export class DraftSender {
  readonly #client: QueryClient;
  readonly #onChange: () => void;
  /** The problems by key, each with the draft that has it: a changed text under the key is tried again. */
  readonly #problems = new Map<string, { readonly of: string | null; readonly problem: DraftProblem }>();
  #sending = false;

  constructor(client: QueryClient, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  problemOf(key: string): DraftProblem | undefined {
    const kept = this.#problems.get(key);
    return kept?.of === draftStorage.getItem(key) ? kept?.problem : undefined;
  }

  /** Sends the drafts that can be sent. Only one of several tabs does so. */
  async send(): Promise<void> {
    if (this.#sending || !unopenedDrafts().some((one) => this.#isSendable(one))) return;
    this.#sending = true;
    try {
      // Without a secure context there are no locks; a draft that two tabs send is saved once all the same.
      if (!('locks' in navigator)) return await this.#sendAll();
      await navigator.locks.request('planner.drafts', { ifAvailable: true }, async (lock) => {
        if (lock !== null) await this.#sendAll();
      });
    } finally {
      this.#sending = false;
    }
  }

  #isSendable(draft: StoredDraft): boolean {
    return draft.due !== false && draft.due !== undefined && this.problemOf(draft.key) === undefined;
  }

  async #sendAll(): Promise<void> {
    for (const draft of unopenedDrafts().filter((one) => this.#isSendable(one))) {
      try {
        const problem = draft.kind === 'record' ? await this.#sendRecord(draft) : await this.#sendComment(draft);
        if (problem !== undefined) this.#failed(draft.key, problem);
      } catch (error) {
        if (isAway(error)) return;
        const { code, message } = error as { readonly code?: unknown; readonly message?: string };
        this.#failed(draft.key, code === 'not_found' ? { kind: 'gone' } : { kind: 'refused', message: message ?? '' });
      }
    }
  }

  #failed(key: string, problem: DraftProblem): void {
    this.#problems.set(key, { of: draftStorage.getItem(key), problem });
    this.#onChange();
  }

  async #sendRecord({ type, projectId, id, key }: RecordDraft): Promise<DraftProblem | undefined> {
    const source = draftSource<Fields>(this.#client, type, projectId, id);
    const keeper = new DraftKeeper<Fields>({
      ...{ source, key, storage: draftStorage, idleMs: noMs, retryMs: noMs, manual: type === 'task' },
      known: await source.load(),
      onDraft: () => undefined,
      onSaved: () => void refreshDrafted(this.#client, type),
    });
    // From now on the storage may be another keeper's: the person may open the record.
    keeper.abandon();
    await keeper.save();
    const { state } = keeper.draft;
    if (state.kind === 'conflict') return { kind: 'conflict' };
    return state.kind === 'refused' ? { kind: 'refused', message: state.message } : undefined;
  }

  async #sendComment({
    key,
    projectId,
    targetType,
    targetId,
    commentId,
    html,
    place,
    due,
  }: CommentDraft): Promise<undefined> {
    const options = due === undefined ? {} : { key: due };
    if (commentId !== undefined)
      await call('update_comment', { project_id: projectId, comment_id: commentId, body: html }, options);
    else {
      const input = { ...place, body: html, project_id: projectId, [`${targetType}_id`]: targetId };
      const operation: OperationName = adding[targetType];
      await call(operation, input as unknown as Input<typeof operation>, options);
    }
    draftStorage.removeItem(key);
    await refresh(this.#client, 'list_comments', 'get_project');
  }
}
