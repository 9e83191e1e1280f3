import { expect } from 'chai';
import { type Scaffold, scaffold } from '../../src/domain/scaffold/scaffold.ts';
import { conflict } from '../../src/base/errors.ts';
import type { ScaffoldInput } from '../../src/schema/types.ts';
import { atOnce } from '../../src/base/slices.ts';
import { Plan } from './plan.ts';
import { errorOf } from './throws.ts';

const make = (plan: Plan, input: ScaffoldInput): Scaffold => plan.update((tx) => atOnce(scaffold(tx, input)));

const whole: ScaffoldInput = {
  goal: { name: 'Ship', objective: 'Ship it', verification_surface: { kind: 'human_sign_off' } },
  tasks: [
    { key: 'build', label: 'Build', priority: 'high', tags: ['api'] },
    { key: 'design', label: 'Design', status: 'scope', description: 'Think first' },
    { key: 'test', label: 'Test', position: { x: 7, y: 8 } },
  ],
  edges: [
    { from: 'build', to: 'design', label: 'depends_on' },
    { from: 'build', to: 'test' },
    { from: 'notes', to: 'build', label: 'relates' },
  ],
  documents: [
    { key: 'notes', title: 'Notes', body: '# Notes', status_line: 'draft', link_to: ['design', 'guide'] },
    { key: 'guide', title: 'Guide', link_to: 'test' },
    { title: 'Loose' },
  ],
};

