import { derivedIndexes } from '../../../src/domain/derived-indexes.ts';
import { describeEntry } from '../../../src/domain/feed/describe-entry.ts';
import { collections, type PlannerCollections } from '../../../src/domain/records/collections.ts';
import { taskById } from '../../../src/domain/plan/tasks.ts';
import { showTask } from '../../../src/domain/plan/task-view.ts';
import { catalogue } from '../../../src/operations/catalogue.ts';
import { type Call, Dispatcher, type Outcome } from '../../../src/operations/pipeline/dispatch.ts';
import { serviceCollections } from '../../../src/operations/service-collections.ts';
import { validator } from '../../../src/schema/validators.ts';
import type { ReadTransaction } from '../../../src/store/index.ts';
import { HostedStore } from '../../../src/store/hosted/node/hosted-store.ts';
import type { SharedStorage } from '../../../src/store/hosted/storage/shared-storage.ts';
import type { SimulatedLog } from '../../store/log/simulated-log.ts';
import { ProcessClock, type SimulatedTime } from '../time.ts';

const asOwner: Call = {
  caller: { kind: 'owner', id: 'loopback', author: 'human:Ada' },
  transport: 'rest',
  baseUrl: 'http://127.0.0.1',
};

export interface NodeOptions {
  readonly name: string;
  readonly time: SimulatedTime;
  readonly log: SimulatedLog;
  readonly storage: SharedStorage;
  readonly skewMs: number;
  readonly memoryBytes?: number;
  readonly report: (message: string) => void;
}

/** The clock of a node's machine, which can be set. */
class NodeClock extends ProcessClock {
  skewMs = 0;

  override now(): number {
    return super.now() + this.skewMs;
  }
}

/** A node in a simulation: its clock, its store, and the operations over it. */
export class SimulatedNode {
  readonly name: string;
  readonly log: SimulatedLog;
  readonly clock: NodeClock;
  isAlive = true;
  /** Undefined while it starts. */
  store: HostedStore<PlannerCollections> | undefined;
  /** Resolves when it is killed and nothing that it sent can happen any more. */
  readonly ended: Promise<undefined>;
  readonly #end: (over: undefined) => void;
  readonly #options: NodeOptions;
  #dispatcher: Dispatcher<PlannerCollections> | undefined;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.name = options.name;
    this.log = options.log;
    this.clock = new NodeClock(options.time, () => this.isAlive);
    this.clock.skewMs = options.skewMs;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.ended = promise;
    this.#end = resolve;
  }

  async start(): Promise<void> {
    const { storage, memoryBytes, report } = this.#options;
    const store = await HostedStore.open<PlannerCollections>({
      ...{ storage, collections, serviceCollections, derived: derivedIndexes, describe: describeEntry },
      ...{ clock: this.clock, snapshots: { entries: 10, characters: Infinity, keepMs: 0 }, report },
      ...(memoryBytes !== undefined && { memoryBytes }),
    });
    if (!this.isAlive) return;
    this.#dispatcher = new Dispatcher({ store, catalogue, validator, clock: store.clock });
    this.store = store;
  }

  /** Calls an operation. Resolves to undefined if the node is killed first. */
  call(name: string, input: Readonly<Record<string, unknown>>, more: Partial<Call> = {}): Promise<Outcome | undefined> {
    const operation = this.#dispatcher!.operations.get(name)!;
    return Promise.race([this.#dispatcher!.dispatch(operation, input, { ...asOwner, ...more }), this.ended]);
  }

  /** Reads a task by a read of all projects. Resolves to undefined if the node is killed first. */
  readAmongAll(task: string): Promise<Outcome | undefined> {
    const find = (view: ReadTransaction<PlannerCollections>): object | undefined =>
      view.get('task', task) && showTask(view, taskById(view, task));
    const read = this.store!.readAll((views) => views.map(find).find((found) => found !== undefined));
    const outcome = (task: object | undefined): Outcome => ({ value: { task }, etag: undefined, notModified: false });
    return Promise.race([read.then(outcome), this.ended]);
  }

  /** Its process ends: its sent calls are decided, and nothing more is sent or answered. */
  kill(): void {
    this.isAlive = false;
    this.store = undefined;
    void this.log.kill().then(() => this.#end(undefined));
  }
}
