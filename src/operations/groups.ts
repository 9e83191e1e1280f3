import type { Group } from './declaration/operation.ts';

/**
 * The groups of operations in the OpenAPI description, in its order. A resource may declare its own group next to its operations; the
 * description lists it after these.
 */
export const groups = {
  projects: { name: 'Projects', description: 'Each holds a canvas of tasks and documents joined by labelled edges.' },
  canvas: { name: 'Canvas', description: 'Positions of tasks and documents, and the edges between them.' },
  goals: { name: 'Goals', description: 'Groups of tasks, worked in cycles and completed on evidence.' },
  tasks: { name: 'Tasks', description: 'Units of work, one cycle each.' },
  documents: { name: 'Documents', description: 'Markdown pages, linked to tasks and to each other.' },
  folders: { name: 'Folders', description: 'Folders of documents.' },
  events: {
    name: 'Events',
    description: 'The feed: every change of a project, in one order, to be read and followed.',
  },
  revisions: { name: 'Revisions', description: 'What changed, who changed it, and the state before.' },
  trash: { name: 'Trash', description: 'Deleted records, which can be restored for 30 days.' },
  notes: { name: 'Notes', description: 'Free-form Markdown.' },
  tags: { name: 'Tags', description: 'Labels of tasks.' },
  edges: { name: 'Edges', description: 'Links between tasks and documents; some order work.' },
  files: { name: 'Files', description: 'Uploaded bytes.' },
  artifacts: { name: 'Artifacts', description: 'Deliverables of agents: Markdown or HTML.' },
  prototypes: { name: 'Prototypes', description: 'Flows of HTML screens.' },
  sharing: { name: 'Sharing', description: 'Links that give access to one resource without a credential.' },
  participants: { name: 'Participants', description: 'Links for guests who see a plan and submit to it.' },
  comments: { name: 'Comments', description: 'Comments on documents, tasks, notes, submissions and files.' },
  agentRuns: { name: 'Agent runs', description: 'Work of agents, with the progress that they report.' },
  views: { name: 'Views', description: 'Saved views of a project.' },
  search: { name: 'Search', description: 'Search by title, label or text.' },
  webhooks: { name: 'Webhooks', description: 'URLs to which the events of a project are sent.' },
  keys: { name: 'Keys', description: 'Credentials of programs and agents.' },
  service: { name: 'Service', description: 'The service itself: state, checks, description.' },
} as const satisfies Readonly<Record<string, Group>>;