describe('A scaffold', () => {
  it('creates goal, tasks, edges and documents together and returns the id of each key [D9.scaffold]', () => {
    const plan = new Plan();
    const made = make(plan, whole);
    expect(made.project.id).to.equal(plan.view.project);
    expect(made.goal).to.include({ name: 'Ship', status: 'active' });
    expect(made.tasks.map(({ label, status, priority }) => [label, status, priority])).to.deep.equal([
      ['Build', 'todo', 'high'],
      ['Design', 'scope', null],
      ['Test', 'todo', null],
    ]);
    expect(made.tasks[0]?.tags).to.deep.equal(['api']);
    for (const { id } of made.tasks) expect(plan.frontier.belongs(id, made.goal.id)).to.equal(true);
    const ids = made.key_to_id;
    expect(Object.keys(ids)).to.deep.equal(['build', 'design', 'test', 'notes', 'guide']);
    expect(made.tasks.map(({ id }) => id)).to.deep.equal([ids['build'], ids['design'], ids['test']]);
    expect(made.edges.map(({ from, link }) => [from, link.to, link.label])).to.deep.equal([
      [ids['build'], ids['design'], 'depends_on'],
      [ids['build'], ids['test'], undefined],
      [ids['notes'], ids['build'], 'relates'],
    ]);
    expect(made.documents.map(({ title, body, status }) => [title, body, status])).to.deep.equal([
      ['Notes', '# Notes', 'draft'],
      ['Guide', '', null],
      ['Loose', '', null],
    ]);
    expect(made.warnings).to.deep.equal([]);
  });

  it('links documents to tasks and to documents that come later', () => {
    const plan = new Plan();
    const { documents, key_to_id: ids } = make(plan, whole);
    const links = documents[0]?.links.map(({ to, label }) => [to, label]);
    expect(links).to.have.deep.members([
      [ids['design'], 'documents'],
      [ids['guide'], 'references'],
      [ids['build'], 'relates'],
    ]);
    expect(documents[1]?.links.map(({ to, label }) => [to, label])).to.deep.equal([[ids['test'], 'documents']]);
  });

  it('orders the work by its edges', () => {
    const plan = new Plan();
    const { goal, key_to_id: ids } = make(plan, {
      ...whole,
      tasks: whole.tasks.map((task) => ({ ...task, status: 'todo' })),
    });
    const tasks = plan.frontier.tasksOf(goal.id);
    expect([...tasks.ready.values()].map(({ id }) => id)).to.deep.equal([ids['design']]);
    expect([...tasks.blocked.values()].map(({ id }) => id)).to.deep.equal([ids['build'], ids['test']]);
  });

  it('lays out tasks without a position by their depth [D9.layout]', () => {
    const plan = new Plan();
    const { tasks } = make(plan, {
      tasks: ['a', 'b', 'c', 'd'].map((key) => ({ key, label: key })),
      edges: [
        { from: 'a', to: 'c' },
        { from: 'b', to: 'c' },
        { from: 'd', to: 'c', label: 'depends_on' },
      ],
    });
    const at = Object.fromEntries(tasks.map(({ label, position }) => [label, position]));
    // Not at the origin, which means that a task has no position.
    expect(at['a']).to.deep.equal({ x: 1, y: 0 });
    expect(at['b']?.x).to.equal(0);
    expect(at['c']?.x).to.be.greaterThan(0);
    expect(at['d']?.x).to.be.greaterThan(at['c']?.x ?? Infinity);
    expect(at['a']?.y).to.not.equal(at['b']?.y);
    expect(make(plan, whole).tasks[2]?.position).to.deep.equal({ x: 7, y: 8 });
  });

  it('lays out a second plan below the first', () => {
    const plan = new Plan();
    const input = {
      tasks: [
        { key: 'a', label: 'A' },
        { key: 'b', label: 'B' },
      ],
    };
    const [first, second] = [make(plan, input), make(plan, input)];
    const lowest = Math.max(...first.tasks.map(({ position }) => position?.y ?? 0));
    for (const { position } of second.tasks) expect(position?.y).to.be.greaterThan(lowest);
  });

  it('without a goal assigns the tasks to the default goal', () => {
    const plan = new Plan();
    const { goal, tasks } = make(plan, { tasks: [{ key: 'a', label: 'A' }] });
    expect(goal.id).to.equal(plan.defaultGoal.id);
    expect(plan.frontier.belongs(tasks[0]?.id ?? '', goal.id)).to.equal(true);
  });

  it('with a name creates the project, with the goal General [D9.new-project]', () => {
    const plan = new Plan({ empty: true });
    const { project, goal } = make(plan, { name: 'New', description: 'Fresh', ...whole });
    expect(project).to.include({ id: plan.view.project, name: 'New', description: 'Fresh' });
    expect(plan.defaultGoal.name).to.equal('General');
    expect(goal.id).to.not.equal(plan.defaultGoal.id);
  });

  it('rejects a name with a project_id, and a description without a name', () => {
    const plan = new Plan();
    const tasks = [{ key: 'a', label: 'A' }];
    expect(errorOf(() => make(plan, { project_id: plan.view.project, name: 'New', tasks }))).to.include({
      field: 'name',
    });
    expect(errorOf(() => make(plan, { description: 'Fresh', tasks }))).to.include({ field: 'description' });
  });

  const wrong: readonly (readonly [string, Partial<ScaffoldInput>, string, string])[] = [
    [
      'a key of two tasks',
      {
        tasks: [
          { key: 'a', label: 'A' },
          { key: 'a', label: 'B' },
        ],
      },
      'tasks[1].key',
      'a',
    ],
    ['a key of a task and a document', { documents: [{ key: 'a', title: 'A' }] }, 'documents[0].key', 'a'],
    ['an unknown key at the beginning of an edge', { edges: [{ from: 'x', to: 'a' }] }, 'edges[0].from', 'x'],
    [
      'an unknown key at the end of an edge',
      {
        edges: [
          { from: 'a', to: 'b' },
          { from: 'a', to: 'x' },
        ],
      },
      'edges[1].to',
      'x',
    ],
    ['an edge from a task to itself', { edges: [{ from: 'a', to: 'a', label: 'relates' }] }, 'edges[0].to', 'a'],
    [
      'a document that links to an unknown key',
      { documents: [{ title: 'D', link_to: 'x' }] },
      'documents[0].link_to',
      'x',
    ],
    [
      'a list with an unknown key',
      { documents: [{ title: 'D', link_to: ['a', 'x'] }] },
      'documents[0].link_to[1]',
      'x',
    ],
    [
      'a document that links to itself',
      { documents: [{ key: 'd', title: 'D', link_to: 'd' }] },
      'documents[0].link_to',
      'd',
    ],
  ];
  for (const [what, part, field, key] of wrong) {
    it(`rejects ${what}, and names it [D9.keys]`, () => {
      const tasks = [
        { key: 'a', label: 'A' },
        { key: 'b', label: 'B' },
      ];
      const error = errorOf(() => make(new Plan(), { tasks, ...part }));
      expect(error).to.include({ error: 'invalid_argument', field, key });
      expect(error.message).to.include(JSON.stringify(key));
    });
  }

  it('is all or nothing [D9.atomic]', () => {
    const plan = new Plan();
    make(plan, whole);
    const before = ['goal', 'task', 'document', 'tag'].map((name) => plan.view.count(name as 'goal'));
    expect(errorOf(() => make(plan, whole)).error).to.equal('conflict');
    const afterwards = (): unknown =>
      plan.update((tx) => {
        atOnce(scaffold(tx, { ...whole, goal: { objective: 'Again' } }));
        throw conflict('Something after it goes wrong.');
      });
    expect(errorOf(afterwards).error).to.equal('conflict');
    expect(['goal', 'task', 'document', 'tag'].map((name) => plan.view.count(name as 'goal'))).to.deep.equal(before);
  });

  it('warns of cycles, by the keys of their tasks', () => {
    const plan = new Plan();
    const { warnings } = make(plan, {
      tasks: [
        { key: 'a', label: 'A' },
        { key: 'b', label: 'B' },
      ],
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ],
    });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('a → b → a');
  });

  it('creates an edge once that the plan contains twice', () => {
    const plan = new Plan();
    const { edges, tasks } = make(plan, {
      tasks: [
        { key: 'a', label: 'A' },
        { key: 'b', label: 'B' },
      ],
      edges: [
        { from: 'a', to: 'b', label: 'blocks' },
        { from: 'a', to: 'b', label: 'Blocks' },
      ],
    });
    expect(edges[0]?.link.id).to.equal(edges[1]?.link.id);
    expect(tasks[0]?.links).to.have.length(1);
  });

  it('joins one task to thousands', () => {
    const plan = new Plan();
    const count = 4000;
    const tasks = [
      { key: 'hub', label: 'Hub' },
      ...Array.from({ length: count }, (_, i) => ({ key: `t${i}`, label: `T${i}` })),
    ];
    const edges = Array.from({ length: count }, (_, i) => ({ from: 'hub', to: `t${i}` }));
    const { goal, tasks: made } = make(plan, { tasks, edges });
    expect(made[0]?.links).to.have.length(count);
    expect(plan.frontier.tasksOf(goal.id).blocked.size).to.equal(count);
  });
});
