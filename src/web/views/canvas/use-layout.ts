import { useCallback, useEffect, useRef, useState } from 'react';
import type { Place } from '../../api/canvas.ts';
import { CodeUnreachable, loadCode } from '../../loading/code.ts';
import type { LayoutInput } from './model/lay-out.ts';
import type { LayoutNews } from './model/layout-worker.ts';

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
  const active = useRef<Layout | undefined>(undefined);
  const [run, setRun] = useState<LayoutRun | undefined>(undefined);
  const stop = useCallback((): void => {
    active.current?.end();
    active.current = undefined;
    setRun(undefined);
  }, []);
  const start = useCallback<LayoutEngine['start']>(
    (input, done, failed) => {
      stop();
      const all = input.nodes.length;
      setRun({ placed: 0, all });
      const layout = new Layout();
      active.current = layout;
      const settle = (places: readonly Place[] | undefined): void => {
        if (active.current === layout) stop();
        if (places === undefined) failed();
        else done(places);
      };
      layout
        .run(input, (placed) => setRun({ placed, all }))
        .then(
          // A layout that was stopped has no result.
          (places) => places && settle(places),
          () => settle(undefined),
        );
    },
    [stop],
  );
  useEffect(() => () => active.current?.end(), []);
  return { run, start, stop };
}

/** One run of the worker. */
class Layout {
  #worker: Worker | undefined;
  #isEnded = false;

  /** Resolves with the positions; with undefined if it was ended before its code was there. Retries code that does not load. */
  async run(input: LayoutInput, onProgress: (placed: number) => void): Promise<readonly Place[] | undefined> {
    const worker = await loadCode(async () => (this.#isEnded ? undefined : await startWorker()));
    if (worker === undefined || this.#isEnded) {
      worker?.terminate();
      return undefined;
    }
    this.#worker = worker;
    return await new Promise((resolve, reject) => {
      worker.addEventListener('error', ({ message }) => {
        worker.terminate();
        reject(new Error(message));
      });
      worker.addEventListener('message', ({ data }: MessageEvent<LayoutNews>) => {
        if (data.kind === 'progress') onProgress(data.placed);
        if (data.kind === 'done') resolve(data.places);
      });
      worker.postMessage(input);
    });
  }

  end(): void {
    this.#isEnded = true;
    this.#worker?.terminate();
  }
}

/** Resolves when the code of the worker is there. */
async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL('./model/layout-worker.ts', import.meta.url), { type: 'module' });
  return await new Promise((resolve, reject) => {
    worker.addEventListener('message', () => resolve(worker), { once: true });
    worker.addEventListener(
      'error',
      (event) => {
        worker.terminate();
        // An error of the code itself has a message; an event without one says that the code could not be fetched.
        reject(event instanceof ErrorEvent ? new Error(event.message) : new CodeUnreachable());
      },
      { once: true },
    );
  });
}
