import { PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { Counts } from '../platform/counts.ts';
import { FairQueue } from '../platform/fair-queue.ts';

/** The caller of an import. */
export interface Importer {
  readonly credential: string;
  readonly isAgent: boolean;
  /** Aborts when the caller is gone, or the service closes. */
  readonly signal?: AbortSignal | undefined;
}

/** The state that all imports of this process share. */
class Shared {
  /** Imports whose plan has arrived; at most one per credential. */
  readonly waiting = new FairQueue<() => void>(limits.importsMax, 1);
  /** How many of each credential have a place. */
  readonly places = new Counts();
  /** The one whose plan is read and carried out. */
  present: ImportInProgress | undefined;
  placesTaken = 0;
  bytes = 0;
}

const shared = new Shared();

/**
 * One import, from its first byte to the end of its call. Another tool's plan takes a place before it arrives; plans are read and carried
 * out one after the other, and credentials take turns.
 */
export class ImportInProgress {
  readonly importer: Importer;
  #bytes = 0;
  #hasPlace = false;
  #stopWaiting: () => void = () => undefined;

  constructor(importer: Importer) {
    this.importer = importer;
  }

  /** The bytes of the plan that are in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** So many bytes are in memory now. Throws `payload_too_large`, or `unavailable` if all imports together have too many. */
  hold(bytes: number): void {
    const most = this.importer.isAgent ? limits.agentImportBytesMax : limits.importRecordsBytesMax;
    if (bytes > most) throw tooLarge(most);
    const sum = shared.bytes + bytes - this.#bytes;
    if (bytes > this.#bytes && sum > limits.importsBytesMax) throw tooManyBytes();
    shared.bytes = sum;
    this.#bytes = bytes;
  }

  /** Throws `rate_limited` if as many imports of the caller, or of all, have a place as may. */
  takePlace(): void {
    const { credential } = this.importer;
    if (shared.places.of(credential) >= limits.importsOfOneMax || shared.placesTaken >= limits.importsMax)
      throw tooMany();
    shared.places.add(credential, 1);
    shared.placesTaken++;
    this.#hasPlace = true;
  }

  /** Resolves when the plan may be read and carried out. Rejects with `unavailable` once the caller is gone. */
  async turn(): Promise<void> {
    const { credential, signal } = this.importer;
    if (signal?.aborted === true) throw gone();
    if (shared.present === undefined) return void (shared.present = this);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = (): void => {
      shared.present = this;
      resolve();
    };
    const leave = (): void => reject(gone());
    if (!shared.waiting.add(credential, start)) throw tooMany();
    signal?.addEventListener('abort', leave);
    this.#stopWaiting = () => {
      signal?.removeEventListener('abort', leave);
      shared.waiting.delete(credential, start);
    };
    await promise.finally(this.#stopWaiting);
  }

  /** The call has ended: another import has its turn. */
  end(): void {
    this.#stopWaiting();
    this.hold(0);
    if (this.#hasPlace) this.#leavePlace();
    if (shared.present !== this) return;
    shared.present = undefined;
    shared.waiting.take()?.();
  }

  #leavePlace(): void {
    this.#hasPlace = false;
    shared.placesTaken--;
    shared.places.add(this.importer.credential, -1);
  }
}

/** The error of an import whose caller is gone. */
export function gone(): PlannerError {
  return new PlannerError('unavailable', 'The request ended before its plan was read. Nothing was changed.');
}

const retrySeconds = 5;

function tooMany(): PlannerError {
  const message = `Plans are read one after the other: ${limits.importsOfOneMax} imports of this caller, or ${limits.importsMax} of all, are in progress. Send the next one when one of them has ended.`;
  return new PlannerError('rate_limited', message, { retry_after: retrySeconds });
}

function tooManyBytes(): PlannerError {
  const most = limits.importsBytesMax;
  const message = `The plans that are being imported have over ${most} bytes together. Nothing was changed; retry later.`;
  return new PlannerError('unavailable', message, { bytes_max: most, retry_after: retrySeconds });
}

/** The error of a plan with more bytes than its caller may import. */
function tooLarge(most: number): PlannerError {
  return new PlannerError('payload_too_large', `The plan is over ${most} bytes.`, { bytes_max: most });
}
