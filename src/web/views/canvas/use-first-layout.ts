import { useEffect, useRef, useState } from 'react';
import type { CanvasStore } from './canvas-store.ts';
import type { Item, Model } from './model.ts';
import { isUnplaced } from './spread.ts';
import { layoutEdges } from './use-arrange.ts';
import { useLayoutEngine } from './use-layout.ts';

/** More tasks than these are drawn at once, in columns by depth: their layout takes longer than a person waits. */
const awaitedMax = 600;
const waitMsMax = 1500;

const unplacedOf = ({ items }: Model): readonly Item[] => items.filter(isUnplaced);

/**
 * Lays out the tasks without a position by their dependencies, before the canvas is first drawn. Nothing is saved: a move saves the
 * positions that are shown. Returns whether the canvas can be drawn.
 */
export function useFirstLayout(store: CanvasStore, model: Model, isOrdered: boolean): boolean {
  const engine = useLayoutEngine();
  const [isReady, setReady] = useState(() => {
    const { length } = unplacedOf(model);
    return length < 2 || length > awaitedMax;
  });
  const isStarted = useRef(false);
  useEffect(() => {
    if (isReady) return undefined;
    const timer = setTimeout(() => setReady(true), waitMsMax);
    return () => clearTimeout(timer);
  }, [isReady]);
  useEffect(() => {
    if (isReady || !isOrdered || isStarted.current) return;
    isStarted.current = true;
    const input = {
      nodes: unplacedOf(model).map(({ id, width, height }) => ({ id, width, height })),
      edges: layoutEdges(model),
      ratio: window.innerWidth / window.innerHeight,
    };
    engine.start(
      input,
      (places) => {
        store.spread(places);
        setReady(true);
      },
      () => setReady(true),
    );
  }, [engine, isOrdered, isReady, model, store]);
  return isReady;
}
