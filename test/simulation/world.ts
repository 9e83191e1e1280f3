import { FileStore } from '../../src/store/file-store.ts';
import { IdSource } from '../../src/base/ids.ts';
import { describeItems, ItemFold } from '../support/item-events.ts';
import { meta, testCollections, type TestStore } from '../support/plan-store.ts';
import type { Random } from '../support/random.ts';
import type { Loss } from '../support/torn-data.ts';
import type { DiskCall } from './disk/simulated-disk.ts';
import { Hands } from './hands.ts';
import { Ledger } from './ledger.ts';
import { SimulatedMachine } from './machine.ts';
import { ServiceProcess } from './service-process.ts';
import type { Weather } from './weather.ts';

export const home = '/home';
const root = `${home}/.planner`;
const projects = `${root}/projects`;
export const gitDirectory = `${home}/.git`;

/** How often files are rescanned although no event came. */
export const rescanIntervalMs = 20_000;
/** A command of git that begins between the service's look at its lock and the rename is not seen. */
const gitCallsMax = 25;
const writing: ReadonlySet<DiskCall> = new Set<DiskCall>(['rename', 'remove', 'link', 'removeDirectoryIfEmpty']);

export interface SimulationOptions {
  /** Syncing a file or a directory has no effect: no service survives that, and a simulation has to find it. */
  readonly withoutSync?: boolean;
  /** Lists each call of the service's disk, and each report of its watch. */
  readonly listsCalls?: boolean;
}

/** A pause of another program: some time, or until the service has made some calls of the disk. */
export type Pause = { readonly ms: number } | { readonly calls: number };

/**
 * Everything that a simulation consists of: a machine, a service that ends and starts again, and the known facts of
 * both.
 */
export class World {
  readonly machine: SimulatedMachine;
  readonly ledger = new Ledger();
  readonly hands: Hands;
  readonly random: Random;
  readonly failures: string[] = [];
  readonly lines: string[] = [];
  /** Messages of the service. */
  readonly log: string[] = [];
  process: ServiceProcess | undefined;
  /** Undefined while the service is down or starts. */
  store: TestStore | undefined;
  project = '';
  /** Records that clients removed, as they were. */
  readonly removed: { readonly collection: 'task' | 'document'; readonly id: string; readonly fields: object }[] = [];
  /** Files that an editor is saving: a second one waits for its turn. */
  readonly edited = new Set<string>();
  /** Programs that have not finished. */
  programs = 0;
  /** Calls of the service without an answer. */
  calls = 0;
  /**
   * Records whose files have a text at every moment but while an editor writes them, for less than the grace period:
   * clients have created them with one.
   */
  readonly withText = new Set<string>();
  /** The ids in files that git has changed since the last quiet point: whether each command put them into a file again. */
  readonly rewritten = new Map<string, boolean>();
  /** True if no other person has touched files since the last quiet point, and no service was started. */
  wasGitAlone = true;
  /**
   * The ids in files that editors have saved since the last quiet point: whether none of these files was missing for as
   * long as a missing file may count as deleted, and each contained the id before and after.
   */
  readonly resaved = new Map<string, boolean>();
  /** True if files were moved, or removed, by editors alone since the last quiet point, and no service was started. */
  wereEditorsAlone = true;
  /** Names of folders, which have no history. */
  readonly folderNames = new Set<string>();
  /** The number of changes to files and of calls of the service. */
  operations = 0;
  /** The knowledge of a follower of the events. */
  readonly fold = new ItemFold();
  readonly #options: SimulationOptions;
  #boot = 0;
  #isOver = false;
  /** The number of the call of the disk at which git took its lock. */
  #gitLockedAt: number | undefined;
  /** When the service last called the disk for a file of a project. */
  busyAt = 0;
  /** The paths at which the service looked last, with the number of the call. */
  readonly #seenAt = new Map<string, number>();

  constructor(random: Random, weather: Weather, options: SimulationOptions) {
    this.random = random;
    this.#options = options;
    this.machine = new SimulatedMachine(random, weather);
    const { files, time } = this.machine;
    this.hands = new Hands(
      files,
      this.ledger,
      () => time.monotonic(),
      () => this.machine.calls,
    );
    if (options.listsCalls === true) this.machine.onReport = (paths) => this.say(`  watch: ${paths.join(', ')}`);
    files.makeDirectory(`${gitDirectory}/logs`, 0o755);
    for (const name of ['HEAD', 'index', 'logs/HEAD']) this.hands.temporary(`${gitDirectory}/${name}`, 'ref');
    files.makeDirectory('/tmp', 0o777);
    files.names.syncAll();
  }

  say(line: string): void {
    const ms = this.machine.time.monotonic().toFixed(3);
    this.lines.push(`${ms.padStart(12)} ms  ${String(this.machine.calls).padStart(6)}  ${line}`);
  }

  fail(reason: string): void {
    this.say(`FAILURE ${reason}`);
    this.failures.push(reason);
  }

  /** The project's directory. */
  get directory(): string {
    const node = this.machine.files.lookUp(projects);
    const first =
      node?.kind === 'directory' ? node.entries.entries().find(([, { kind }]) => kind === 'directory') : undefined;
    return `${projects}/${first?.[0] ?? 'none'}`;
  }

