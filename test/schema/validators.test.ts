import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { recordValidator } from '../../src/schema/validators.ts';

const fields = (definition: string, value: unknown): string[] =>
  recordValidator(definition)(value).map(({ field }) => field);
const messages = (definition: string, value: unknown): string[] =>
  recordValidator(definition)(value).map(({ message }) => message);

describe('Validation', () => {
  it('reports nothing for valid input', () => {
    expect(
      recordValidator('CreateTaskInput')({ label: 'Dig', tags: ['bed'], due_date: '2026-02-28', priority: null }),
    ).to.deep.equal([]);
  });

  it('names an unknown member, and the known ones [D1.unknown-members]', () => {
    const [violation] = recordValidator('CreateEdgeInput')({
      from_type: 'task',
      from_id: 'a',
      to_type: 'task',
      to_id: 'b',
      lable: 'x',
    });
    expect(violation?.field).to.equal('lable');
    expect(violation?.message).to.contain('lable is not known here').and.to.contain('label');
  });

  it('names an unknown member at any depth by its path [D1.unknown-members]', () => {
    expect(fields('PutCanvasInput', { nodes: [{ id: 'a' }, { id: 'b', z: 1 }] })).to.deep.equal(['nodes[1].z']);
    expect(fields('CreateTaskInput', { label: 'x', position: { x: 1, y: 2, z: 3 } })).to.deep.equal(['position.z']);
  });

  it('lists every violation, the first one first [D2.violations]', () => {
    expect(fields('CreateTaskInput', { label: ' ', status: 'doing', tags: ['a', 1] })).to.have.members([
      'label',
      'status',
      'tags[1]',
    ]);
  });

  it('lists at most 20 of them for input of any size [D2.violations]', () => {
    const wrong = { nodes: Array.from({ length: limits.arrayItemsMax }, () => ({ x: 'no', y: 'no' })) };
    expect(recordValidator('PutCanvasInput')(wrong)).to.have.length(limits.violationsMax);
  });

  it('names an item far down a long list', () => {
    const nodes = Array.from({ length: 5000 }, (_, at) => ({ id: at === 4321 ? '' : `n${at}` }));
    expect(fields('PutCanvasInput', { nodes })).to.deep.equal(['nodes[4321].id']);
  });

  it('rejects blank names, labels and titles [D1.blank]', () => {
    for (const blank of ['', ' ', '\t\n', '\u00a0']) {
      expect(messages('CreateTaskInput', { label: blank })).to.deep.equal(['label must not be blank.']);
      expect(fields('CreateProjectInput', { name: blank })).to.deep.equal(['name']);
      expect(fields('CreateDocumentInput', { title: blank, body: '' })).to.deep.equal(['title']);
    }
  });

  it('accepts names of 500 characters and no more, counted as code points [D1.name-length]', () => {
    expect(fields('CreateTaskInput', { label: 'é'.repeat(500) })).to.deep.equal([]);
    expect(fields('CreateTaskInput', { label: '🌱'.repeat(500) })).to.deep.equal([]);
    expect(fields('CreateTaskInput', { label: 'e'.repeat(501) })).to.deep.equal(['label']);
  });

  it('takes bodies of 2 MiB of UTF-8 and no more [D1.body-length]', () => {
    const most = 'é'.repeat(limits.bodyBytesMax / 2);
    expect(fields('CreateDocumentInput', { title: 'x', body: most })).to.deep.equal([]);
    expect(messages('CreateDocumentInput', { title: 'x', body: `${most}.` })).to.deep.equal([
      'body must be at most 2097152 bytes of UTF-8.',
    ]);
  });

  it('takes at most 50 tags and 50 commit hashes [D1.tags-max] [D3.commit_refs]', () => {
    const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `abcdef${at}`);
    expect(fields('CreateTaskInput', { label: 'x', tags: many(50), commit_refs: many(50) })).to.deep.equal([]);
    expect(fields('CreateTaskInput', { label: 'x', tags: many(51), commit_refs: many(51) })).to.have.members([
      'tags',
      'commit_refs',
    ]);
    expect(
      fields('CreateTaskInput', { label: 'x', commit_refs: ['abcdef', 'g123456', 'a'.repeat(41)] }),
    ).to.have.length(3);
  });

  it('accepts existing dates as YYYY-MM-DD [D1.due-date]', () => {
    for (const wrong of ['2026-02-30', '26-01-01', '2026-01-01T00:00:00Z', 'tomorrow']) {
      expect(messages('CreateTaskInput', { label: 'x', due_date: wrong })).to.deep.equal([
        'due_date must be a date: YYYY-MM-DD.',
      ]);
    }
  });

  it('names the values of an enum', () => {
    expect(messages('CreateTaskInput', { label: 'x', status: 'doing' })).to.deep.equal([
      'status must be one of scope, todo, in_progress, done, backlog.',
    ]);
  });

  it('for alternatives reports the violations of the intended one', () => {
    const input = { goal_id: 'g', evidence: { kind: 'gate_command', exit_code: 'zero' } };
    expect(messages('CompleteGoalInput', input)).to.deep.equal(['evidence.exit_code must be a whole number.']);
  });

  it('for alternatives without an intended one names them all', () => {
    const [message, ...others] = messages('CompleteGoalInput', { goal_id: 'g', evidence: { kind: 'guess' } });
    expect(message).to.match(/^evidence must be .*gate_command.*acceptance_checklist.*human_sign_off/);
    expect(others).to.deep.equal([]);
  });

  it('reports the permitted types of a member in one violation', () => {
    expect(messages('CreateDocumentInput', { title: 'x', body: '', link_to: 7 })).to.deep.equal([
      'link_to must be a text or a list.',
    ]);
  });

  it('takes colors as #rrggbb or null [D7.tag-color]', () => {
    expect(fields('CreateTagInput', { name: 'x', color: '#12abEF' })).to.deep.equal([]);
    expect(fields('CreateTagInput', { name: 'x', color: null })).to.deep.equal([]);
    for (const wrong of ['red', '#fff', '#12345g'])
      expect(fields('CreateTagInput', { name: 'x', color: wrong })).to.deep.equal(['color']);
  });
});
