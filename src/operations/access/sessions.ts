import { hash } from 'node:crypto';
import { isoTime } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { forgetGoalOf, projectsWithGoalOf } from '../../domain/plan/current-goal.ts';
import { PlannerError } from '../../base/errors.ts';
import { randomToken } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { Counts } from '../../platform/counts.ts';
import { clientName } from './authenticate.ts';
import {
  prolongSubscriptions,
  putSubscription,
  removeSubscriptions,
  requireFewOfCredential,
  requireFewResources,
  subscribedBy,
  subscriptionsOf,
} from './subscriptions.ts';
import type { Subscription } from './subscriptions.ts';
import type { Change, ServiceTx, StoredRecord } from '../../store/index.ts';
import type { Transactions } from '../declaration/transactions.ts';

/** The service collection of MCP sessions. */
export const sessionsCollection = 'sessions';

/** An MCP session as stored for restarts. */
export interface SessionRecord extends StoredRecord {
  /** The credential that it belongs to. */
  readonly credential: string;
  /** The client's name in `initialize`; empty for a session that was resumed without it. */
  readonly client: string;
  readonly ended: boolean;
  readonly drop_at: string;
  /** True if its client can ask a person by a form. Absent: no. */
  readonly can_ask?: boolean;
  /** Cursors by the URIs of resources that it subscribed to, in records of earlier versions: they become records of their own. */
  readonly subscriptions?: Readonly<Record<string, string>>;
}

/** A session in memory. */
interface Known {
  readonly record: SessionRecord;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
}

export interface SessionsOptions {
  // Sessions belong to the service and do not depend on the collections of projects.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly store: Pick<Transactions<any>, 'readService' | 'update' | 'updateService' | 'onServiceChange'>;
  readonly clock: Clock;
  /** Other nodes end sessions, too: acknowledged endings are read before a session is used. */
  readonly isShared?: boolean | undefined;
  readonly sessionsMax?: number;
  readonly sessionsPerCredentialMax?: number;
  readonly idleHours?: number;
  /** Called with the bytes that are stored for a credential. */
  readonly charge?: ((credential: string, bytes: number) => Promise<void>) | undefined;
}

const hourMs = 3_600_000;
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;
const clientPrefix = 'client:';
const meta = { author: 'system', source: 'system' } as const;

/**
 * MCP sessions. Each is bound to the credential that started it and ends after `idleHours` without a call. A credential
 * has at most `sessionsPerCredentialMax`. A further session evicts the one of the credential that has been idle
 * longest, ended sessions first. Sessions are in memory in the order of their last use. The store has the state that a
 * restart needs; it is written when a session starts and ends, and at most once an hour in between.
 */
export class Sessions {
  readonly #store: SessionsOptions['store'];
  readonly #clock: Clock;
  readonly #isShared: boolean;
  readonly #sessionsMax: number;
  readonly #sessionsPerCredentialMax: number;
  readonly #idleMs: number;
  readonly #charge: NonNullable<SessionsOptions['charge']>;
  /** Resources that streams without a session watch, by credential. */
  readonly #listening = new Counts();
  readonly #known = new Map<string, Known>();
  /** The sessions by credential, longest idle first: each use moves a session to the end. */
  readonly #byCredential = new Map<string, Map<string, Known>>();

  private constructor({
    store,
    clock,
    isShared = false,
    sessionsMax = limits.sessionsMax,
    sessionsPerCredentialMax = limits.sessionsPerCredentialMax,
    idleHours = limits.sessionIdleHours,
    charge = () => Promise.resolve(),
  }: SessionsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#isShared = isShared;
    this.#sessionsMax = sessionsMax;
    this.#sessionsPerCredentialMax = sessionsPerCredentialMax;
    this.#idleMs = idleHours * hourMs;
    this.#charge = charge;
  }

