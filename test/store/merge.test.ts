import { expect } from 'chai';
import type { Collection } from '../../src/store/record/collection.ts';
import { mergeRecords } from '../../src/store/merge/merge.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { taskShape } from '../support/shapes.ts';
import { textMerges } from '../support/text-merges.ts';

const collection: Collection = {
  name: 'task',
  id: 'task',
  location: { kind: 'slug', directory: 'tasks', title: 'label' },
  shape: taskShape,
  versioned: ['label'],
  sets: ['tags'],
  texts: ['description', 'notes'],
  validate: () => [],
};

const link = (to: string, label?: string, more: object = {}): Record<string, string> => ({
  to,
  id: `edg_${to}`,
  type: 'task',
  ...(label === undefined ? {} : { label }),
  ...more,
});

const base = {
  id: 'tsk_1',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  status: 'todo',
  label: 'One',
  assignee: null as string | null,
  position: { x: 1, y: 2 } as object | null,
  tags: ['a', 'b'],
  links: [link('b', 'depends_on')],
  description: 'first\nsecond\nthird',
};

type Task = typeof base;

const record = (changes: Partial<Task>): StoredRecord => ({ ...base, ...changes }) as unknown as StoredRecord;

function merge(
  ours: Partial<Task>,
  theirs: Partial<Task>,
  from: Task | undefined = base,
): { record: Task; conflicts: unknown } {
  const merged = mergeRecords(collection, from as unknown as StoredRecord | undefined, record(ours), record(theirs));
  return { record: merged.record as unknown as Task, conflicts: merged.conflicts };
}

