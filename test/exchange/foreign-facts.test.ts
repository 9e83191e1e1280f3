import { expect } from 'chai';
import { readBacklogMd } from '../../src/exchange/backlog-md.ts';
import { readBeads } from '../../src/exchange/beads.ts';
import { DateColumns, timeOf } from '../../src/exchange/dates.ts';
import { github, readGithub } from '../../src/exchange/github.ts';
import type { ImportedPlan } from '../../src/exchange/imported-plan.ts';
import { readJira } from '../../src/exchange/jira.ts';
import { markdownOfJira } from '../../src/exchange/jira-markup.ts';
import { readLinear } from '../../src/exchange/linear.ts';
import { isCancelling, statusAmong } from '../../src/exchange/status-synonyms.ts';
import { readTaskmaster } from '../../src/exchange/taskmaster.ts';
import { readTrello } from '../../src/exchange/trello.ts';
import { edgesOf, fileOf, filesOf, leftOutOf, named, remarksOf } from './support.ts';

const issue = (number: number, more: object): object => ({
  ...{ number, title: `Issue ${number}`, url: `https://github.com/acme/web/issues/${number}`, state: 'OPEN' },
  ...more,
});
const jiraOf = (head: string, ...rows: string[]): ImportedPlan =>
  readJira([`Summary;Issue key;Issue id;Issue Type;Status;${head}`, ...rows].join('\n'), 'Plan');
const beadsOf = (...issues: object[]): ImportedPlan =>
  readBeads(issues.map((one) => JSON.stringify(one)).join('\n'), { name: 'x', withDeleted: false });

describe('Dates of other tools', () => {
  it('are read in the order that one date of their column decides [D9.moving.dates]', () => {
    const plan = jiraOf(
      'Created;Due date',
      'Start pump;GDN-1;1;Task;To Do;03.04.25 09:05;05.06.25',
      'Mow;GDN-2;2;Task;To Do;25.12.25 10:00;31.12.2025',
    );
    expect(named(plan, 'tasks')['Start pump']).to.include({
      ...{ created_at: '2025-04-03T09:05:00.000Z', due_date: '2025-06-05' },
    });
    expect(named(plan, 'tasks')['Mow']).to.include({
      ...{ created_at: '2025-12-25T10:00:00.000Z', due_date: '2025-12-31' },
    });
    const american = jiraOf('Created', 'A;G-1;1;Task;To Do;3/4/2025 9:05 PM', 'B;G-2;2;Task;To Do;12/25/2025 10:00 AM');
    expect(named(american, 'tasks')['A'].created_at).to.equal('2025-03-04T21:05:00.000Z');
  });

  it('are kept and listed if nothing in their column decides, or one date contradicts another [D9.moving.dates]', () => {
    for (const other of ['07/08/2025', '25/12/2025;x\nC;G-3;3;Task;To Do;12/25/2025', '']) {
      const plan = jiraOf('Created', 'A;G-1;1;Task;To Do;03/04/2025 09:05', `B;G-2;2;Task;To Do;${other}`);
      expect(named(plan, 'tasks')['A']).to.not.have.property('created_at');
      expect(named(plan, 'tasks')['A'].description).to.contain('- Created: 03/04/2025 09:05');
      expect(remarksOf(plan).join()).to.contain(
        'A date in a column that does not decide whether its day or its month is first',
      );
      expect(JSON.stringify(plan.report.remarks)).to.contain('A: Created 03/04/2025 09:05');
    }
    const [comment] = jiraOf('Comment', 'A;G-1;1;Task;To Do;"03.04.25 09:05;ada;Agreed."').draft.lists.get('comments')!;
    expect(comment).to.include({ author: 'ada', body: '<p>Agreed.</p>\n<p>Comment: 03.04.25 09:05</p>' });
  });

  it('have no zone of the machine, and no order of a language [D9.moving.dates]', () => {
    const expected: Readonly<Record<string, string | undefined>> = {
      '2026-01-02 10:11': '2026-01-02T10:11:00.000Z',
      '2026-06-01T10:00:00+02:00': '2026-06-01T08:00:00.000Z',
      '03/Sep/26 9:05 PM': '2026-09-03T21:05:00.000Z',
      'Wed May 13 2026 11:21:41 GMT+0100 (BST)': '2026-05-13T10:21:41.000Z',
      'Sep 3, 2026': '2026-09-03T00:00:00.000Z',
      '3. März 2026': '2026-03-03T00:00:00.000Z',
      '25/Dez/25 10:00': '2025-12-25T10:00:00.000Z',
      '05.05.2026': '2026-05-05T00:00:00.000Z',
      ...{ '03/04/26': undefined, '2026-02-30': undefined, '2026-01-02 10:00 PST': undefined, soon: undefined },
    };
    for (const [text, time] of Object.entries(expected)) expect(timeOf(text), text).to.equal(time);
    const columns = new DateColumns();
    for (const text of ['31/13/2025', '25/12/2025']) columns.add({ name: 'x', text });
    expect(columns.read({ name: 'x', text: '03/04/2025' })).to.equal('2025-04-03T00:00:00.000Z');
    expect(columns.read({ name: 'y', text: '03/04/2025' })).to.equal(undefined);
  });
});