  /** Loads the stored sessions, within the bounds. */
  static async open(options: SessionsOptions): Promise<Sessions> {
    const sessions = new Sessions(options);
    const records = await options.store.readService((service) => [...service.list<SessionRecord>(sessionsCollection)]);
    records.sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1));
    const dropped: string[] = [];
    for (const record of records) {
      sessions.#remember(record, Date.parse(record.updated_at));
      dropped.push(...sessions.#evict(record.credential));
    }
    options.store.onServiceChange(sessionsCollection, (change) => sessions.#follow(change));
    if (dropped.length > 0) {
      await options.store.updateService(meta, (service) => forget(service, dropped));
      await sessions.#forgetGoals(dropped);
    }
    return sessions;
  }

  /**
   * The id of the state of a client without a session: the same for each of its requests. No session has such an id, so it neither ends nor
   * belongs to another credential.
   */
  static idOfClient(credential: string, client: string): string {
    return `${clientPrefix}${hash('sha256', JSON.stringify([credential, clientName(client)]), 'base64url')}`;
  }

  /** Returns whether an id was made by `idOfClient`, which no client may name as its session. */
  static isOfClient(id: string): boolean {
    return id.startsWith(clientPrefix);
  }

  /** Starts a session and returns its id; the session is durable then. */
  async begin(credential: string, client: string, canAsk = false): Promise<string> {
    const id = randomToken(24);
    // The name is stored as long as the session, so its length is limited.
    await this.#put(id, credential, clientName(client), { ...(canAsk ? { can_ask: true } : {}) });
    return id;
  }

  /**
   * The session with an id that a client sent; undefined if it was ended or belongs to another credential. An unknown id is a new session
   * of this credential (clients do not initialize again if the service restarts without its sessions), which `keep` keeps: until then it
   * costs nothing, because clients can invent any number of ids.
   */
  async use(id: string, credential: string): Promise<SessionRecord | undefined> {
    if (this.#isShared) await this.#store.readService(() => undefined);
    const known = this.#known.get(id);
    const now = this.#clock.now();
    if (known === undefined)
      return idPattern.test(id) || Sessions.isOfClient(id) ? this.#record(id, credential, '', now) : undefined;
    if (known.record.credential !== credential) return undefined;
    if (this.#idle(known, now)) return this.#put(id, credential, known.record.client, 'afresh');
    if (known.record.ended) return undefined;
    this.#remember(known.record, now);
    if (now - Date.parse(known.record.updated_at) > hourMs) await this.#put(id, credential, known.record.client);
    return known.record;
  }

  /**
   * Call it before a call in the session changes anything. Returns false if the session has ended or the id now belongs to another
   * credential. `client`: the name of its client, if it is known.
   */
  async keep(id: string, credential: string, client = ''): Promise<boolean> {
    const known = this.#known.get(id);
    if (known === undefined) await this.#put(id, credential, client === '' ? '' : clientName(client));
    return known === undefined || (known.record.credential === credential && !known.record.ended);
  }

  /** The subscriptions of a session. */
  async subscriptionsOf(id: string): Promise<readonly Subscription[]> {
    const known = this.#known.get(id);
    if (known?.record.subscriptions !== undefined) await this.#refresh(known);
    return this.#store.readService((service) => subscriptionsOf(service, id));
  }

  /**
   * Stores a subscription of a session. Returns false like `keep`. Throws if it, or its credential, watches too much.
   */
  async subscribe(id: string, credential: string, subscription: Subscription): Promise<boolean> {
    if (!(await this.keep(id, credential))) return false;
    const known = this.#known.get(id)!;
    if (known.record.subscriptions !== undefined) await this.#refresh(known);
    const now = this.#clock.now();
    const bytes = await this.#store.updateService(meta, (tx) => {
      const stored = putSubscription(tx, this.#known.get(id)?.record ?? known.record, subscription, now);
      requireFewResources(subscriptionsOf(tx, id).length);
      requireFewOfCredential(subscribedBy(tx, credential) + this.#listening.of(credential));
      return stored;
    });
    await this.#charge(credential, bytes);
    return true;
  }

  /** Removes subscriptions of a session. */
  async unsubscribe(id: string, matches: (one: Subscription) => boolean): Promise<void> {
    if (!(await this.subscriptionsOf(id)).some(matches)) return;
    await this.#store.updateService(meta, (tx) => removeSubscriptions(tx, id, matches));
  }

  /**
   * Counts resources that a stream without a session watches. Returns the function that ends it. Throws `rate_limited` if the credential
   * watches too many.
   */
  async listen(credential: string, count: number): Promise<() => void> {
    const stored = await this.#store.readService((service) => subscribedBy(service, credential));
    requireFewOfCredential(stored + this.#listening.of(credential) + count);
    this.#listening.add(credential, count);
    return () => this.#listening.add(credential, -count);
  }

  /** Records that a session is in use. */
  #refresh({ record: { id, credential, client } }: Known): Promise<SessionRecord> {
    return this.#put(id, credential, client);
  }

  /** Ends a session permanently. Returns false if this credential has no session with the id. */
  async end(id: string, credential: string): Promise<boolean> {
    if (this.#isShared) await this.#store.readService(() => undefined);
    const known = this.#known.get(id);
    if (known === undefined || known.record.ended || known.record.credential !== credential) return false;
    const now = this.#clock.now();
    const record = { ...known.record, ended: true, updated_at: isoTime(now), drop_at: isoTime(now + this.#idleMs) };
    this.#remember(record, now);
    await this.#store.updateService(meta, (service) => {
      removeSubscriptions(service, id);
      service.put(sessionsCollection, record);
    });
    await this.#forgetGoals([id]);
    return true;
  }

  #idle(known: Known, now: number): boolean {
    return now - known.usedAt > this.#idleMs;
  }

  /**
   * Starts a session, or records that it is in use, with these members changed. `afresh`: deletes the data of an
   * earlier session with the id.
   */
  async #put(
    id: string,
    credential: string,
    client: string,
    members: Pick<SessionRecord, 'can_ask'> | 'afresh' = {},
  ): Promise<SessionRecord> {
    const now = this.#clock.now();
    const afresh = members === 'afresh';
    const former = afresh ? undefined : this.#known.get(id)?.record;
    const record = { ...this.#record(id, credential, client, now), ...kept(former), ...(afresh ? {} : members) };
    this.#remember(record, now);
    const dropped = [...this.#dropIdle(now), ...this.#evict(credential)];
    await this.#forgetGoals(afresh ? [...dropped, id] : dropped);
    await this.#store.updateService(meta, (service) => {
      forget(service, dropped);
      if (afresh) removeSubscriptions(service, id);
      for (const [uri, cursor] of Object.entries(former?.subscriptions ?? {}))
        putSubscription(service, record, { key: uri, uri, cursor }, now);
      prolongSubscriptions(service, record);
      service.put(sessionsCollection, record);
    });
    await this.#charge(credential, JSON.stringify(record).length);
    return record;
  }

  /** Deletes the current goals of sessions, each in the log of its project. */
  async #forgetGoals(sessions: readonly string[]): Promise<void> {
    if (sessions.length === 0) return;
    const goals = await this.#store.readService((service) =>
      sessions.flatMap((id) => projectsWithGoalOf(service, id).map((project) => [id, project] as const)),
    );
    for (const [id, project] of goals) await this.#forgetGoal(id, project);
  }

  async #forgetGoal(session: string, project: string): Promise<void> {
    try {
      await this.#store.update(project, meta, (tx) => forgetGoalOf(tx, session));
    } catch (error) {
      // The project was deleted in between, with its current goals, or is not served.
      if (!(error instanceof PlannerError) || error.code === 'unavailable') throw error;
    }
  }

  #record(id: string, credential: string, client: string, now: number): SessionRecord {
    const at = isoTime(now);
    // One hour more than the idle time, because uses are recorded once an hour.
    const dropAt = isoTime(now + this.#idleMs + hourMs);
    return { id, created_at: at, updated_at: at, credential, client, ended: false, drop_at: dropAt };
  }

  /** Another node has started, used or ended a session; own changes are known already. */
  #follow({ id, to }: Change): void {
    const known = this.#known.get(id);
    if (to === undefined) {
      if (known !== undefined) this.#drop(known);
      return;
    }
    const record = to as SessionRecord;
    const isKnown =
      known !== undefined &&
      (known.record.updated_at > record.updated_at ||
        (known.record.updated_at === record.updated_at && known.record.ended === record.ended));
    if (isKnown) return;
    if (known !== undefined) this.#drop(known);
    this.#remember(record, Math.max(known?.usedAt ?? 0, Date.parse(record.updated_at)));
  }

  /** Moves a session to the end of its credential's list. */
  #remember(record: SessionRecord, usedAt: number): void {
    const known: Known = { record, usedAt };
    const own = this.#byCredential.get(record.credential) ?? new Map<string, Known>();
    this.#byCredential.set(record.credential, own);
    own.delete(record.id);
    own.set(record.id, known);
    this.#known.set(record.id, known);
  }

  #drop({ record: { id, credential } }: Known): string {
    const own = this.#byCredential.get(credential);
    own?.delete(id);
    if (own?.size === 0) this.#byCredential.delete(credential);
    this.#known.delete(id);
    return id;
  }

  /** Evicts sessions that are idle too long. */
  #dropIdle(now: number): string[] {
    const dropped: string[] = [];
    for (const own of this.#byCredential.values()) {
      for (const known of own.values()) {
        if (!this.#idle(known, now)) break;
        dropped.push(this.#drop(known));
      }
    }
    return dropped;
  }

  /**
   * Evicts sessions beyond a limit. For the limit per credential, from the credential that started a session; for the total, from the
   * credential that has the most.
   */
  #evict(credential: string): string[] {
    const dropped: string[] = [];
    const own = this.#byCredential.get(credential) ?? new Map<string, Known>();
    for (let over = own.size - this.#sessionsPerCredentialMax; over > 0; over--)
      dropped.push(this.#drop(oldestOf(own)));
    while (this.#known.size > this.#sessionsMax) {
      const most = [...this.#byCredential.values()].reduce((a, b) => (b.size > a.size ? b : a));
      dropped.push(this.#drop(oldestOf(most)));
    }
    return dropped;
  }
}

/** The data that a session keeps while it is in use. */
function kept(former: SessionRecord | undefined): Partial<SessionRecord> {
  if (former === undefined) return {};
  const { created_at, can_ask } = former;
  return { created_at, ...(can_ask === undefined ? {} : { can_ask }) };
}

/** The session to evict: the one that ended first, else the one that has been idle longest. */
function oldestOf(sessions: ReadonlyMap<string, Known>): Known {
  let oldest: Known | undefined;
  for (const known of sessions.values()) {
    if (known.record.ended) return known;
    oldest ??= known;
  }
  return oldest!;
}

function forget(service: ServiceTx, sessions: readonly string[]): void {
  for (const id of sessions) {
    removeSubscriptions(service, id);
    service.remove(sessionsCollection, id);
  }
}