describe('Merging two versions of a record [A.edit.merge]', () => {
  it('takes each field from the side that changed it', () => {
    const { record, conflicts } = merge({ status: 'done', assignee: 'me' }, { label: 'Two', position: null });
    expect(record).to.deep.equal({ ...base, status: 'done', assignee: 'me', label: 'Two', position: null });
    expect(conflicts).to.deep.equal([]);
  });

  it('lets the file win if both changed one field, and returns the other value [A.edit.file-wins]', () => {
    const { record, conflicts } = merge(
      { status: 'done', position: { x: 5, y: 2 } },
      { status: 'in_progress', position: null },
    );
    expect(record).to.deep.include({ status: 'in_progress', position: null });
    expect(conflicts).to.deep.equal([
      { field: 'status', ours: 'done', theirs: 'in_progress' },
      { field: 'position', ours: { x: 5, y: 2 }, theirs: null },
    ]);
  });

  it('finds no conflict if both made the same change', () => {
    const same = { status: 'done', position: { x: 9, y: 9 }, tags: ['a', 'c'], description: 'new' };
    const { record, conflicts } = merge(structuredClone(same), structuredClone(same));
    expect(record).to.deep.equal({ ...base, ...same });
    expect(conflicts).to.deep.equal([]);
  });

  it('returns one side itself if it contains all changes', () => {
    const [a, b] = [record({}), record({ status: 'done' })];
    expect(mergeRecords(collection, a, a, b).record).to.equal(b);
    expect(mergeRecords(collection, a, b, a).record).to.equal(b);
    expect(mergeRecords(collection, a, b, b).record).to.equal(b);
    expect(mergeRecords(collection, record({}), record({}), b).record).to.equal(b);
    expect(mergeRecords(collection, record({}), b, record({})).record).to.equal(b);
  });

  it('merges the fields that the store maintains: the later updated_at, without a conflict over times', () => {
    const { record, conflicts } = merge(
      { updated_at: '2026-03-01', created_at: 'x', status: 'done' },
      { updated_at: '2026-02-01', created_at: 'y' },
    );
    expect(record).to.deep.include({ updated_at: '2026-03-01', created_at: 'y', status: 'done' });
    expect(conflicts).to.deep.equal([]);
  });

  it('merges sets: removals and additions of both sides apply', () => {
    expect(merge({ tags: ['a', 'c'] }, { tags: ['a', 'b', 'd'] }).record.tags).to.deep.equal(['a', 'c', 'd']);
    expect(merge({ tags: ['b'] }, { tags: ['a'] }).record.tags).to.deep.equal([]);
    expect(merge({ tags: ['a', 'b', 'API'] }, { tags: ['a', 'api', 'b'] }).record.tags).to.deep.equal([
      'a',
      'api',
      'b',
    ]);
    expect(merge({ tags: ['a', 'b', 'aa'] }, { tags: ['b', 'z', 'a'] }).record.tags).to.deep.equal([
      'b',
      'z',
      'a',
      'aa',
    ]);
  });

  it('merges links by target and folded label', () => {
    const links = [...base.links, link('c')];
    expect(merge({ links }, { links: [] }).record.links).to.deep.equal([link('c')]);
    expect(merge({ links }, { links: [link('a', 'x'), ...base.links] }).record.links).to.deep.equal([
      link('a', 'x'),
      ...base.links,
      link('c'),
    ]);
    const both = merge(
      { links: [link('b', 'Depends-On', { style: 'dashed' })] },
      { links: [...base.links, link('d')] },
    );
    expect(both.record.links).to.deep.equal([link('b', 'Depends-On', { style: 'dashed' }), link('d')]);
    expect(both.conflicts).to.deep.equal([]);
  });

  it('reports links that both changed, or one changed and the other removed', () => {
    const [dashed, dotted] = [
      [link('b', 'depends_on', { style: 'dashed' })],
      [link('b', 'depends_on', { style: 'dotted' })],
    ];
    const changed = merge({ links: dashed }, { links: dotted });
    expect(changed).to.deep.include({ conflicts: [{ field: 'links', ours: dashed, theirs: dotted }] });
    expect(changed.record.links).to.deep.equal(dotted);
    expect(merge({ links: [] }, { links: dotted })).to.deep.include({
      conflicts: [{ field: 'links', ours: [], theirs: dotted }],
    });
    expect(merge({ links: dashed }, { links: [] }).record.links).to.deep.equal([]);
  });

  it('finds no conflict if both created one edge with an id of their own', () => {
    const [mine, theirs] = [
      [...base.links, link('c', 'x', { id: 'edg_1' })],
      [...base.links, link('c', 'x', { id: 'edg_2' })],
    ];
    const merged = merge({ links: mine, status: 'done' }, { links: theirs });
    expect(merged.record.links).to.deep.equal(theirs);
    expect(merged.conflicts).to.deep.equal([]);
  });

  it('keeps two links of one side apart though their labels fold alike', () => {
    const two = [link('b', 'depends on', { id: 'edg_2' }), ...base.links];
    expect(merge({ links: [...two, link('c')] }, { links: [...two, link('d')] }).record.links.length).to.equal(4);
  });

  it('merges texts by lines and words, and returns the whole text of a conflict [A.edit.merge, A.edit.file-wins]', () => {
    for (const { what, base: from, ours, theirs, merged } of textMerges) {
      const { record, conflicts } = merge(
        { description: ours },
        { description: theirs },
        { ...base, description: from },
      );
      const isClean = typeof merged === 'string';
      expect(record.description, what).to.equal(isClean ? merged : merged.theirs);
      expect(conflicts, what).to.deep.equal(isClean ? [] : [{ field: 'description', ours, theirs }]);
    }
    const clean = merge({ description: 'FIRST\nsecond\nthird' }, { description: 'first\nsecond\nthird\nfourth' });
    expect(clean.record.description).to.equal('FIRST\nsecond\nthird\nfourth');
    expect(clean.conflicts).to.deep.equal([]);
    const ours = 'FIRST\nmine\nthird';
    const met = merge({ description: ours }, { description: 'first\ntheirs\nthird' });
    expect(met.record.description).to.equal('first\ntheirs\nthird');
    expect(met.conflicts).to.deep.equal([{ field: 'description', ours, theirs: 'first\ntheirs\nthird' }]);
  });

  it('treats fields as formerly absent if both sides added the record', () => {
    const merged = mergeRecords(
      collection,
      undefined,
      record({ label: 'One', tags: ['x'], assignee: 'me', status: 'todo' }),
      record({ label: 'One', tags: ['y'], assignee: null, status: 'done' }),
    );
    expect(merged.record).to.deep.include({ tags: ['x', 'y'], assignee: 'me', status: 'done', links: base.links });
    expect(merged.conflicts).to.deep.equal([]);
  });

  it('returns frozen records and does not change its arguments', () => {
    const { record } = merge({ tags: ['a', 'b', 'c'] }, { tags: ['b'] });
    expect(Object.isFrozen(record) && Object.isFrozen(record.tags)).to.equal(true);
    expect(base.tags).to.deep.equal(['a', 'b']);
  });
});