describe('States of other tools', () => {
  const stateOf = (plan: ImportedPlan, name: string): string => {
    const { status, tags } = named(plan, 'tasks')[name];
    return [status, ...tags].join(' ');
  };

  it('follow the end of an issue in the tool, whatever its status is called [D9.moving.states]', () => {
    const linear = readLinear(
      '"ID","Team","Title","Status","Started","Completed","Canceled","Parent issue"\n"G-1","G","A","Next","","2026-01-04T10:11:12.000Z","",""\n"G-2","G","B","In Progress","2026-01-03T00:00:00Z","","2026-01-04T10:11:12.000Z",""\n"G-3","G","C","Backlog","2026-01-03T00:00:00Z","","",""\n',
      'Plan',
    );
    expect(['A', 'B', 'C'].map((name) => stateOf(linear, name))).to.deep.equal(['done', 'done cancelled', 'backlog']);
    expect(named(linear, 'tasks')['A'].description).to.contain('- Status: Next');
    const hub = readGithub(
      [
        { number: 1, title: 'Flag', closed: true, closedAt: '2026-01-01T00:00:00Z', labels: [] },
        { number: 2, title: 'Time', closedAt: '2026-01-01T00:00:00Z', labels: [] },
        { number: 3, title: 'Not planned', state: 'closed', state_reason: 'not_planned' },
        { number: 4, title: 'Copy', state: 'CLOSED', stateReason: 'DUPLICATE' },
        { number: 5, title: 'Label', state: 'CLOSED', labels: [{ name: 'wontfix' }] },
        { number: 6, title: 'Reopened', state: 'open', state_reason: 'reopened', labels: ['duplicate'] },
      ],
      'x',
    );
    expect(Object.keys(named(hub, 'tasks')).map((name) => stateOf(hub, name))).to.deep.equal([
      ...['done', 'done', 'done cancelled', 'done cancelled', 'done cancelled wontfix', 'todo duplicate'],
    ]);
    const jira = jiraOf(
      'Resolution;Resolved;Status Category',
      ...['A;G-1;1;Task;Open;Done;;', "B;G-2;2;Task;Backlog;Won't Do;;", 'C;G-3;3;Task;Next;;2026-01-02;'],
      ...['D;G-4;4;Task;New;Unresolved;;Done', 'E;G-5;5;Task;Rejected;;;Done', 'F;G-6;6;Task;Next;;;In Progress'],
      ...['G;G-7;7;Task;Backlog;;;To Do', 'H;G-8;8;Task;Released;;;To Do'],
    );
    expect(Object.keys(named(jira, 'tasks')).map((name) => stateOf(jira, name))).to.deep.equal([
      ...['done', 'done cancelled', 'done', 'done', 'done cancelled', 'in_progress', 'backlog', 'todo'],
    ]);
    const beads = beadsOf(
      { id: 'a-1', title: 'A', status: 'closed', close_reason: "Won't fix: too old" },
      { id: 'a-2', title: 'B', status: 'in_progress', closed_at: '2026-01-01T00:00:00Z', close_reason: 'Shipped.' },
      { id: 'a-3', title: 'C', status: 'open', closed_at: null, close_reason: '' },
    );
    expect(['A', 'B', 'C'].map((name) => stateOf(beads, name))).to.deep.equal(['done cancelled', 'done', 'todo']);
    const page = (status: string): string => `---\nid: T-1\ntitle: A\nstatus: ${status}\n---\n`;
    const completed = readBacklogMd(filesOf({ 'completed/a.md': page('To Do'), 'completed/b.md': page('Done') }), 'x');
    expect(completed.draft.lists.get('tasks')!.map(({ status }) => status)).to.deep.equal(['done', 'done']);
  });

  it('that give work up hold nothing up, and are reported [D9.moving.states]', () => {
    const plan = readTaskmaster(
      {
        master: {
          tasks: [
            { id: 1, title: 'Old way', status: 'cancelled', dependencies: [] },
            { id: 2, title: 'New way', status: 'pending', dependencies: [1] },
          ],
        },
      },
      'x',
    );
    // The lane `auto` waits for no review.
    expect(named(plan, 'tasks')['Old way']).to.deep.include({ status: 'done', lane: 'auto', tags: ['cancelled'] });
    expect(named(plan, 'tasks')['Old way'].description).to.contain('- status: cancelled');
    expect(edgesOf(plan)).to.deep.equal(['New way -depends_on-> Old way']);
    const [remark] = plan.report.remarks;
    expect(remark).to.deep.include({ count: 1, examples: ['master 1'] });
    expect(remark!.what).to.contain('Work that was cancelled');
    for (const reason of ["Won't Do", 'not_planned', 'Duplicate of #7', 'wontfix', 'Cannot Reproduce', 'Obsolete.'])
      expect(isCancelling(reason), reason).to.equal(true);
    for (const reason of ['Done', 'Fixed the duplicate', '', undefined]) expect(isCancelling(reason)).to.equal(false);
    expect(statusAmong('Duplicate', 'done').status).to.equal('cancelled');
  });
});

