import { useEffect, useRef, useState } from 'react';
import type { Place } from '../../api/canvas.ts';
import type { LayoutInput } from './lay-out.ts';
import type { LayoutNews } from './layout-worker.ts';

export interface LayoutRun {
  /** The number of nodes placed so far. */
  readonly placed: number;
  readonly all: number;
}

export interface LayoutEngine {
  readonly run: LayoutRun | undefined;
  readonly start: (input: LayoutInput, done: (places: readonly Place[]) => void, failed: () => void) => void;
  readonly stop: () => void;
}

/** Lays out in a worker, so that thousands of nodes do not block the page; shows progress and can be cancelled. */
export function useLayoutEngine(): LayoutEngine {
  const worker = useRef<Worker | undefined>(undefined);
  const [run, setRun] = useState<LayoutRun | undefined>(undefined);
  const stop = (): void => {
    worker.current?.terminate();
    worker.current = undefined;
    setRun(undefined);
  };
  useEffect(() => () => worker.current?.terminate(), []);
  return {
    run,
    stop,
    start: (input, done, failed) => {
      stop();
      const started = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
      worker.current = started;
      setRun({ placed: 0, all: input.nodes.length });
      started.addEventListener('error', () => {
        stop();
        failed();
      });
      started.addEventListener('message', ({ data }: MessageEvent<LayoutNews>) => {
        if (data.kind === 'progress') return setRun({ placed: data.placed, all: input.nodes.length });
        stop();
        done(data.places);
      });
      started.postMessage(input);
    },
  };
}
