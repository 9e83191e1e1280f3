import { expect } from 'chai';
import { join } from 'node:path';
import type { PlannerError } from '../../src/base/errors.ts';
import { DurabilityTracker } from '../../src/store/commit/durability-tracker.ts';
import { Journal } from '../../src/store/files/journal/journal.ts';
import { LogTail } from '../../src/store/replica/log-tail.ts';
import type { Log } from '../../src/store/record/log.ts';
import type { EntryBody } from '../../src/store/record/entry.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

const body: EntryBody = { at: '2026-01-01T00:00:00.000Z', author: 'x', source: 'rest', changes: [], revisions: [] };

describe('A change whose entry', () => {
  const scratch = scratchDirectory();
  let disk: ReturnType<typeof faultyDisk>;
  let journal: Journal;
  let tracker: DurabilityTracker;
  let undone: string[];

  beforeEach(() => {
    disk = faultyDisk();
    ({ journal } = Journal.open({ disk, directory: join(scratch.path, 'journal') }));
    tracker = new DurabilityTracker(journal as Log<EntryBody>, journal);
    undone = [];
  });
  afterEach(() => journal.close());

  const submit = ([tail, id]: readonly [LogTail, string]): Promise<PlannerError | undefined> =>
    tracker
      .submit({ tail, id, body }, () => undone.push(id))
      .then(
        () => undefined,
        (error: unknown) => error as PlannerError,
      );

  /** Two changes of one project, and one of another between them. */
  const submitThree = (a: LogTail, b: LogTail): Promise<(PlannerError | undefined)[]> =>
    Promise.all(
      (
        [
          [a, 'a2'],
          [b, 'b1'],
          [a, 'a3'],
        ] as const
      ).map(submit),
    );

  it('conflicts with the log is rolled back with all later ones of the project, newest first, and changes of other projects go on [A.returning.others]', async () => {
    const [a, b] = [new LogTail('a'), new LogTail('b')];
    expect(await submit([a, 'a1'])).to.equal(undefined);
    // An entry that the replica does not have.
    await journal.append({ project: 'a', after: a.head, id: 'stranger', body });
    const results = await submitThree(a, b);
    expect(undone).to.deep.equal(['a3', 'a2']);
    expect([a.head, a.confirmed], 'the tail moves with entries that are in the log alone').to.deep.equal([
      { seq: 1, id: 'a1' },
      { seq: 1, id: 'a1' },
    ]);
    expect(results.map((error) => error?.code)).to.deep.equal(['unavailable', undefined, 'unavailable']);
    expect(results[0]?.details, 'it is certainly not in the log').to.not.have.property('outcome');
    expect(results[0]?.message).to.include('The journal has another entry of this project in the place of this change');
    expect(tracker.failed).to.equal(false);
    expect(await submit([b, 'b2'])).to.equal(undefined);
    expect((await submit([a, 'a4']))?.code, 'its log does not fit until it is loaded again').to.equal('unavailable');
    expect([tracker.whenDurable('a'), tracker.whenDurable('b')]).to.deep.equal([undefined, undefined]);
    const { entries } = await journal.catchUp(
      new Map([
        ['a', { seq: 1, id: 'a1' }],
        ['b', { seq: 0, id: null }],
      ]),
    );
    expect(entries.map(({ id }) => id)).to.deep.equal(['stranger', 'b1', 'b2']);
  });

  it('is refused is rolled back with all others that are not durable, newest first, with an unknown outcome', async () => {
    const [a, b] = [new LogTail('a'), new LogTail('b')];
    expect(await submit([a, 'a1'])).to.equal(undefined);
    disk.arm({ at: 1, kind: 'short' });
    const results = await submitThree(a, b);
    expect(undone).to.deep.equal(['a3', 'b1', 'a2']);
    for (const error of results)
      expect([error?.code, error?.details?.['outcome']]).to.deep.equal(['unavailable', 'unknown']);
    expect(tracker.failed).to.equal(true);
    expect(tracker.durablePosition).to.equal(1);
  });
});