describe('Comments of other tools', () => {
  it('that show nothing are shown as they were written, and empty ones are counted [D9.moving.kept]', () => {
    const comment = (body: string): object => ({ author: { login: 'bot' }, body, createdAt: '2026-01-01T00:00:00Z' });
    const bodies = ['<!-- bot: do not edit -->', '[//]: # (hidden)', '<script>x</script>', ' \n', '\u200b', 'Seen.'];
    const plan = readGithub([issue(1, { comments: bodies.map(comment) })], 'x');
    expect(plan.draft.lists.get('comments')!.map(({ body }) => body)).to.deep.equal([
      ...['<pre>&lt;!-- bot: do not edit --&gt;</pre>', '<pre>[//]: # (hidden)</pre>'],
      ...['<pre>&lt;script&gt;x&lt;/script&gt;</pre>', '<p>Seen.</p>'],
    ]);
    const at = 'Issue 1, bot, 2026-01-01T00:00:00.000Z';
    expect(leftOutOf(plan)).to.deep.equal([`2 of 6 comment: it is empty (${at}, ${at}), as expected`]);
  });

  it('that are plain text keep their angle brackets and lines [D9.moving.kept]', () => {
    const text = 'Use Map<K, List<V>>;\nif a<b.\n\n<b>no tag</b>';
    const plan = beadsOf({ id: 'a-1', title: 'A', status: 'open', comments: [{ author: 'bo', text }] });
    expect(plan.draft.lists.get('comments')![0]).to.include({
      ...{ body: '<pre>Use Map&lt;K, List&lt;V&gt;&gt;;\nif a&lt;b.\n\n&lt;b&gt;no tag&lt;/b&gt;</pre>', source: text },
    });
    const [jira] = jiraOf('Comment', 'A;G-1;1;Task;To Do;"Vec<String> and *bold*"').draft.lists.get('comments')!;
    // The source is Markdown, as for every comment: commands print it and an editor opens it.
    expect(jira).to.include({
      ...{ body: '<p>Vec&lt;String&gt; and <strong>bold</strong></p>', source: 'Vec\\<String> and **bold**' },
    });
  });
});

