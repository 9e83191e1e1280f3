import { isoTime, systemClock } from '../clock.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { printableLine } from '../printable.ts';
import type { Event } from '../schema/types.ts';
import type { CallPort } from './planner-port.ts';
import type { Terminal } from './terminal.ts';

/** What the process that runs a service may do with it without a transport, as its owner. */
export interface OwnPort extends CallPort {
  /** Passes on the events of all projects from now on, some at a time, until the signal aborts. */
  follow(onEvents: (events: readonly Event[]) => void, signal: AbortSignal): Promise<void>;
}

/** Prints a line for a person who watches a service, and does not wait for it. */
export type Watch = (line: string) => void;

/** Opens the terminal of a person who watches. Undefined if programs read the output: they follow the feed. */
export async function watcherOf({ isTerminal, json, openLines }: Terminal): Promise<Watch | undefined> {
  if (!isTerminal || json === true) return undefined;
  const write = await openLines();
  return (line) => write(printableLine(line));
}

/** Prints what changes until the signal aborts. Never rejects: the service does not depend on it. */
export async function printChanges(
  own: OwnPort,
  { watch, log, signal }: { readonly watch: Watch; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const { ChangeLines } = await import('./change-lines.ts');
  const lines = new ChangeLines({ port: own, clock: systemClock, print: watch });
  try {
    await own.follow((events) => lines.add(events), signal);
  } catch (error) {
    log({ level: 'error', at: isoTime(systemClock.now()), message: 'changes are not shown', text: String(error) });
  }
}
