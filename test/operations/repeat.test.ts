import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import { sha256Of } from '../../src/operations/pipeline/idempotency.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { ResponseReaders, rebuilt, resourceOf } from '../../src/operations/pipeline/repeat.ts';
import type { Reading } from '../../src/operations/pipeline/repeat.ts';

type Rest = NonNullable<AnyOperation['rest']>;

/** The parts of an operation that determine its route and result. */
const operation = (name: string, rest: Partial<Rest> | undefined, more: object = {}): AnyOperation =>
  ({ name, scope: 'project', ...(rest && { rest }), ...more }) as unknown as AnyOperation;

const getTask = operation('get_task', { method: 'GET', path: '/tasks/:task_id' });
const getCanvas = operation('get_canvas', { method: 'GET', path: '/projects/:project_id/canvas' });
const getProject = operation('get_project', { method: 'GET', path: '/projects/:project_id' });
const getNote = operation('get_note', { method: 'GET', path: '/projects/:project_id/notes/:note_id' });
const createTask = operation('create_task', { method: 'POST', path: '/projects/:project_id/tasks', bare: 'task' });
const putNote = operation('put_note', { method: 'PUT', path: '/projects/:project_id/notes/:note_id', bare: 'note' });
const putCanvas = operation('put_canvas', { method: 'PUT', path: '/projects/:project_id/canvas', bare: 'canvas' });

const catalogue: readonly AnyOperation[] = [
  ...[getTask, getCanvas, getProject, getNote, createTask, putNote, putCanvas],
  // These operations do not read the result of a write.
  operation('delete_task', { method: 'DELETE', path: '/tasks/:task_id' }),
  operation('get_file', { method: 'GET', path: '/files/:file_id', raw: true }),
  operation('get_key', { method: 'GET', path: '/keys/:key_id' }, { scope: 'service' }),
  operation('get_share', { method: 'GET', path: '/shares/:share_id' }, { link: {} }),
  operation('internal', undefined),
  operation('list', { method: 'GET', path: '/x/lists/:list_id' }),
  operation('tail', { method: 'GET', path: '/tails/:tail_id/x' }),
];
const readers = new ResponseReaders(catalogue);

describe('The call that reads the result of a write [A.hostile.repeats-changed]', () => {
  const nameOf = (write: AnyOperation): string | undefined => readers.readerOf(write)?.name;
  const writing = (bare: string | undefined, more: object = {}): AnyOperation =>
    operation('write', { method: 'POST', path: '/writes', ...(bare === undefined ? {} : { bare }) } as never, more);

  it('has the path of a change, or the id of a new record', () => {
    expect([createTask, putNote, putCanvas].map(nameOf)).to.deep.equal(['get_task', 'get_note', 'get_canvas']);
    const patch = operation('update_task', { method: 'PATCH', path: '/tasks/:task_id', bare: 'task' });
    expect(nameOf(patch)).to.equal('get_task');
    expect(nameOf(operation('w', { method: 'PATCH', path: '/tasks/:task_id' }))).to.equal('get_task');
    expect(nameOf(operation('w', { method: 'PATCH', path: '/elsewhere', bare: 'task' }))).to.equal('get_task');
    expect(nameOf(operation('w', { method: 'POST', path: '/projects/:project_id/canvas' }))).to.equal(undefined);
    expect(nameOf(writing('project'))).to.equal('get_project');
    for (const bare of ['file', 'key', 'share', 'list', 'tail', 'note', undefined])
      expect(nameOf(writing(bare)), bare).to.equal(undefined);
    expect(nameOf(writing('task', { link: {} }))).to.equal(undefined);
    expect(nameOf(operation('w', undefined))).to.equal(undefined);
  });

  it('names the resource and its project', () => {
    expect(readers.of(createTask, { label: 'x' }, { project: 'prj_1', resource: 'a/b' })).to.deep.equal({
      operation: getTask,
      input: { project_id: 'prj_1', task_id: 'a/b' },
      path: '/tasks/a%2Fb?project_id=prj_1',
    });
    expect(readers.of(createTask, {}, { resource: 'tsk_1' })).to.deep.equal({
      operation: getTask,
      input: { task_id: 'tsk_1' },
      path: '/tasks/tsk_1',
    });
    expect(readers.of(createTask, { task_id: 'tsk_2' }, { project: 'p&q' })).to.deep.include({
      path: '/tasks/tsk_2?project_id=p%26q',
    });
    expect(readers.of(putNote, { project_id: 'prj_1', note_id: 'x' }, { resource: 'not_1' })).to.deep.equal({
      operation: getNote,
      input: { project_id: 'prj_1', note_id: 'not_1' },
      path: '/projects/prj_1/notes/not_1',
    });
    expect(readers.of(putCanvas, {}, { project: 'prj_1', resource: 'can_1' })).to.deep.include({
      path: '/projects/prj_1/canvas',
    });
  });

  it('is undefined without an id, or if no operation reads it', () => {
    expect(readers.of(createTask, {}, { project: 'prj_1' })).to.equal(undefined);
    expect(readers.of(createTask, { task_id: 7 }, { project: 'prj_1' })).to.equal(undefined);
    expect(readers.of(putNote, { note_id: 'x' }, { resource: 'not_1' })).to.equal(undefined);
    expect(readers.of(writing(undefined), {}, { project: 'prj_1', resource: 'x' })).to.equal(undefined);
  });
});

