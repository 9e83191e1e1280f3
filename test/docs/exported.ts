/** Exports of other tools, in the shapes of their files, for the pages on moving from them. */
export const exported: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  jira: {
    'jira.csv': `Summary,Issue key,Issue id,Issue Type,Status,Status Category,Project key,Project name,Priority,Resolution,Assignee,Created,Due date,Labels,Labels,Description,Inward issue link (Blocks),Parent,Sprint,Comment
Checkout,SHOP-1,10001,Epic,To Do,To Do,SHOP,Webshop,High,,,02/Mar/26 9:30 AM,,,,h2. Goal,,,,
Take payments,SHOP-2,10002,Story,In Progress,In Progress,SHOP,Webshop,Highest,,ann,02/Mar/26 9:31 AM,2026-04-01,api,money,"h2. What
*Cards* first, {{invoices}} later.",,10001,Sprint 4,"02/Mar/26 10:00 AM;ann;Which currencies?"
Send invoices,SHOP-3,10003,Task,Done,Done,SHOP,Webshop,Low,Done,,02/Mar/26 9:32 AM,,,,,SHOP-2,10001,,
`,
  },
  github: {
    'issues.github': JSON.stringify([
      {
        ...{ number: 1, title: 'Take payments', body: 'Cards first.', state: 'OPEN', stateReason: '' },
        ...{ labels: [{ name: 'P1' }, { name: 'api' }], assignees: [{ login: 'ann' }], author: { login: 'ann' } },
        ...{ milestone: { title: 'Opening', number: 1 }, createdAt: '2026-03-02T09:30:00Z' },
        comments: [{ author: { login: 'bob' }, body: 'Which currencies?', createdAt: '2026-03-02T10:00:00Z' }],
        url: 'https://github.com/example/web-shop/issues/1',
      },
      {
        ...{ number: 2, title: 'Send invoices', body: '', state: 'CLOSED', stateReason: 'COMPLETED' },
        ...{ labels: [], assignees: [], author: { login: 'bob' }, comments: [] },
        ...{ milestone: { title: 'Opening', number: 1 }, createdAt: '2026-03-02T09:31:00Z' },
        url: 'https://github.com/example/web-shop/issues/2',
      },
    ]),
  },
  linear: {
    'linear.csv': `"ID","Team","Title","Description","Status","Estimate","Priority","Project ID","Project","Creator","Assignee","Labels","Cycle Number","Created","Started","Completed","Canceled","Due Date","Parent issue","Related to","Blocked by","Duplicate of"
"SHO-1","Shop","Take payments","Cards first.","In Review","3","High","p1","Checkout","ann","ann","api","4","2026-03-02T09:30:00.000Z","2026-03-03T09:30:00.000Z","","","2026-04-01","","","",""
"SHO-2","Shop","Send invoices","","Done","","Low","p1","Checkout","ann","","","","2026-03-02T09:31:00.000Z","","2026-03-04T09:30:00.000Z","","","","","SHO-1",""
`,
  },
  trello: {
    'board.json': JSON.stringify({
      ...{ id: 'b1', name: 'Web shop', desc: '', members: [{ id: 'm1', username: 'ann', fullName: 'Ann' }] },
      lists: [
        { id: 'l1', name: 'Doing', closed: false, pos: 1 },
        { id: 'l2', name: 'Ideas', closed: false, pos: 2 },
      ],
      labels: [{ id: 'c1', name: 'money', color: 'green' }],
      cards: [
        {
          ...{ id: 'k1', name: 'Take payments', desc: 'Cards first.', idList: 'l1', pos: 1, closed: false },
          ...{ idLabels: ['c1'], idMembers: ['m1'], idChecklists: ['h1'], due: null },
        },
        { id: 'k2', name: 'Gift cards', desc: '', idList: 'l2', pos: 1, closed: false, idLabels: [], idMembers: [] },
      ],
      checklists: [
        { id: 'h1', idCard: 'k1', name: 'Cards', checkItems: [{ name: 'Debit', state: 'complete', pos: 1 }] },
      ],
      actions: [],
    }),
  },
  'backlog-md': {
    'backlog/config.yml': 'project_name: "Web shop"\nstatuses: ["To Do", "In Progress", "Done"]\n',
    'backlog/tasks/task-1 - Take-payments.md': `---
id: task-1
title: Take payments
status: In Progress
assignee: ['@ann']
created_date: '2026-03-02 09:30'
labels: [api]
dependencies: []
priority: high
---

## Description

Cards first.

## Acceptance Criteria
- [ ] #1 Refunds work
`,
    'backlog/tasks/task-2 - Send-invoices.md': `---
id: task-2
title: Send invoices
status: To Do
assignee: []
created_date: '2026-03-02 09:31'
labels: []
dependencies: [task-1]
---
`,
    'backlog/decisions/decision-1 - Use-one-currency.md':
      "---\nid: decision-1\ntitle: Use one currency\ndate: '2026-03-02'\nstatus: accepted\n---\n\nEuros.\n",
  },
  beads: {
    '.beads/issues.jsonl': [
      {
        ...{ id: 'shop-a1b', title: 'Take payments', description: 'Cards first.', status: 'open', priority: 0 },
        ...{ issue_type: 'bug', created_at: '2026-03-02T09:30:00Z', updated_at: '2026-03-02T09:30:00Z' },
      },
      {
        ...{ id: 'shop-c3d', title: 'Send invoices', status: 'open', priority: 2, issue_type: 'task' },
        ...{ created_at: '2026-03-02T09:31:00Z', updated_at: '2026-03-02T09:31:00Z' },
        dependencies: [{ issue_id: 'shop-c3d', depends_on_id: 'shop-a1b', type: 'blocks' }],
      },
    ]
      .map((issue) => `${JSON.stringify(issue)}\n`)
      .join(''),
  },
  taskmaster: {
    '.taskmaster/tasks/tasks.json': JSON.stringify({
      master: {
        tasks: [
          {
            ...{ id: 1, title: 'Take payments', description: 'Cards first.', status: 'done', priority: 'high' },
            ...{ details: '', testStrategy: '', dependencies: [], subtasks: [] },
          },
          {
            ...{ id: 2, title: 'Send invoices', description: '', status: 'pending', priority: 'medium' },
            ...{ details: '', testStrategy: 'Read one.', dependencies: [1] },
            subtasks: [
              { id: 1, title: 'Write the template', description: '', status: 'pending', dependencies: [], details: '' },
            ],
          },
        ],
        metadata: { description: 'Opening' },
      },
    }),
  },
  obsidian: {
    'Shop.md': '# Web shop\n\nWhat we sell.\n\n## Checkout\n\n- [/] Take payments\n- [ ] Send invoices\n- an idea\n',
    'Shop.canvas': JSON.stringify({
      nodes: [
        { id: 'a', type: 'text', text: 'Gift cards', x: 0, y: 0, width: 250, height: 60 },
        { id: 'b', type: 'text', text: '- [ ] Codes', x: 400, y: 0, width: 250, height: 60 },
      ],
      edges: [{ id: 'e', fromNode: 'b', toNode: 'a', label: 'depends_on' }],
    }),
  },
};
