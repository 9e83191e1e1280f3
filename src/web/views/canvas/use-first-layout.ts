import { useEffect, useRef, useState } from 'react';
import type { Place } from '../../api/canvas.ts';
import type { LayoutInput } from './model/lay-out.ts';
import type { Item, Model } from './model/model.ts';
import { isUnplaced } from './model/spread.ts';
import { layoutEdges } from './use-arrange.ts';
import type { CanvasBoard } from './use-board.ts';
import { useLayoutEngine } from './use-layout.ts';
import type { LayoutRun } from './use-layout.ts';

/** The layout of up to this many tasks is awaited. More are first drawn in columns by depth, which their layout replaces. */
const awaitedMax = 600;
const waitMsMax = 1500;
/** A single task that another user adds gets a position next to the others; with more new tasks all are laid out. */
const grownMin = 2;

export interface FirstLayout {
  /** True if the canvas can be drawn. */
  readonly isReady: boolean;
  /** The layout that is in progress. */
  readonly run: LayoutRun | undefined;
  /** Keeps the layout that is shown. */
  readonly stop: () => void;
}

const unplacedOf = ({ items }: Model): readonly Item[] => items.filter(isUnplaced);

/** The latest layout, so that returning to the canvas shows it immediately. */
let latest: { readonly key: string; readonly places: readonly Place[] } | undefined;

const keyOf = ({ nodes, edges }: LayoutInput): string =>
  `${nodes.map(({ id }) => id).join()} ${edges.map(({ first, then }) => `${first}>${then}`).join()}`;

/**
 * Lays out the tasks without a position by their dependencies. Nothing is saved: a move saves the positions that are shown, and ends the
 * layout.
 */
export function useFirstLayout({ store, drawn }: CanvasBoard, model: Model, isOrdered: boolean): FirstLayout {
  const { run, start, stop } = useLayoutEngine();
  const [isReady, setReady] = useState(() => {
    const { length } = unplacedOf(model);
    return length < 2 || length > awaitedMax;
  });
  /** The number of tasks in the latest layout. */
  const laidOut = useRef(0);
  useEffect(() => {
    if (isReady) return undefined;
    const timer = setTimeout(() => setReady(true), waitMsMax);
    return () => clearTimeout(timer);
  }, [isReady]);
  useEffect(() => {
    const unplaced = unplacedOf(model);
    if (!isOrdered || unplaced.length < laidOut.current + grownMin) return;
    laidOut.current = unplaced.length;
    const input = {
      nodes: unplaced.map(({ id, width, height }) => ({ id, width, height })),
      edges: layoutEdges(model),
      ratio: window.innerWidth / window.innerHeight,
    };
    const key = keyOf(input);
    const show = (places: readonly Place[]): void => {
      latest = { key, places };
      store.spread(places);
      setReady(true);
    };
    if (latest?.key === key) show(latest.places);
    else start(input, show, () => setReady(true));
  }, [start, isOrdered, model, store]);
  useEffect(
    () => () => {
      laidOut.current = 0;
    },
    [],
  );
  const isKept = drawn.nodes.length > 0 && drawn.unplaced.length === 0;
  useEffect(() => {
    if (isReady && isKept) stop();
  }, [isReady, isKept, stop]);
  return { isReady, run, stop };
}
