import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { DraftKeeper } from './draft-keeper.ts';
import type { Draft, Fields, Known } from './draft-keeper.ts';
import { draftStorage, openDraft, recordKey } from './draft-store.ts';
import type { DraftedKind } from './draft-store.ts';
import { draftSource, refreshDrafted } from './sources.ts';

export interface UsedDraft<F extends Fields> extends Draft<F> {
  readonly change: (changed: Partial<F>) => void;
  readonly resolve: (fields: Partial<F>) => void;
  readonly save: () => void;
  readonly discard: () => void;
}

export interface DraftedRecord {
  readonly type: DraftedKind;
  readonly projectId: string;
  readonly id: string;
  /** Nothing is saved before the person asks for it. */
  readonly manual?: boolean;
}

/** A draft of one record while it is shown. Use another React key for another record. */
export function useDraft<F extends Fields>(
  { type, projectId, id, manual = false }: DraftedRecord,
  known: Known<F>,
): UsedDraft<F> {
  const client = useQueryClient();
  const key = recordKey(type, projectId, id);
  const keeper = useRef<DraftKeeper<F>>(null);
  const [draft, setDraft] = useState<Draft<F>>({ fields: known.fields, state: { kind: 'saved' } });
  const beginning = useEffectEvent(() => ({
    known,
    manual,
    source: draftSource<F>(client, type, projectId, id),
    onSaved: () => void refreshDrafted(client, type),
  }));
  useEffect(() => {
    const release = openDraft(key);
    const made = new DraftKeeper<F>({ ...beginning(), key, storage: draftStorage, onDraft: setDraft });
    keeper.current = made;
    setDraft(made.draft);
    const hide = (): void => {
      if (document.visibilityState === 'hidden' && !manual) void made.save();
    };
    document.addEventListener('visibilitychange', hide);
    return () => {
      document.removeEventListener('visibilitychange', hide);
      keeper.current = null;
      made.close();
      release();
    };
  }, [key, manual]);
  useEffect(() => keeper.current?.polled(known), [known]);
  return {
    ...draft,
    change: (changed) => keeper.current?.change(changed),
    resolve: (fields) => keeper.current?.resolve(fields),
    save: () => void keeper.current?.save(),
    discard: () => keeper.current?.discard(),
  };
}
