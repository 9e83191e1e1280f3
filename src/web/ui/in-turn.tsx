import { Children, startTransition, useEffect, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';

/**
 * Draws its children one after another, a frame each, so that the first of them is painted immediately and no key waits
 * for all of them. Later children are below earlier ones, so nothing moves.
 */
export function InTurn({ children }: { readonly children: ReactNode }): ReactElement {
  const parts = Children.toArray(children);
  const [drawn, setDrawn] = useState(1);
  const isWhole = drawn >= parts.length;
  useEffect(() => {
    if (isWhole) return;
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn(drawn + 1)));
    return () => cancelAnimationFrame(frame);
  }, [drawn, isWhole]);
  return <>{parts.slice(0, drawn)}</>;
}
