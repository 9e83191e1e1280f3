import { expect } from 'chai';
import {
  type DueRescan,
  type Effect,
  type GitWait,
  ProjectQueue,
  type Rescanned,
} from '../../src/store/files/project/project-queue.ts';

const checkpoint: Effect = { kind: 'checkpoint' };

/** A turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('The queue of a project', () => {
  let queue: ProjectQueue;
  let happened: string[];
  let ended: Rescanned[];

  beforeEach(() => {
    [happened, ended] = [[], []];
    queue = new ProjectQueue((effect) => happened.push(effect.kind));
  });

  const task = (name: string): (() => Promise<void>) => {
    return async () => {
      happened.push(`${name} begins`);
      await turn();
      queue.add(checkpoint);
      await turn();
      happened.push(`${name} ends`);
    };
  };

  function request(path: string, at = 0, waitsFor: GitWait = 'command'): void {
    const rescan: DueRescan = {
      paths: new Set([path]),
      at,
      waitsFor,
      withPending: false,
      done: (one) => ended.push(one),
    };
    queue.addRescan(rescan);
  }

  const begin = (now: number, running: readonly GitWait[] = []): string[] | undefined =>
    queue.beginRescans(now, (waitsFor) => !running.includes(waitsFor))?.flatMap(({ paths }) => [...paths]);

  it('runs one task at a time, and carries out the effects of each before the next one [A.loop.slices]', async () => {
    await Promise.all([queue.run(task('first')), queue.run(task('second'))]);
    const of = (name: string): string[] => [`${name} begins`, `${name} ends`, 'checkpoint'];
    expect(happened).to.deep.equal([...of('first'), ...of('second')]);
    expect(queue.held).to.equal(undefined);
  });

  it('carries out every effect if one fails: none is left to a later task', async () => {
    queue = new ProjectQueue((effect) => {
      happened.push(effect.kind);
      if (effect.kind === 'retryLater') throw new Error('It cannot be retried.');
    });
    const failed = queue.run(() => {
      queue.add({ kind: 'retryLater', id: 'one' });
      queue.add(checkpoint);
    });
    expect(await failed.catch((error: unknown) => (error as Error).message)).to.equal('It cannot be retried.');
    expect(happened).to.deep.equal(['retryLater', 'checkpoint']);
    queue.add(checkpoint);
    expect(happened).to.deep.equal(['retryLater', 'checkpoint', 'checkpoint']);
  });

  it('carries out the effects of a task that fails, and runs the next one', async () => {
    const failed = queue.run(() => {
      queue.add(checkpoint);
      throw new Error('It fails.');
    });
    const next = queue.run(() => happened.push('next'));
    expect(await failed.catch((error: unknown) => (error as Error).message)).to.equal('It fails.');
    await next;
    expect(happened).to.deep.equal(['checkpoint', 'next']);
  });

  it('carries out an effect immediately while no task runs', () => {
    queue.add(checkpoint);
    expect(happened).to.deep.equal(['checkpoint']);
  });

  it('runs work due at one time as one rescan, and later requests afterwards [A.edit.one-transaction]', () => {
    for (const path of ['a', 'b']) request(path);
    request('later', 10);
    expect(begin(1)).to.deep.equal(['a', 'b']);
    request('c');
    expect(begin(20)).to.equal(undefined);
    expect(queue.nextRescanAt).to.equal(undefined);
    for (const path of ['a', 'c', 'later']) expect(queue.isDue(path)).to.equal(true);
    const result: Rescanned = { changes: [], paths: new Set(['a', 'b']) };
    queue.endRescans(result);
    expect(ended).to.deep.equal([result, result]);
    expect(queue.isDue('a')).to.equal(false);
    expect(begin(20)).to.deep.equal(['later', 'c']);
  });

  it('lets a rescan wait for a git command, or for an operation, and one that does not wait go first [A.write.git]', () => {
    request('event');
    request('written', 0, 'operation');
    expect(begin(1, ['command', 'operation'])).to.equal(undefined);
    expect(queue.nextRescanAt).to.equal(0);
    request('now', 0, 'nothing');
    expect(begin(1, ['command', 'operation'])).to.deep.equal(['now']);
    queue.endRescans({ changes: [], paths: new Set() });
    expect(begin(1, ['operation'])).to.deep.equal(['event']);
    queue.endRescans({ changes: [], paths: new Set() });
    const last = queue.beginRescans(1, () => true)!;
    expect(last.map(({ paths, withPending }) => [[...paths], withPending])).to.deep.equal([[['written'], true]]);
  });

  it('repeats a rescan during which git changed files, with the files moved in between [A.write.git]', () => {
    request('a');
    begin(1);
    queue.endRescans(undefined);
    expect(ended).to.deep.equal([]);
    const [again] = queue.beginRescans(1, () => true)!;
    expect([[...again!.paths], again!.withPending]).to.deep.equal([['a'], true]);
  });

  it('drops due work when the project ends', () => {
    request('a');
    queue.dropRescans();
    expect(ended.map(({ changes }) => changes)).to.deep.equal([[]]);
    expect(queue.nextRescanAt).to.equal(undefined);
  });
});
