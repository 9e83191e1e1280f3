import type { Random } from '../../support/random.ts';
import { left, type Loss } from '../../support/torn-data.ts';
import { writebackMs } from './nodes.ts';
import type { Directory, Node, SimulatedFile } from './nodes.ts';

/** A name in a directory becomes this node, or vanishes. */
interface NameSet {
  readonly directory: Directory;
  readonly name: string;
  readonly node: Node | undefined;
}

/** The change of names by one call: a rename sets two, and a power cut leaves both or neither. */
interface NameChange {
  readonly sets: readonly NameSet[];
  /** The directory that was removed: it was empty, so that its names went before. */
  readonly removed: Directory | undefined;
  readonly at: number;
  readonly byPeople: boolean;
}

/**
 * The names that outlive a power cut: the names in synced directories, and the ones that the system wrote back. Of the
 * rest all, nothing, or the changes before some moment.
 */
export class NameLog {
  readonly #root: Directory;
  readonly #monotonic: () => number;
  #changes: NameChange[] = [];
  /** True if people make the following changes. */
  byPeople = false;

  constructor(root: Directory, monotonic: () => number) {
    this.#root = root;
    this.#monotonic = monotonic;
  }

  add(sets: readonly NameSet[], removed?: Directory): void {
    this.#changes.push({ sets, removed, at: this.#monotonic(), byPeople: this.byPeople });
  }

  /**
   * Makes the names in a directory durable, and their dependencies: earlier changes of the same names and nodes, and of
   * the names in directories that were removed.
   */
  sync(directory: Directory): void {
    this.#makeDurable(({ sets }) => sets.some((set) => set.directory === directory));
  }

  /** Makes durable what people did. */
  syncPeople(): void {
    this.#makeDurable(({ byPeople }) => byPeople);
  }

  #makeDurable(isChosen: (change: NameChange) => boolean): void {
    const needed = new Set<Node>();
    const names = new Map<Directory, Set<string>>();
    const removed = new Set<Directory>();
    const durable: NameChange[] = [];
    const rest: NameChange[] = [];
    for (const change of this.#changes.toReversed()) {
      const isNeeded =
        isChosen(change) ||
        change.sets.some(
          ({ directory, name, node }) =>
            removed.has(directory) ||
            (node !== undefined && needed.has(node)) ||
            names.get(directory)?.has(name) === true,
        );
      (isNeeded ? durable : rest).push(change);
      if (!isNeeded) continue;
      if (change.removed !== undefined) removed.add(change.removed);
      for (const set of change.sets) {
        if (set.node !== undefined) needed.add(set.node);
        if (!names.has(set.directory)) names.set(set.directory, new Set());
        names.get(set.directory)!.add(set.name);
      }
    }
    for (const change of durable.reverse()) apply(change);
    this.#changes = rest.reverse();
  }

  /** Makes everything durable, as `sync` of a shell does. */
  syncAll(): void {
    for (const change of this.#changes) apply(change);
    this.#changes = [];
    for (const file of filesBelow(this.#root)) file.sync();
  }

  /** Reduces names and data as a power cut does. */
  cut({ data, names }: Loss, random: Random): void {
    const now = this.#monotonic();
    const written = this.#changes.findLastIndex(({ at }) => now - at > writebackMs) + 1;
    const kept = { kept: this.#changes.length, lost: 0, some: random.integer(0, this.#changes.length) }[names];
    for (const change of this.#changes.slice(0, Math.max(written, kept))) apply(change);
    this.#changes = [];
    restore(this.#root, new Set());
    for (const file of filesBelow(this.#root)) {
      const synced = file.synced(now);
      if (synced !== undefined) file.replaceBy(left(file.read(), synced, data, random));
    }
  }
}

function apply({ sets }: NameChange): void {
  for (const { directory, name, node } of sets)
    if (node === undefined) directory.durable.delete(name);
    else directory.durable.set(name, node);
}

/** A directory lost its entries that are not durable; their contents are lost, too. */
function restore(directory: Directory, seen: Set<Node>): void {
  directory.entries.clear();
  for (const [name, node] of directory.durable) {
    // A directory that was moved has one name.
    if (node.kind === 'directory' && seen.has(node)) continue;
    if (!seen.has(node)) node.nlink = 0;
    seen.add(node);
    node.nlink++;
    directory.entries.set(name, node);
    node.place = { directory, name };
    if (node.kind === 'directory') restore(node, seen);
  }
  directory.durable = new Map(directory.entries);
}

function* filesBelow(directory: Directory): Generator<SimulatedFile> {
  for (const node of directory.entries.values())
    if (node.kind === 'file') yield node;
    else if (node.kind === 'directory') yield* filesBelow(node);
}
