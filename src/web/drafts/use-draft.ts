import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { DraftKeeper } from './draft-keeper.ts';
import type { Draft, DraftSource, Fields, Known } from './draft-keeper.ts';

export interface UsedDraft<F extends Fields> extends Draft<F> {
  readonly change: (changed: Partial<F>) => void;
  readonly resolve: (fields: Partial<F>) => void;
  readonly save: () => void;
}

/** A draft of one record while it is shown. Use another React key for another record. */
export function useDraft<F extends Fields>(
  key: string,
  known: Known<F>,
  source: DraftSource<F>,
  onSaved: (known: Known<F>) => void,
): UsedDraft<F> {
  const keeper = useRef<DraftKeeper<F>>(null);
  const [draft, setDraft] = useState<Draft<F>>({ fields: known.fields, state: { kind: 'saved' } });
  const saved = useEffectEvent((next: Known<F>) => onSaved(next));
  const beginning = useEffectEvent(() => ({ known, source }));
  useEffect(() => {
    const made = new DraftKeeper<F>({
      ...beginning(),
      key: `planner.draft.${key}`,
      storage: localStorage,
      onDraft: setDraft,
      onSaved: (next) => saved(next),
    });
    keeper.current = made;
    setDraft(made.draft);
    const hide = (): void => {
      if (document.visibilityState === 'hidden') void made.save();
    };
    document.addEventListener('visibilitychange', hide);
    return () => {
      document.removeEventListener('visibilitychange', hide);
      keeper.current = null;
      made.close();
    };
  }, [key]);
  useEffect(() => keeper.current?.polled(known), [known]);
  return {
    ...draft,
    change: (changed) => keeper.current?.change(changed),
    resolve: (fields) => keeper.current?.resolve(fields),
    save: () => void keeper.current?.save(),
  };
}
