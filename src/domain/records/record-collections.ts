import { limits } from '../../limits.ts';
import type {
  ArtifactRecord,
  CanvasRecord,
  CommentRecord,
  DocumentRecord,
  FileRecord,
  FolderRecord,
  GoalRecord,
  NoteRecord,
  ProjectRecord,
  PrototypeRecord,
  RunRecord,
  SubmissionRecord,
  TagRecord,
  TaskRecord,
  ViewRecord,
} from '../../schema/types.ts';
import type { WholeMembers } from '../../store/index.ts';
import { declare } from './declare-collection.ts';
import type { FieldRule, UncheckedCollection } from './declare-collection.ts';
import { foldTagName } from './tag-name.ts';

/** A position or a size is one value, and so is a value whose kind changed. */
const whole: WholeMembers = {
  together: [
    ['x', 'y'],
    ['width', 'height'],
  ],
  kinds: ['kind', 'type'],
};

const project = declare<ProjectRecord>()({
  name: 'project',
  id: 'project',
  location: { kind: 'single', file: 'project.json' },
  format: 'json',
  fields: {
    id: { always: true },
    name: { always: true, given: true },
    created_at: { always: true },
    description: { merge: 'lines' },
    default_goal_id: { always: true, given: true },
    repo_url: {},
    folder_path: { path: true },
    updated_at: { always: true },
  },
});

const canvas = declare<CanvasRecord>()({
  name: 'canvas',
  // Its id is fixed: the prefix is never used.
  id: 'view',
  location: { kind: 'single', file: 'canvas.json' },
  format: 'json',
  fields: {
    layout: { kind: 'json', always: true, given: true, merge: 'members' },
    created_at: {},
    updated_at: {},
  },
  whole,
});

const tag = declare<TagRecord>()({
  name: 'tag',
  id: 'tag',
  list: 'tags',
  location: { kind: 'key', directory: 'tags', key: 'name', former: 'aliases' },
  format: 'json',
  fields: {
    name: { absent: '', always: true, given: true },
    color: {},
    aliases: { kind: 'texts', absent: [], merge: 'set' },
  },
  // No field that differs between branches that create the same tag.
  indexes: { name: ({ name, aliases }: TagRecord) => [name, ...aliases].map(foldTagName) },
});

/** Volatile and stable keys alternate: git merges two changed lines if an unchanged one is between them. */
const goal = declare<GoalRecord>()({
  name: 'goal',
  id: 'goal',
  list: 'goals',
  location: { kind: 'slug', directory: 'goals', title: 'name' },
  format: 'markdown',
  fields: {
    status: { absent: 'active', always: true, versioned: 3 },
    id: { always: true },
    last_verification: { kind: 'json' },
    created_at: { always: true },
    remediation_task_id: { reference: true },
    name: { always: true, versioned: 1 },
    verification_surface: { kind: 'json', versioned: 4, merge: 'members' },
    constraints: { versioned: 5, merge: 'lines' },
    boundaries: { versioned: 6, merge: 'lines' },
    iteration_policy: { versioned: 7, merge: 'lines' },
    stop_condition: { versioned: 8, merge: 'lines' },
    budget: { versioned: 9, merge: 'lines' },
    aliases: { kind: 'texts', absent: [], merge: 'set' },
    links: { kind: 'links', absent: [] },
    objective: { in: 'body', absent: '', versioned: 2, merge: 'lines' },
  },
  whole,
  indexes: {
    /** Names and former names of a goal. */
    name: ({ name, aliases }: GoalRecord) => (name === null ? aliases : [name, ...aliases]),
    status: ({ status }: GoalRecord) => status,
  },
});

const task = declare<TaskRecord>()({
  name: 'task',
  id: 'task',
  list: 'tasks',
  location: { kind: 'slug', directory: 'tasks', title: 'label' },
  format: 'markdown',
  fields: {
    status: { absent: 'todo', always: true, versioned: 2 },
    id: { always: true },
    assignee: { versioned: 8 },
    kind: { absent: 'build', always: true, versioned: 3 },
    priority: { versioned: 4 },
    created_at: { always: true },
    due_date: { versioned: 9 },
    label: { absent: '', always: true, given: true, versioned: 1 },
    lane: { versioned: 5 },
    goal: { always: true, versioned: 10, reference: true },
    severity: { versioned: 6 },
    verified_at: { versioned: 13 },
    verified_ref: { versioned: 14 },
    position: { kind: 'json' },
    size: { kind: 'json' },
    commit_refs: { kind: 'json', absent: [], versioned: 12, merge: 'set' },
    tags: { kind: 'texts', absent: [], versioned: 11, merge: 'set' },
    links: { kind: 'links', absent: [] },
    description: { in: 'body', absent: '', versioned: 7, merge: 'lines' },
  },
  indexes: {
    status: ({ status }: TaskRecord) => status,
    assignee: ({ assignee }: TaskRecord) => assignee ?? undefined,
    /** The reference as in the file: an id or a name. */
    goal: ({ goal: reference }: TaskRecord) => reference ?? undefined,
    tag: ({ tags }: TaskRecord) => tags.map(foldTagName),
  },
});

