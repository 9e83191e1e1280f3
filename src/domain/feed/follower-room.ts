import { PlannerError } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { Counts } from '../../platform/counts.ts';

/** A caller that follows something: its credential, and the project of an agent's key. */
export interface FollowingCaller {
  readonly id: string;
  readonly kind: 'owner' | 'agent' | 'guest';
  readonly boundTo?: string;
}

/** When a rejected caller may try again, in seconds. */
const retrySeconds = 10;

/**
 * Bounds the projects that callers follow at the same time: for each caller, for all agents of a project, and in all,
 * of which a share is reserved for owners. Agents of one project can block neither a person nor agents of another
 * project.
 */
export class FollowerRoom {
  readonly #message: string;
  readonly #counts = new Counts();

  /** `message`: of the error of a rejected caller. */
  constructor(message: string) {
    this.#message = message;
  }

  /** Counts one more. Returns the function that ends it, which may be called twice. Throws `rate_limited`. */
  enter(caller: FollowingCaller): () => void {
    const bounds = boundsOf(caller);
    for (const [name, max] of bounds)
      if (this.#counts.of(name) >= max)
        throw new PlannerError('rate_limited', this.#message, { retry_after: retrySeconds });
    for (const [name] of bounds) this.#counts.add(name, 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      for (const [name] of bounds) this.#counts.add(name, -1);
    };
  }
}

/** The counters of a caller, each with its limit. */
function boundsOf({ id, kind, boundTo }: FollowingCaller): (readonly [name: string, max: number])[] {
  const own = [['all', limits.followersMax] as const, [`caller ${id}`, limits.followersPerCallerMax] as const];
  if (kind === 'owner') return own;
  return [
    ...own,
    ['agents', limits.agentFollowersMax],
    [`project ${boundTo ?? ''}`, limits.agentFollowersPerProjectMax],
  ];
}
