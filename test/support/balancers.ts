import { hash } from 'node:crypto';
import type { Random } from './random.ts';

/** The home of a project by rendezvous hashing, as a balancer finds it: the node with the highest hash. */
export function homeOf<T>(project: string, nodes: readonly T[], nameOf: (node: T) => string): T | undefined {
  let home: T | undefined;
  let highest = '';
  for (const node of nodes) {
    const here = hash('sha256', `${nameOf(node)} ${project}`, 'hex');
    if (here <= highest) continue;
    highest = here;
    home = node;
  }
  return home;
}

/**
 * Two balancers in front of the nodes of a service. By turns, at first; then each sends the calls for a project to its home
 * among the nodes that it takes for alive, and each may be wrong about which are.
 */
export class Balancers<T> {
  readonly #nameOf: (node: T) => string;
  /** The names of the nodes that a balancer takes for dead; undefined while they send calls by turns. */
  #dead: readonly ReadonlySet<string>[] | undefined;

  constructor(nameOf: (node: T) => string) {
    this.#nameOf = nameOf;
  }

  /** They notice something, or are set up in another way. */
  change(random: Random, nodes: readonly T[]): void {
    const seen = (): ReadonlySet<string> => new Set(nodes.filter(() => random.chance(0.4)).map(this.#nameOf));
    this.#dead = random.chance(0.4) ? undefined : [seen(), seen()];
  }

  /** The node that a call for a project is sent to. */
  pick(random: Random, project: string, nodes: readonly T[]): T {
    if (this.#dead === undefined) return random.pick(nodes);
    const dead = random.pick(this.#dead);
    const alive = nodes.filter((node) => !dead.has(this.#nameOf(node)));
    return homeOf(project, alive.length > 0 ? alive : nodes, this.#nameOf)!;
  }
}