const document = declare<DocumentRecord>()({
  name: 'document',
  id: 'document',
  list: 'documents',
  location: { kind: 'tree', directory: 'documents', title: 'title', folder: 'folder_id', folders: 'folder' },
  format: 'markdown',
  fields: {
    status: { versioned: 3 },
    id: { always: true },
    title: { absent: '', always: true, given: true, versioned: 1 },
    created_at: { always: true },
    position: { kind: 'json' },
    size: { kind: 'json' },
    links: { kind: 'links', absent: [] },
    body: { in: 'body', absent: '', versioned: 2, merge: 'lines' },
    folder_id: { in: 'path', versioned: 4, reference: true },
  },
  indexes: {
    folder: ({ folder_id: folder }: DocumentRecord) => folder ?? unfiled,
    placed: ({ position }: DocumentRecord) => (position === null ? undefined : 'yes'),
  },
});

const folder = declare<FolderRecord>()({
  name: 'folder',
  id: 'folder',
  list: 'folders',
  location: { kind: 'folder', directory: 'documents', parent: 'parent_folder_id' },
  format: 'json',
  fields: {
    id: { always: true },
    name: { given: true },
    parent_folder_id: { in: 'path', reference: true },
  },
  indexes: { parent: ({ parent_folder_id: parent }: FolderRecord) => parent ?? unfiled },
});

const note = declare<NoteRecord>()({
  name: 'note',
  id: 'note',
  list: 'notes',
  location: { kind: 'title', directory: 'notes', title: 'title' },
  format: 'markdown',
  fields: {
    id: { always: true },
    title: { absent: '', always: true, given: true, versioned: 1 },
    created_at: { always: true },
    body: { in: 'body', absent: '', versioned: 2, merge: 'lines' },
  },
});

const artifact = declare<ArtifactRecord>()({
  name: 'artifact',
  id: 'artifact',
  list: 'artifacts',
  location: { kind: 'slug', directory: 'artifacts', title: 'title' },
  format: 'markdown',
  alternative: { field: 'kind', value: 'html', format: 'html' },
  fields: {
    id: { always: true },
    kind: { absent: 'markdown', versioned: 2 },
    created_at: { always: true },
    prototype_id: { versioned: 4, reference: true },
    title: { absent: '', always: true, given: true, versioned: 1 },
    links: { kind: 'links', absent: [] },
    content: { in: 'body', absent: '', versioned: 3, merge: 'lines' },
  },
  indexes: { prototype: ({ prototype_id: prototype }: ArtifactRecord) => prototype ?? undefined },
});

const prototype = declare<PrototypeRecord>()({
  name: 'prototype',
  id: 'prototype',
  list: 'prototypes',
  location: { kind: 'slug', directory: 'prototypes', title: 'name' },
  format: 'json',
  fields: {
    id: { always: true },
    name: { absent: '', always: true, given: true },
    created_at: { always: true },
    viewport: { kind: 'json', always: true, given: true },
    updated_at: { always: true },
    links: { kind: 'links', absent: [] },
  },
});

const file = declare<FileRecord>()({
  name: 'file',
  id: 'file',
  list: 'files',
  location: { kind: 'slug', directory: 'files', title: 'filename' },
  format: 'json',
  fields: {
    id: { always: true },
    filename: { always: true, given: true },
    mime: { always: true, given: true },
    size: { kind: 'number', always: true, given: true },
    sha256: { always: true, given: true },
    created_at: { always: true },
  },
  bytes: { sha256: 'sha256', size: 'size', name: 'filename' },
  indexes: { sha256: ({ sha256 }: FileRecord) => sha256 },
});

const comment = declare<CommentRecord>()({
  name: 'comment',
  id: 'comment',
  list: 'comments',
  location: { kind: 'grouped', directory: 'comments', group: 'target_id' },
  format: 'json',
  fields: {
    id: { always: true },
    target_type: { always: true, given: true },
    target_id: { always: true, given: true, reference: true },
    author: { always: true, given: true },
    created_at: { always: true },
    resolved: { kind: 'boolean', absent: false, always: true },
    passage: {},
    anchor: { kind: 'json' },
    body: { always: true, given: true, merge: 'lines' },
    updated_at: { always: true },
  },
  indexes: {
    target: ({ target_type: type, target_id: id }: CommentRecord) => `${type}:${id}`,
    resolved: ({ resolved }: CommentRecord) => (resolved ? 'yes' : 'no'),
  },
});

