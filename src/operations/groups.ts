import type { Group } from './declaration/operation.ts';

/**
 * The groups of operations in the OpenAPI description, in its order. A resource may declare a group of its own next to its operations: the
 * description lists it after these.
 */
export const groups = {
  projects: { name: 'Projects', description: 'Each holds a canvas of tasks and documents joined by labelled edges.' },
  canvas: { name: 'Canvas', description: 'Where tasks and documents are, and how they are joined.' },
  goals: { name: 'Goals', description: 'What tasks are for: worked in cycles and completed on evidence.' },
  tasks: { name: 'Tasks', description: 'Units of work, one cycle each.' },
  documents: { name: 'Documents', description: 'Markdown pages, linked to tasks and to each other.' },
  folders: { name: 'Folders', description: 'Where documents are.' },
  revisions: { name: 'Revisions', description: 'What was changed, by whom, and how it was before.' },
  notes: { name: 'Notes', description: 'Free-form Markdown.' },
  tags: { name: 'Tags', description: 'What tasks are marked with.' },
  edges: { name: 'Edges', description: 'Links between tasks and documents; some order work.' },
  files: { name: 'Files', description: 'Uploaded bytes.' },
  artifacts: { name: 'Artifacts', description: 'What agents deliver: Markdown or HTML.' },
  prototypes: { name: 'Prototypes', description: 'Flows of HTML screens.' },
  sharing: { name: 'Sharing', description: 'Links that give access to one resource without a credential.' },
  participants: { name: 'Participants', description: 'Guests who see a plan and submit to it.' },
  comments: { name: 'Comments', description: 'On documents, tasks, notes, submissions and files.' },
  agentRuns: { name: 'Agent runs', description: 'Sessions of agents with the progress that they report.' },
  views: { name: 'Views', description: 'Saved views of a project.' },
  search: { name: 'Search', description: 'Finding by title or label.' },
  keys: { name: 'Keys', description: 'Credentials of programs and agents.' },
  service: { name: 'Service', description: 'The service itself: state, checks, description.' },
} as const satisfies Readonly<Record<string, Group>>;
