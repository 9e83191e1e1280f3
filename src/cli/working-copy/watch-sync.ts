import { delay, systemClock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import type { Synchroniser, SyncReport } from '../../sync/synchronise.ts';
import type { PlannerPort } from '../service/planner-port.ts';
import { backoffMs, isPassing, ProjectEvents } from './project-events.ts';
import type { OpenSides } from './sync-sides.ts';

/** Changes that follow each other are exchanged together. */
const debounceMs = 200;
/**
 * A synchronisation also runs without an event: it notices changes without events, such as a branch that is checked out
 * again.
 */
const intervalMs = 60_000;

export interface WatchOptions {
  readonly opened: OpenSides;
  /** The service that has the files open. */
  readonly files: PlannerPort;
  readonly synchroniser: Synchroniser;
  readonly onReport: (report: SyncReport) => Promise<void>;
  /** Called with the reason that prevents an exchange at present, once until it changes. */
  readonly onHindered: (message: string) => void;
}

/**
 * Exchanges changes whenever one side changes. Never resolves; rejects with an error that waiting does not help against:
 * the project is gone, or the key is refused. May be stopped at any point.
 */
export async function watchSync({ opened, files, synchroniser, onReport, onHindered }: WatchOptions): Promise<never> {
  const { setting, remote, check } = opened;
  const sources = [files, remote].map((planner) => new ProjectEvents(planner, setting.project_id));
  let hindrance: string | undefined;
  for (let failures = 0; ;) {
    try {
      await check();
      const report = await synchroniser.run();
      [failures, hindrance] = [0, undefined];
      await onReport(report);
      await Promise.race([...sources.map((source) => source.next()), delay(systemClock, intervalMs)]);
      await delay(systemClock, debounceMs);
    } catch (thrown) {
      if (!(thrown instanceof PlannerError) || !(isPassing(thrown) || thrown.code === 'conflict')) throw thrown;
      if (thrown.message !== hindrance) onHindered(thrown.message);
      hindrance = thrown.message;
      await delay(systemClock, backoffMs(++failures));
    }
  }
}
