import { deletionGraceMs } from '../../../src/store/files/life/path-life.ts';
import type { Random } from '../../support/random.ts';
import { idPattern } from '../ledger.ts';
import type { Pause, World } from '../world.ts';

/** Paths of the record files that people edit. */
export function recordFiles(world: World): string[] {
  return ['tasks', 'documents'].flatMap((name) =>
    world.hands.list(`${world.directory}/${name}`).filter((path) => path.endsWith('.md')),
  );
}

/** The ways in which programs save a file. */
const saves: Readonly<Record<string, (world: World, random: Random, path: string, text: string) => Iterable<Pause>>> = {
  *'in place'({ hands }, _random, path, text) {
    hands.save(path, text);
  },
  *'piece by piece'(world, random, path, text) {
    const opened = world.hands.open(path);
    if (opened === undefined) return;
    const pieces = piecesOf(random, text);
    // The first piece may be read alone.
    if (!hasBody(pieces[0] ?? '')) for (const [id] of text.matchAll(idPattern)) world.withText.delete(id);
    for (const piece of pieces) {
      yield world.pause(random);
      world.hands.write(opened, piece);
    }
    world.hands.close(opened);
  },
  *'to a new file and renames it'(world, random, path, text) {
    const at = path.lastIndexOf('/');
    const temporary = `${path.slice(0, at)}/.${path.slice(at + 1)}.tmp${random.integer(0, 999)}`;
    if (!world.hands.isDirectory(path.slice(0, at)) || world.hands.read(temporary) !== undefined) return;
    world.hands.temporary(temporary, text);
    yield world.pause(random);
    world.hands.rename(temporary, path);
  },
  *'by removing the old file first'(world, random, path, text) {
    world.hands.remove(path);
    yield world.pause(random);
    world.hands.save(path, text);
  },
  *'beside a backup'(world, random, path, text) {
    world.hands.rename(path, `${path}~`);
    yield world.pause(random);
    world.hands.save(path, text);
    yield world.pause(random);
    world.hands.remove(`${path}~`);
  },
};

/** Opens a file, changes it and saves it, as editors do; the file may have changed in between. */
export function* editor(world: World, random: Random): Generator<Pause, void> {
  const files = recordFiles(world).filter((path) => !world.edited.has(path));
  if (files.length === 0 || random.chance(0.1)) return yield* newFile(world, random);
  const path = random.pick(files);
  // From when it is opened: two programs that write one file at the same time mix their texts.
  world.edited.add(path);
  const before = world.hands.read(path) ?? '';
  const text = edited(world, random, before);
  yield world.pause(random);
  const how = random.pick(Object.keys(saves));
  world.say(`an editor saves ${short(world, path)} ${how}: ${changeOf(before, text)}`);
  yield* noted(world, path, text, saves[how]!(world, random, path, text));
  world.edited.delete(path);
}

/** Runs a save, and notes of the ids in the file whether it was there before, and missing for a moment at most. */
function* noted(world: World, path: string, text: string, save: Iterable<Pause>): Generator<Pause, void> {
  const { machine, hands, resaved } = world;
  const before = hands.read(path) ?? '';
  let missingSince: number | undefined;
  let isShort = true;
  const look = (): void => {
    const now = machine.time.monotonic();
    if (hands.read(path) === undefined) missingSince ??= now;
    else if (missingSince !== undefined) {
      isShort &&= now - missingSince < deletionGraceMs;
      missingSince = undefined;
    }
  };
  for (const pause of save) {
    look();
    yield pause;
  }
  look();
  const ids = idIn(before) === idIn(text) && missingSince === undefined ? [] : [idIn(before), idIn(text)];
  for (const id of [idIn(text)]) if (id !== undefined) resaved.set(id, resaved.get(id) !== false && isShort);
  for (const id of ids) if (id !== undefined) resaved.set(id, false);
}

function idIn(text: string): string | undefined {
  return /^id: (\S+)$/m.exec(text)?.[1];
}

/** A file of another program, without an id. */
function* newFile(world: World, random: Random): Generator<Pause, void> {
  // A power cut may have lost the name of the project's directory.
  if (!world.hands.isDirectory(world.directory)) return;
  const folders = world.hands.directories(`${world.directory}/documents`);
  const tops = [`${world.directory}/tasks`, `${world.directory}/documents`, ...folders];
  const directory = random.pick(tops);
  const name = `note ${random.integer(1, 12)}.md`;
  const path = `${directory}/${name}`;
  if (world.edited.has(path) || world.hands.read(path) !== undefined || !world.hands.makeDirectory(directory)) return;
  const title = random.chance(0.5) ? `---\ntitle: ${world.ledger.token('person')}\n---\n` : '';
  const text = `${title}${world.ledger.token('person')}\n${world.ledger.token('person')}\n`;
  world.say(`an editor makes ${short(world, path)}`);
  world.edited.add(path);
  yield* saves[random.pick(['in place', 'piece by piece', 'to a new file and renames it'])]!(world, random, path, text);
  world.edited.delete(path);
}

function edited(world: World, random: Random, before: string): string {
  const text = before === '' || before.endsWith('\n') ? before : `${before}\n`;
  const token = (): string => world.ledger.token('person');
  const body = frontMatter.exec(text)?.[0] ?? '';
  const lines = text.slice(body.length).split('\n').filter(Boolean);
  if (random.chance(0.4) && /^status: .*$/m.test(body)) return text.replace(/^status: .*$/m, `status: ${token()}`);
  if (random.chance(0.3) && /^title: .*$/m.test(body)) return text.replace(/^title: .*$/m, `title: ${token()}`);
  lines.splice(random.integer(0, lines.length), random.integer(0, 1), token());
  return body + lines.map((line) => `${line}\n`).join('');
}

const frontMatter = /^---\n(?:.*\n)*?---\n/;

function hasBody(text: string): boolean {
  return text.replace(frontMatter, '').trim() !== '' && (!text.startsWith('---') || frontMatter.test(text));
}

/** Whole lines: half a token would be another token. */
function piecesOf(random: Random, text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  const at = random.integer(0, lines.length);
  return [lines.slice(0, at).join(''), lines.slice(at).join('')].filter(Boolean);
}

export function short(world: World, path: string): string {
  return path.startsWith(`${world.directory}/`) ? path.slice(world.directory.length + 1) : path;
}

function changeOf(before: string, after: string): string {
  const known = new Set(before.split('\n'));
  return (
    after
      .split('\n')
      .filter((line) => !known.has(line))
      .join(' | ') || 'the same'
  );
}
