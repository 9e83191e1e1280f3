import type { VirtualItem } from '@tanstack/react-virtual';
import type { UIEvent } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';

interface Kept {
  readonly offset: number;
  /** The measured rows: with estimated ones the offset is another place. */
  readonly rows: VirtualItem[];
}

/** The last positions of scrolled elements, by address and name. */
const kept = new Map<string, Kept>();

export interface KeptScroll {
  /** Where a virtual list begins: where it was, if the person goes back or forward. */
  readonly begin: { readonly initialOffset: number; readonly initialMeasurementsCache: VirtualItem[] };
  readonly keep: (event: UIEvent<HTMLElement>, rows: VirtualItem[]) => void;
}

/** Keeps the position of a virtual list for the way back to its view. */
export function useKeptScroll(name: string): KeptScroll {
  const { pathname } = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop;
  const key = `${pathname} ${name}`;
  const { offset = 0, rows = [] } = (isBack ? kept.get(key) : undefined) ?? {};
  return {
    begin: { initialOffset: offset, initialMeasurementsCache: rows },
    keep: ({ target, currentTarget }, measured) => {
      if (target === currentTarget) kept.set(key, { offset: currentTarget.scrollTop, rows: measured });
    },
  };
}
