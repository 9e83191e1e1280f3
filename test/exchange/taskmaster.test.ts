import { expect } from 'chai';
import { readTaskmaster, taskmaster } from '../../src/exchange/taskmaster.ts';
import { edgesOf, fileOf, named, remarksOf } from './support.ts';

const task = (id: number | string, title: string, more: object = {}): object => ({
  id,
  title,
  status: 'pending',
  ...more,
});

const file = {
  master: {
    metadata: { description: 'The main line', created: '2026-01-01T00:00:00.000Z', version: '1.0.0' },
    tasks: [
      task(1, 'Dig', {
        status: 'done',
        priority: 'high',
        details: 'Two spits.',
        testStrategy: 'Look.',
        description: 'Deep.',
      }),
      task('2', 'Sow', {
        ...{ status: 'review', dependencies: [1, '1.2', 99], complexity: 7 },
        subtasks: [
          task(1, 'Buy seeds', { status: 'cancelled' }),
          task(2, 'Rake', { dependencies: [1] }),
          task(3, 'Water', { dependencies: ['2.2', 1, 5] }),
        ],
      }),
      task(1, 'Dig again', { status: 'deferred', priority: 'weird' }),
      task(5, 'Harvest', { dependencies: [2], subtasks: [task(1, 'Wait', { dependencies: ['5'] })] }),
    ],
  },
  spring: { tasks: [task(1, 'Prune')], metadata: {} },
};

describe('Importing from Taskmaster', () => {
  const plan = readTaskmaster(file, 'Garden');
  const tasks = named(plan, 'tasks');

  it('imports each tag as a goal, each task and subtask as a task [D9.moving.taskmaster]', () => {
    expect(plan.report.counts).to.include({ goals: 2, tasks: 9 });
    const goals = named(plan, 'goals');
    expect(goals['master']).to.include({ status: 'active', created_at: '2026-01-01T00:00:00.000Z' });
    expect(goals['master'].objective).to.match(/^The main line\n\n## Moved from Taskmaster\n\n- version: 1\.0\.0$/);
    expect(goals['spring']).to.include({ objective: 'spring' });
    expect(tasks['Prune'].goal).to.equal(goals['spring'].id);
    expect(tasks['Dig']).to.include({ status: 'done', priority: 'high', goal: goals['master'].id });
    expect(tasks['Dig'].description).to.match(/^Deep\.\n\n## Details\n\nTwo spits\.\n\n## Test strategy\n\nLook\./);
    expect(tasks['Sow'].status).to.equal('in_progress');
    expect([tasks['Buy seeds'].status, tasks['Dig again'].status]).to.deep.equal(['done', 'backlog']);
  });

  it('resolves dependencies by numbers and dotted ids, in a subtask to its siblings first [D9.moving.taskmaster]', () => {
    expect(edgesOf(plan)).to.have.members([
      'Sow -depends_on-> Dig',
      'Rake -depends_on-> Buy seeds',
      'Water -depends_on-> Rake',
      'Water -depends_on-> Buy seeds',
      'Water -depends_on-> Harvest',
      'Harvest -depends_on-> Sow',
      'Wait -depends_on-> Harvest',
      'Buy seeds -part_of-> Sow',
      'Rake -part_of-> Sow',
      // Water waits for Harvest, which waits for Sow.
      'Water -relates-> Sow',
      'Wait -relates-> Harvest',
    ]);
  });

  it('keeps values without a field in the description, and reports it [D9.moving.kept]', () => {
    for (const line of ['id: 2', 'status: review', 'complexity: 7', 'dependencies: 1.2', 'dependencies (2): 99']) {
      expect(tasks['Sow'].description).to.contain(`- ${line}`);
    }
    expect(tasks['Dig again'].description).to.contain('- priority: weird');
    expect(remarksOf(plan)).to.deep.equal([
      '1 × Work that was cancelled: it is done, with the tag `cancelled`, so that nothing waits for it.',
      '1 × An id of several tasks: dependencies use the first one.',
      '2 × A dependency on a task that is not in the file: it is in the description.',
      '2 × A part that depends on its whole: the edge became `relates` and orders nothing.',
    ]);
  });

  it('keeps the numbers of subtasks that are numbered in full [D9.moving.taskmaster]', () => {
    const subtasks = [task('6.1', 'Buy'), task('6.2', 'Sow', { dependencies: ['6.1'] }), task(3, 'Rake')];
    const numbered = readTaskmaster({ tasks: [task(6, 'Bed', { subtasks })] }, 'Garden');
    const ids = ['Buy', 'Sow', 'Rake'].map(
      (name) => /- id: (\S+)/.exec(named(numbered, 'tasks')[name].description)?.[1],
    );
    expect(ids).to.deep.equal(['6.1', '6.2', '6.3']);
    expect(edgesOf(numbered)).to.include('Sow -depends_on-> Buy');
  });

  it('reads tags that are plain lists [D9.moving.taskmaster]', () => {
    const plain = readTaskmaster({ master: [task(1, 'Dig'), task(2, 'Sow', { dependencies: [1] })] }, 'Garden');
    expect(plain.report.counts).to.deep.equal({ goals: 1, tasks: 2, edges: 1 });
    expect(named(plain, 'tasks')['Dig'].goal).to.equal(named(plain, 'goals')['master'].id);
    expect(() => readTaskmaster({ master: [1] }, 'x')).to.throw('master[0] is not a task');
    expect(taskmaster.detects(fileOf('x.json', JSON.stringify({ master: [task(1, 'Dig')] })))).to.equal(true);
    expect(taskmaster.detects(fileOf('x.json', '{"master":[{"name":"Dig"}]}'))).to.equal(false);
  });

  it('reads the earlier format without tags into the default goal [D9.moving.taskmaster]', () => {
    const old = readTaskmaster({ tasks: [task(1, 'Dig')], meta: { projectName: 'x' } }, 'Garden');
    expect(old.report.counts).to.deep.equal({ tasks: 1 });
    expect(named(old, 'tasks')['Dig'].goal).to.equal(undefined);
    expect(() => readTaskmaster({ a: 1 }, 'x')).to.throw('The file has no tasks');
    expect(() => readTaskmaster({ tasks: [1] }, 'x')).to.throw('tasks[0] is not a task');
  });
});
