import { expect } from 'chai';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { type Fault, type FaultyDisk, faultyDisk } from '../support/faulty-disk.ts';
import { type Loss, powerCutDisk, rebooted } from '../support/power-cut-disk.ts';
import { Random } from '../support/random.ts';
import type { Scenario, Step, World } from './scenario.ts';
import type { ShownState } from './shown-state.ts';

/** The event at one disk call. */
export interface Kind {
  readonly name: string;
  readonly fault: (at: number) => Fault;
  /** The power fails: at that call if it is a stop, else at the end of the scenario. */
  readonly loss?: Loss;
}

const dies = (torn?: 'half' | 'last block' | 'whole') => (at: number) =>
  ({ at, kind: 'stop', ...(torn === undefined ? {} : { torn }) }) as const;
const fails = (code: 'EIO' | 'ENOSPC' | 'EACCES') => (at: number) => ({ at, kind: 'error', code }) as const;

/** Every way in which a call can go wrong. */
export const kinds: readonly Kind[] = [
  { name: 'EIO', fault: fails('EIO') },
  { name: 'ENOSPC', fault: fails('ENOSPC') },
  { name: 'EACCES', fault: fails('EACCES') },
  { name: 'a short write', fault: (at) => ({ at, kind: 'short' }) },
  { name: 'a torn last block', fault: (at) => ({ at, kind: 'torn' }) },
  { name: 'death', fault: dies() },
  { name: 'death in the middle of a write', fault: dies('half') },
  { name: 'death in the last block of a write', fault: dies('last block') },
  { name: 'a power cut', fault: dies(), loss: { data: 'lost', names: 'kept' } },
  { name: 'a power cut that keeps half', fault: dies('whole'), loss: { data: 'half', names: 'kept' } },
  { name: 'a power cut that leaves zeros', fault: dies('whole'), loss: { data: 'zeros', names: 'kept' } },
  { name: 'a power cut between blocks', fault: dies('whole'), loss: { data: 'blocks', names: 'kept' } },
  { name: 'a power cut that takes names', fault: dies('whole'), loss: { data: 'mixed', names: 'lost' } },
  { name: 'a power cut that takes the last names', fault: dies('whole'), loss: { data: 'mixed', names: 'some' } },
  { name: 'EIO and later a power cut', fault: fails('EIO'), loss: { data: 'mixed', names: 'some' } },
];

/** The trace of a clean run: its calls, and the visible state after each number of steps. */
export interface Course {
  readonly calls: number;
  readonly shown: readonly ShownState[];
}

/** One call of a scenario at which the disk fails. */
export interface Point {
  readonly kind: Kind;
  readonly at: number;
  readonly seed: number;
}

/** The text of a failure. */
const shownCharacters = 400;

const nothing: ShownState = { records: [], revisions: [] };

/** Runs a scenario on a disk that only counts. */
export async function courseOf<W extends World>(scenario: Scenario<W>): Promise<Course> {
  return inScratch(async (directory) => {
    const disk = faultyDisk({ disk: powerCutDisk(directory) });
    const { before = [], steps } = scenario.steps();
    await prepare(scenario, directory, before);
    const world = scenario.make(directory, disk);
    const shown: ShownState[] = [await shownAtRest(scenario, directory)];
    for (const step of steps) {
      await step(world);
      shown.push((await world.shown()) ?? shown.at(-1)!);
    }
    await world.abandon();
    const { calls } = disk;
    disk.closeAll();
    return { calls, shown };
  });
}

/** Everything of one kind in a scenario, the calls in order. */
export function pointsOf(course: Course, kind: Kind, random: Random, every = 1): Point[] {
  const points: Point[] = [];
  for (let at = random.integer(1, every); at <= course.calls; at += every)
    points.push({ kind, at, seed: random.integer(0, 2 ** 31) });
  return points;
}

/** Lets the disk fail at one call, then checks the remaining state. Returns false if that call was never reached. */
export async function survives<W extends World>(scenario: Scenario<W>, course: Course, point: Point): Promise<boolean> {
  const { kind, at, seed } = point;
  const where = `"${scenario.title}", ${kind.name} at call ${at} of ${course.calls} (seed ${seed})`;
  return inScratch(async (directory) => {
    const steps = scenario.steps();
    await prepare(scenario, directory, steps.before ?? []);
    const power = powerCutDisk(directory);
    const disk = faultyDisk({ disk: power, fault: kind.fault(at) });
    const done = await attempt(scenario, directory, disk, steps.steps, course, where);
    if (kind.loss !== undefined) power.cut(kind.loss, new Random(seed));
    await expectOneOf(scenario, directory, kind, course.shown.slice(done, done + 2), where);
    scenario.verify?.(directory, done);
    return disk.fired;
  });
}

async function inScratch<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'planner-crash-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function prepare<W extends World>(
  scenario: Scenario<W>,
  directory: string,
  before: readonly Step<W>[],
): Promise<void> {
  if (before.length === 0) return;
  const world = scenario.make(directory, nodeDisk);
  for (const step of before) await step(world);
  await world.abandon();
}

