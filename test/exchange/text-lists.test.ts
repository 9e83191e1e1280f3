import { expect } from 'chai';
import { readMarkdownChecklist } from '../../src/exchange/markdown-checklist.ts';
import { planFormats } from '../../src/exchange/plan-formats.ts';
import { readTodoTxt } from '../../src/exchange/todo-txt.ts';
import { edgesOf, fileOf, leftOutOf, named } from './support.ts';

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

describe('Markdown plans of other tools', () => {
  it('have front matter, whose values are kept, and a title below it [D9.moving.front-matter]', () => {
    const text =
      '---\ntags: [garden]\ncreated: 2026-01-02\nnote: a: b\n---\n\n<!-- made -->\n\n# Garden plan\n\n## Beds\n\n- [ ] Dig\n';
    const plan = readMarkdownChecklist(text, 'file');
    const { name, description } = plan.draft.project as { name: string; description: string };
    expect(name).to.equal('Garden plan');
    expect(description).to.equal(
      '<!-- made -->\n\n## Moved from Markdown\n\n- tags: garden\n- created: 2026-01-02\n- note: a: b',
    );
    expect(Object.keys(named(plan, 'goals'))).to.deep.equal(['Beds']);
    expect(plan.report.remarks[0]!.examples[0]).to.match(/^line 4: /);
    expect(readMarkdownChecklist('---\ntitle: Beds\n---\n- [ ] Dig\n', 'file').draft.project).to.deep.include({
      ...{ name: 'Beds', description: null },
    });
    const ruled = readMarkdownChecklist('---\n\nProse.\n\n---\n\n- [ ] Dig\n', 'file');
    expect(ruled.draft.project['description']).to.contain('Prose.');
    expect(ruled.report.remarks).to.deep.equal([]);
  });

  it('have boxes with other marks, in callouts, and in lines without a list [D9.moving.lists]', () => {
    const text = [
      ...[
        '## Beds',
        '',
        '- [ ] Open',
        '- [/] Half done',
        '- [-] Given up',
        '- [~] Tilde',
        '- [] Empty',
        '- [✓] Ticked',
      ],
      ...[
        '- ☐ Symbol',
        '- [link](x)',
        '',
        '> [!todo] Callout',
        '> Words.',
        '> - [ ] In a callout',
        '>   - [x] Deep',
        '',
      ],
      ...['[ ] Line', '[x] Line two', '', '| [ ] | cell |', '', '<details>', '- [ ] in HTML', '</details>', ''],
      ...['```', '- [ ] code', '```', '', '- plain', '  > - [x] Quoted', '', '  Below.', ''],
    ].join('\n');
    const plan = readMarkdownChecklist(text, 'x');
    const tasks = named(plan, 'tasks');
    expect(Object.entries(tasks).map(([name, task]) => `${name}: ${task.status}`)).to.deep.equal([
      ...['Open: todo', 'Half done: in_progress', 'Given up: done', 'Tilde: todo', 'Empty: todo', 'Ticked: done'],
      ...['Symbol: todo', 'In a callout: todo', 'Deep: done', 'Line: todo', 'Line two: done', 'Quoted: done'],
    ]);
    expect(tasks['Given up'].tags).to.deep.equal(['cancelled']);
    expect(tasks['Tilde'].description).to.contain('- tick box: [~]');
    expect(tasks['In a callout'].description).to.contain('- below: Callout');
    expect(edgesOf(plan)).to.deep.equal(['Deep -part_of-> In a callout']);
    expect(named(plan, 'goals')['Beds'].objective)
      .to.contain('> Words.')
      .and.contain('Below.')
      .and.contain('<details>');
    expect(leftOutOf(plan)).to.deep.equal([
      '2 of 16 item: it is in a text, a table or HTML, not in a list (| [ ] | cell |, - [ ] in HTML)',
      '1 of 16 item: it has no tick box ([link](x))',
    ]);
    expect(detected('a.md', '> - [-] Given up\n')).to.deep.equal(['markdown']);
  });

  it('have headings of one name, which those above them distinguish [D9.moving.lists]', () => {
    const text = [
      ...['# Plan', '## Phase 1', '### Backend', '- [ ] api one', '## Phase 2', 'Why.', '### Backend', '- [ ] api two'],
      ...['## Log', '- [ ] a', '## Log', '- [ ] b', '## Empty'],
    ].join('\n');
    const plan = readMarkdownChecklist(text, 'x');
    expect(Object.keys(named(plan, 'goals'))).to.deep.equal([
      ...['Phase 1 / Backend', 'Phase 2 / Backend', 'Log', 'Log (2)'],
    ]);
    expect(plan.draft.project['description']).to.equal('## Phase 2\n\nWhy.\n\n## Empty');
    expect(named(plan, 'tasks')['api two'].imported_from).to.equal('markdown:Phase 2 / Backend / api two');
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

  it('reads the priority of a completed task before, between and behind its dates [D9.moving.lists]', () => {
    for (const head of ['(A) 2026-01-05 2026-01-01', '2026-01-05 (A) 2026-01-01', '2026-01-05 2026-01-01 (A)']) {
      const [task] = readTodoTxt(`x ${head} Order seeds +garden due:03/04/26`, 'x').draft.lists.get('tasks')!;
      expect(task).to.include({ label: 'Order seeds', priority: 'urgent', created_at: '2026-01-01T00:00:00.000Z' });
      expect(task!['description']).to.contain('- completed: 2026-01-05').and.contain('- due: 03/04/26');
    }
    const [open] = readTodoTxt('2026-01-01 (A) is a letter', 'x').draft.lists.get('tasks')!;
    expect(open).to.include({ label: '(A) is a letter', priority: null });
  });
});