  /** Starts the service. Resolves when it serves, or when it ended or failed before. */
  async start(): Promise<void> {
    const observer = { onCall: (call: DiskCall, path: string) => this.#onCall(call, path) };
    const service = new ServiceProcess(this.machine, observer, this.#options.withoutSync === true);
    this.process = service;
    const { disk, clock, ports } = service;
    this.say('the service starts');
    try {
      const store: TestStore = await FileStore.open(
        {
          root,
          collections: testCollections,
          describe: describeItems,
          serviceCollections: [{ name: 'leases', placement: 'project' }],
          disk,
          clock,
          ids: new IdSource(clock),
          rescanIntervalMs,
          parkedRetryMs: 1000,
          segmentBytes: 64 * 1024,
          historyIndex: this.machine.weather.historyIndex,
          log: (message) => void (this.log.push(message), this.say(`log: ${message}`)),
        },
        ports,
      );
      // An opening has no grace periods: it accepts a file that is being written.
      this.wasGitAlone = false;
      this.wereEditorsAlone = false;
      for (const id of this.ledger.idsTouched) this.withText.delete(id);
      if (!service.isAlive) return;
      if (this.project === '') await this.#makeProject(store);
      this.store = store;
      this.say('the service serves');
    } catch (error) {
      if (!service.isAlive) return;
      this.say(`the service does not start: ${(error as Error).message}`);
      // The disk may work again by now.
      if (!service.hasFailed) this.fail(`the service does not start: ${(error as Error).stack}`);
      this.kill();
    }
  }

  async #makeProject(store: TestStore): Promise<void> {
    this.project = await store.createProject('Plan', meta, (tx) => {
      tx.put('project', { id: tx.project, created_at: tx.now, name: 'Plan' });
      return tx.project;
    });
  }

  /** The service ends immediately, and is started again a moment later. */
  kill(): void {
    if (this.process?.isAlive !== true) return;
    this.process.kill();
    this.store = undefined;
    this.calls = 0;
    this.ledger.onServiceEnded();
    if (!this.#isOver) this.machine.time.after(this.random.next() * 300, () => void this.start());
  }

  /** The simulation is over: nothing is started again. */
  end(): void {
    this.#isOver = true;
    this.kill();
  }

  cutPower(loss: Loss): void {
    this.kill();
    this.machine.cutPower(loss);
    this.ledger.onPowerCut();
    // Every program has ended with the machine, and a person removes what git left.
    this.#boot++;
    this.programs = 0;
    this.withText.clear();
    this.edited.clear();
    this.hands.closeAll();
    for (const name of ['index.lock', 'HEAD.lock', 'MERGE_HEAD']) this.hands.remove(`${gitDirectory}/${name}`);
    this.gitLocks(false);
  }

  /** Runs another program's steps, each at its time. */
  run(program: Iterator<Pause>): void {
    this.programs++;
    const boot = this.#boot;
    const next = (): void => {
      if (boot !== this.#boot) return;
      this.operations++;
      const { done, value } = program.next();
      if (done === true) this.programs--;
      else if ('calls' in value) this.machine.atCall(value.calls, 50, next);
      else this.machine.time.beside(value.ms, next);
    };
    next();
  }

  /** A pause as short as a race needs, or as long as a person takes. */
  pause(random: Random): Pause {
    if (random.chance(0.5)) return { calls: random.integer(0, 12) };
    return { ms: random.chance(0.5) ? random.next() * 3 : random.next() * 120 };
  }

  gitLocks(isLocked: boolean): void {
    this.#gitLockedAt = isLocked ? this.machine.calls : undefined;
  }

  #onCall(call: DiskCall, path: string): void {
    if (this.#options.listsCalls === true) {
      const node = this.machine.files.lookUp(path);
      const size = node?.kind === 'file' ? `, ${node.size} bytes` : '';
      this.say(`  ${call} ${path}: ${node === undefined ? 'nothing' : `${node.kind} ${node.ino}${size}`}`);
    }
    if (!path.startsWith(`${projects}/`)) return;
    this.busyAt = this.machine.time.monotonic();
    if (call === 'stat') this.#seenAt.set(path, this.machine.calls);
    if (!writing.has(call)) return;
    const { calls } = this.machine;
    if (this.#gitLockedAt !== undefined && calls - this.#gitLockedAt > gitCallsMax)
      this.fail(`${call} of ${path} ${calls - this.#gitLockedAt} calls after git took its lock`);
    this.#onReplaced(call, path);
  }

  /** A file that a person put in place after the service had looked there is replaced without being seen. */
  #onReplaced(call: DiskCall, path: string): void {
    const node = call === 'removeDirectoryIfEmpty' ? undefined : this.machine.files.lookUp(path);
    if (node?.kind !== 'file') return;
    this.hands.replacedAt.set(node, this.machine.time.monotonic());
    const placed = this.hands.placedAt.get(node);
    if (placed !== undefined && placed >= (this.#seenAt.get(path) ?? 0)) {
      this.say(`the service replaces ${path}, which was put there since it looked`);
      this.hands.forget(node);
    }
  }
}
