import { known, nextOfPath, type PathEffect, type PathEvent, type PathLife } from './path-life.ts';

/** The paths of a project whose content is undecided. */
export class UndecidedPaths {
  readonly #lives = new Map<string, PathLife>();
  /** The number of those that name a record, so that a deletion is checked without a search. */
  #named = 0;

  /** Applies a finding at a path. Returns the effects for the caller. */
  on(path: string, event: PathEvent): readonly PathEffect[] {
    const before = this.#lives.get(path) ?? known;
    const { life, effects } = nextOfPath(before, event);
    this.#named += Number('id' in life) - Number('id' in before);
    if (life.kind !== 'known') this.#lives.set(path, life);
    else if (before !== known) this.#lives.delete(path);
    return effects;
  }

  /** Returns whether a file with this id is read later: once the record's write, or a grace period, has ended. */
  isDeferred(id: string): boolean {
    if (this.#named === 0) return false;
    for (const life of this.#lives.values()) if ('id' in life && life.id === id) return true;
    return false;
  }

  /** The path of a file that has got this id in place of the one that was in it, and is not read yet. */
  replacedBy(id: string): string | undefined {
    if (this.#named === 0) return undefined;
    for (const [path, life] of this.#lives) if (life.kind === 'replaced' && life.id === id) return path;
    return undefined;
  }

  /** Returns whether a file is missing and does not count as deleted yet. */
  isVanished(path: string): boolean {
    return this.#lives.get(path)?.kind === 'vanished';
  }
}
