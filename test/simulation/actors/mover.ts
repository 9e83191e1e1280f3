import type { Random } from '../../support/random.ts';
import type { Pause, World } from '../world.ts';
import { recordFiles, short } from './editor.ts';

/** The actions of a person in a file manager or a shell. */
const moves: Readonly<Record<string, (world: World, random: Random) => Iterable<Pause>>> = {
  *'renames a file'(world, random) {
    const path = fileOf(world, random);
    if (path === undefined) return;
    move(world, path, `${directoryOf(path)}/${newName(world, random)}.md`);
  },
  *'renames a file twice'(world, random) {
    const path = fileOf(world, random);
    if (path === undefined) return;
    const [first, second] = [1, 2].map(() => `${directoryOf(path)}/${newName(world, random)}.md`);
    move(world, path, first!);
    yield world.pause(random);
    move(world, first!, second!);
  },
  *'moves a file to another folder'(world, random) {
    const path = fileOf(world, random, 'documents');
    const to = folderOf(world, random);
    if (path !== undefined) move(world, path, `${to}/${path.slice(path.lastIndexOf('/') + 1)}`);
  },
  *'renames a folder'(world, random) {
    const folders = world.hands.directories(`${world.directory}/documents`);
    if (folders.length === 0) return;
    const path = random.pick(folders);
    move(world, path, `${directoryOf(path)}/${newFolderName(world, random)}`);
  },
  *'moves a folder into another'(world, random) {
    const folders = world.hands.directories(`${world.directory}/documents`);
    if (folders.length === 0) return;
    const path = random.pick(folders);
    move(world, path, `${folderOf(world, random)}/${path.slice(path.lastIndexOf('/') + 1)}`);
  },
  *'makes a folder'(world, random) {
    world.hands.makeDirectory(`${folderOf(world, random)}/${newFolderName(world, random)}`);
  },
  *'removes a file'(world, random) {
    const path = fileOf(world, random);
    if (path === undefined) return;
    world.say(`a mover removes ${short(world, path)}`);
    world.hands.remove(path);
  },
  *'removes a folder'(world, random) {
    const folders = world.hands.directories(`${world.directory}/documents`);
    if (folders.length === 0 || random.chance(0.5)) return;
    const path = random.pick(folders);
    world.say(`a mover removes ${short(world, path)}/`);
    world.hands.remove(path);
  },
  *'takes a file out of the tree and puts it back'(world, random) {
    const path = fileOf(world, random);
    if (path === undefined) return;
    const out = `/tmp/${random.integer(0, 1e6)}.md`;
    move(world, path, out);
    yield world.pause(random);
    move(world, out, path);
  },
  *'swaps two files'(world, random) {
    const [a, b] = [fileOf(world, random), fileOf(world, random)];
    if (a === undefined || b === undefined || a === b || directoryOf(a) !== directoryOf(b)) return;
    const out = `/tmp/${random.integer(0, 1e6)}.md`;
    move(world, a, out);
    yield world.pause(random);
    move(world, b, a);
    yield world.pause(random);
    move(world, out, b);
  },
};

export function* mover(world: World, random: Random): Generator<Pause, void> {
  yield* moves[random.pick(Object.keys(moves))]!(world, random);
}

function move(world: World, from: string, to: string): void {
  if (world.hands.isDirectory(to) && !world.hands.isDirectory(from)) return;
  const isMoved = world.hands.rename(from, to);
  if (isMoved) world.say(`a mover renames ${short(world, from)} to ${short(world, to)}`);
}

function fileOf(world: World, random: Random, below = ''): string | undefined {
  const files = recordFiles(world).filter((path) => path.startsWith(`${world.directory}/${below}`));
  return files.length === 0 ? undefined : random.pick(files);
}

function folderOf(world: World, random: Random): string {
  const top = `${world.directory}/documents`;
  return random.pick([top, ...world.hands.directories(top)]);
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** A name becomes a title where the file has no title: it is not followed. */
function newName(world: World, random: Random): string {
  if (random.chance(0.2)) return `copy ${random.integer(1, 5)}`;
  const token = world.ledger.token('person');
  world.ledger.writtenByPeople.add(token);
  world.ledger.excuse(token);
  return token;
}

function newFolderName(world: World, random: Random): string {
  const name = newName(world, random);
  world.folderNames.add(name);
  return name;
}
