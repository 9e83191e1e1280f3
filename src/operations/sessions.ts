import { isoTime } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { randomToken } from '../ids.ts';
import { limits } from '../limits.ts';
import { clientName } from './authenticate.ts';
import type { StoredRecord } from '../store/record.ts';
import type { ServiceTx } from '../store/view.ts';
import type { Transactions } from './transactions.ts';

/** The service collection of MCP sessions. */
export const sessionsCollection = 'sessions';
/** Current goals by `<session or caller>.<project>`; a session's go with it. */
const currentGoalsCollection = 'current_goals';

/** One MCP session as it is kept over restarts. */
export interface SessionRecord extends StoredRecord {
  /** The credential that it belongs to. */
  readonly credential: string;
  /** The client's name as it gave it at initialize, empty for a session taken up without one. */
  readonly client: string;
  readonly ended: boolean;
  readonly drop_at: string;
}

/** A session in memory. */
interface Known {
  record: SessionRecord;
  /** Milliseconds since the epoch. */
  usedAt: number;
}

export interface SessionsOptions {
  // Sessions are the service's, whatever the projects hold.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly store: Pick<Transactions<any>, 'viewService' | 'updateService'>;
  readonly clock: Clock;
  readonly sessionsMax?: number;
  readonly idleHours?: number;
}

const hourMs = 3_600_000;
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;
const meta = { author: 'system', source: 'system' } as const;

/**
 * MCP sessions, the service's own: bound to the credential that began them, ended after `idleHours` without a call, at most `sessionsMax`
 * of them (the longest idle goes). They are kept in memory in the order of use; the store has what a restart needs, written when a session
 * begins and ends and at most once an hour between.
 */
export class Sessions {
  readonly #store: SessionsOptions['store'];
  readonly #clock: Clock;
  readonly #sessionsMax: number;
  readonly #idleMs: number;
  /** Longest idle first: using a session moves it to the end. */
  readonly #known = new Map<string, Known>();

  private constructor({
    store,
    clock,
    sessionsMax = limits.sessionsMax,
    idleHours = limits.sessionIdleHours,
  }: SessionsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#sessionsMax = sessionsMax;
    this.#idleMs = idleHours * hourMs;
  }

  /** Takes up the sessions that the store kept. */
  static async open(options: SessionsOptions): Promise<Sessions> {
    const sessions = new Sessions(options);
    const records = await options.store.viewService((service) => [...service.list<SessionRecord>(sessionsCollection)]);
    records.sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1));
    for (const record of records) sessions.#known.set(record.id, { record, usedAt: Date.parse(record.updated_at) });
    return sessions;
  }

  /** Begins a session and answers its id, durable. */
  async begin(credential: string, client: string): Promise<string> {
    const id = randomToken(24);
    // It is kept as long as the session: not in the length that somebody may send.
    await this.#put(id, credential, clientName(client));
    return id;
  }

  /**
   * The session with an id that a client sent; undefined where it was ended or belongs to another credential. An id that is not known is
   * taken up as a new session of this credential: clients do not begin anew when a service was restarted without its memory.
   */
  async use(id: string, credential: string): Promise<SessionRecord | undefined> {
    const known = this.#known.get(id);
    const now = this.#clock.now();
    if (known === undefined || this.#idle(known, now)) {
      if (!idPattern.test(id)) return undefined;
      if (known !== undefined && known.record.credential !== credential) return undefined;
      return this.#put(id, credential, known?.record.client ?? '', known !== undefined);
    }
    if (known.record.ended || known.record.credential !== credential) return undefined;
    known.usedAt = now;
    this.#known.delete(id);
    this.#known.set(id, known);
    if (now - Date.parse(known.record.updated_at) > hourMs) await this.#put(id, credential, known.record.client);
    return known.record;
  }

  /** Ends a session for good. False where this credential has no such session. */
  async end(id: string, credential: string): Promise<boolean> {
    const known = this.#known.get(id);
    if (known === undefined || known.record.ended || known.record.credential !== credential) return false;
    const now = this.#clock.now();
    const record = { ...known.record, ended: true, updated_at: isoTime(now), drop_at: isoTime(now + this.#idleMs) };
    this.#known.set(id, { record, usedAt: now });
    await this.#store.updateService(meta, (service) => {
      service.put(sessionsCollection, record);
      forgetGoals(service, id);
    });
    return true;
  }

  #idle(known: Known, now: number): boolean {
    return now - known.usedAt > this.#idleMs;
  }

  /** Begins a session, or notes that it is still used. `afresh`: what a former life of the id left is forgotten. */
  async #put(id: string, credential: string, client: string, afresh = false): Promise<SessionRecord> {
    const now = this.#clock.now();
    const created_at = (afresh ? undefined : this.#known.get(id)?.record.created_at) ?? isoTime(now);
    const record: SessionRecord = {
      id,
      created_at,
      updated_at: isoTime(now),
      credential,
      client,
      ended: false,
      // An hour more than the idle time, because use is noted once an hour.
      drop_at: isoTime(now + this.#idleMs + hourMs),
    };
    this.#known.delete(id);
    this.#known.set(id, { record, usedAt: now });
    const dropped = this.#overdue(now);
    await this.#store.updateService(meta, (service) => {
      for (const other of dropped) {
        service.remove(sessionsCollection, other);
        forgetGoals(service, other);
      }
      if (afresh) forgetGoals(service, id);
      service.put(sessionsCollection, record);
    });
    return record;
  }

  /** Takes out of memory what is idle too long or one too many, from the longest idle on. */
  #overdue(now: number): string[] {
    const dropped: string[] = [];
    for (const [id, known] of this.#known) {
      if (this.#known.size <= this.#sessionsMax && !this.#idle(known, now)) break;
      this.#known.delete(id);
      dropped.push(id);
    }
    return dropped;
  }
}

function forgetGoals(service: ServiceTx, session: string): void {
  for (const goal of service.by(currentGoalsCollection, 'scope', session))
    service.remove(currentGoalsCollection, goal.id);
}
