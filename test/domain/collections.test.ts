import { expect } from 'chai';
import { collections, newRecord } from '../../src/domain/records/collections.ts';
import { Plan, taskRecord } from './plan.ts';

const collection = (name: string): (typeof collections)[number] => collections.find((one) => one.name === name)!;

describe('The collections', () => {
  it('accept the records that the rules create', () => {
    const plan = new Plan();
    const task = plan.task('task');
    expect(collection('task').validate(task)).to.deep.equal([]);
    expect(collection('goal').validate(plan.defaultGoal)).to.deep.equal([]);
    expect(collection('project').validate(plan.view.get('project', plan.view.project))).to.deep.equal([]);
  });

  it('report the invalid value of a record and the expected value', () => {
    const plan = new Plan();
    const bad = plan.update((tx) => ({ ...taskRecord(tx, 'task'), status: 'doing' }));
    expect(collection('task').validate(bad)).to.deep.equal([
      { field: 'status', message: 'status must be one of scope, todo, in_progress, done, backlog.' },
    ]);
  });

  it('reject an id in JSON that is not safe in a file name, and one in Markdown that cannot be named in a text [A.edit.foreign-id]', () => {
    const plan = new Plan();
    const fieldsOf = (name: 'task' | 'project', id: string): readonly (string | undefined)[] => {
      const record =
        name === 'task' ? plan.update((tx) => taskRecord(tx, 'task')) : plan.view.get('project', plan.view.project)!;
      return collection(name)
        .validate({ ...record, id })
        .map(({ field }) => field);
    };
    const long = 'x'.repeat(65);
    for (const id of ['../x', 'a/b', '.hidden', 'a b', 'é', long])
      expect(fieldsOf('project', id), id).to.deep.equal(['id']);
    for (const id of ['../x', 'a/b', '.hidden', 'a b', 'é']) expect(fieldsOf('task', id), id).to.deep.equal([]);
    for (const id of ['', ' a', 'a  b', 'a\nb', '[[a]]', '{{a}}', 'http://a', long])
      expect(fieldsOf('task', id), id).to.deep.equal(['id']);
  });

  it('reject a folder_path outside and a repo_url with a password in a file as in a request [D3.folder_path]', () => {
    const plan = new Plan();
    const project = plan.view.get('project', plan.view.project)!;
    const bad = { ...project, folder_path: '../other', repo_url: 'https://a:b@example.org/' };
    expect(
      collection('project')
        .validate(bad)
        .map(({ field }) => field),
    ).to.have.members(['folder_path', 'repo_url']);
  });

  it('store no modification time and no project in a file, which would conflict between branches', () => {
    for (const { name, shape } of collections) {
      const keys = shape.fields.map((field) => field.name);
      if (shape.format === 'markdown') expect(keys, name).not.to.include('updated_at');
      expect(keys, name).not.to.include('project_id');
    }
    const tag = collection('tag').shape.fields.map(({ name }) => name);
    expect(tag).to.deep.equal(['name', 'color', 'aliases']);
  });

  it('give a new record the default of every field that it is not given, and nothing else', () => {
    const given = { id: 'tsk_1', created_at: '2026-01-01T00:00:00.000Z', label: 'Take cards', severity: undefined };
    const task = newRecord('task', { ...given, ...{ project_id: 'prj_1' } });
    expect(task).not.to.have.property('project_id');
    expect(task).to.deep.include({
      ...{ id: 'tsk_1', created_at: given.created_at, label: 'Take cards', description: '' },
      ...{ status: 'todo', kind: 'build', goal: null, priority: null, lane: null, severity: null, assignee: null },
      ...{ due_date: null, position: null, size: null, verified_at: null, verified_ref: null },
      ...{ tags: [], commit_refs: [], links: [] },
    });
  });

  it('number the versioned fields for good: a revision is recognised by their hash in this order', () => {
    const given = {
      goal: 'name objective status verification_surface constraints boundaries iteration_policy stop_condition budget',
      task: 'label status kind priority lane severity description assignee due_date goal tags commit_refs verified_at verified_ref',
      document: 'title body status folder_id',
      note: 'title body',
      artifact: 'title kind content prototype_id',
    };
    for (const [name, fields] of Object.entries(given)) {
      const { versioned } = collection(name);
      expect(versioned.slice(0, fields.split(' ').length).join(' '), name).to.equal(fields);
    }
  });

  it('keep tags and links last in a file, and volatile keys of a task apart', () => {
    const keys = collection('task').shape.fields.map(({ name }) => name);
    expect(keys.slice(-2)).to.deep.equal(['tags', 'links']);
    for (const [one, other] of [
      ['status', 'assignee'],
      ['assignee', 'priority'],
      ['priority', 'due_date'],
    ]) {
      const between = keys.slice(keys.indexOf(one!) + 1, keys.indexOf(other!));
      expect(between, `${one} ${other}`).to.satisfy((names: string[]) =>
        names.some((name) => ['id', 'kind', 'created_at'].includes(name)),
      );
    }
  });
});
