import type { RepositoryClaims } from '../../domain/records/repository-claims.ts';
import type { Collections, ReadTransaction } from '../../store/index.ts';
import type { Transactions } from '../declaration/transactions.ts';

/** The claims of this worktree in the file that the worktrees of the repository share. */
export interface ClaimRegister<C extends Collections> extends RepositoryClaims {
  needsPublishing(): boolean;
  publish(views: readonly ReadTransaction<C>[]): void;
  hasClaims(project: string): boolean;
  ended(view: ReadTransaction<C>): readonly string[];
  release(project: string, tasks?: readonly string[]): void;
}

/**
 * Wraps the transactions of a store. Claims are published before the first transaction. Claims that ended are released
 * after each, also after a rollback in which a rule had claimed a task.
 */
export function withClaims<C extends Collections>(store: Transactions<C>, claims: ClaimRegister<C>): Transactions<C> {
  const publish = async (): Promise<void> => {
    if (claims.needsPublishing()) await store.readAll((views) => claims.publish(views));
  };
  const release = async (project: string, ended: () => Promise<readonly string[]> | undefined): Promise<void> => {
    if (!claims.hasClaims(project)) return;
    try {
      claims.release(project, await ended());
    } catch {
      // The next transaction retries. Until then other worktrees reject claims of tasks that are free.
    }
  };
  const releaseEnded = (project: string): Promise<void> =>
    release(project, () => store.read(project, (view) => claims.ended(view)));
  const changing = async <T>(project: string, run: () => Promise<T>): Promise<T> => {
    await publish();
    try {
      return await run();
    } finally {
      await releaseEnded(project);
    }
  };
  return {
    locate: (id) => store.locate(id),
    locateDurably: (fn) => store.locateDurably(fn),
    stage: (pieces) => store.stage(pieces),
    read: async (project, fn) => {
      await publish();
      // Files may have been edited since the last change.
      await releaseEnded(project);
      return store.read(project, fn);
    },
    peek: (project, fn) => store.peek(project, fn),
    peekAll: (fn) => store.peekAll(fn),
    readAll: (fn, records) => store.readAll(fn, records),
    unserved: () => store.unserved(),
    update: (project, meta, fn) => changing(project, () => store.update(project, meta, fn)),
    updateSliced: (project, meta, fn) => changing(project, () => store.updateSliced(project, meta, fn)),
    createProject: (name, meta, fn, id) => store.createProject(name, meta, fn, id),
    createProjectSliced: (name, meta, fn, id) => store.createProjectSliced(name, meta, fn, id),
    deleteProject: async (project, meta, beside) => {
      await store.deleteProject(project, meta, beside);
      await release(project, () => undefined);
    },
    readService: (fn) => store.readService(fn),
    findAnswer: (collection, id, now) => store.findAnswer(collection, id, now),
    updateService: (meta, fn) => store.updateService(meta, fn),
    onEvents: (project, listener) => store.onEvents(project, listener),
    onServiceNames: (listener) => store.onServiceNames(listener),
    onServiceChange: (collection, listener) => store.onServiceChange(collection, listener),
  };
}
