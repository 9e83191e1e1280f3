import type { Clock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type { RateLimiters } from '../../base/rate-limiters.ts';
import type { DiskSpace } from '../../store/index.ts';
import type { Context } from '../declaration/operation.ts';
import { DailyBytes } from './daily-bytes.ts';

export interface WriteAllowanceOptions {
  readonly clock: Clock;
  /** The space of the root's disk; undefined if the system does not report it. */
  readonly space?: (() => DiskSpace | undefined) | undefined;
  /** The bytes that one agent key may write in 24 hours. Default: `limits.agentBytesPerDayMax`. */
  readonly agentBytesPerDay?: number | undefined;
  /** Bytes up to which agents and guests may grow a project. Default: `limits.projectBytesMax`. */
  readonly projectBytes?: number | undefined;
  /** The limiters that count. Default: in this process. */
  readonly limiters?: RateLimiters | undefined;
}

/** A measurement of the disk is valid for this time: an agent writes little in it. */
const measuredMs = 500;
const retrySeconds = 60;

/**
 * Limits the writes of agents and guests, so that they cannot fill the disk: the bytes per day of each key, the size of
 * a project, and the free space of the disk. The reserved space allows the owner to write, which deleting requires too.
 */
export class WriteAllowance {
  readonly #options: WriteAllowanceOptions;
  readonly #bytesPerDay: number;
  readonly #projectBytes: number;
  readonly #written: DailyBytes;
  #measured: { readonly at: number; readonly full: boolean } = { at: -Infinity, full: false };

  constructor(options: WriteAllowanceOptions) {
    this.#options = options;
    this.#bytesPerDay = options.agentBytesPerDay ?? limits.agentBytesPerDayMax;
    this.#projectBytes = options.projectBytes ?? limits.projectBytesMax;
    const { clock, limiters } = options;
    this.#written = new DailyBytes({ bytesMax: this.#bytesPerDay, clock, limiters });
  }

  /**
   * Throws `unavailable` for an agent or guest if only the owner's reserve of the disk is free, `rate_limited` for a key that has reached
   * its limit for the day.
   */
  async require({ caller, transport }: Pick<Context, 'caller' | 'transport'>): Promise<void> {
    if (isBounded({ caller, transport })) this.requireRoom();
    if (caller.kind === 'agent') await this.requireBytes(caller);
  }

  /** Throws `rate_limited` for a key that has reached its limit for the day. */
  async requireBytes(caller: Context['caller']): Promise<void> {
    if (caller.kind !== 'agent') return;
    const written = await this.#written.of(caller.id);
    if (written === undefined || written.bytes < this.#bytesPerDay) return;
    const seconds = Math.max(1, Math.ceil(written.msBeforeNext / 1000));
    throw new PlannerError(
      'rate_limited',
      `This agent key has written ${written.bytes} bytes within a day, and ${this.#bytesPerDay} are allowed. Try again in ${seconds} s, or ask the owner to raise PLANNER_AGENT_BYTES_PER_DAY.`,
      { retry_after: seconds },
    );
  }

  /** Throws `unavailable` while less of the disk is free than is reserved for the owner. */
  requireRoom(): void {
    const { clock, space } = this.#options;
    const now = clock.now();
    // Also true if the clock was set back.
    if (Math.abs(now - this.#measured.at) >= measuredMs) this.#measured = { at: now, full: isNearlyFull(space?.()) };
    if (!this.#measured.full) return;
    throw new PlannerError(
      'unavailable',
      'The disk of the plan is nearly full. The remaining space is reserved for the owner: agents and guests cannot write until the owner makes room.',
      { retry_after: retrySeconds },
    );
  }

  /** Throws `conflict` for an agent or guest if the project is larger than their limit. */
  requireWithin(call: Pick<Context, 'caller' | 'transport'>, view: { readonly storedBytes: number }): void {
    if (!isBounded(call)) return;
    const { storedBytes } = view;
    if (storedBytes <= this.#projectBytes) return;
    throw new PlannerError(
      'conflict',
      `The project takes ${storedBytes} bytes with this change, history and files included, and agents and guests may let it grow to ${this.#projectBytes}. The owner can still change it, make room by removing files from its directory, and set PLANNER_PROJECT_BYTES.`,
      { bytes: storedBytes, bytes_max: this.#projectBytes },
    );
  }

  /** Counts the bytes that an agent key has written. Writes of other callers are not counted. */
  async charge({ caller }: Pick<Context, 'caller'>, bytes: number): Promise<void> {
    if (caller.kind === 'agent') await this.chargeTo(caller.id, bytes);
  }

  /** Counts the bytes that are stored for a credential besides its writes. */
  async chargeTo(credential: string, bytes: number): Promise<void> {
    if (bytes > 0) await this.#written.add(credential, bytes);
  }
}

/** Over MCP the caller is an agent, also with an owner's credential. */
function isBounded({ caller, transport }: Pick<Context, 'caller' | 'transport'>): boolean {
  return caller.kind !== 'owner' || transport === 'mcp';
}

function isNearlyFull(space: DiskSpace | undefined): boolean {
  if (space === undefined) return false;
  return space.freeBytes < Math.min(limits.ownerReserveBytes, space.totalBytes * limits.ownerReserveShare);
}