describe('Ids of other tools', () => {
  it('count in their repository only [D9.moving.scopes]', () => {
    const foreign = { number: 12, url: 'https://github.com/acme/api/issues/12' };
    const plan = readGithub(
      [
        issue(12, {}),
        issue(13, { parent: foreign, blockedBy: { nodes: [foreign, { number: 12 }] } }),
        issue(14, { parent_issue_url: 'https://api.github.com/repos/acme/web/issues/12' }),
        issue(15, { subIssues: ['acme/api#13', 'https://github.com/ACME/web/issues/13'] }),
      ],
      'x',
    );
    expect(edgesOf(plan)).to.deep.equal([
      ...['Issue 13 -depends_on-> Issue 12', 'Issue 13 -part_of-> Issue 15', 'Issue 14 -part_of-> Issue 12'],
    ]);
    expect(named(plan, 'tasks')['Issue 13'].description)
      .to.contain('- parent: acme/api#12')
      .and.contain('- blockedBy: acme/api#12');
    const missing = plan.report.remarks.find(({ what }) => what.includes('not in the file'));
    expect(missing!.examples).to.include('13 parent acme/api#12');
  });

  it('of several repositories in one file are distinguished [D9.moving.scopes]', () => {
    const api = { url: 'https://github.com/acme/api/issues/1', title: 'Api', milestone: { title: 'v1' } };
    const plan = readGithub(
      [issue(1, { title: 'Web', milestone: { title: 'v1' } }), issue(1, api), issue(2, { parent: { number: 1 } })],
      'x',
    );
    expect(edgesOf(plan)).to.deep.equal(['Issue 2 -part_of-> Web']);
    const ids = plan.draft.lists.get('tasks')!.map((task) => task['imported_from']);
    expect(ids).to.deep.equal(['github:acme/web#1', 'github:acme/api#1', 'github:acme/web#2']);
    expect(Object.keys(named(plan, 'goals'))).to.deep.equal(['v1', 'v1 (2)']);
  });
});

describe('Lists of other tools', () => {
  it('are read in the form of GraphQL [D9.moving.kept]', () => {
    const nodes = [
      issue(1, {
        labels: { nodes: [{ name: 'bug' }, { name: 'P1' }], totalCount: 3 },
        assignees: { edges: [{ node: { login: 'ada' } }, { node: { login: 'bob' } }] },
        comments: { nodes: [{ author: null, body: 'Agreed.', createdAt: '2026-01-01T00:00:00Z' }] },
        projectItems: { nodes: [{ project: { title: 'Roadmap' } }] },
        milestone: { title: 'v1', dueOn: null },
      }),
      issue(2, { parent: { number: 1 }, labels: { nodes: [] }, comments: { totalCount: 4 } }),
    ];
    for (const json of [nodes, { data: { repository: { issues: { nodes } } } }, { data: { search: { nodes } } }]) {
      expect(github.kind === 'file' && github.detects(fileOf('a.json', JSON.stringify(json)))).to.equal(true);
      const plan = readGithub(json, 'x');
      expect(named(plan, 'tasks')['Issue 1']).to.deep.include({
        ...{ tags: ['bug', 'P1'], priority: 'high', assignee: 'ada' },
      });
      expect(named(plan, 'tasks')['Issue 1'].description).to.contain('- other assignees: bob').and.contain('Roadmap');
      expect(plan.draft.lists.get('comments')).to.have.length(1);
      expect(Object.keys(named(plan, 'goals'))).to.deep.equal(['v1']);
      expect(edgesOf(plan)).to.deep.equal(['Issue 2 -part_of-> Issue 1']);
      const remarks = JSON.stringify(plan.report.remarks);
      expect(remarks).to.contain('#1 labels (2 of 3)').and.contain('#2 (4)');
    }
  });

  it('keep members of another shape next to the read ones [D9.moving.kept]', () => {
    const plan = readGithub([issue(1, { labels: [{ name: 'bug' }, { id: 7 }, 'ui'], assignees: { count: 2 } })], 'x');
    expect(named(plan, 'tasks')['Issue 1']).to.deep.include({ tags: ['bug', 'ui'], assignee: null });
    expect(named(plan, 'tasks')['Issue 1'].description).to.contain('"id": 7').and.contain('"count": 2');
  });

  it('lose no value for a null next to it, and nulls are reported [D9.moving.kept]', () => {
    const task = (id: number, dependencies: unknown): object => ({
      id,
      title: `T${id}`,
      status: 'pending',
      dependencies,
    });
    const plan = readTaskmaster(
      { master: { tasks: [task(1, []), null, task(2, [1, null, { id: 3 }])], metadata: {} } },
      'x',
    );
    expect(edgesOf(plan)).to.deep.equal(['T2 -depends_on-> T1']);
    expect(named(plan, 'tasks')['T2'].description).to.contain('"id": 3');
    expect(plan.report.remarks).to.deep.equal([
      {
        ...{ what: 'A list with empty entries (null): they were left out.', count: 1 },
        examples: ['master 2 dependencies'],
      },
    ]);
    expect(leftOutOf(plan)).to.deep.equal(['1 of 3 task: it is empty (null) (master [1])']);
    const beads = beadsOf({
      id: 'a-1',
      title: 'A',
      status: 'open',
      labels: ['x', null],
      comments: [null, { text: 'Hi' }],
    });
    expect(named(beads, 'tasks')['A'].tags).to.deep.equal(['x']);
    expect(beads.report.counts).to.include({ comments: 1 });
    const hub = readGithub([null, issue(1, { labels: [null, { name: 'bug' }], comments: [null] })], 'x');
    expect(named(hub, 'tasks')['Issue 1'].tags).to.deep.equal(['bug']);
    expect(leftOutOf(hub)).to.deep.equal(['1 of 2 issue: it is empty (null) ([0])']);
    const board = readTrello(
      { name: 'B', lists: [null], cards: [null, { id: 'c', name: 'Dig', labels: [null] }] },
      'x',
    );
    expect(Object.keys(named(board, 'tasks'))).to.deep.equal(['Dig']);
    expect(remarksOf(board)).to.deep.equal(['3 × A list with empty entries (null): they were left out.']);
  });
});

