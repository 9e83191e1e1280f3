import { limits } from '../../limits.ts';
import type {
  ArtifactRecord,
  CommentRecord,
  DocumentRecord,
  FileRecord,
  FolderRecord,
  GoalRecord,
  RunRecord,
  SubmissionRecord,
  TagRecord,
  TaskRecord,
} from '../../schema/types.ts';
import type { Collection, Field, FieldKind, WholeMembers } from '../../store/index.ts';
import { foldTagName } from './tag-name.ts';

/** The declaration of a collection without validation of records: merging files needs no more, and starts faster without it. */
export type UncheckedCollection = Omit<Collection, 'validate'>;

const field = (name: string, kind: FieldKind = 'text', absent: unknown = null): Field => ({ name, kind, absent });
const always = (name: string, kind: FieldKind = 'text', absent: unknown = null): Field => ({
  ...field(name, kind, absent),
  always: true,
});
const links = field('links', 'links', []);
/** A position or a size is one value, and so is a value whose kind changed. */
const whole: WholeMembers = {
  together: [
    ['x', 'y'],
    ['width', 'height'],
  ],
  kinds: ['kind', 'type'],
};

const project: UncheckedCollection = {
  name: 'project',
  id: 'project',
  place: { kind: 'single', file: 'project.json' },
  shape: {
    format: 'json',
    fields: [
      ...[always('id'), always('name'), always('created_at'), field('description'), always('default_goal_id')],
      ...[field('repo_url'), field('folder_path'), always('updated_at')],
    ],
  },
  versioned: [],
  sets: [],
  texts: ['description'],
  paths: ['folder_path'],
};

const canvas: UncheckedCollection = {
  name: 'canvas',
  // Its id is fixed: the prefix is never used.
  id: 'view',
  place: { kind: 'single', file: 'canvas.json' },
  shape: { format: 'json', fields: [always('layout', 'json'), field('created_at'), field('updated_at')] },
  versioned: [],
  sets: [],
  texts: [],
  members: ['layout'],
  whole,
};

const tag: UncheckedCollection = {
  name: 'tag',
  id: 'tag',
  place: { kind: 'key', directory: 'tags', key: 'name', former: 'aliases' },
  // No field that differs between branches that create the same tag.
  shape: { format: 'json', fields: [always('name', 'text', ''), field('color'), field('aliases', 'texts', [])] },
  versioned: [],
  sets: ['aliases'],
  texts: [],
  indexes: { name: ({ name, aliases }: TagRecord) => [name, ...aliases].map(foldTagName) },
};

/** Volatile and stable keys alternate: git merges two changed lines if an unchanged one is between them. */
const goal: UncheckedCollection = {
  name: 'goal',
  id: 'goal',
  place: { kind: 'slug', directory: 'goals', title: 'name' },
  shape: {
    format: 'markdown',
    body: 'objective',
    fields: [
      ...[always('status', 'text', 'active'), always('id'), field('last_verification', 'json'), always('created_at')],
      ...[field('remediation_task_id'), always('name'), field('verification_surface', 'json'), field('constraints')],
      ...[field('boundaries'), field('iteration_policy'), field('stop_condition'), field('budget')],
      ...[field('aliases', 'texts', []), links],
    ],
  },
  versioned: [
    ...['name', 'objective', 'status', 'verification_surface', 'constraints', 'boundaries', 'iteration_policy'],
    ...['stop_condition', 'budget'],
  ],
  sets: ['aliases'],
  texts: ['objective', 'constraints', 'boundaries', 'iteration_policy', 'stop_condition', 'budget'],
  members: ['verification_surface'],
  whole,
  indexes: {
    /** Names and former names of a goal. */
    name: ({ name, aliases }: GoalRecord) => (name === null ? aliases : [name, ...aliases]),
    status: ({ status }: GoalRecord) => status,
  },
};

const task: UncheckedCollection = {
  name: 'task',
  id: 'task',
  place: { kind: 'slug', directory: 'tasks', title: 'label' },
  shape: {
    format: 'markdown',
    body: 'description',
    fields: [
      ...[always('status', 'text', 'todo'), always('id'), field('assignee'), always('kind', 'text', 'build')],
      ...[field('priority'), always('created_at'), field('due_date'), always('label', 'text', ''), field('lane')],
      ...[always('goal'), field('severity'), field('verified_at'), field('verified_ref'), field('position', 'json')],
      ...[field('size', 'json'), field('commit_refs', 'json', []), field('tags', 'texts', []), links],
    ],
  },
  versioned: [
    ...['label', 'status', 'kind', 'priority', 'lane', 'severity', 'description', 'assignee', 'due_date', 'goal'],
    ...['tags', 'commit_refs', 'verified_at', 'verified_ref'],
  ],
  sets: ['tags', 'commit_refs'],
  texts: ['description'],
  indexes: {
    status: ({ status }: TaskRecord) => status,
    assignee: ({ assignee }: TaskRecord) => assignee ?? undefined,
    /** The reference as in the file: an id or a name. */
    goal: ({ goal: reference }: TaskRecord) => reference ?? undefined,
    tag: ({ tags }: TaskRecord) => tags.map(foldTagName),
  },
};

const document: UncheckedCollection = {
  name: 'document',
  id: 'document',
  place: { kind: 'tree', directory: 'documents', title: 'title', folder: 'folder_id', folders: 'folder' },
  shape: {
    format: 'markdown',
    body: 'body',
    fields: [
      ...[field('status'), always('id'), always('title', 'text', ''), always('created_at')],
      ...[field('position', 'json'), field('size', 'json'), links],
    ],
  },
  versioned: ['title', 'body', 'status', 'folder_id'],
  sets: [],
  texts: ['body'],
  indexes: {
    folder: ({ folder_id: folder }: DocumentRecord) => folder ?? unfiled,
    placed: ({ position }: DocumentRecord) => (position === null ? undefined : 'yes'),
  },
};

