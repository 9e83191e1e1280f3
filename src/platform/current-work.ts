import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that a service does for one project without a call. */
export interface ProjectWork {
  /** The worker that does it: `webhooks`, `leases`. */
  readonly worker: string;
  readonly project: string;
  /** The subject of the work in the project. Work with equal members is equal. */
  readonly of: string;
}

const storage = new AsyncLocalStorage<ProjectWork>();

/** Runs work. Timers, requests and promises that it begins belong to it, too. */
export function runAsWork<T>(work: ProjectWork, run: () => T): T {
  return storage.run(work, run);
}

/** The work that the caller belongs to. For a listener of `uncaughtException`: the work that the exception came from. */
export function currentWork(): ProjectWork | undefined {
  return storage.getStore();
}