describe('Values that are elsewhere on a board of Trello', () => {
  const board = {
    ...{ name: 'B', lists: [{ id: 'l1', name: 'To Do' }], labels: [{ id: 'lb', name: 'soil', color: 'green' }] },
    customFields: [
      { id: 'f', name: 'Stage', type: 'list', options: [{ id: 'o2', value: { text: 'Building' } }] },
      { id: 'g', name: 'Sure', type: 'checkbox' },
    ],
    checklists: [
      {
        ...{ idCard: 'c1', name: 'Steps' },
        checkItems: [
          { name: 'Fill', state: 'incomplete', due: '2026-03-04T12:00:00.000Z', idMember: 'm1' },
          { name: 'Rake', state: 'complete', due: null, idMember: 'gone' },
        ],
      },
    ],
    members: [{ id: 'm1', fullName: 'Ada' }],
    cards: [
      {
        ...{ id: 'c1', idList: 'l1', name: 'Dig', idLabels: ['lb', 'lx'], idMembersVoted: ['m1'] },
        customFieldItems: [
          { idCustomField: 'f', idValue: 'o2', value: null },
          { idCustomField: 'f', idValue: 'o9', value: null },
          { idCustomField: 'g', value: { checked: 'true' } },
        ],
        checklists: [{ name: 'Own', checkItems: [{ name: 'Sow', state: 'incomplete' }] }],
      },
      { id: 'c2', idList: 'l1', name: 'Rot', closed: true },
    ],
    actions: [{ type: 'commentCard', idMemberCreator: 'm1', data: { card: { id: 'c1' }, text: 'Hi' } }],
  };

  it('are imported by their names, not their ids [D9.moving.trackers, D9.moving.kept]', () => {
    const plan = readTrello(board, 'x');
    const { description, tags } = named(plan, 'tasks')['Dig'];
    expect(tags).to.deep.equal(['soil', 'lx']);
    for (const line of ['Stage: Building', 'Stage (2): o9', 'Sure: true', 'votes: Ada'])
      expect(description).to.contain(`\n- ${line}`);
    expect(description)
      .to.contain('## Steps\n\n- [ ] Fill (2026-03-04, Ada)\n- [x] Rake (gone)')
      .and.contain('## Own\n\n- [ ] Sow');
    expect(plan.draft.lists.get('comments')![0]).to.include({ author: 'Ada' });
    expect(named(plan, 'tasks')['Rot']).to.deep.include({ status: 'done', tags: ['cancelled', 'archived'] });
    expect(named(plan, 'tasks')['Rot'].description).to.contain('- list: To Do');
  });
});

