import { useCallback, useMemo } from 'react';
import type { SavedView } from '../../api/views.ts';
import { queryOfView } from '../../shell/open-task.ts';
import { setOne, useQuery } from '../../shell/query-state.ts';
import { fromConfig, fromQuery, isSame, standardState, toQuery } from './list-state.ts';
import type { ListState } from './list-state.ts';

/** The view that the address names. */
const viewMember = 'view';
/** Present if the address contains the state itself and names the view only as its origin. */
const ownMember = 'changed';

export interface ListLook {
  readonly state: ListState;
  /** The shown saved view. */
  readonly view: SavedView | undefined;
  /** The address names a deleted view. */
  readonly isViewGone: boolean;
  /** True if the state differs from the view. */
  readonly isChanged: boolean;
  readonly change: (part: Partial<ListState>) => void;
  /** Resets to the saved view, or to the default. */
  readonly reset: () => void;
  /** Shows a view as saved, after it was created or changed. */
  readonly show: (viewId: string | undefined) => void;
}

/** The state of the list by the address: `?view=<id>` for a saved view; with unsaved changes, in full. */
export function useListLook(views: readonly SavedView[], loaded: boolean): ListLook {
  const [query, changeQuery] = useQuery();
  const viewId = query.get(viewMember) ?? undefined;
  const view = views.find(({ id }) => id === viewId);
  const own = viewId === undefined || query.has(ownMember);
  const search = queryOfView(query).toString();
  const state = useMemo(
    () => (own ? fromQuery(new URLSearchParams(search)) : fromConfig(view?.config)),
    [own, search, view?.config],
  );
  const saved = useMemo(() => (view === undefined ? standardState : fromConfig(view.config)), [view]);
  const change = useCallback(
    (part: Partial<ListState>) =>
      changeQuery((now) => {
        const next = { ...(own ? fromQuery(now) : state), ...part };
        const same = viewId !== undefined && isSame(next, saved);
        setOne(now, ownMember, viewId === undefined || same ? undefined : '1');
        toQuery(now, same ? standardState : next);
      }),
    [changeQuery, own, state, saved, viewId],
  );
  const show = useCallback(
    (id: string | undefined) =>
      changeQuery((now) => {
        toQuery(now, standardState);
        now.delete(ownMember);
        setOne(now, viewMember, id);
      }, {}),
    [changeQuery],
  );
  return {
    state,
    view,
    isViewGone: loaded && viewId !== undefined && view === undefined,
    isChanged: !isSame(state, saved),
    change,
    reset: () => show(viewId),
    show,
  };
}
