import type { Clock } from '../base/clock.ts';
import type { Authenticator } from '../operations/access/authenticate.ts';
import type { Sessions } from '../operations/access/sessions.ts';
import type { Dispatcher } from '../operations/pipeline/dispatch.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { Collections } from '../store/index.ts';
import type { Tool } from './tool-list.ts';

export interface McpTransportOptions<C extends Collections> {
  readonly dispatcher: Dispatcher<C>;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  /** Called with the first message of a revision with sessions. */
  readonly tools: () => readonly Tool[];
  /** The tools for a revision without sessions. */
  readonly modernTools: () => readonly Tool[];
  /** The self-contained schema of an input definition. */
  readonly schemaOf: (definition: string) => Readonly<Record<string, unknown>>;
  /** The service's version, returned by `initialize` and `server/discover`. */
  readonly version: string;
  /** A project's id and name for the instructions; undefined if there is no such project. */
  readonly describeProject: (id: string) => Promise<{ readonly id: string; readonly name: string } | undefined>;
  /** Seals questions that a client brings back with their answer: the same for all nodes. */
  readonly stateSecret: string;
  /** Aborts when a credential ends, or the service is closed: streams end, and so do questions that wait for a person. */
  readonly endOf?: ((credential: string) => AbortSignal) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}
