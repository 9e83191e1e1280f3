import type { ParseRequest, ParseResponse } from './parse-worker.ts';

interface Waiting {
  readonly resolve: (response: ParseResponse) => void;
  readonly reject: (error: Error) => void;
}

let worker: Worker | undefined;
let users = 0;
let number = 0;
const waiting = new Map<number, Waiting>();

/** Keeps the worker as long as it may be used; returns the function that lets it go. */
export function keepWorker(): () => void {
  users++;
  return () => {
    if (--users === 0) end('The worker is not used any more.');
  };
}

/**
 * The patch that makes the nodes of one text the nodes of another, parsed in a worker so that keys are handled during
 * the parse. Rejects if the worker cannot be loaded.
 */
export function patchApart(from: string, to: string): Promise<ParseResponse> {
  worker ??= started();
  const request: ParseRequest = { number: number++, from, to };
  const made = new Promise<ParseResponse>((resolve, reject) => waiting.set(request.number, { resolve, reject }));
  worker.postMessage(request);
  return made;
}

function started(): Worker {
  const made = new Worker(new URL('./parse-worker.ts', import.meta.url), { type: 'module', name: 'markdown' });
  made.addEventListener('message', ({ data }: MessageEvent<ParseResponse>) => {
    waiting.get(data.number)?.resolve(data);
    waiting.delete(data.number);
  });
  made.addEventListener('error', () => {
    if (worker === made) end('The worker has failed.');
  });
  return made;
}

function end(reason: string): void {
  worker?.terminate();
  worker = undefined;
  for (const { reject } of waiting.values()) reject(new Error(reason));
  waiting.clear();
}
