import { expect } from 'chai';
import { readMarkdownChecklist } from '../../src/exchange/markdown-checklist.ts';
import { planFormats } from '../../src/exchange/plan-formats.ts';
import { readTodoTxt } from '../../src/exchange/todo-txt.ts';
import { edgesOf, fileOf, named } from './support.ts';

const detected = (path: string, text: string): string[] =>
  planFormats.filter((one) => one.kind === 'file' && one.detects(fileOf(path, text))).map(({ name }) => name);

const markdown = `# Garden plan

What we want.

## Spring

Before the frost ends.

- [ ] Dig the *bed*
  with a spade
  - [x] Find the spade
  - [ ] Sharpen it

    \`\`\`sh
    - [ ] no task
    \`\`\`
- [X] Buy seeds
- plain
- Tools
  1. [ ] Rake

## Notes

Nothing to do here.

## Autumn

* [ ] Rest
`;

describe('Importing Markdown checklists', () => {
  it('maps items, nesting and headings [D9.moving.lists]', () => {
    expect(detected('TODO.md', markdown)).to.deep.equal(['markdown']);
    expect(detected('README.md', '# No\n\n- item\n')).to.deep.equal([]);
    const plan = readMarkdownChecklist(markdown, 'x');
    expect(plan.draft.project).to.deep.equal({
      ...{ name: 'Garden plan', description: 'What we want.\n\n## Notes\n\nNothing to do here.' },
    });
    const tasks = named(plan, 'tasks');
    expect(Object.keys(tasks)).to.deep.equal([
      ...['Dig the *bed*', 'Find the spade', 'Sharpen it', 'Buy seeds', 'Rake', 'Rest'],
    ]);
    expect(tasks['Dig the *bed*']).to.include({ status: 'todo', description: 'with a spade' });
    expect(tasks['Sharpen it'].description).to.equal('```sh\n- [ ] no task\n```');
    expect([tasks['Find the spade'].status, tasks['Buy seeds'].status]).to.deep.equal(['done', 'done']);
    expect(tasks['Rake'].description).to.contain('- below: Tools');
    const goals = named(plan, 'goals');
    expect(Object.keys(goals)).to.deep.equal(['Spring', 'Autumn']);
    expect(goals['Spring'].objective).to.equal('Before the frost ends.');
    expect([tasks['Rake'].goal, tasks['Rest'].goal]).to.deep.equal([goals['Spring'].id, goals['Autumn'].id]);
    expect(edgesOf(plan)).to.deep.equal([
      ...['Find the spade -part_of-> Dig the *bed*', 'Sharpen it -part_of-> Dig the *bed*'],
    ]);
    expect(JSON.stringify(plan.report)).to.contain('it has no tick box').and.contain('plain');
  });

  it('reads lists without headings [D9.moving.lists]', () => {
    const plan = readMarkdownChecklist('- [ ] a\n- [x] b\n', 'List');
    expect(plan.draft.project).to.include({ name: 'List' });
    expect(plan.report.counts).to.deep.equal({ tasks: 2 });
  });
});

const todo = `(A) Thank Mom for the meatballs @phone
(B) 2026-05-01 Schedule Goodwill pickup +GarageSale +House @phone due:2026-06-01 t:2026-05-20
x 2026-05-20 2026-04-30 measure space for +chapelShelving @chapel pri:C
x 2026-05-21 Call http://example.org/x
(E) Post signs around the neighborhood +GarageSale id:1
Paint them p:1 due:soon
`;

describe('Importing a todo.txt', () => {
  it('maps completion, priorities, dates, projects and contexts [D9.moving.lists]', () => {
    expect(detected('todo.txt', todo)).to.deep.equal(['todo-txt']);
    expect(detected('todo.txt', 'Some prose.\nAnd more of it.\n')).to.deep.equal([]);
    const plan = readTodoTxt(todo, 'Plan');
    const tasks = named(plan, 'tasks');
    expect(Object.keys(tasks)).to.deep.equal([
      ...['Thank Mom for the meatballs', 'Schedule Goodwill pickup', 'measure space for'],
      ...['Call http://example.org/x', 'Post signs around the neighborhood', 'Paint them'],
    ]);
    expect(tasks['Thank Mom for the meatballs']).to.deep.include({
      priority: 'urgent',
      tags: ['phone'],
      status: 'todo',
    });
    const goals = named(plan, 'goals');
    expect(tasks['Schedule Goodwill pickup']).to.deep.include({
      ...{ priority: 'high', tags: ['House', 'phone'], goal: goals['GarageSale'].id, due_date: '2026-06-01' },
      created_at: '2026-05-01T00:00:00.000Z',
    });
    expect(tasks['Schedule Goodwill pickup'].description).to.contain('- t: 2026-05-20').and.not.contain('due');
    expect(tasks['measure space for']).to.include({
      ...{ status: 'done', priority: 'medium', created_at: '2026-04-30T00:00:00.000Z' },
    });
    expect(tasks['measure space for'].description).to.contain('- completed: 2026-05-20');
    expect(tasks['Call http://example.org/x'].description).to.contain('- completed: 2026-05-21');
    expect(tasks['Post signs around the neighborhood']).to.include({ priority: 'low' });
    expect(tasks['Paint them'].description).to.contain('- due: soon');
    expect(edgesOf(plan)).to.deep.equal(['Paint them -part_of-> Post signs around the neighborhood']);
  });
});
