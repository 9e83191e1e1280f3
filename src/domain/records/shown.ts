/** Made from `schemas/` and `record-collections.ts` by `npm run generate`. Do not edit: edit these. */
import type {
  Artifact,
  ArtifactRecord,
  ArtifactRow,
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

/**
 * Records in the form for callers, by collection: `details`, and for collections with rows also `row` and `head`, which is without the
 * text. `added` has the members that are not fields, and those with a computed value.
 */
export const shown = {
  project: {
    details(project: ProjectRecord): Project {
      return {
        id: project.id,
        name: project.name,
        description: project.description,
        repo_url: project.repo_url,
        folder_path: project.folder_path,
        default_goal_id: project.default_goal_id,
        created_at: project.created_at,
        updated_at: project.updated_at,
      };
    },
  },
  tag: {
    details(tag: TagRecord, added: Pick<Tag, 'project_id'>): Tag {
      return {
        id: tag.id,
        project_id: added.project_id,
        name: tag.name,
        color: tag.color,
        created_at: tag.created_at,
        updated_at: tag.updated_at,
      };
    },
  },
  goal: {
    details(goal: GoalRecord, added: Pick<Goal, 'project_id' | 'verification_surface'>): Goal {
      return {
        id: goal.id,
        project_id: added.project_id,
        name: goal.name,
        objective: goal.objective,
        status: goal.status,
        verification_surface: added.verification_surface,
        constraints: goal.constraints,
        boundaries: goal.boundaries,
        iteration_policy: goal.iteration_policy,
        stop_condition: goal.stop_condition,
        budget: goal.budget,
        last_verification: goal.last_verification,
        verification_state: goal.verification_state,
        ...(goal.verification_behind === null ? undefined : { verification_behind: goal.verification_behind }),
        covers: goal.covers,
        pause_reason: goal.pause_reason,
        archived_at: goal.archived_at,
        created_at: goal.created_at,
        updated_at: goal.updated_at,
      };
    },
  },
  task: {
    details(
      task: TaskRecord,
      added: Pick<
        Task,
        'project_id' | 'goal_id' | 'position' | 'lease_expires_at' | 'tags' | 'blocked' | 'waiting_on' | 'untrusted'
      >,
    ): Task {
      return {
        id: task.id,
        project_id: added.project_id,
        goal_id: added.goal_id,
        label: task.label,
        status: task.status,
        kind: task.kind,
        priority: task.priority,
        lane: task.lane,
        severity: task.severity,
        description: task.description,
        ...(task.rank === null ? undefined : { rank: task.rank }),
        position: added.position,
        assignee: task.assignee,
        lease_expires_at: added.lease_expires_at,
        due_date: task.due_date,
        commit_refs: task.commit_refs,
        verified_at: task.verified_at,
        verified_ref: task.verified_ref,
        covers: task.covers,
        gate: task.gate,
        proof: task.proof,
        verification_state: task.verification_state,
        ...(task.verification_behind === null ? undefined : { verification_behind: task.verification_behind }),
        branch: task.branch,
        tags: added.tags,
        created_at: task.created_at,
        updated_at: task.updated_at,
        blocked: added.blocked,
        waiting_on: added.waiting_on,
        ...(added.untrusted === undefined ? undefined : { untrusted: added.untrusted }),
      };
    },
    head(
      task: TaskRecord,
      added: Pick<
        Task,
        'project_id' | 'goal_id' | 'position' | 'lease_expires_at' | 'tags' | 'blocked' | 'waiting_on' | 'untrusted'
      >,
    ): Omit<Task, 'description'> {
      return {
        id: task.id,
        project_id: added.project_id,
        goal_id: added.goal_id,
        label: task.label,
        status: task.status,
        kind: task.kind,
        priority: task.priority,
        lane: task.lane,
        severity: task.severity,
        ...(task.rank === null ? undefined : { rank: task.rank }),
        position: added.position,
        assignee: task.assignee,
        lease_expires_at: added.lease_expires_at,
        due_date: task.due_date,
        commit_refs: task.commit_refs,
        verified_at: task.verified_at,
        verified_ref: task.verified_ref,
        covers: task.covers,
        gate: task.gate,
        proof: task.proof,
        verification_state: task.verification_state,
        ...(task.verification_behind === null ? undefined : { verification_behind: task.verification_behind }),
        branch: task.branch,
        tags: added.tags,
        created_at: task.created_at,
        updated_at: task.updated_at,
        blocked: added.blocked,
        waiting_on: added.waiting_on,
        ...(added.untrusted === undefined ? undefined : { untrusted: added.untrusted }),
      };
    },
    row(task: TaskRecord, added: Pick<TaskRow, 'goal_id' | 'blocked' | 'tags' | 'untrusted'>): TaskRow {
      return {
        id: task.id,
        label: task.label,
        status: task.status,
        ...(task.priority === null ? undefined : { priority: task.priority }),
        goal_id: added.goal_id,
        blocked: added.blocked,
        ...(added.tags === undefined ? undefined : { tags: added.tags }),
        ...(task.assignee === null ? undefined : { assignee: task.assignee }),
        ...(added.untrusted === undefined ? undefined : { untrusted: added.untrusted }),
      };
    },
  },
  document: {
    details(
      document: DocumentRecord,
      added: Pick<Document, 'project_id' | 'folder_id' | 'links' | 'backlinks'>,
    ): Document {
      return {
        id: document.id,
        project_id: added.project_id,
        title: document.title,
        body: document.body,
        status: document.status,
        folder_id: added.folder_id,
        position: document.position,
        ...(added.links === undefined ? undefined : { links: added.links }),
        ...(added.backlinks === undefined ? undefined : { backlinks: added.backlinks }),
        created_at: document.created_at,
        updated_at: document.updated_at,
      };
    },
    head(
      document: DocumentRecord,
      added: Pick<Document, 'project_id' | 'folder_id' | 'links' | 'backlinks'>,
    ): Omit<Document, 'body'> {
      return {
        id: document.id,
        project_id: added.project_id,
        title: document.title,
        status: document.status,
        folder_id: added.folder_id,
        position: document.position,
        ...(added.links === undefined ? undefined : { links: added.links }),
        ...(added.backlinks === undefined ? undefined : { backlinks: added.backlinks }),
        created_at: document.created_at,
        updated_at: document.updated_at,
      };
    },
    row(document: DocumentRecord, added: Pick<DocumentRow, 'folder_id'>): DocumentRow {
      return {
        id: document.id,
        title: document.title,
        ...(document.status === null ? undefined : { status: document.status }),
        ...(added.folder_id === undefined ? undefined : { folder_id: added.folder_id }),
      };
    },
  },
  folder: {
    details(folder: FolderRecord, added: Pick<Folder, 'project_id'>): Folder {
      return {
        id: folder.id,
        project_id: added.project_id,
        name: folder.name,
        parent_folder_id: folder.parent_folder_id,
        created_at: folder.created_at,
        updated_at: folder.updated_at,
      };
    },
  },
  note: {
    details(note: NoteRecord, added: Pick<Note, 'project_id'>): Note {
      return {
        id: note.id,
        project_id: added.project_id,
        title: note.title,
        body: note.body,
        created_at: note.created_at,
        updated_at: note.updated_at,
      };
    },
    head(note: NoteRecord, added: Pick<Note, 'project_id'>): Omit<Note, 'body'> {
      return {
        id: note.id,
        project_id: added.project_id,
        title: note.title,
        created_at: note.created_at,
        updated_at: note.updated_at,
      };
    },
    row(note: NoteRecord): NoteRow {
      return { id: note.id, title: note.title, updated_at: note.updated_at };
    },
  },
  artifact: {
    details(
      artifact: ArtifactRecord,
      added: Pick<Artifact, 'project_id' | 'prototype_id' | 'links' | 'backlinks'>,
    ): Artifact {
      return {
        id: artifact.id,
        project_id: added.project_id,
        title: artifact.title,
        kind: artifact.kind,
        content: artifact.content,
        prototype_id: added.prototype_id,
        ...(added.links === undefined ? undefined : { links: added.links }),
        ...(added.backlinks === undefined ? undefined : { backlinks: added.backlinks }),
        created_at: artifact.created_at,
        updated_at: artifact.updated_at,
      };
    },
    head(
      artifact: ArtifactRecord,
      added: Pick<Artifact, 'project_id' | 'prototype_id' | 'links' | 'backlinks'>,
    ): Omit<Artifact, 'content'> {
      return {
        id: artifact.id,
        project_id: added.project_id,
        title: artifact.title,
        kind: artifact.kind,
        prototype_id: added.prototype_id,
        ...(added.links === undefined ? undefined : { links: added.links }),
        ...(added.backlinks === undefined ? undefined : { backlinks: added.backlinks }),
        created_at: artifact.created_at,
        updated_at: artifact.updated_at,
      };
    },
    row(artifact: ArtifactRecord): ArtifactRow {
      return { id: artifact.id, title: artifact.title, kind: artifact.kind, updated_at: artifact.updated_at };
    },
  },
  prototype: {
    details(
      prototype: PrototypeRecord,
      added: Pick<Prototype, 'project_id' | 'screens' | 'screens_total' | 'links' | 'backlinks'>,
    ): Prototype {
      return {
        id: prototype.id,
        project_id: added.project_id,
        name: prototype.name,
        viewport: prototype.viewport,
        ...(added.screens === undefined ? undefined : { screens: added.screens }),
        ...(added.screens_total === undefined ? undefined : { screens_total: added.screens_total }),
        ...(added.links === undefined ? undefined : { links: added.links }),
        ...(added.backlinks === undefined ? undefined : { backlinks: added.backlinks }),
        created_at: prototype.created_at,
        updated_at: prototype.updated_at,
      };
    },
    row(prototype: PrototypeRecord, added: Pick<PrototypeRow, 'screens_total'>): PrototypeRow {
      return {
        id: prototype.id,
        name: prototype.name,
        viewport: prototype.viewport,
        screens_total: added.screens_total,
      };
    },
  },
  file: {
    details(file: FileRecord, added: Pick<File, 'project_id' | 'url'>): File {
      return {
        id: file.id,
        project_id: added.project_id,
        filename: file.filename,
        mime: file.mime,
        size: file.size,
        sha256: file.sha256,
        url: added.url,
        created_at: file.created_at,
      };
    },
  },
  comment: {
    details(comment: CommentRecord, added: Pick<Comment, 'project_id' | 'body' | 'source'>): Comment {
      return {
        id: comment.id,
        project_id: added.project_id,
        target_type: comment.target_type,
        target_id: comment.target_id,
        body: added.body,
        source: added.source,
        passage: comment.passage,
        anchor: comment.anchor,
        author: comment.author,
        resolved: comment.resolved,
        created_at: comment.created_at,
        updated_at: comment.updated_at,
      };
    },
    row(comment: CommentRecord, added: Pick<CommentRow, 'body'>): CommentRow {
      return {
        id: comment.id,
        target_type: comment.target_type,
        target_id: comment.target_id,
        body: added.body,
        ...(comment.passage === null ? undefined : { passage: comment.passage }),
        ...(comment.anchor === null ? undefined : { anchor: comment.anchor }),
        author: comment.author,
        ...(comment.resolved === false ? undefined : { resolved: comment.resolved }),
        created_at: comment.created_at,
      };
    },
  },
  submission: {
    details(submission: SubmissionRecord, added: Pick<Submission, 'project_id' | 'untrusted'>): Submission {
      return {
        id: submission.id,
        project_id: added.project_id,
        participant_name: submission.participant_name,
        title: submission.title,
        body: submission.body,
        severity: submission.severity,
        task_ref: submission.task_ref,
        status: submission.status,
        linked_task_id: submission.linked_task_id,
        created_at: submission.created_at,
        updated_at: submission.updated_at,
        untrusted: added.untrusted,
      };
    },
    row(submission: SubmissionRecord, added: Pick<SubmissionRow, 'untrusted'>): SubmissionRow {
      return {
        id: submission.id,
        participant_name: submission.participant_name,
        title: submission.title,
        ...(submission.severity === null ? undefined : { severity: submission.severity }),
        ...(submission.task_ref === null ? undefined : { task_ref: submission.task_ref }),
        status: submission.status,
        ...(submission.linked_task_id === null ? undefined : { linked_task_id: submission.linked_task_id }),
        created_at: submission.created_at,
        untrusted: added.untrusted,
      };
    },
  },
  view: {
    details(view: ViewRecord, added: Pick<View, 'project_id'>): View {
      return {
        id: view.id,
        project_id: added.project_id,
        name: view.name,
        config: view.config,
        position: view.position,
        created_at: view.created_at,
        updated_at: view.updated_at,
      };
    },
    row(view: ViewRecord): ViewRow {
      return { id: view.id, name: view.name, config: view.config, position: view.position };
    },
  },
  run: {
    details(
      run: RunRecord,
      added: Pick<
        Run,
        | 'project_id'
        | 'agent'
        | 'task_id'
        | 'branch'
        | 'commits'
        | 'tokens'
        | 'cost_usd'
        | 'diff_stat'
        | 'awaiting'
        | 'events_total'
        | 'asks'
      >,
    ): Run {
      return {
        id: run.id,
        project_id: added.project_id,
        status: run.status,
        label: run.label,
        agent_ref: run.agent_ref,
        agent: added.agent,
        task_id: added.task_id,
        branch: added.branch,
        commits: added.commits,
        tokens: added.tokens,
        cost_usd: added.cost_usd,
        diff_stat: added.diff_stat,
        awaiting: added.awaiting,
        started_at: run.started_at,
        completed_at: run.completed_at,
        events: run.events,
        ...(added.events_total === undefined ? undefined : { events_total: added.events_total }),
        asks: added.asks,
        created_at: run.created_at,
        updated_at: run.updated_at,
      };
    },
  },
};

/** The members of results that consist of collections, in the order of their definitions. */
export const resultMembers = {
  ProjectSummary: [
    'tasks',
    'documents',
    'goals',
    'notes',
    'artifacts',
    'prototypes',
    'open_comments',
    'pending_submissions',
    'awaiting_review',
    'problems',
  ],
  SearchAnswer: [
    'documents',
    'tasks',
    'notes',
    'goals',
    'artifacts',
    'prototypes',
    'submissions',
    'comments',
    'runs',
    'incomplete',
  ],
} as const;
