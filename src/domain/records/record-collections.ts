import { limits } from '../../base/limits.ts';
import { priorityWords, taskStatusWords } from './status-synonyms.ts';
import type {
  Artifact,
  ArtifactRecord,
  ArtifactRow,
  CanvasRecord,
  Comment,
  CommentRecord,
  CommentRow,
  Document,
  DocumentRecord,
  DocumentRow,
  File,
  FileRecord,
  Folder,
  FolderRecord,
  Goal,
  GoalRecord,
  Note,
  NoteRecord,
  NoteRow,
  Project,
  ProjectRecord,
  Prototype,
  PrototypeRecord,
  PrototypeRow,
  Run,
  RunRecord,
  Submission,
  SubmissionRecord,
  SubmissionRow,
  Tag,
  TagRecord,
  Task,
  TaskRecord,
  TaskRow,
  View,
  ViewRecord,
  ViewRow,
} from '../../schema/types.ts';
import type { WholeMembers } from '../../store/index.ts';
import { declare } from './declare-collection.ts';
import type { UncheckedCollection } from './declare-collection.ts';
import { foldTagName } from './tag-name.ts';

/** A resource that lists show in full. */
interface Whole<T> {
  readonly details: T;
  readonly row: object;
}

/** A position or a size is one value, and so is a value whose kind changed. */
const whole: WholeMembers = {
  together: [
    ['x', 'y'],
    ['width', 'height'],
  ],
  kinds: ['kind', 'type'],
};

const project = declare<ProjectRecord, Whole<Project>>()({
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
  rebuilt: ({ name, list, newId }) => {
    const goals = [...list('goal')] as GoalRecord[];
    const general = goals.find((goal) => goal.name === 'General') ?? goals[0];
    return { name, default_goal_id: general?.id ?? newId('goal') };
  },
});

const canvas = declare<CanvasRecord>()({
  name: 'canvas',
  // Its id is fixed: the prefix is never used.
  id: 'view',
  location: { kind: 'single', file: 'canvas.json' },
  format: 'json',
  fields: {
    layout: { kind: 'json', always: true, given: true, merge: 'members', shown: 'internal' },
    created_at: {},
    updated_at: {},
  },
  whole,
});

const tag = declare<TagRecord, Whole<Tag>>()({
  name: 'tag',
  id: 'tag',
  list: 'tags',
  location: { kind: 'key', directory: 'tags', key: 'name', former: 'aliases' },
  format: 'json',
  fields: {
    name: { absent: '', always: true, given: true },
    color: {},
    aliases: { kind: 'texts', absent: [], merge: 'set', shown: 'internal' },
  },
  // Without fields that differ between branches that create the same tag.
  indexes: { name: ({ name, aliases }: TagRecord) => [name, ...aliases].map(foldTagName) },
});

/** Volatile and stable keys alternate: git merges two changed lines if an unchanged one is between them. */
const goal = declare<GoalRecord, Whole<Goal>>()({
  name: 'goal',
  id: 'goal',
  list: 'goals',
  counted: { as: 'goals' },
  location: { kind: 'slug', directory: 'goals', title: 'name' },
  format: 'markdown',
  fields: {
    status: { absent: 'active', always: true, versioned: 3 },
    id: { always: true },
    last_verification: { kind: 'json', versioned: 11 },
    created_at: { always: true },
    imported_from: { shown: 'internal' },
    remediation_task_id: { reference: true, shown: 'internal' },
    name: { always: true, versioned: 1, search: 'title' },
    archived_at: { versioned: 10 },
    verification_surface: { kind: 'json', versioned: 4, merge: 'members', computed: true },
    constraints: { versioned: 5, merge: 'lines', search: 'text' },
    boundaries: { versioned: 6, merge: 'lines', search: 'text' },
    iteration_policy: { versioned: 7, merge: 'lines', search: 'text' },
    stop_condition: { versioned: 8, merge: 'lines', search: 'text' },
    budget: { versioned: 9, merge: 'lines', search: 'text' },
    covers: { kind: 'texts', absent: [], versioned: 12, merge: 'set' },
    verification_state: { versioned: 13 },
    verification_behind: { kind: 'json' },
    pause_reason: {},
    aliases: { kind: 'texts', absent: [], merge: 'set', shown: 'internal' },
    links: { kind: 'links', absent: [], shown: 'internal' },
    objective: { in: 'body', absent: '', versioned: 2, merge: 'lines', search: 'text' },
  },
  whole,
  indexes: {
    /** Names and former names of a goal. */
    name: ({ name, aliases }: GoalRecord) => (name === null ? aliases : [name, ...aliases]),
    status: ({ status }: GoalRecord) => status,
  },
});