const folder: UncheckedCollection = {
  name: 'folder',
  id: 'folder',
  place: { kind: 'folder', directory: 'documents', parent: 'parent_folder_id' },
  shape: { format: 'json', fields: [always('id'), field('name')] },
  versioned: [],
  sets: [],
  texts: [],
  indexes: { parent: ({ parent_folder_id: parent }: FolderRecord) => parent ?? unfiled },
};

const note: UncheckedCollection = {
  name: 'note',
  id: 'note',
  place: { kind: 'title', directory: 'notes', title: 'title' },
  shape: {
    format: 'markdown',
    body: 'body',
    fields: [always('id'), always('title', 'text', ''), always('created_at')],
  },
  versioned: ['title', 'body'],
  sets: [],
  texts: ['body'],
};

const artifact: UncheckedCollection = {
  name: 'artifact',
  id: 'artifact',
  place: { kind: 'slug', directory: 'artifacts', title: 'title' },
  shape: {
    format: 'markdown',
    body: 'content',
    fields: [
      ...[always('id'), field('kind', 'text', 'markdown'), always('created_at'), field('prototype_id')],
      ...[always('title', 'text', ''), links],
    ],
    alternative: { field: 'kind', value: 'html', format: 'html' },
  },
  versioned: ['title', 'kind', 'content', 'prototype_id'],
  sets: [],
  texts: ['content'],
  indexes: { prototype: ({ prototype_id: prototype }: ArtifactRecord) => prototype ?? undefined },
};

const prototype: UncheckedCollection = {
  name: 'prototype',
  id: 'prototype',
  place: { kind: 'slug', directory: 'prototypes', title: 'name' },
  shape: {
    format: 'json',
    fields: [
      ...[always('id'), always('name', 'text', ''), always('created_at'), always('viewport', 'json')],
      ...[always('updated_at'), links],
    ],
  },
  versioned: [],
  sets: [],
  texts: [],
};

const file: UncheckedCollection = {
  name: 'file',
  id: 'file',
  place: { kind: 'slug', directory: 'files', title: 'filename' },
  shape: {
    format: 'json',
    fields: [
      ...[always('id'), always('filename'), always('mime'), always('size', 'number'), always('sha256')],
      always('created_at'),
    ],
  },
  versioned: [],
  sets: [],
  texts: [],
  bytes: { sha256: 'sha256', size: 'size', name: 'filename' },
  indexes: { sha256: ({ sha256 }: FileRecord) => sha256 },
};

const comment: UncheckedCollection = {
  name: 'comment',
  id: 'comment',
  place: { kind: 'grouped', directory: 'comments', group: 'target_id' },
  shape: {
    format: 'json',
    fields: [
      ...[always('id'), always('target_type'), always('target_id'), always('author'), always('created_at')],
      ...[always('resolved', 'boolean', false), field('passage'), field('anchor', 'json'), always('body')],
      always('updated_at'),
    ],
  },
  versioned: [],
  sets: [],
  texts: ['body'],
  indexes: {
    target: ({ target_type: type, target_id: id }: CommentRecord) => `${type}:${id}`,
    resolved: ({ resolved }: CommentRecord) => (resolved ? 'yes' : 'no'),
  },
};

const submission: UncheckedCollection = {
  name: 'submission',
  id: 'submission',
  place: { kind: 'slug', directory: 'submissions', title: 'title' },
  shape: {
    format: 'json',
    fields: [
      ...[always('id'), always('status', 'text', 'pending'), always('created_at'), field('linked_task_id')],
      ...[always('participant_name'), always('title'), field('severity'), field('task_ref')],
      ...[always('body', 'text', ''), always('updated_at')],
    ],
  },
  versioned: [],
  sets: [],
  texts: ['body'],
  indexes: {
    status: ({ status }: SubmissionRecord) => status,
    task: ({ linked_task_id: linked }: SubmissionRecord) => linked ?? undefined,
  },
};

const view: UncheckedCollection = {
  name: 'view',
  id: 'view',
  place: { kind: 'slug', directory: 'views', title: 'name' },
  shape: {
    format: 'json',
    fields: [
      ...[always('id'), always('name'), always('created_at'), always('position', 'number', 0)],
      ...[always('config', 'json'), always('updated_at')],
    ],
  },
  versioned: [],
  sets: [],
  texts: [],
  members: ['config'],
  whole,
  fileBytesMax: limits.viewFileBytesMax,
};

/** One file per run with its progress: a run is one agent's session, so no two branches append to one. */
const run: UncheckedCollection = {
  name: 'run',
  id: 'run',
  place: { kind: 'slug', directory: 'runs' },
  shape: {
    format: 'json',
    fields: [
      ...[always('id'), always('status', 'text', 'running'), field('label'), field('agent_ref')],
      ...[always('started_at'), field('completed_at'), always('events', 'json', []), always('created_at')],
      always('updated_at'),
    ],
  },
  versioned: [],
  sets: [],
  texts: [],
  members: ['events'],
  whole,
  indexes: { status: ({ status }: RunRecord) => status },
};

/** The key of records without a folder, in the indexes by folder. */
export const unfiled = '';

/** Every collection of a project. */
export const uncheckedCollections: readonly UncheckedCollection[] = [
  ...[project, canvas, tag, goal, task, document, folder, note, artifact, prototype, file, comment, submission],
  ...[view, run],
];