const submission = declare<SubmissionRecord>()({
  name: 'submission',
  id: 'submission',
  list: 'submissions',
  location: { kind: 'slug', directory: 'submissions', title: 'title' },
  format: 'json',
  fields: {
    id: { always: true },
    status: { absent: 'pending', always: true },
    created_at: { always: true },
    linked_task_id: { reference: true },
    participant_name: { always: true, given: true },
    title: { always: true, given: true },
    severity: {},
    task_ref: { reference: true },
    body: { absent: '', always: true, merge: 'lines' },
    updated_at: { always: true },
  },
  indexes: {
    status: ({ status }: SubmissionRecord) => status,
    task: ({ linked_task_id: linked }: SubmissionRecord) => linked ?? undefined,
  },
});

const view = declare<ViewRecord>()({
  name: 'view',
  id: 'view',
  list: 'views',
  location: { kind: 'slug', directory: 'views', title: 'name' },
  format: 'json',
  fields: {
    id: { always: true },
    name: { always: true, given: true },
    created_at: { always: true },
    position: { kind: 'number', absent: 0, always: true },
    config: { kind: 'json', always: true, given: true, merge: 'members' },
    updated_at: { always: true },
  },
  whole,
  fileBytesMax: limits.viewFileBytesMax,
});

/** One file per run with its progress: a run is one agent's session, so no two branches append to one. */
const run = declare<RunRecord>()({
  name: 'run',
  id: 'run',
  list: 'runs',
  location: { kind: 'slug', directory: 'runs' },
  format: 'json',
  fields: {
    id: { always: true },
    status: { absent: 'running', always: true },
    label: {},
    agent_ref: {},
    started_at: { always: true, given: true },
    completed_at: {},
    events: { kind: 'json', absent: [], always: true, merge: 'members' },
    created_at: { always: true },
    updated_at: { always: true },
  },
  whole,
  indexes: { status: ({ status }: RunRecord) => status },
});

/** Members that the store fills. */
const kept: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

/** The key of records without a folder, in the indexes by folder. */
export const unfiled = '';

/** Every collection of a project. */
export const declared = [
  ...[project, canvas, tag, goal, task, document, folder, note, artifact, prototype, file, comment, submission],
  ...[view, run],
] as const;

type Declaration = (typeof declared)[number];
type Named<N extends Declaration['name']> = Extract<Declaration, { readonly name: N }>;
type RecordOf<D> = D extends { readonly types?: { readonly record: infer R } } ? R : never;
type GivenOf<D> = D extends { readonly types?: { readonly given: infer G } } ? G : never;

/** What a project holds, by the names of its collections. */
export type PlannerCollections = { [N in Declaration['name']]: RecordOf<Named<N>> };

/** The collections whose records have a history. */
export type VersionedName = {
  [N in Declaration['name']]: Named<N> extends { readonly types?: { readonly history: true } } ? N : never;
}[Declaration['name']];

export const uncheckedCollections: readonly UncheckedCollection[] = declared;

/** Collections that an export has a list of. */
export const listedCollections = declared.filter(({ list }) => list !== undefined);

/** What is said of a new record: what its collection wants to be given, and what differs from the defaults. */
export type NewRecord<N extends Declaration['name']> = { readonly id: string; readonly created_at: string } & Partial<
  RecordOf<Named<N>>
> &
  Pick<RecordOf<Named<N>>, Extract<GivenOf<Named<N>>, keyof RecordOf<Named<N>>>>;

/** The value that each field of a collection has if a new record is given none. */
const defaults = new Map(
  declared.map(({ name, fields }) => [
    name,
    Object.entries<FieldRule>(fields)
      .filter(([field]) => !kept.has(field))
      .map(([field, { absent = null }]) => [field, absent] as const),
  ]),
);

/** A new record: what is given of its fields, and their defaults for what is absent or undefined. Other members are left out. */
export function newRecord<N extends Declaration['name']>(
  collection: N,
  given: NewRecord<N>,
): Omit<RecordOf<Named<N>>, 'updated_at'> {
  const { id, created_at } = given;
  const members = given as Readonly<Record<string, unknown>>;
  const record: Record<string, unknown> = { id, created_at };
  for (const [field, absent] of defaults.get(collection)!) {
    const value = members[field];
    record[field] = value === undefined ? absent : value;
  }
  return record as Omit<RecordOf<Named<N>>, 'updated_at'>;
}
