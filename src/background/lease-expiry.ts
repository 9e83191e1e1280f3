import { isoTime } from '../base/clock.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { leaseCollection, releaseExpired } from '../domain/plan/leases.ts';
import type { LeaseRecord } from '../domain/plan/leases.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import { SortedList } from '../store/index.ts';
import type { Change, Store } from '../store/index.ts';
import type { Supervisor } from './supervisor.ts';

export interface LeaseExpiryOptions {
  readonly store: Pick<Store<PlannerCollections>, 'onServiceChange' | 'readService' | 'update'>;
  readonly clock: Clock;
  readonly supervisor: Pick<Supervisor, 'run'>;
}

/** When a lease is to be looked at. */
interface Due {
  readonly at: number;
  readonly lease: string;
}

/** A timer for a longer time fires immediately. */
const waitMsMax = 3_600_000;
/** When a project is tried again that cannot be changed. */
const brokenMs = 60_000;

/**
 * Notes in the feed that leases expired, each once, also if it happened while no service ran. Each lease is looked at when it may have
 * expired and at no other time: a renewed one waits for its new time.
 */
export class LeaseExpiry {
  readonly #options: LeaseExpiryOptions;
  /** At most one of each lease. */
  #due = new SortedList<Due>(byTime);
  readonly #waiting = new Map<string, LeaseRecord>();
  #timer: Timer | undefined;
  #armedFor = Infinity;
  #running: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void) | undefined;

  constructor(options: LeaseExpiryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { store } = this.#options;
    this.#unsubscribe = store.onServiceChange(leaseCollection.name, (change) => this.#onChange(change));
    const leases = await store.readService((service) => [...service.list<LeaseRecord>(leaseCollection.name)]);
    for (const lease of leases) this.#note(lease);
    this.#arm();
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#timer?.cancel();
    this.#due = new SortedList(byTime);
    await this.#running;
  }

  #onChange({ id, to }: Change): void {
    if (to === undefined) return void this.#waiting.delete(id);
    this.#note(to as LeaseRecord);
    this.#arm();
  }

  #note(lease: LeaseRecord): void {
    if (lease.released !== undefined) return void this.#waiting.delete(lease.id);
    const isQueued = this.#waiting.has(lease.id);
    this.#waiting.set(lease.id, lease);
    if (!isQueued) this.#due.add({ at: Date.parse(lease.expires_at), lease: lease.id });
  }

  #arm(): void {
    const at = this.#due.first()?.at;
    if (at === undefined || at >= this.#armedFor) return;
    this.#timer?.cancel();
    this.#armedFor = at;
    const ms = Math.min(Math.max(0, at - this.#options.clock.now()), waitMsMax);
    this.#timer = this.#options.clock.after(ms, () => this.#expire()).unref();
  }

  #expire(): void {
    this.#armedFor = Infinity;
    const now = this.#options.clock.now();
    const byProject = new Map<string, string[]>();
    for (let due = this.#due.first(); due !== undefined && due.at <= now; due = this.#due.first()) {
      this.#due.delete(due);
      const { lease: id } = due;
      const lease = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (lease === undefined) continue;
      // The lease was renewed.
      if (Date.parse(lease.expires_at) > now) this.#note(lease);
      else if (!byProject.get(lease.project)?.push(lease.task)) byProject.set(lease.project, [lease.task]);
    }
    for (const [project, tasks] of byProject) this.#running = this.#running.then(() => this.#release(project, tasks));
    this.#arm();
  }

  async #release(project: string, tasks: readonly string[]): Promise<void> {
    const { store, clock } = this.#options;
    const release = (): Promise<void> =>
      store.update(project, { author: 'system', source: 'system' }, (tx) => {
        for (const task of tasks) releaseExpired(tx, task, isoTime(clock.now()));
      });
    await this.#attempt(project, tasks, release);
  }

  /** Failures are retried later: the project is not there at the moment, or the root cannot be written. */
  async #attempt(project: string, tasks: readonly string[], run: () => Promise<void>): Promise<void> {
    const { clock, supervisor } = this.#options;
    const isDone = await supervisor.run('leases', project, run);
    if (isDone || this.#unsubscribe === undefined) return;
    const again = (): Promise<void> => this.#attempt(project, tasks, () => this.#noteAgain(project, tasks));
    clock.after(brokenMs, () => void again()).unref();
  }

  async #noteAgain(project: string, tasks: readonly string[]): Promise<void> {
    const wanted = new Set(tasks);
    const leases = await this.#options.store.readService((service) =>
      service.by<LeaseRecord>(leaseCollection.name, 'project', project).filter(({ task }) => wanted.has(task)),
    );
    if (this.#unsubscribe === undefined) return;
    for (const lease of leases) this.#note(lease);
    this.#arm();
  }
}

function byTime(a: Due, b: Due): number {
  return a.at - b.at || (a.lease < b.lease ? -1 : a.lease > b.lease ? 1 : 0);
}