describe('Front matter of other tools', () => {
  const page = (front: string): string => `---\n${front}\n---\n\nIt squeaks.\n`;
  const taskOf = (plan: ImportedPlan): Record<string, unknown> => plan.draft.lists.get('tasks')![0]!;

  it('keeps texts that look like numbers as they are written [D9.moving.front-matter]', () => {
    const front = 'id: TASK-2\ntitle: 1.10\nstatus: In Progress\nlabels: [v1.10, 1.10, 007]\nordinal: 1e3\nold: ~';
    const plan = readBacklogMd(filesOf({ 'tasks/task-2 - x.md': page(front), 'config.yml': 'project_name: 2.0' }), 'x');
    expect(taskOf(plan)).to.deep.include({ label: '1.10', tags: ['v1.10', '1.10', '007'], status: 'in_progress' });
    expect(taskOf(plan)['description']).to.contain('- ordinal: 1e3');
    expect(plan.draft.project).to.include({ name: '2.0' });
    expect(remarksOf(plan)).to.deep.equal([]);
  });

  it('is read line by line if it is not YAML, and its lines are named [D9.moving.front-matter]', () => {
    const front = [
      ...['id: TASK-1', 'title: Fix: the gate', 'status: Done', 'priority: high', 'labels: [ui, a: b: c]'],
      ...['assignee:', '  - ada: x: y', 'reporter: "Bo" Ro', 'no key', 'status: To Do'],
    ].join('\n');
    const plan = readBacklogMd(filesOf({ 'tasks/task-1 - x.md': page(front) }), 'x');
    expect(taskOf(plan)).to.deep.include({
      ...{ label: 'Fix: the gate', status: 'done', priority: 'high', tags: ['ui', 'a: b: c'], assignee: 'ada: x: y' },
    });
    expect(taskOf(plan)['description'])
      .to.contain('It squeaks.')
      .and.contain('- reporter: "Bo" Ro')
      .and.contain('### front matter\n\nno key\nstatus: To Do');
    const [remark] = plan.report.remarks;
    expect(remark!.count).to.equal(6);
    expect(remark!.examples[0]).to.match(/^tasks\/task-1 - x\.md:3 /);
    const titles = {
      '[WIP] Fix it': '[WIP] Fix it',
      '{{name}} of it': '{{name}} of it',
      '@ada fixes': '@ada fixes',
      '*bold* & `code`': '*bold* & `code`',
      "'It's broken'": "It's broken",
      '"Fix" it': '"Fix" it',
    };
    for (const [written, title] of Object.entries(titles)) {
      const one = readBacklogMd(filesOf({ 'tasks/a.md': page(`id: T-1\ntitle: ${written}\nstatus: Done`) }), 'x');
      expect(taskOf(one)).to.deep.include({ label: title, status: 'done' });
    }
    const open = readBacklogMd(filesOf({ 'tasks/a.md': '---\ntitle: A\nstatus: Done\nText.\n' }), 'x');
    expect(open.report.remarks[0]!.what).to.equal('Front matter that cannot be read: it is in the text.');
  });
});

describe('Markup of Jira', () => {
  it('becomes Markdown [D9.moving.trackers]', () => {
    const cases: Readonly<Record<string, string>> = {
      '# open the gate\n## wide\n# close it': '1. open the gate\n   1. wide\n1. close it',
      'Do:\n* one\n** two\n- three': 'Do:\n\n- one\n  - two\n- three',
      'h2. Steps': '## Steps',
      '{code:java|title=x}\nList<String> a = *b*;\n{code}': '\n```java\nList<String> a = *b*;\n```\n',
      '{noformat}a `b`{noformat}': '\n```\na `b`\n```\n',
      'see [site|https://example.org/a_b_c] and [https://x.y]':
        'see [site](https://example.org/a_b_c) and <https://x.y>',
      'run {{npm <x>}} *now*, -not- later': 'run `npm <x>` **now**, ~~not~~ later',
      'Map<K> well-known a*b*c 3 - 4 - 5': 'Map\\<K> well-known a*b*c 3 - 4 - 5',
      '||a||b||\n|1|2|': '| a | b |\n| --- | --- |\n|1|2|',
      'bq. said\n{quote}two\nlines{quote}': '> said\n\n> two\n> lines\n',
      '[~ada] {color:red}hot{color} !x.png|thumbnail!': '@ada hot ![x.png](x.png)',
    };
    for (const [text, markdown] of Object.entries(cases)) expect(markdownOfJira(text)).to.equal(markdown);
    const plan = jiraOf('Description', 'A;G-1;1;Task;To Do;"h3. Why\n# one"');
    expect(named(plan, 'tasks')['A'].description).to.match(/^### Why\n\n1\. one/);
  });
});
