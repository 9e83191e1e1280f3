import { readGithub } from '../../src/exchange/github.ts';
import type { ImportedPlan } from '../../src/exchange/imported-plan.ts';
import { readBeads } from '../../src/exchange/beads.ts';
import { readTaskmaster } from '../../src/exchange/taskmaster.ts';
import { readTrello } from '../../src/exchange/trello.ts';

/** A plan of another tool that has most members that the tool writes, and its reader. */
export interface ForeignPlan {
  readonly name: string;
  readonly document: object;
  // A broken plan holds anything.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly read: (document: any) => ImportedPlan;
}

const time = '2026-01-02T03:04:05Z';
const comment = { author: { login: 'ada' }, body: 'Agreed: <b>yes</b>.', createdAt: time };

const github = [
  {
    ...{
      number: 1,
      title: 'Dig',
      body: 'Deep.',
      state: 'OPEN',
      stateReason: '',
      url: 'https://github.com/o/r/issues/1',
    },
    ...{ labels: { nodes: [{ name: 'bug' }, { name: 'P1' }] }, assignees: [{ login: 'ada' }], author: { login: 'bo' } },
    ...{ milestone: { title: 'v1', dueOn: time, state: 'open' }, comments: [comment], createdAt: time, closedAt: null },
    ...{ parent: { number: 2 }, blockedBy: { nodes: [{ number: 3 }] }, projectItems: { nodes: [{ title: 'Board' }] } },
  },
  { number: 2, title: 'Bed', state: 'CLOSED', stateReason: 'NOT_PLANNED', subIssues: ['o/r#3'], comments: 4 },
  { number: 3, title: 'Rake', closed: true, closedAt: time, html_url: 'https://github.com/o/x/issues/3' },
];

const trello = {
  ...{
    name: 'Garden',
    desc: 'All.',
    lists: [{ id: 'l1', name: 'Doing', pos: 1 }],
    labels: [{ id: 'lb', name: 'soil' }],
  },
  customFields: [{ id: 'f', name: 'Stage', options: [{ id: 'o', value: { text: 'Built' } }] }],
  checklists: [
    { idCard: 'c1', name: 'Steps', checkItems: [{ name: 'Fill', state: 'complete', due: time, idMember: 'm' }] },
  ],
  members: [{ id: 'm', fullName: 'Ada' }],
  cards: [
    {
      ...{ id: 'c1', idList: 'l1', name: 'Dig', desc: 'Deep.', due: time, dueComplete: false, closed: false, pos: 1 },
      ...{
        idMembers: ['m'],
        idLabels: ['lb'],
        labels: [{ name: 'soil', color: 'red' }],
        url: 'https://trello.com/c/1',
      },
      ...{
        customFieldItems: [{ idCustomField: 'f', idValue: 'o', value: null }],
        attachments: [{ name: 'a', url: 'b' }],
      },
    },
  ],
  actions: [
    { type: 'commentCard', date: time, memberCreator: { fullName: 'Bo' }, data: { card: { id: 'c1' }, text: 'Hi' } },
  ],
};

const taskmaster = {
  master: {
    metadata: { description: 'Main', created: time },
    tasks: [
      { id: 1, title: 'Dig', description: 'Deep.', details: 'x', status: 'done', priority: 'high', dependencies: [] },
      {
        id: 2,
        title: 'Sow',
        status: 'cancelled',
        dependencies: [1],
        subtasks: [{ id: 1, title: 'Buy', dependencies: ['2'] }],
      },
    ],
  },
};

const beads = [
  {
    ...{ id: 'a-1', title: 'Dig', status: 'closed', priority: 1, issue_type: 'bug', created_at: time, due_at: time },
    ...{
      labels: ['soil'],
      assignee: 'ada',
      description: 'Deep.',
      notes: 'Wet.',
      closed_at: time,
      close_reason: 'Done',
    },
    ...{ comments: [{ author: 'bo', text: 'Map<K, V>', created_at: time }] },
    dependencies: [{ depends_on_id: 'a-2', type: 'blocks', created_at: time, metadata: '{"x":1}' }],
  },
  { id: 'a-2', title: 'Buy', status: 'open', dependencies: [{ depends_on_id: 'a-1', type: 'related' }] },
];

export const foreignPlans: readonly ForeignPlan[] = [
  { name: 'GitHub', document: github, read: (document) => readGithub(document, 'x') },
  { name: 'Trello', document: trello, read: (document) => readTrello(document, 'x') },
  { name: 'Taskmaster', document: taskmaster, read: (document) => readTaskmaster(document, 'x') },
  {
    name: 'beads',
    document: beads,
    read: (document: readonly unknown[]) =>
      readBeads(document.map((line) => JSON.stringify(line)).join('\n'), { name: 'x', withDeleted: true }),
  },
];
