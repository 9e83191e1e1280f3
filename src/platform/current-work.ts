import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that a service does for one project without a call. */
export interface ProjectWork {
  /** What does it: `webhooks`, `leases`. */
  readonly worker: string;
  readonly project: string;
  /** What it is for in the project. Work of equal members is the same. */
  readonly of: string;
}

const storage = new AsyncLocalStorage<ProjectWork>();

/** Runs work. What it begins (timers, requests, promises) belongs to it, too. */
export function runAsWork<T>(work: ProjectWork, run: () => T): T {
  return storage.run(work, run);
}

/** The work that the caller belongs to. For a listener of `uncaughtException`: the work that the exception came from. */
export function currentWork(): ProjectWork | undefined {
  return storage.getStore();
}
