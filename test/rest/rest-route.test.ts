import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { routeOf as bindingOf } from '../../src/operations/declaration/route-binding.ts';
import { RestRoute } from '../../src/rest/rest-route.ts';
import type { InputSchema } from '../../src/rest/rest-route.ts';

type RestOptions = NonNullable<AnyOperation['rest']>;

const properties = {
  task_id: { type: 'string' },
  project_id: {},
  limit: { type: 'integer' },
  note_text: {},
  label: {},
  tag: { type: 'array' },
};

function routeOf(transport: Partial<RestOptions>, schema: InputSchema = { properties }): RestRoute {
  const rest = { method: 'GET', path: '/tasks/:task_id', ...transport };
  return new RestRoute(bindingOf({ name: 'get_task', rest } as AnyOperation)!, schema);
}

function refusal(run: () => unknown): Partial<ReturnType<PlannerError['toJSON']>> {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof PlannerError) return thrown.toJSON();
    throw thrown;
  }
  throw new Error('It was taken.');
}

describe('A route', () => {
  const path = { task_id: 't' };

  it('is made of an operation that has one, and named by its whole path', () => {
    expect(bindingOf({ name: 'none' } as AnyOperation)).to.equal(undefined);
    expect(routeOf({}).binding.pattern).to.equal('/api/v1/tasks/:task_id');
    const takesBody = (['GET', 'POST', 'PATCH', 'DELETE'] as const).map(
      (method) => routeOf({ method }).binding.takesBody,
    );
    expect(takesBody).to.deep.equal([false, true, true, true]);
  });

  it('takes its members from the path, the query and the body', () => {
    expect(routeOf({}).input(path, '', undefined)).to.deep.equal(path);
    for (const method of ['GET', 'DELETE'] as const)
      expect(routeOf({ method }).input(path, 'limit=5&label=a+b', undefined)).to.deep.equal({
        ...path,
        limit: 5,
        label: 'a b',
      });
    expect(routeOf({ method: 'PATCH' }).input(path, 'project_id=p', { label: 'x' })).to.deep.equal({
      ...path,
      project_id: 'p',
      label: 'x',
    });
    expect(routeOf({}).input({}, 'tag=a&tag=b&tag=a', undefined)).to.deep.equal({ tag: ['a', 'b', 'a'] });
    // Unknown members are passed on: the schema refuses them.
    expect(routeOf({}).input({}, 'colour=red&colour=blue', undefined)).to.deep.equal({ colour: 'red' });
    expect(routeOf({}, {}).input({}, 'limit=5', undefined)).to.deep.equal({ limit: '5' });
  });

  it('rejects members that are repeated or in the wrong place', () => {
    const patch = routeOf({ method: 'PATCH' });
    expect(refusal(() => patch.input(path, 'label=x', undefined))).to.include({ field: 'label' });
    expect(refusal(() => patch.input(path, '', { task_id: 'u' }))).to.include({ field: 'task_id' });
    expect(refusal(() => patch.input(path, 'project_id=p', { project_id: 'p' }))).to.include({ field: 'project_id' });
    for (const body of [5, 'text', null, [1]])
      expect(refusal(() => patch.input(path, '', body))).to.include({
        error: 'invalid_argument',
        message: 'The body is not a JSON object: send the members in {}.',
      });
    for (const run of [
      () => routeOf({}).input({}, '__proto__=1', undefined),
      () => patch.input({}, '', JSON.parse('{"__proto__":1}')),
    ])
      expect(refusal(run)).to.include({ error: 'invalid_argument', field: '__proto__' });
  });

  it('takes members that have another name on the wire under that name alone', () => {
    const names = { note: 'note_text' };
    expect(routeOf({ names }).input({}, 'note=x', undefined)).to.deep.equal({ note_text: 'x' });
    const patch = routeOf({ method: 'PATCH', names });
    expect(patch.input({}, '', { note: 'x' })).to.deep.equal({ note_text: 'x' });
    expect(refusal(() => patch.input({}, '', { note_text: 'x' }))).to.include({
      field: 'note_text',
      message: 'note_text is called note in the body.',
    });
    expect(refusal(() => routeOf({ names }).input({}, 'note_text=x', undefined)).message).to.equal(
      'note_text is called note in the query.',
    );
    // Two that have changed their names.
    const swapped = routeOf({ method: 'PATCH', names: { note: 'label', label: 'note' } });
    expect(swapped.input({}, '', { note: 1, label: 2 })).to.deep.equal({ label: 1, note: 2 });
  });

  it('responds with the status of its method, unless it declares another', () => {
    const statusOf = (transport: Partial<RestOptions>): number => routeOf(transport).binding.status({ made: true });
    const usual = (['GET', 'PATCH', 'PUT', 'POST', 'DELETE'] as const).map((method) => statusOf({ method }));
    expect(usual).to.deep.equal([200, 200, 200, 201, 204]);
    expect(statusOf({ method: 'POST', status: 202 })).to.equal(202);
    const status = ((value: { made: boolean }) => (value.made ? 201 : 200)) as unknown as NonNullable<
      RestOptions['status']
    >;
    expect(statusOf({ method: 'PUT', status })).to.equal(201);
  });

  it('responds with the bare resource and its warnings', () => {
    const value = { task: { id: 't' }, warnings: ['w'] };
    expect(routeOf({}).body(value)).to.equal(value);
    const bare = routeOf({ bare: 'task' });
    expect(bare.body(value)).to.deep.equal({ id: 't', warnings: ['w'] });
    expect(bare.body({ task: value.task })).to.equal(value.task);
  });

  it('names the fields of errors as they are on the wire', () => {
    const route = routeOf({ method: 'PATCH', names: { note: 'note_text' } });
    const onTheWire = (code: PlannerError['code'], details: object): object =>
      route.onTheWire(new PlannerError(code, 'No.', { ...details })).toJSON();
    const same = new PlannerError('conflict', 'No.', { field: 'note_text' });
    expect(route.onTheWire(same)).to.equal(same);
    const without = new PlannerError('invalid_argument', 'No.', { details: [{ field: 'note_text', message: 'No.' }] });
    expect(route.onTheWire(without)).to.equal(without);
    expect(onTheWire('invalid_argument', { field: 'note_text[2].x', more: 1 })).to.deep.equal({
      error: 'invalid_argument',
      message: 'No.',
      field: 'note[2].x',
      more: 1,
    });
    const details = [
      { field: 'note_text.x', message: 'a' },
      { field: 'note_text', message: 'b' },
      { field: 'label', message: 'c' },
      { field: 'colour', message: 'd' },
      { field: 'colour.x', message: 'e' },
      { field: '[0].note_text', message: 'f' },
    ];
    expect(onTheWire('invalid_argument', { field: 'note_text.x', more: 1, details })).to.deep.equal({
      error: 'invalid_argument',
      message: 'a',
      field: 'note.x',
      more: 1,
      details: [
        { field: 'note.x', message: 'a' },
        { field: 'note', message: 'b' },
        { field: 'label', message: 'c' },
        { field: 'colour', message: 'colour is not known here. Known are project_id, limit, note, label, tag.' },
        { field: 'colour.x', message: 'e' },
        { field: '[0].note_text', message: 'f' },
      ],
    });
    expect(onTheWire('invalid_argument', { field: 'note_text', details: [] })).to.deep.equal({
      error: 'invalid_argument',
      message: 'No.',
      field: 'note',
      details: [],
    });
  });
});
