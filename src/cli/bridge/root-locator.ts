import type { ServiceLocator } from '../../client/session.ts';
import type { ServiceAddress } from '../../client/connection.ts';
import { abortable, delay, systemClock } from '../../base/clock.ts';
import { hostDefault } from '../../base/config.ts';
import { conflict, PlannerError } from '../../base/errors.ts';
import { accessOf } from '../service/access.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { readRootConfig } from '../service/root.ts';
import { runningService } from '../service/running-service.ts';
import { closeAfter, openService, uncaughtException } from '../service/serve.ts';
import type { ServedRoot } from '../service/serve.ts';
import { isBeingTakenOver } from '../call/take-over.ts';
import { ownAddresses } from '../call/cli-target.ts';
import { boundProject, readToken } from './connected.ts';

/** How long to retry while another process holds the root and is starting or exiting: on a slow disk each takes seconds. */
const waitMsMax = 30_000;
const retryDelayMs = { min: 10, max: 100 } as const;
/** A bridge that uses another process's service loads its own service after this time, to take over quickly. */
const prepareAfterMs = 1_000;

/**
 * Locates the service of a root on this machine; if no service runs, this process starts it. If several processes
 * compete, the kernel's lock decides; the others use the winner's service, and one of them takes over when it exits.
 */
export class RootLocator implements ServiceLocator {
  readonly #deps: ProgramDeps;
  readonly #root: string;
  readonly #isOwn: boolean | undefined;
  #current: ServiceAddress | undefined;
  #finding: Promise<ServiceAddress> | undefined;
  #own: ServedRoot | undefined;
  /** The end of the own service, after which another service takes the root over. */
  #handingOver: Promise<void> | undefined;
  #prepared = false;
  #watchesExceptions = false;
  #stopped = false;

  /** `root`: the existing `.planner` directory. `own`: the value of --own. */
  constructor(deps: ProgramDeps, root: string, own?: boolean) {
    this.#deps = deps;
    this.#root = root;
    this.#isOwn = own;
  }

  async locate(signal: AbortSignal | undefined): Promise<ServiceAddress> {
    if (this.#stopped) throw ending();
    if (this.#current !== undefined) return this.#current;
    this.#finding ??= this.#find().finally(() => (this.#finding = undefined));
    return abortable(this.#finding, signal);
  }

  invalidate(address: ServiceAddress): void {
    if (this.#current === address) this.#current = undefined;
  }

  stop(): void {
    this.#stopped = true;
  }

  async close(): Promise<void> {
    this.#stopped = true;
    await this.#finding?.catch(() => undefined);
    await this.#handingOver;
    await this.#own?.close();
    this.#own = undefined;
  }

  async #find(): Promise<ServiceAddress> {
    await this.#handingOver;
    let began = systemClock.now();
    for (let ms: number = retryDelayMs.min; ; ms = Math.min(ms * 2, retryDelayMs.max)) {
      const refused = await this.#locateOnce();
      if (!(refused instanceof PlannerError)) return (this.#current = refused);
      const now = systemClock.now();
      if (isBeingTakenOver(this.#deps.disk, this.#root)) began = now;
      if (now - began >= waitMsMax) throw refused;
      await delay(systemClock, ms);
      if (this.#stopped) throw ending();
    }
  }

  /** Returns the service's address, or the error if the root is held at the moment. Throws errors that a retry cannot resolve. */
  async #locateOnce(): Promise<ServiceAddress | PlannerError> {
    if (this.#own !== undefined) return this.#addressOf(this.#own.url, this.#own.authorization);
    // Only with credentials from the root: the caller is then the same at the next service, which recognises its retries.
    const running = await runningService(this.#root, this.#deps.disk, { ownAddresses: ownAddresses() });
    if (running !== undefined) {
      this.#prepareLater();
      return this.#addressOf(running.url, running.authorization);
    }
    if (isBeingTakenOver(this.#deps.disk, this.#root)) return beingTakenOver(this.#root);
    try {
      this.#own = await this.#serve();
    } catch (thrown) {
      if (thrown instanceof PlannerError && thrown.code === 'conflict') return thrown;
      throw thrown;
    }
    return this.#addressOf(this.#own.url, this.#own.authorization);
  }

  #serve(): Promise<ServedRoot> {
    const { start, disk, environment } = this.#deps;
    this.#watchExceptions();
    const access = accessOf(environment().access, { host: hostDefault });
    return openService(
      { start, disk },
      {
        ...{ root: this.#root, host: hostDefault, usualPort: environment().port, access, own: this.#isOwn },
        quiet: true,
        handOver: () => void this.#handOver(),
      },
    );
  }

  /** Closes the own service. The next call uses the service that takes the root over, or else starts one again. */
  async #handOver(): Promise<void> {
    await this.#finding?.catch(() => undefined);
    const own = this.#own;
    if (own === undefined) return;
    this.#own = undefined;
    this.#current = undefined;
    this.#handingOver = own.close();
    await this.#handingOver;
    this.#handingOver = undefined;
  }

  /** As `planner serve` does: the client starts this program again. */
  #watchExceptions(): void {
    if (this.#watchesExceptions) return;
    this.#watchesExceptions = true;
    const { events, log } = this.#deps;
    void uncaughtException(events, log).then(async (uncaught) => {
      await this.#finding?.catch(() => undefined);
      if (this.#own !== undefined) await closeAfter(uncaught, this.#own);
      events.exit(1);
    });
  }

  /** The address with the agent key in `.planner/token`, else with the owner's credential. */
  async #addressOf(url: string, owner: string | undefined): Promise<ServiceAddress> {
    const { disk } = this.#deps;
    const token = readToken(this.#root, disk);
    const project = boundProject(await readRootConfig(this.#root, disk));
    return { url, authorization: token === undefined ? owner : `Bearer ${token}`, project };
  }

  #prepareLater(): void {
    if (this.#prepared) return;
    this.#prepared = true;
    setTimeout(() => void this.#deps.prepare().catch(() => undefined), prepareAfterMs).unref();
  }
}

function beingTakenOver(root: string): PlannerError {
  return conflict(`planner serve takes ${root} over and has not responded yet: try again in a moment.`);
}

function ending(): PlannerError {
  return new PlannerError('unavailable', 'planner mcp is shutting down.');
}
