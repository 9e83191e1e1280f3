import type { Clock } from '../../../base/clock.ts';
import type { JournalFiles } from '../journal/journal-files.ts';
import { InterruptibleWait } from './interruptible-wait.ts';
import { journalBytesMax } from './pace.ts';

/** More entries a second than this are a burst. */
const burstPerSecond = 100;
const stepMs = 50;
/** How long one sync waits altogether: until it ends, an opening after a kill has more to replay. */
const waitMsMax = 30_000;

export interface SyncPaceDeps {
  readonly clock: Clock;
  readonly journal: Pick<JournalFiles, 'bytes' | 'position'>;
  /** Whether files are being written, or wait for the end of a burst. */
  readonly isWriting: () => boolean;
}

/**
 * When written files are synced: not during a burst of commits, and not while files are written, both of which an fsync
 * delays. Nothing needs the sync but the journal, which is kept until then; once that is large, nothing goes first.
 */
export class SyncPace {
  readonly #deps: SyncPaceDeps;
  #waitedMs = 0;
  /** The journal's position, and the time, of the last look. */
  #position: number;
  #lookedAt: number;
  #hurries = false;
  readonly #waiting: InterruptibleWait;

  constructor(deps: SyncPaceDeps) {
    this.#deps = deps;
    this.#position = deps.journal.position;
    this.#lookedAt = deps.clock.monotonic();
    this.#waiting = new InterruptibleWait(deps.clock);
  }

  /** A sync begins. */
  begin(): void {
    this.#waitedMs = 0;
    this.#hurries = false;
    this.#look();
  }

  /** A caller waits for the sync in progress: it gives way to nothing any more. */
  hurry(): void {
    this.#hurries = true;
    this.#waiting.end();
  }

  /** Resolves when more files can be synced. */
  async giveWay(): Promise<void> {
    while (this.#look() && this.#waitedMs < waitMsMax) {
      await this.#waiting.begin(stepMs, { isBackground: true });
      this.#waitedMs += stepMs;
    }
  }

  /** Whether something else goes first, by what happened since the last look. */
  #look(): boolean {
    const { clock, journal, isWriting } = this.#deps;
    const [entries, ms] = [journal.position - this.#position, clock.monotonic() - this.#lookedAt];
    this.#position = journal.position;
    this.#lookedAt = clock.monotonic();
    if (this.#hurries || journal.bytes >= journalBytesMax) return false;
    return isWriting() || entries * 1000 > burstPerSecond * ms;
  }
}
