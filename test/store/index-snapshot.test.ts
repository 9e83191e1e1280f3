import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ProjectIndex } from '../../src/store/replica/project-index.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';

const at = '2026-01-01T00:00:00.000Z';
const rounds = 50;

interface Item extends StoredRecord {
  readonly label: string;
}

function item(id: string, label: string, to: readonly string[] = []): Item {
  return {
    id,
    created_at: at,
    updated_at: at,
    label,
    links: to.map((target) => ({ id: `${id}-${target}`, to: target, type: 'item' })),
  };
}

function indexOf(...records: readonly Item[]): { index: ProjectIndex; put: (record: Item) => void } {
  const index = new ProjectIndex([{ name: 'items', indexes: { label: (record: Item) => record.label } }]);
  const put = (record: Item): void =>
    index.apply({ collection: 'items', id: record.id, from: index.record(record.id), to: record });
  records.forEach(put);
  return { index, put };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('Snapshots of the index', () => {
  it('show the former state of changed records, however often they changed, and unchanged records [A.loop.snapshot]', () => {
    const { index, put } = indexOf(item('a', 'first', ['b']), item('b', 'first'), item('c', 'other'));
    const before = index.snapshot();
    put(item('a', 'second', ['b', 'c']));
    const between = index.snapshot();
    put(item('a', 'third'));
    index.apply({ collection: 'items', id: 'b', from: index.record('b'), to: undefined });
    put(item('d', 'first', ['b']));
    assert.equal((before.get('items', 'a') as Item).label, 'first');
    assert.equal((between.get('items', 'a') as Item).label, 'second');
    assert.deepEqual(
      before
        .by('items', 'label', 'first')
        .map(({ id }) => id)
        .sort(),
      ['a', 'b'],
    );
    assert.equal(before.get('items', 'd'), undefined);
    assert.equal((before.get('items', 'c') as Item).label, 'other');
    assert.deepEqual(
      [before, between].map((one) => one.incoming('c').length),
      [0, 1],
    );
    assert.deepEqual(
      before.incoming('b').map(({ from }) => from),
      ['a'],
    );
    assert.deepEqual(
      index.incoming('b').map(({ from }) => from),
      ['d'],
    );
  });

  it('are garbage-collected under continuous changes, and with them the replaced values [A.loop.snapshot]', async () => {
    const { index, put } = indexOf(item('a', 'first'));
    const snapshots: WeakRef<object>[] = [];
    const replaced: WeakRef<object>[] = [];
    for (let round = 0; round < rounds; round++) {
      snapshots.push(new WeakRef(index.snapshot()));
      replaced.push(new WeakRef(index.record('a')!));
      put(item('a', `round ${round}`));
    }
    // A new WeakRef keeps its target alive until the end of the job.
    await nextTurn();
    put(item('a', 'last'));
    collect();
    const alive = (references: readonly WeakRef<object>[]): number =>
      references.filter((reference) => reference.deref() !== undefined).length;
    // The code that ran last may still hold one.
    assert.ok(alive(snapshots) <= 1, `${alive(snapshots)} of ${rounds} snapshots are still there`);
    assert.ok(alive(replaced) <= 2, `${alive(replaced)} of ${rounds} records that were replaced are still there`);
  });
});
