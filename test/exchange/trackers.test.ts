import { expect } from 'chai';
import { readCsv } from '../../src/exchange/csv.ts';
import { github, readGithub } from '../../src/exchange/github.ts';
import { jira, readJira } from '../../src/exchange/jira.ts';
import { linear, readLinear } from '../../src/exchange/linear.ts';
import { treeInMemory } from '../../src/exchange/plan-files.ts';
import { planFormats } from '../../src/exchange/plan-formats.ts';
import { readTrello, trello } from '../../src/exchange/trello.ts';
import { readVibeKanban, vibeKanban } from '../../src/exchange/vibe-kanban.ts';
import { edgesOf, fileOf, filesOf, named, remarksOf } from './support.ts';

/** The names of the formats that detect a file. */
const detected = (path: string, text: string): string[] =>
  planFormats.filter((one) => one.kind === 'file' && one.detects(fileOf(path, text))).map(({ name }) => name);

/** As `gh issue list --state all --json number,title,body,state,…` prints it. */
const listed = [
  {
    ...{ number: 12, title: 'Log in', body: 'With a key.', state: 'OPEN', stateReason: '', id: 'I_kw1' },
    author: { id: 'U_1', is_bot: false, login: 'ada', name: 'Ada' },
    assignees: [
      { id: 'U_1', login: 'ada', name: 'Ada' },
      { id: 'U_2', login: 'bob', name: '' },
    ],
    labels: [
      { id: 'LA_1', name: 'bug', description: '', color: 'd73a4a' },
      { id: 'LA_2', name: 'priority: high', description: '', color: 'ff0000' },
    ],
    milestone: { number: 1, title: 'v1', description: 'The first.', dueOn: '2026-03-01T00:00:00Z' },
    comments: [
      {
        ...{ id: 'IC_1', author: { login: 'bob' }, authorAssociation: 'MEMBER', body: 'Agreed.' },
        createdAt: '2026-01-03T00:00:00Z',
      },
    ],
    ...{ createdAt: '2026-01-02T03:04:05Z', updatedAt: '2026-01-04T00:00:00Z', closedAt: null },
    ...{ url: 'https://github.com/o/r/issues/12', parent: { number: 14 }, blockedBy: { nodes: [{ number: 13 }] } },
  },
  { number: 13, title: 'Keys', body: '', state: 'CLOSED', stateReason: 'COMPLETED', labels: [], assignees: [] },
  { number: 14, title: 'Sign-in', state: 'CLOSED', stateReason: 'NOT_PLANNED', blockedBy: [{ number: 99 }] },
];