/** A task comes after the tasks in its list `after`, and before the tasks in its list `before`. */
const taskLists = { after: 'depends_on', before: undefined };

const task = declare<TaskRecord, { details: Task; row: TaskRow }>()({
  name: 'task',
  id: 'task',
  linkable: true,
  list: 'tasks',
  comments: 'record',
  counted: { as: 'tasks', index: 'status', keys: ['scope', 'todo', 'in_progress', 'done', 'backlog'] },
  location: { kind: 'slug', directory: 'tasks', title: 'label' },
  format: 'markdown',
  fields: {
    status: { absent: 'todo', always: true, versioned: 2, shown: 'row', synonyms: taskStatusWords },
    id: { always: true },
    assignee: { versioned: 8, shown: 'row' },
    kind: { absent: 'build', always: true, versioned: 3 },
    priority: { versioned: 4, shown: 'row', synonyms: priorityWords },
    created_at: { always: true },
    due_date: { versioned: 9 },
    imported_from: { shown: 'internal' },
    label: { absent: '', always: true, alias: 'title', given: true, versioned: 1, shown: 'row', search: 'title' },
    rank: {},
    lane: { versioned: 5 },
    goal: { always: true, versioned: 10, reference: true, shown: 'internal' },
    severity: { versioned: 6 },
    verified_at: { versioned: 13 },
    verified_ref: { versioned: 14 },
    covers: { kind: 'texts', absent: [], versioned: 15, merge: 'set' },
    gate: { versioned: 16 },
    proof: { kind: 'json', versioned: 17 },
    verification_state: { versioned: 18 },
    verification_behind: { kind: 'json' },
    branch: { versioned: 19 },
    position: { kind: 'json', computed: true },
    size: { kind: 'json', shown: 'internal' },
    commit_refs: { kind: 'json', absent: [], versioned: 12, merge: 'set' },
    aliases: { kind: 'texts', absent: [], merge: 'set', shown: 'internal' },
    tags: { kind: 'texts', absent: [], versioned: 11, merge: 'set', shown: 'row', computed: true },
    links: { kind: 'links', absent: [], lists: taskLists, shown: 'internal' },
    description: { in: 'body', absent: '', versioned: 7, merge: 'lines', search: 'text' },
  },
  indexes: {
    status: 'status',
    assignee: 'assignee',
    /** The reference as in the file: an id or a name. */
    goal: 'goal',
    tag: ({ tags }: TaskRecord) => tags.map(foldTagName),
    /**
     * Finished tasks that a person has not verified, and verified ones whose branch is not merged. Lane `auto` needs no person, unless its
     * branch could not be merged.
     */
    review: ({ status, verified_at: verifiedAt, lane, branch }: TaskRecord) => {
      if (status !== 'done') return undefined;
      if (verifiedAt === null) return lane !== 'auto' || branch !== null ? 'yes' : undefined;
      return branch === null ? undefined : 'approved';
    },
  },
});

