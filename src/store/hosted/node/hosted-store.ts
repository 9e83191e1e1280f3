import { type Clock, systemClock } from '../../../base/clock.ts';
import { IdSource } from '../../../base/ids.ts';
import type { ReadTransaction } from '../../record/read-transaction.ts';
import type { Collections } from '../../record/record.ts';
import type { ChangeMeta } from '../../record/status.ts';
import { typedReadTransaction } from '../../replica/transaction.ts';
import { Store } from '../../transactions/store.ts';
import { HostedEngine } from './hosted-engine.ts';
import type { HostedOptions } from './hosted-options.ts';
import type { NodeMeasures } from './node-measures.ts';
import { NodeStoreEngine } from './node-store-engine.ts';
import { memoryBytesDefault } from './project-memory.ts';
import { snapshotDefaults } from './snapshot-taker.ts';

/** The status of a node. */
export interface HostedStatus {
  readonly projects: number;
  /** False while the node cannot go on: it has to be restarted. */
  readonly writable: boolean;
  /** False while the log accepts no changes, since it could lose them. */
  readonly isSafe: boolean;
}

/** The measures of a node. */
export interface HostedMeasures extends Pick<NodeMeasures, 'appends' | 'catchUps' | 'coldLoads' | 'reruns' | 'forks'> {
  /** Projects in memory. */
  readonly replicas: number;
  /** The estimated memory of the replicas, in bytes. */
  readonly replicaBytes: number;
  /** The time of the log's server less the time of this machine, in milliseconds. */
  readonly clockOffsetMs: number;
  /** Outcomes of appends that had to be looked up. */
  readonly unknown: { readonly won: number; readonly lost: number };
  /** Entries of other nodes that were applied. */
  readonly entriesApplied: number;
  /** The number of entries after the snapshot, for the log with the oldest snapshot. */
  readonly entriesBehindSnapshot: number;
}

const nothing = (): void => undefined;

const system: ChangeMeta = { author: 'system', source: 'system' };

/**
 * One node of the document database over a log that several nodes share. Projects in use are in memory; before an
 * answer they are made current, so that a read sees everything that was acknowledged before on any node. A change runs
 * on this node's state, and again if the entries of others came first.
 */
export class HostedStore<C extends Collections = Collections> extends Store<C> {
  readonly #engine: HostedEngine;

  private constructor(engine: HostedEngine) {
    super(new NodeStoreEngine(engine));
    this.#engine = engine;
  }

  /** Loads the service's records, and the known facts of every project. */
  static async open<C extends Collections>(options: HostedOptions): Promise<HostedStore<C>> {
    const store = await HostedStore.begin<C>(options);
    await store.whenKnown();
    return store;
  }

  /** The same, without waiting for the projects: calls that need them do. */
  static async begin<C extends Collections>(options: HostedOptions): Promise<HostedStore<C>> {
    const { clock = systemClock } = options;
    const engine = new HostedEngine({
      ...{
        derived: {},
        report: nothing,
        ids: new IdSource(clock),
        describe: undefined,
        snapshots: snapshotDefaults,
        memoryBytes: memoryBytesDefault,
      },
      ...{ ...options, clock },
    });
    await engine.open();
    return new HostedStore<C>(engine);
  }

  /** Resolves when every project is known that was listed at the start. */
  whenKnown(): Promise<void> {
    return this.#engine.whenKnown();
  }

  /** The time of the log's server. */
  get clock(): Clock {
    return this.#engine.clock;
  }

  /** The views of the projects in memory. Their state may not be durable yet. */
  viewsInMemory(): readonly ReadTransaction<C>[] {
    return Array.from(this.#engine.projects.residents(), (project) =>
      typedReadTransaction<C>(this.#engine.viewOf(project)),
    );
  }

  /**
   * Begins all projects in the background, loads those of the last hour, the last changed ones first, until half of the memory is used, and
   * stores the titles of those that were made by an earlier version.
   */
  warm(): void {
    // Calls that need all of them wait, and get the error.
    this.whenKnown().catch(() => undefined);
    this.#engine.residents.warm();
    this.#engine.titles?.begin();
  }

  status(): HostedStatus {
    const { projects, lost, durability, log } = this.#engine;
    return { projects: projects.size, writable: lost === undefined && !durability.failed, isSafe: log.isSafe };
  }

  /** Neither asks the log nor loads a project. */
  measures(): HostedMeasures {
    const { residents, clock, measures, unknown, entriesApplied, entriesBehindSnapshot } = this.#engine;
    const { appends, catchUps, coldLoads, reruns, forks } = measures;
    return {
      ...{ appends, catchUps, coldLoads, reruns, forks, unknown, entriesApplied, entriesBehindSnapshot },
      ...{ replicas: this.inMemory().length, replicaBytes: residents.bytes, clockOffsetMs: clock.offsetMs },
    };
  }

  /** Throws `unavailable` unless the log answers and accepts changes. */
  async ready(): Promise<void> {
    this.#engine.requireWhole();
    // Nothing about any log: it costs the same whatever the number of projects.
    const { unsafe } = await this.#engine.log.catchUp(new Map());
    if (unsafe !== undefined) throw unsafe;
  }

  /**
   * Removes expired records, the remains of projects that were deleted long ago, and the entries of logs that are no
   * longer needed; one node does that from time to time. Resolves to the number of entries.
   */
  async trim(): Promise<number> {
    await this.#engine.answers.sweep();
    await this.#engine.removeDeleted();
    await this.#engine.blobs.sweep();
    const removed = await this.#engine.trim();
    await this.#engine.removeExpired((project, change) =>
      project === undefined
        ? this.updateService(system, change)
        : this.update(project, system, (tx) => change(tx.service)),
    );
    return removed;
  }

  /** Resolves when no snapshot is being taken. */
  whenSnapshotsTaken(): Promise<void> {
    return this.#engine.whenSnapshotsTaken();
  }
}
