import { heldLeases, isHeldBy } from './leases.ts';
import type { PlanReadTransaction } from '../records/collections.ts';
import type { ClaimElsewhere, HeldTask, RepositoryClaims } from '../records/repository-claims.ts';

/** A claim in a worktree of a repository whose worktrees have their own plans. */
export interface WorktreeClaim extends HeldTask {
  /** The `.planner` directory, absolute. */
  readonly root: string;
  /** The top directory of the worktree, absolute. */
  readonly worktree: string;
  /** Git's name of the worktree; empty for the main one. */
  readonly tree: string;
  /** The branch at the time of the claim. */
  readonly branch: string | null;
}

/** The file that contains the claims of all worktrees. */
export interface ClaimsFile {
  readonly claims: readonly WorktreeClaim[];
}

/** The shared file and the worktree, provided by the wiring. */
export interface WorktreeClaimsOptions {
  readonly file: {
    exists(): boolean;
    readNow(): ClaimsFile | null;
    changeNow(change: (data: ClaimsFile | null) => ClaimsFile | undefined): void;
  };
  /** This worktree. */
  readonly place: Pick<WorktreeClaim, 'root' | 'worktree' | 'tree'>;
  /** This worktree has its own plan, so the file is created. Otherwise it is used only if another worktree has created it. */
  readonly creates: boolean;
  /** The branch that a worktree has checked out; null if it has no branch or was removed. */
  readonly branchOf: (tree: string) => string | null;
  readonly rootExists: (root: string) => boolean;
}

/**
 * Claims of tasks across the worktrees of a repository that have their own plans. A claim is written to the shared file before its
 * transaction commits, and removed after the change that ends it has committed: a failure in between leaves an extra claim, never a missing
 * one. Only one process has a root open, so the claims of this root are in memory.
 */
export class WorktreeClaims implements RepositoryClaims {
  readonly #options: WorktreeClaimsOptions;
  /** The published claims of this root, by project and task. */
  readonly #own = new Map<string, HeldTask>();
  #isPublished = false;

  constructor(options: WorktreeClaimsOptions) {
    this.#options = options;
  }

  heldElsewhere(project: string, now: string): ReadonlySet<string> {
    const claims = claimsIn(this.#options.file.readNow());
    const others = claims.filter(
      (claim) => claim.project === project && !this.#isOwn(claim) && this.#lives(claim, now),
    );
    return new Set(others.map(({ task }) => task));
  }

  hold(held: HeldTask, now: string): ClaimElsewhere | undefined {
    if (!this.#isActive()) return undefined;
    let holder: WorktreeClaim | undefined;
    this.#options.file.changeNow((data) => {
      const claims = claimsIn(data).filter((claim) => this.#lives(claim, now));
      holder = claims.find((claim) => isSameTask(claim, held) && !this.#isOwn(claim));
      if (holder !== undefined) return undefined;
      return { claims: [...claims.filter((claim) => !isSameTask(claim, held)), this.#claimOf(held)] };
    });
    if (holder === undefined) this.#own.set(keyOf(held), held);
    else this.#own.delete(keyOf(held));
    return holder && this.#shown(holder);
  }

  /** Returns whether `publish` has to be called before the next operation. */
  needsPublishing(): boolean {
    return !this.#isPublished && this.#isActive();
  }

  /**
   * Synchronises the file with the plan: adds leases that are older than the file, and removes claims that ended while no service was
   * running. `views`: all projects.
   */
  publish(views: readonly PlanReadTransaction[]): void {
    const [first] = views;
    const now = first?.now ?? '';
    const leases = views.flatMap((view) => heldLeases(view));
    const isHeld = (claim: WorktreeClaim): boolean =>
      views.some((view) => view.project === claim.project && isHeldBy(view, claim.task, claim.agent_ref));
    this.#options.file.changeNow((data) => {
      const claims = claimsIn(data);
      const others = claims.filter((claim) => !this.#isOwn(claim) && (first === undefined || this.#lives(claim, now)));
      const own = new Map(
        claims.filter((claim) => this.#isOwn(claim) && isHeld(claim)).map((claim) => [keyOf(claim), claim]),
      );
      for (const lease of leases) own.set(keyOf(lease), this.#claimOf(lease));
      for (const claim of others) own.delete(keyOf(claim));
      this.#own.clear();
      for (const [key, claim] of own) this.#own.set(key, claim);
      const published = { claims: [...others, ...own.values()] };
      return data !== null && JSON.stringify(published.claims) === JSON.stringify(data.claims) ? undefined : published;
    });
    this.#isPublished = true;
  }

  /** Returns whether this worktree holds tasks of a project. */
  hasClaims(project: string): boolean {
    return [...this.#own.values()].some((held) => held.project === project);
  }

  /** The tasks of this worktree's claims that ended: their agents no longer hold them. Time proportional to the number of claims. */
  ended(view: PlanReadTransaction): readonly string[] {
    return [...this.#own.values()]
      .filter(({ project, task, agent_ref: agent }) => project === view.project && !isHeldBy(view, task, agent))
      .map(({ task }) => task);
  }

  /** Removes claims of this worktree; without `tasks`, all claims of the project. */
  release(project: string, tasks?: readonly string[]): void {
    const isReleased = (held: HeldTask): boolean =>
      held.project === project && (tasks === undefined || tasks.includes(held.task));
    if (![...this.#own.values()].some(isReleased)) return;
    this.#options.file.changeNow((data) => ({
      claims: claimsIn(data).filter((claim) => !this.#isOwn(claim) || !isReleased(claim)),
    }));
    for (const [key, held] of this.#own) if (isReleased(held)) this.#own.delete(key);
  }

  #isActive(): boolean {
    return this.#options.creates || this.#options.file.exists();
  }

  #isOwn({ root }: WorktreeClaim): boolean {
    return root === this.#options.place.root;
  }

  /** A claim without an expiry ends when its worktree is removed: it could be released only there. */
  #lives({ root, expires_at: expiry }: WorktreeClaim, now: string): boolean {
    return expiry === null ? this.#options.rootExists(root) : expiry > now;
  }

  #claimOf({ project, task, agent_ref, expires_at }: HeldTask): WorktreeClaim {
    const { place, branchOf } = this.#options;
    return { project, task, agent_ref, expires_at, ...place, branch: branchOf(place.tree) };
  }

  #shown({ agent_ref, worktree, tree, branch }: WorktreeClaim): ClaimElsewhere {
    return { agent_ref, worktree, branch: this.#options.branchOf(tree) ?? branch };
  }
}

function keyOf({ project, task }: HeldTask): string {
  return `${project} ${task}`;
}

function isSameTask(one: HeldTask, other: HeldTask): boolean {
  return one.project === other.project && one.task === other.task;
}

/** The claims of a file that a person may have edited: entries without the required members are ignored. */
function claimsIn(data: ClaimsFile | null): readonly WorktreeClaim[] {
  const listed: unknown = (data as Partial<ClaimsFile> | null)?.claims;
  return Array.isArray(listed) ? (listed as readonly unknown[]).filter(isClaim) : [];
}

function isClaim(value: unknown): value is WorktreeClaim {
  if (typeof value !== 'object' || value === null) return false;
  const { expires_at: expiry, branch, ...texts } = value as Partial<WorktreeClaim>;
  const { project, task, agent_ref, root, worktree, tree } = texts;
  const isTextOrNull = (one: unknown): boolean => one === null || typeof one === 'string';
  return (
    [project, task, agent_ref, root, worktree, tree].every((one) => typeof one === 'string') &&
    isTextOrNull(expiry) &&
    isTextOrNull(branch)
  );
}
