import type { Random } from '../../support/random.ts';
import { gitDirectory } from '../world.ts';
import type { Pause, World } from '../world.ts';
import { recordFiles, short } from './editor.ts';

type Tree = ReadonlyMap<string, string>;

const lock = `${gitDirectory}/index.lock`;

/** A repository: two branches over the record files of the project. History is private and not in it. */
export class Repository {
  readonly #world: World;
  readonly #branches = new Map<string, Tree>();
  #current = 'main';

  constructor(world: World) {
    this.#world = world;
  }

  *command(random: Random): Generator<Pause, void> {
    // Git may also take its lock while the service writes a batch of files.
    yield this.#world.pause(random);
    const { hands } = this.#world;
    // Another command, or one that was killed.
    if (hands.read(lock) !== undefined || hands.read(`${gitDirectory}/MERGE_HEAD`) !== undefined) return;
    hands.temporary(lock, '');
    this.#world.gitLocks(true);
    yield this.#world.pause(random);
    if (!this.#branches.has(this.#current)) this.#commit();
    else yield* this.#one(random);
    yield this.#world.pause(random);
    hands.rename(lock, `${gitDirectory}/index`);
    this.#world.gitLocks(false);
  }

  *#one(random: Random): Generator<Pause, void> {
    const drawn = random.next();
    if (drawn < 0.3) return this.#commit();
    if (drawn < 0.7) return yield* this.#checkOut(random);
    if (drawn < 0.85) return yield* this.#stash(random);
    yield* this.#merge(random);
  }

  #workTree(): Map<string, string> {
    const { hands } = this.#world;
    return new Map(recordFiles(this.#world).map((path) => [path, hands.read(path) ?? '']));
  }

  #commit(): void {
    this.#world.say('git commits');
    this.#branches.set(this.#current, this.#workTree());
    this.#moveHead();
  }

  /** Refuses if a file that it would change is not as it was committed. */
  *#checkOut(random: Random): Generator<Pause, void> {
    const other = this.#current === 'main' ? 'other' : 'main';
    const from = this.#branches.get(this.#current)!;
    const to = this.#branches.get(other) ?? from;
    const now = this.#workTree();
    const changed = [...differences(from, to)];
    if (changed.some((path) => now.get(path) !== from.get(path))) return this.#world.say('git refuses a checkout');
    this.#world.say(`git checks out ${other}`);
    this.#current = other;
    yield* this.#write(random, changed, to);
    this.#moveHead();
  }

  /** Takes uncommitted changes out of the tree, and puts it back later. */
  *#stash(random: Random): Generator<Pause, void> {
    const committed = this.#branches.get(this.#current)!;
    const now = this.#workTree();
    const changed = [...differences(now, committed)].filter((path) => committed.has(path));
    this.#world.say('git stashes');
    yield* this.#write(random, changed, committed);
    if (random.chance(0.3)) return;
    yield this.#world.pause(random);
    const still = changed.filter((path) => this.#world.hands.read(path) === committed.get(path));
    this.#world.say('git pops the stash');
    yield* this.#write(random, still, now);
  }

  /** Takes files from the other branch that only it has changed, and waits for a person before the commit. */
  *#merge(random: Random): Generator<Pause, void> {
    const other = this.#branches.get(this.#current === 'main' ? 'other' : 'main');
    const own = this.#branches.get(this.#current)!;
    const now = this.#workTree();
    if (other === undefined) return;
    const taken = [...differences(own, other)].filter((path) => other.has(path) && now.get(path) === own.get(path));
    this.#world.say('git merges');
    const { hands } = this.#world;
    hands.save(`${gitDirectory}/MERGE_HEAD`, 'ref');
    yield* this.#write(random, taken, other);
    hands.rename(lock, `${gitDirectory}/index`);
    yield { ms: random.next() * 300 };
    hands.temporary(lock, '');
    hands.remove(`${gitDirectory}/MERGE_HEAD`);
    this.#commit();
  }

  /** As git does: the old file is removed, then a new one is written. */
  *#write(random: Random, paths: readonly string[], to: Tree): Generator<Pause, void> {
    const { hands, rewritten } = this.#world;
    const idsIn = (texts: readonly (string | undefined)[]): Set<string> =>
      new Set(texts.flatMap((text = '') => text.match(/^id: .*$/m)?.[0].slice(4) ?? []));
    const after = idsIn(paths.map((path) => to.get(path)));
    for (const id of idsIn(paths.map((path) => hands.read(path))))
      rewritten.set(id, after.has(id) && rewritten.get(id) !== false);
    for (const path of paths) {
      if (random.chance(0.3)) yield this.#world.pause(random);
      hands.remove(path);
      const text = to.get(path);
      this.#world.say(`  git ${text === undefined ? 'removes' : 'writes'} ${short(this.#world, path)}`);
      if (text !== undefined && hands.makeDirectory(path.slice(0, path.lastIndexOf('/')))) hands.save(path, text);
    }
  }

  #moveHead(): void {
    const { hands } = this.#world;
    hands.save(`${gitDirectory}/logs/HEAD`, `${this.#world.ledger.step} ${this.#world.machine.calls}`);
    hands.temporary(`${gitDirectory}/HEAD.lock`, this.#current);
    hands.rename(`${gitDirectory}/HEAD.lock`, `${gitDirectory}/HEAD`);
  }
}

function* differences(a: Tree, b: Tree): Generator<string> {
  for (const path of new Set([...a.keys(), ...b.keys()])) if (a.get(path) !== b.get(path)) yield path;
}
