import { isoTime, systemClock } from '../../base/clock.ts';
import type { Log } from '../../operations/pipeline/failure.ts';
import type { Event } from '../../schema/types.ts';
import type { CallPort } from './planner-port.ts';
import { rendered, row, span } from '../terminal/style.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The calls that the process of a service may make without a transport, as its owner. */
export interface OwnPort extends CallPort {
  /** Passes on the events of all projects from now on, some at a time, until the signal aborts. */
  follow(onEvents: (events: readonly Event[]) => void, signal: AbortSignal): Promise<void>;
}

/** Prints a line for a person who watches a service, and does not wait for it. */
export type Watch = (line: string) => void;

/** Opens the terminal of a person who watches. Undefined if programs read the output: they follow the feed. */
export async function watcherOf(
  { isTerminal, json, openLines, colours }: Terminal,
  { quiet = false }: { readonly quiet?: boolean },
): Promise<Watch | undefined> {
  if (!isTerminal || json === true || quiet) return undefined;
  const [write, hasColours] = [await openLines(), colours()];
  return (line) => {
    const [, time = '', problem = '', rest = ''] = /^(\S+ )(Problem:)?(.*)$/s.exec(line) ?? [];
    write(rendered(row(span('dim', time), span('red', problem), rest), hasColours));
  };
}

/**
 * Prints changes from now on, until the signal aborts. Resolves once it does. Never rejects: the service does not
 * depend on it.
 */
export async function printChanges(
  own: OwnPort,
  { watch, log, signal }: { readonly watch: Watch; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const { ChangeLines } = await import('./change-lines.ts');
  const lines = new ChangeLines({ port: own, clock: systemClock, print: watch });
  await new Promise<void>((resolve) => {
    // The first answer has no events, and names the present.
    const onEvents = (events: readonly Event[]): void => (resolve(), lines.add(events));
    own.follow(onEvents, signal).catch((error: unknown) => {
      log({ level: 'error', at: isoTime(systemClock.now()), message: 'changes are not shown', text: String(error) });
      resolve();
    });
  });
}