/** The visible state of a store over a copy of these files. */
async function shownAtRest<W extends World>(scenario: Scenario<W>, directory: string): Promise<ShownState> {
  if (!existsSync(join(directory, '.planner'))) return nothing;
  return inScratch(async (copy) => {
    cpSync(directory, copy, { recursive: true });
    const world = scenario.make(copy, nodeDisk);
    await world.open();
    const shown = await world.shown();
    await world.close();
    return shown ?? nothing;
  });
}

/** Returns the number of completed steps. A failed change must not be visible to readers. */
async function attempt<W extends World>(
  scenario: Scenario<W>,
  directory: string,
  disk: FaultyDisk,
  steps: readonly Step<W>[],
  course: Course,
  where: string,
): Promise<number> {
  const world = scenario.make(directory, disk);
  let done = 0;
  try {
    for (const step of steps) {
      // A flush ends although nothing is written any more: what a person does next, no process would notice.
      if (disk.stopped) break;
      await step(world);
      done++;
    }
  } catch {
    if (!disk.stopped) await expectTakenBack(world, course.shown[done]!, scenario, where);
  }
  await world.abandon();
  disk.closeAll();
  return done;
}

async function expectTakenBack<W extends World>(
  world: W,
  before: ShownState,
  scenario: Scenario<W>,
  where: string,
): Promise<void> {
  const shown = await world.shown();
  // A step with a part done by an external edit is not a failed call.
  if (shown === undefined || scenario.revisions === 'at least') return;
  expect(shown.records, `what is served after ${where}`).to.deep.equal(before.records);
}

async function expectOneOf<W extends World>(
  scenario: Scenario<W>,
  directory: string,
  { loss }: Kind,
  allowed: readonly ShownState[],
  where: string,
): Promise<void> {
  const world = scenario.make(directory, loss === undefined ? nodeDisk : rebooted(nodeDisk));
  await world.open();
  try {
    await world.flush();
    await world.rescan();
    await world.flush();
    // A value that lost to an edit is reported and kept as a revision, as without a crash.
    const problems = world.check().filter(({ kind }) => kind !== 'overridden' || scenario.revisions !== 'at least');
    expect(problems, `check after ${where}`).to.deep.equal([]);
    expectOne((await world.shown())!, allowed, scenario.revisions === 'at least', where);
  } finally {
    await world.close();
  }
  expectNoneTemporary(directory, where);
  await expectFilesToSay(scenario, directory, allowed, where);
}

/** After a clean close the files alone contain everything: `local/` is not needed. */
async function expectFilesToSay<W extends World>(
  scenario: Scenario<W>,
  directory: string,
  allowed: readonly ShownState[],
  where: string,
): Promise<void> {
  const local = join(directory, '.planner/local');
  for (const name of readdirSync(local)) rmSync(join(local, name), { recursive: true });
  const world = scenario.make(directory, nodeDisk);
  await world.open();
  try {
    const { records } = (await world.shown())!;
    const inFiles = allowed.map((one) => one.records.filter(isInFiles));
    expectAmong(records.filter(isInFiles), inFiles, `the files after ${where}`);
  } finally {
    await world.close();
  }
}

function isInFiles(line: string): boolean {
  return !line.startsWith('service ');
}

function expectOne(shown: ShownState, allowed: readonly ShownState[], atLeast: boolean, where: string): void {
  expectAmong(
    shown.records,
    allowed.map(({ records }) => records),
    `records after ${where}`,
  );
  if (atLeast) {
    expect(without(allowed[0]!.revisions, shown.revisions), `revisions missing after ${where}`).to.deep.equal([]);
    return;
  }
  const same = allowed.filter(({ records }) => equal(records, shown.records));
  expectAmong(
    shown.revisions,
    same.map(({ revisions }) => revisions),
    `revisions after ${where}`,
  );
}

function expectAmong(found: readonly string[], allowed: readonly (readonly string[])[], where: string): void {
  if (allowed.some((one) => equal(one, found))) return;
  const differences = allowed.map((one) => [
    ...without(one, found).map((line) => `- ${line.slice(0, shownCharacters)}`),
    ...without(found, one).map((line) => `+ ${line.slice(0, shownCharacters)}`),
  ]);
  const least = differences.reduce((a, b) => (b.length < a.length ? b : a), differences[0] ?? []);
  expect.fail(`${where}:\n${least.join('\n')}`);
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** The lines of `lines` that are not in `among`, each counted. */
function without(lines: readonly string[], among: readonly string[]): string[] {
  const rest = [...among];
  return lines.filter((line) => {
    const index = rest.indexOf(line);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}

/** Torn files are removed when the store opens next. */
function expectNoneTemporary(directory: string, where: string): void {
  const left = readdirSync(join(directory, '.planner'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tmp|new)$/.test(name),
  );
  expect(left, `temporary files after ${where}`).to.deep.equal([]);
}
