import type { RepositoryClaims } from '../../domain/records/repository-claims.ts';
import type { Collections, ReadTransaction, StoreHooks } from '../../store/index.ts';
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
 * Publishes claims before the first transaction, and releases claims that ended after each transaction, also after a rollback in
 * which a rule had claimed a task. `store`: the one without these hooks.
 */
export function claimHooks<C extends Collections>(
  store: Pick<Transactions<C>, 'read' | 'readAll'>,
  claims: ClaimRegister<C>,
): StoreHooks {
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
  return {
    beforeRead: async (project) => {
      await publish();
      // Files may have been edited since the last change.
      await releaseEnded(project);
    },
    beforeChange: publish,
    afterChange: (project, isDeleted) => (isDeleted ? release(project, () => undefined) : releaseEnded(project)),
  };
}
