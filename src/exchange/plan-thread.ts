import { Worker } from 'node:worker_threads';
import { invalid, PlannerError } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { threadFile } from '../platform/thread-file.ts';
import type { ImportReport } from '../domain/records/collections.ts';
import { gone } from './import-in-progress.ts';
import type { ReadOptions } from './plan-format.ts';

export interface PlanRequest {
  /** The files by their paths, in pieces with memory of their own, which is the thread's then. */
  readonly files: ReadonlyMap<string, readonly Uint8Array[]>;
  /** Where the plan is looked for, until it is found: a file, or directories; `''` is the directory of all files. */
  readonly paths: readonly string[];
  readonly from: string | undefined;
  readonly options: ReadOptions;
  /** Records and edges that may be imported. */
  readonly recordsMax: number;
}

/**
 * The result: the bytes of an export of Planner, which are left to the caller; another tool's plan is in pieces, as
 * `draftPieces` makes them.
 */
export type ReadInThread =
  | { readonly kind: 'export'; readonly pieces: readonly Uint8Array[] }
  | { readonly kind: 'moved'; readonly report: ImportReport; readonly pieces: readonly Uint8Array[] };

export type PlanReply =
  | ReadInThread
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

/** The limits of the thread. */
export interface ThreadLimits {
  readonly readMs: number;
  readonly heapMebibytesMax: number;
}

const ofOwners: ThreadLimits = {
  readMs: limits.importReadMs,
  heapMebibytesMax: limits.importHeapMebibytesMax,
};
const ofAgents: ThreadLimits = {
  readMs: limits.agentImportReadMs,
  heapMebibytesMax: limits.agentImportHeapMebibytesMax,
};

/** The limits for reading the plan of a caller. */
export function threadLimitsOf({ isAgent }: { readonly isAgent: boolean }): ThreadLimits {
  return isAgent ? ofAgents : ofOwners;
}

/**
 * Finds and reads a plan in a thread, which other requests do not wait for. Throws as `findPlan` and `readPlan` do, `invalid_argument`
 * if it takes too much time or memory, and `unavailable` when the signal aborts.
 */
export async function readInThread(
  request: PlanRequest,
  { readMs, heapMebibytesMax } = ofOwners,
  signal?: AbortSignal,
): Promise<ReadInThread> {
  const worker = new Worker(threadFile(import.meta, 'plan-worker'), {
    // Node ends a thread at its limit and lets V8 take 16 MiB more until it has ended. Objects that survive a
    // collection of a larger young generation are moved together and exceed these, and V8 then ends the process.
    resourceLimits: {
      maxOldGenerationSizeMb: heapMebibytesMax,
      maxYoungGenerationSizeMb: limits.importYoungMebibytesMax,
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<PlanReply>();
  // Nothing waits for it if the request cannot be sent.
  promise.catch(() => undefined);
  const seconds = readMs / 1000;
  const tooLong = (): void => reject(invalid('file', `Reading the plan took longer than ${seconds} s.`));
  const expiry = setTimeout(tooLong, readMs);
  worker.once('message', resolve).once('error', (error: NodeJS.ErrnoException) => {
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? invalid('file', 'The plan takes too much memory.') : error);
  });
  worker.once('exit', () => reject(new Error('The thread that reads plans has ended.')));
  const leave = (): void => reject(gone());
  signal?.addEventListener('abort', leave);
  try {
    worker.postMessage(request, buffersOf([...request.files.values()].flat()));
    const reply = await promise;
    if (reply.kind === 'error') throw new PlannerError(reply.code, reply.message, reply.details);
    return reply;
  } finally {
    clearTimeout(expiry);
    signal?.removeEventListener('abort', leave);
    await worker.terminate();
  }
}

/** The memory of pieces, to be moved to another thread. */
export function buffersOf(pieces: readonly Uint8Array[]): ArrayBuffer[] {
  return pieces.map(({ buffer }) => buffer as ArrayBuffer);
}