const document = declare<DocumentRecord, { details: Document; row: DocumentRow }>()({
  name: 'document',
  id: 'document',
  linkable: true,
  list: 'documents',
  comments: 'record',
  counted: { as: 'documents' },
  location: { kind: 'tree', directory: 'documents', title: 'title', folder: 'folder_id', folders: 'folder' },
  format: 'markdown',
  fields: {
    status: { versioned: 3, shown: 'row' },
    id: { always: true },
    title: { absent: '', always: true, given: true, versioned: 1, shown: 'row', search: 'title' },
    created_at: { always: true },
    imported_from: { shown: 'internal' },
    position: { kind: 'json' },
    size: { kind: 'json', shown: 'internal' },
    aliases: { kind: 'texts', absent: [], merge: 'set', shown: 'internal' },
    links: { kind: 'links', absent: [], computed: true },
    body: { in: 'body', absent: '', versioned: 2, merge: 'lines', search: 'text' },
    folder_id: { in: 'path', versioned: 4, reference: true, shown: 'row', computed: true },
  },
  indexes: {
    folder: ({ folder_id: folder }: DocumentRecord) => folder ?? unfiled,
    placed: ({ position }: DocumentRecord) => (position === null ? undefined : 'yes'),
  },
});

const folder = declare<FolderRecord, Whole<Folder>>()({
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

const note = declare<NoteRecord, { details: Note; row: NoteRow }>()({
  name: 'note',
  id: 'note',
  list: 'notes',
  comments: 'record',
  counted: { as: 'notes' },
  location: { kind: 'title', directory: 'notes', title: 'title' },
  format: 'markdown',
  fields: {
    id: { always: true },
    title: { absent: '', always: true, given: true, versioned: 1, shown: 'row', search: 'title' },
    created_at: { always: true },
    body: { in: 'body', absent: '', versioned: 2, merge: 'lines', search: 'text' },
  },
});

const artifact = declare<ArtifactRecord, { details: Artifact; row: ArtifactRow }>()({
  name: 'artifact',
  id: 'artifact',
  linkable: true,
  list: 'artifacts',
  // A comment may be on any file, under the id or path that the caller chose.
  comments: 'any',
  counted: { as: 'artifacts' },
  location: { kind: 'slug', directory: 'artifacts', title: 'title' },
  format: 'markdown',
  alternative: { field: 'kind', value: 'html', format: 'html' },
  fields: {
    id: { always: true },
    kind: { absent: 'markdown', versioned: 2, shown: 'row' },
    created_at: { always: true },
    prototype_id: { versioned: 4, reference: true, computed: true },
    title: { absent: '', always: true, given: true, versioned: 1, shown: 'row', search: 'title' },
    aliases: { kind: 'texts', absent: [], merge: 'set', shown: 'internal' },
    links: { kind: 'links', absent: [], computed: true },
    content: { in: 'body', absent: '', versioned: 3, merge: 'lines', search: 'text' },
  },
  indexes: { prototype: ({ prototype_id: prototype }: ArtifactRecord) => prototype ?? undefined },
});

const prototype = declare<PrototypeRecord, { details: Prototype; row: PrototypeRow }>()({
  name: 'prototype',
  id: 'prototype',
  linkable: true,
  list: 'prototypes',
  counted: { as: 'prototypes' },
  location: { kind: 'slug', directory: 'prototypes', title: 'name' },
  format: 'json',
  fields: {
    id: { always: true },
    name: { absent: '', always: true, given: true, shown: 'row', search: 'title' },
    created_at: { always: true },
    viewport: { kind: 'json', always: true, given: true, shown: 'row' },
    updated_at: { always: true },
    aliases: { kind: 'texts', absent: [], merge: 'set', shown: 'internal' },
    links: { kind: 'links', absent: [], computed: true },
  },
});

const file = declare<FileRecord, Whole<File>>()({
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

const comment = declare<CommentRecord, { details: Comment; row: CommentRow }>()({
  name: 'comment',
  id: 'comment',
  list: 'comments',
  counted: { as: 'open_comments', index: 'resolved', keys: 'no' },
  location: { kind: 'grouped', directory: 'comments', group: 'target_id' },
  format: 'json',
  fields: {
    id: { always: true },
    target_type: { always: true, given: true, shown: 'row' },
    target_id: { always: true, given: true, reference: true, shown: 'row' },
    author: { always: true, given: true, shown: 'row' },
    created_at: { always: true },
    resolved: { kind: 'boolean', absent: false, always: true, shown: 'row' },
    passage: { shown: 'row' },
    anchor: { kind: 'json', shown: 'row' },
    body: { always: true, given: true, merge: 'lines', shown: 'row', computed: true, search: 'text' },
    source: { merge: 'lines', computed: true },
    updated_at: { always: true },
  },
  indexes: {
    target: ({ target_type: type, target_id: id }: CommentRecord) => `${type}:${id}`,
    resolved: ({ resolved }: CommentRecord) => (resolved ? 'yes' : 'no'),
  },
});

const submission = declare<SubmissionRecord, { details: Submission; row: SubmissionRow }>()({
  name: 'submission',
  id: 'submission',
  list: 'submissions',
  comments: 'record',
  counted: { as: 'pending_submissions', index: 'status', keys: 'pending' },
  location: { kind: 'slug', directory: 'submissions', title: 'title' },
  format: 'json',
  fields: {
    id: { always: true },
    status: { absent: 'pending', always: true, shown: 'row' },
    created_at: { always: true },
    linked_task_id: { reference: true, shown: 'row' },
    participant_name: { always: true, given: true, shown: 'row', search: 'text' },
    title: { always: true, given: true, shown: 'row', search: 'title' },
    severity: { shown: 'row' },
    task_ref: { reference: true, shown: 'row' },
    body: { absent: '', always: true, merge: 'lines', search: 'text' },
    updated_at: { always: true },
  },
  indexes: {
    status: ({ status }: SubmissionRecord) => status,
    task: ({ linked_task_id: linked }: SubmissionRecord) => linked ?? undefined,
  },
});

const view = declare<ViewRecord, { details: View; row: ViewRow }>()({
  name: 'view',
  id: 'view',
  list: 'views',
  location: { kind: 'slug', directory: 'views', title: 'name' },
  format: 'json',
  fields: {
    id: { always: true },
    name: { always: true, given: true, shown: 'row' },
    created_at: { always: true },
    position: { kind: 'number', absent: 0, always: true, shown: 'row' },
    config: { kind: 'json', always: true, given: true, merge: 'members', shown: 'row' },
    updated_at: { always: true },
  },
  whole,
  fileBytesMax: limits.viewFileBytesMax,
});

/** One file per run with its progress: a run is one agent's session, so no two branches append to one. */
const run = declare<RunRecord, Whole<Run>>()({
  name: 'run',
  id: 'run',
  list: 'runs',
  location: { kind: 'slug', directory: 'runs' },
  format: 'json',
  fields: {
    id: { always: true },
    status: { absent: 'running', always: true },
    label: { search: 'text' },
    task_id: { reference: true, computed: true },
    agent_ref: { search: 'text' },
    agent: { computed: true },
    branch: { computed: true },
    started_at: { always: true, given: true },
    commits: { kind: 'json', absent: [], merge: 'set', computed: true },
    completed_at: {},
    tokens: { kind: 'number', computed: true },
    awaiting: { kind: 'json', computed: true },
    cost_usd: { kind: 'number', computed: true },
    diff_stat: { kind: 'json', computed: true },
    events: { kind: 'json', absent: [], always: true, merge: 'members', search: 'text' },
    created_at: { always: true },
    updated_at: { always: true },
  },
  whole,
  indexes: {
    status: ({ status }: RunRecord) => status,
    task: ({ task_id: worked }: RunRecord) => worked ?? undefined,
  },
});

/** The key of records without a folder, in the indexes by folder. */
export const unfiled = '';

/** Every collection of a project. */
export const declared = [
  ...[project, canvas, tag, goal, task, document, folder, note, artifact, prototype, file, comment, submission],
  ...[view, run],
] as const;

/** Every collection in the form for the store and merging. */
export const uncheckedCollections: readonly UncheckedCollection[] = declared;