describe('The resource of a result', () => {
  it('is the id of its only member', () => {
    expect(resourceOf(createTask, { task: { id: 'tsk_1' } })).to.equal('tsk_1');
    for (const value of [{ task: { id: 7 } }, { task: null }, { note: { id: 'x' } }, {}, undefined])
      expect(resourceOf(createTask, value)).to.equal(undefined);
    expect(resourceOf(getTask, { task: { id: 'tsk_1' }, undefined: { id: 'x' } })).to.equal(undefined);
    expect(resourceOf(operation('w', undefined), { task: { id: 'x' } })).to.equal(undefined);
  });
});

describe('A response that is not stored [A.hostile.repeats-changed]', () => {
  const reading: Reading = { operation: getTask, input: { task_id: 'tsk_1' }, path: '/tasks/tsk_1' };
  const first = { task: { id: 'tsk_1', label: 'x' } };
  const unkept = { sha256: sha256Of(JSON.stringify(first)), project: 'prj_1', resource: 'tsk_1' };
  const answer = { value: undefined, etag: undefined, unkept };
  const again = (read: () => Promise<unknown>, of: object = answer): Promise<unknown> =>
    rebuilt(of as typeof answer, reading, read);
  const carriedOut =
    'This call was executed when its idempotency key was first used; nothing was changed now. Its response is no longer stored';
  const changed = {
    path: '/tasks/tsk_1',
    value: {
      repeated: {
        message: `${carriedOut}, and the resource has changed since: read it again with get_task.`,
        read: { operation: 'get_task', input: { task_id: 'tsk_1' } },
      },
    },
  };

  it('is rebuilt, if it is the same', async () => {
    expect(await again(() => Promise.resolve(first))).to.deep.equal({ value: first });
  });

  it('is a reference to the current resource, if it has changed or was deleted', async () => {
    expect(await again(() => Promise.resolve({ task: { id: 'tsk_1', label: 'y' } }))).to.deep.equal(changed);
    expect(await again(() => Promise.resolve(undefined))).to.deep.equal(changed);
    expect(await again(() => Promise.reject(new PlannerError('not_found', 'Gone.')))).to.deep.equal(changed);
    expect(await again(() => Promise.resolve(first), { value: undefined, etag: undefined })).to.deep.equal(changed);
  });

  it('is not a reference if reading it fails', async () => {
    const failure = new Error('The disk failed.');
    expect(await again(() => Promise.reject(failure)).catch((thrown: unknown) => thrown)).to.equal(failure);
  });

  it('refers to its project if no operation reads it and the project is known', async () => {
    const read = (): Promise<unknown> => expect.fail('There is nothing to read.');
    expect(await rebuilt(answer, undefined, read)).to.deep.equal({
      value: {
        repeated: { message: `${carriedOut}.`, read: { operation: 'get_project', input: { project_id: 'prj_1' } } },
      },
      path: undefined,
    });
    expect(await rebuilt({ value: undefined, etag: undefined }, undefined, read)).to.deep.equal({
      value: { repeated: { message: `${carriedOut}.` } },
      path: undefined,
    });
  });
});
