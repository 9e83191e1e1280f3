import type { Viewport } from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { setOne, useQuery } from '../../shell/query-state.ts';

/** The open dialog. */
export type OpenDialog =
  | { readonly kind: 'task' | 'document' | 'find' | 'arrange' | 'keys' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'connect'; readonly from?: string | undefined; readonly to?: string | undefined }
  | { readonly kind: 'edge'; readonly id: string };

export interface CanvasLook {
  /** The viewport in the address. */
  readonly viewport: Viewport | undefined;
  readonly setViewport: (viewport: Viewport) => void;
  readonly showFrontier: boolean;
  readonly showCritical: boolean;
  readonly setShown: (what: 'frontier' | 'critical', shown: boolean) => void;
}

const restMs = 400;

/** The state of the view in the address: `at=x,y,zoom`, and `hide=` for disabled highlights. */
export function useCanvasLook(): CanvasLook {
  const [query, change] = useQuery();
  const at = query.get('at');
  const hidden = useMemo(() => new Set(query.get('hide')?.split(',')), [query]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const setViewport = useCallback(
    ({ x, y, zoom }: Viewport) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(
        () =>
          change((now) => now.set('at', `${Math.round(x)},${Math.round(y)},${zoom.toFixed(2)}`), {
            replace: true,
            preventScrollReset: true,
          }),
        restMs,
      );
    },
    [change],
  );
  const setShown = useCallback(
    (what: 'frontier' | 'critical', shown: boolean) =>
      change((now) => {
        const next = new Set(
          now
            .get('hide')
            ?.split(',')
            .filter((each) => each !== ''),
        );
        if (shown) next.delete(what);
        else next.add(what);
        setOne(now, 'hide', next.size === 0 ? undefined : [...next].join());
      }),
    [change],
  );
  return {
    viewport: useMemo(() => viewportOf(at), [at]),
    setViewport,
    showFrontier: !hidden.has('frontier'),
    showCritical: !hidden.has('critical'),
    setShown,
  };
}

function viewportOf(text: string | null): Viewport | undefined {
  const [x, y, zoom] = (text ?? '').split(',').map(Number);
  if (x === undefined || y === undefined || zoom === undefined) return undefined;
  return [x, y, zoom].every(Number.isFinite) && zoom > 0 ? { x, y, zoom } : undefined;
}