describe('Importing the issues of GitHub', () => {
  it('reads what gh prints [D9.moving.trackers]', () => {
    expect(detected('issues.json', JSON.stringify(listed))).to.deep.equal(['github']);
    // With the fields that people choose.
    for (const fields of [{ body: 'Deep.' }, { labels: [{ name: 'soil' }] }])
      expect(detected('open.json', JSON.stringify([{ number: 1, title: 'Dig', ...fields }]))).to.deep.equal(['github']);
    expect(detected('chapters.json', JSON.stringify([{ number: 1, title: 'Dig' }]))).to.deep.equal([]);
    expect(detected('steps.json', JSON.stringify([{ number: 1, title: 'Dig', page: 5 }]))).to.deep.equal([]);
    const plan = readGithub(listed, 'r');
    expect(plan.report.counts).to.deep.equal({ goals: 1, tasks: 3, comments: 1, tags: 3, edges: 2 });
    const tasks = named(plan, 'tasks');
    expect(tasks['Log in']).to.deep.include({
      ...{ status: 'todo', priority: 'high', assignee: 'ada', tags: ['bug', 'priority: high'] },
      ...{ created_at: '2026-01-02T03:04:05.000Z', goal: named(plan, 'goals')['v1'].id },
    });
    expect(tasks['Log in'].description)
      .to.match(/^With a key\.\n\n## Moved from GitHub\n/)
      .and.contain('- url: https://github.com/o/r/issues/12')
      .and.contain('- other assignees: bob');
    expect([tasks['Keys'].tags, tasks['Sign-in'].tags]).to.deep.equal([[], ['cancelled']]);
    expect([tasks['Keys'].status, tasks['Sign-in'].status]).to.deep.equal(['done', 'done']);
    expect(tasks['Sign-in'].description).to.contain('- closed as: NOT_PLANNED').and.contain('- blockedBy: 99');
    expect(edgesOf(plan)).to.deep.equal(['Log in -part_of-> Sign-in', 'Log in -depends_on-> Keys']);
    expect(named(plan, 'goals')['v1'].objective).to.contain('The first.').and.contain('- due: 2026-03-01');
    expect(plan.draft.lists.get('comments')![0]).to.include({ author: 'bob', target_id: tasks['Log in'].id });
  });

  it('reads pages of the REST interface, without pull requests [D9.moving.trackers]', () => {
    const address = 'https://api.github.com/repos/o/r/issues';
    const issue = {
      ...{ id: 1, node_id: 'I_1', number: 1, title: 'Dig', body: null, state: 'closed', state_reason: 'completed' },
      ...{ url: `${address}/1`, html_url: 'https://github.com/o/r/issues/1', labels: ['soil', { name: 'P0' }] },
      ...{ assignee: { login: 'ada' }, assignees: [{ login: 'ada' }], user: { login: 'eve' }, comments: 3 },
      ...{ created_at: '2026-01-02T00:00:00Z', type: { name: 'Bug' }, locked: false, reactions: { total_count: 1 } },
      ...{ parent_issue_url: `${address}/2`, milestone: { title: 'Old', state: 'closed', due_on: null } },
    };
    const other = { number: 2, title: 'Bed', state: 'open', html_url: 'https://github.com/o/r/issues/2' };
    const pull = { ...other, number: 3, pull_request: { url: 'x' } };
    for (const json of [
      [issue, other, pull],
      [[issue], [other, pull]],
      { total_count: 3, items: [issue, other, pull] },
    ]) {
      expect(github.kind === 'file' && github.detects(fileOf('a.json', JSON.stringify(json)))).to.equal(true);
      const plan = readGithub(json, 'r');
      const tasks = named(plan, 'tasks');
      expect(Object.keys(tasks)).to.deep.equal(['Dig', 'Bed']);
      expect(tasks['Dig']).to.deep.include({ status: 'done', priority: 'urgent', tags: ['soil', 'P0', 'Bug'] });
      expect(tasks['Dig'].description).to.not.contain('reactions').and.not.contain('node_id');
      expect(named(plan, 'goals')['Old'].status).to.equal('paused');
      expect(edgesOf(plan)).to.deep.equal(['Dig -part_of-> Bed']);
      expect(remarksOf(plan)).to.deep.equal([
        '1 × Comments that are not in the file: gh issue list --json comments prints them.',
      ]);
      expect(plan.report).to.have.property('left_out');
    }
    expect(() => readGithub([{ number: 1 }], 'r')).to.throw('[0] is not an issue');
    expect(detected('a.json', '[]')).to.deep.equal([]);
  });
});

describe('Importing the CSV of Linear', () => {
  const header =
    '"ID","Team","Title","Description","Status","Estimate","Priority","Project ID","Project","Creator","Assignee","Labels","Cycle Number","Cycle Name","Cycle Start","Cycle End","Created","Updated","Started","Triaged","Completed","Canceled","Archived","Due Date","Parent issue","Initiatives","Project Milestone ID","Project Milestone","SLA Status","UUID","Time in status (minutes)","Related to","Blocked by","Duplicate of"';
  const rows = [
    '"GDL-1","GDL","Rebuild pages","Line one\nline ""two"", ✓","In Progress","3","High","uuid-1","Site","Mike","mike@example.org","agent, seo","","","","","Wed May 13 2026 11:21:41 GMT+0000 (GMT+00:00)","","Thu May 14 2026 09:00:00 GMT+0000 (GMT+00:00)","","","","","Thu Jun 25 2026 23:00:00 GMT+0000 (GMT+00:00)","","","","","","u1","10","GDL-2","GDL-3","",',
    '"GDL-2","GDL","Child","","Shipped","","No priority","","","","","","","","","","","","","","Fri May 15 2026 09:00:00 GMT+0000 (GMT+00:00)","","","","GDL-1","","","","","u2","","GDL-1","",""',
    '"GDL-3","GDL","Draft it","","Duplicate","","Urgent","","Site","","","","","","","","","","","","","","","","GDL-9","","","","","u3","","","","GDL-1"',
  ];

  it('maps issues, projects and links [D9.moving.trackers]', () => {
    const text = [header, ...rows].join('\n');
    expect(detected('Export Wed May 13 2026.csv', text)).to.deep.equal(['linear']);
    expect(linear.kind).to.equal('file');
    const plan = readLinear(text, 'Plan');
    const tasks = named(plan, 'tasks');
    expect(tasks['Rebuild pages']).to.deep.include({
      ...{ status: 'in_progress', priority: 'high', assignee: 'mike@example.org', tags: ['agent', 'seo'] },
      ...{ due_date: '2026-06-26', created_at: '2026-05-13T11:21:41.000Z', goal: named(plan, 'goals')['Site'].id },
    });
    expect(tasks['Rebuild pages'].description)
      .to.match(/^Line one\nline "two", ✓\n\n## Moved from Linear\n/)
      .and.contain('- Estimate: 3')
      .and.not.contain('Blocked by');
    // A custom status of the team follows the times.
    expect(tasks['Child']).to.include({ status: 'done', priority: null });
    expect(tasks['Child'].description).to.contain('- Status: Shipped');
    expect(tasks['Draft it']).to.deep.include({ status: 'done', priority: 'urgent', tags: ['cancelled'] });
    expect(tasks['Draft it'].description).to.contain('- Parent issue: GDL-9');
    expect(edgesOf(plan)).to.deep.equal([
      'Rebuild pages -depends_on-> Draft it',
      'Rebuild pages -relates-> Child',
      'Child -part_of-> Rebuild pages',
      'Draft it -duplicates-> Rebuild pages',
    ]);
    expect(() => readLinear(`${header}\n"GDL-1","a" b`, 'Plan')).to.throw('The file is not CSV');
  });
});

describe('Importing the CSV of Jira', () => {
  const columns =
    'Summary,Issue key,Issue id,Issue Type,Status,Status Category,Project key,Priority,Resolution,Assignee,Reporter,Created,Due Date,Labels,Labels,Description,Component/s,Parent,Inward issue link (Blocks),Outward issue link (Blocks),Outward issue link (Relates),Outward issue link (Cloners),Custom field (Story Points),Comment,Comment,Attachment';
  const rows = [
    'Log in,ACME-12,10012,Story,Awaiting release,In Progress,ACME,Highest,,Bob Roy,Alice,03/Sep/26 9:05 PM,2026-10-01,research,vision,"h3. Why, indeed\nBecause",Web,10003,ACME-14,,ACME-14,ACME-3,5,05/Sep/26 11:00 AM;5b10ac;First; *and* more,plain text,05/Sep/26 11:00 AM;5b10ac;sketch.png;https://example.org/1',
    'Epic,ACME-3,10003,Epic,Done,Done,ACME,Low,Done,,Bob,01/Jun/2026 09:00,,,,,,,,,,,,,',
    'Keys,ACME-14,10014,Task,To Do,To Do,ACME,Medium,,,,2026-06-01 09:00,,,,,,,,ACME-12,,,,,,',
  ];

  it('maps issues, repeated columns, links, comments and attachments [D9.moving.trackers]', () => {
    const text = [columns, ...rows].join('\r\n');
    expect(detected('Jira.csv', text)).to.deep.equal(['jira']);
    expect(jira.kind).to.equal('file');
    const plan = readJira(text, 'Plan');
    const tasks = named(plan, 'tasks');
    expect(tasks['Log in']).to.deep.include({
      ...{ status: 'in_progress', priority: 'urgent', assignee: 'Bob Roy', due_date: '2026-10-01' },
      ...{ created_at: '2026-09-03T21:05:00.000Z', tags: ['research', 'vision', 'Web', 'Story'] },
    });
    expect(tasks['Log in'].description)
      .to.contain('Because')
      .and.contain('- Status: Awaiting release')
      .and.contain('- Custom field (Story Points): 5')
      .and.contain('- Outward issue link (Cloners): ACME-3');
    expect(tasks['Epic']).to.include({ status: 'done', created_at: '2026-06-01T09:00:00.000Z', priority: 'low' });
    expect(edgesOf(plan)).to.deep.equal([
      'Log in -part_of-> Epic',
      'Log in -depends_on-> Keys',
      'Log in -relates-> Keys',
      'Log in -relates-> Epic',
    ]);
    const comments = plan.draft.lists.get('comments')!;
    expect(comments.map(({ author, created_at }) => [author, created_at])).to.deep.equal([
      ['5b10ac', '2026-09-05T11:00:00.000Z'],
      ['Jira', undefined],
    ]);
    expect(comments[0]).to.include({ body: '<p>First; <strong>and</strong> more</p>', source: 'First; **and** more' });
    expect(tasks['Log in'].description).to.contain('- Attachment: 05/Sep/26 11:00 AM;5b10ac;sketch.png;https://');
    const reason = 'its file is not in the export; its address is in the text';
    expect(plan.report.left_out).to.deep.equal([
      { of: 'attachment', reason, count: 1, total: 1, places: ['ACME-12: sketch.png'], expected: false },
    ]);
  });

  it('reads other delimiters and the newer names of columns [D9.moving.trackers]', () => {
    const text = 'Summary;Work item key;Work item id;Work type;Status\nDig;A-1;1;Bug;Done\n';
    expect(detected('x.csv', text)).to.deep.equal(['jira']);
    expect(readJira('Summary,Issue key,Status,Project name\nDig,A-1,Done,Webshop\n', 'jira').draft.project).to.include({
      name: 'Webshop',
    });
    expect(named(readJira(text, 'Plan'), 'tasks')['Dig']).to.deep.include({ status: 'done', tags: ['Bug'] });
  });
});

describe('Importing any table of tasks', () => {
  it('reads what columns of the usual names say, and keeps the others [D9.moving.trackers]', () => {
    const text =
      'Title;State;Priority;Assigned to;Due date;Labels;Epic;Blocked by;Effort\nDig;Doing;Critical;Ada;2026-10-01;a, b;Beds;;3\nSow;Won\u2019t do;;;;;Beds;Dig, Rain;\n';
    expect(detected('plan.csv', text)).to.deep.equal(['csv']);
    const plan = readCsv(text, 'Plan');
    const { Dig: dig, Sow: sow } = named(plan, 'tasks');
    expect(dig).to.deep.include({ status: 'in_progress', priority: 'urgent', assignee: 'Ada', due_date: '2026-10-01' });
    expect(dig!['tags']).to.deep.equal(['a', 'b']);
    expect(dig!['description']).to.contain('- Effort: 3');
    expect(sow!['tags']).to.deep.equal(['cancelled']);
    expect(sow!['description']).to.contain('- Depends on: Rain');
    expect(edgesOf(plan)).to.deep.equal(['Sow -depends_on-> Dig']);
    expect(Object.keys(named(plan, 'goals'))).to.deep.equal(['Beds']);
    expect(detected('other.csv', 'Title,Price\nSpade,3\n')).to.deep.equal([]);
    expect(() => readCsv('Price\n3\n', 'Plan')).to.throw('no column for the title');
  });
});

describe('Importing a board of Trello', () => {
  const card = (id: string, name: string, more: object): object => ({
    ...{ id: id.padEnd(24, '0'), name, desc: '', closed: false, idList: 'l2', idMembers: [], labels: [], pos: 1 },
    ...{ badges: {}, due: null, dueComplete: false, shortLink: 'x', cover: {}, idChecklists: [], ...more },
  });
  const board = {
    ...{ id: 'b', name: 'Garden', desc: 'Everything.', prefs: {}, labelNames: {} },
    lists: [
      { id: 'l2', name: 'Doing', pos: 2, closed: false },
      { id: 'l1', name: 'Spring ideas', pos: 1, closed: false },
    ],
    members: [
      { id: 'm1', fullName: 'Ada', username: 'ada1' },
      { id: 'm2', fullName: '', username: 'bob' },
    ],
    customFields: [{ id: 'f1', name: 'Bed', type: 'text' }],
    checklists: [
      {
        ...{ id: 'c1', idCard: '63f9651e'.padEnd(24, '0'), name: 'Steps', pos: 1 },
        checkItems: [
          { name: 'second', state: 'incomplete', pos: 2 },
          { name: 'first', state: 'complete', pos: 1 },
        ],
      },
    ],
    cards: [
      card('63f9651e', 'Dig', {
        ...{ desc: 'Deep.', due: '2026-04-02T10:30:00.000Z', idMembers: ['m1', 'm2'], url: 'https://trello.com/c/x' },
        labels: [
          { name: 'soil', color: 'green' },
          { name: '', color: 'red' },
        ],
        ...{ attachments: [{ name: 'Plan', url: 'https://example.org/p' }], pos: 2 },
        customFieldItems: [{ idCustomField: 'f1', value: { text: 'North' } }],
      }),
      card('63f9651f', 'Rake', { dueComplete: true, pos: 1 }),
      card('63f96520', 'Dream', { idList: 'l1' }),
      card('63f96521', 'Forget', { idList: 'l1', closed: true, pos: 2 }),
    ],
    actions: [
      {
        ...{ id: 'a2', type: 'commentCard', date: '2026-02-02T00:00:00.000Z', memberCreator: { fullName: 'Ada' } },
        data: { card: { id: '63f9651e'.padEnd(24, '0') }, text: 'Later' },
      },
      {
        ...{ id: 'a1', type: 'commentCard', date: '2026-02-01T00:00:00.000Z', memberCreator: { username: 'bob' } },
        data: { card: { id: '63f9651e'.padEnd(24, '0') }, text: 'Earlier' },
      },
      { id: 'a0', type: 'createCard', data: {} },
      { id: 'a3', type: 'commentCard', date: 'x', data: { card: { id: 'gone' }, text: 'x' } },
    ],
  };

  it('maps cards, lists, checklists and comments [D9.moving.trackers]', () => {
    expect(detected('board.json', JSON.stringify(board))).to.deep.equal(['trello']);
    expect(trello.kind).to.equal('file');
    const plan = readTrello(board, 'x');
    expect(plan.draft.project).to.include({ name: 'Garden', description: 'Everything.' });
    const tasks = named(plan, 'tasks');
    expect(Object.keys(tasks)).to.deep.equal(['Dream', 'Forget', 'Rake', 'Dig']);
    expect(tasks['Dig']).to.deep.include({
      ...{ status: 'in_progress', assignee: 'Ada', due_date: '2026-04-02', tags: ['soil', 'red'] },
      created_at: '2023-02-25T01:32:14.000Z',
    });
    expect(tasks['Dig'].description)
      .to.match(/^Deep\.\n\n## Steps\n\n- \[x\] first\n- \[ \] second\n\n## Moved from Trello/)
      .and.contain('- Bed: North')
      .and.contain('- attachments: Plan: https://example.org/p')
      .and.contain('- other members: bob')
      .and.contain('- due: 2026-04-02T10:30');
    expect(tasks['Rake'].status).to.equal('done');
    expect(tasks['Dream']).to.deep.include({ status: 'todo', tags: ['Spring ideas'] });
    expect(tasks['Forget']).to.deep.include({ status: 'done', tags: ['cancelled', 'Spring ideas', 'archived'] });
    const comments = plan.draft.lists.get('comments')!;
    expect(comments.map(({ author }) => author)).to.deep.equal(['bob', 'Ada']);
  });
});

describe('Importing an export of Vibe Kanban', () => {
  const files = {
    'issues.csv':
      'Issue ID,Title,Description,Status,Priority,Project,Assignee(s),Labels,Creator,Created,Updated,Start Date,Due Date,Completed,Parent Issue\n' +
      'DOM-1,Log in,"With a\nkey",In review,High,Web,"Ada, Bob","bug, ui",Eve,2026-01-02T03:04:05+00:00,2026-01-02T03:04:05+00:00,,2026-03-01,,DOM-2\n' +
      'DOM-2,Sign-in,,Shipped,,Web,,,,2026-01-02T03:04:05+00:00,,,,2026-02-01,\n',
    'projects.csv': 'Name,Created,Updated\nWeb,2026-01-01T00:00:00+00:00,2026-01-01T00:00:00+00:00\n',
    'relationships.csv': 'Issue ID,Related Issue ID,Type,Created\nDOM-1,DOM-2,Related,2026-01-02T03:04:05+00:00\n',
    'comments.csv': 'Issue ID,Author,Message,Created,Updated\nDOM-1,Bob,Agreed.,2026-01-03T00:00:00+00:00,\n',
    'pull_requests.csv':
      'Issue ID(s),PR URL,PR Number,Status,Merged At,Target Branch\nDOM-1,https://x/pull/7,7,Open,,main\n',
    'attachments.csv':
      'Issue ID,Filename,Content Type,Size (bytes),File Path in ZIP\nDOM-1,a.png,image/png,3,attachments/DOM-1/a.png\nDOM-1,b.png,image/png,3,attachments/DOM-1/b.png\n',
    'attachments/DOM-1/a.png': 'png',
    'other.txt': 'x',
  };

  it('maps issues and the tables beside them [D9.moving.trackers]', () => {
    const tree = treeInMemory(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
    expect(vibeKanban.kind === 'directory' && vibeKanban.detects(tree, '')).to.equal(true);
    const plan = readVibeKanban(filesOf(files), 'Plan');
    const tasks = named(plan, 'tasks');
    expect(tasks['Log in']).to.deep.include({
      ...{ status: 'in_progress', priority: 'high', assignee: 'Ada', due_date: '2026-03-01', tags: ['bug', 'ui'] },
      goal: named(plan, 'goals')['Web'].id,
    });
    expect(tasks['Log in'].description)
      .to.contain('- other assignees: Bob')
      .and.contain('- pull request: https://x/pull/7 7 Open main')
      .and.match(/- attachment: \[a\.png\]\(.*files-1\)/);
    expect(tasks['Sign-in'].status).to.equal('done');
    expect(edgesOf(plan)).to.deep.equal(['Log in -part_of-> Sign-in', 'Log in -relates-> Sign-in']);
    expect(plan.draft.lists.get('comments')![0]).to.include({ author: 'Bob' });
    const left = JSON.stringify(plan.report);
    expect(left).to.contain('other.txt').and.contain('attachments/DOM-1/b.png');
  });
});
