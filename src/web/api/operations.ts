/** Made from the catalogue by `npm run generate`. Do not edit. */
import type {
  AddArtifactCommentInput,
  AddCommentInput,
  AddDocumentCommentInput,
  AddNoteCommentInput,
  AddSubmissionCommentInput,
  AddTaskCommentInput,
  ArtifactAnswer,
  ArtifactInput,
  ArtifactListAnswer,
  BacklinksAnswer,
  CanvasAnswer,
  ClaimTaskAnswer,
  ClaimTaskInput,
  ClosedRunAnswer,
  CommentAnswer,
  CommentInput,
  CommentListAnswer,
  CompleteGoalAnswer,
  CompleteGoalInput,
  CompleteRunInput,
  CopyScreenInput,
  CreateArtifactInput,
  CreateDocumentInput,
  CreateEdgeInput,
  CreateFileInput,
  CreateFolderInput,
  CreateGoalInput,
  CreateKeyInput,
  CreateNoteInput,
  CreateParticipantLinkInput,
  CreateProjectInput,
  CreatePrototypeInput,
  CreateSubmissionInput,
  CreateTagInput,
  CreateTaskInput,
  CreateViewInput,
  DeleteFolderInput,
  DocumentAnswer,
  DocumentInput,
  DocumentTreeAnswer,
  EdgeAnswer,
  EdgeDeletedAnswer,
  EdgeInput,
  EdgeListAnswer,
  ExportProjectInput,
  FileAnswer,
  FileInput,
  FileListAnswer,
  FolderAnswer,
  FolderDeletedAnswer,
  FolderInput,
  FolderListAnswer,
  GetGoalInput,
  GetNextTaskInput,
  GetProjectInput,
  GetPrototypeInput,
  GetTaskGraphInput,
  GoalAnswer,
  GoalDetailAnswer,
  GoalInput,
  GoalListAnswer,
  GoalWithWarningsAnswer,
  IdentityInput,
  IdentityListAnswer,
  ImportProjectInput,
  InvokeGoalAnswer,
  KeyInput,
  KeyListAnswer,
  LinkFileInput,
  LinkInput,
  ListArtifactCommentsInput,
  ListArtifactsInput,
  ListCommentsInput,
  ListDocumentCommentsInput,
  ListDocumentsInput,
  ListEdgesInput,
  ListFilesInput,
  ListFoldersInput,
  ListGoalsInput,
  ListIdentitiesInput,
  ListKeysInput,
  ListNoteCommentsInput,
  ListNotesInput,
  ListProblemsInput,
  ListProjectsInput,
  ListPrototypesInput,
  ListRevisionsInput,
  ListRunsInput,
  ListSharesInput,
  ListSignInsInput,
  ListSubmissionCommentsInput,
  ListSubmissionsInput,
  ListTagsInput,
  ListTaskCommentsInput,
  ListTasksInput,
  ListViewsInput,
  MoveDocumentsAnswer,
  MoveDocumentsInput,
  MoveScreenInput,
  NewKeyAnswer,
  NextTaskAnswer,
  NoteAnswer,
  NoteInput,
  NoteListAnswer,
  ParticipantLink,
  ParticipateInput,
  Participation,
  ParticipationInput,
  ProblemListAnswer,
  ProgressAnswer,
  ProjectAnswer,
  ProjectDetailAnswer,
  ProjectInput,
  ProjectListAnswer,
  PrototypeAnswer,
  PrototypeInput,
  PrototypeListAnswer,
  PutCanvasInput,
  RecordFileAnswer,
  RecordFileInput,
  RecordProgressInput,
  RenderArtifactInput,
  RestoredAnswer,
  RevisionDetailAnswer,
  RevisionDiffAnswer,
  RevisionInput,
  RevisionListAnswer,
  RunAnswer,
  RunInput,
  RunListAnswer,
  ScaffoldAnswer,
  ScaffoldInput,
  SearchAnswer,
  SearchInput,
  SetCurrentGoalAnswer,
  ShareDocumentInput,
  ShareInput,
  ShareLink,
  ShareListAnswer,
  SharePrototypeInput,
  ShareTaskInput,
  SignInInput,
  SignInListAnswer,
  StartRunInput,
  SubmissionAnswer,
  SubmissionInput,
  SubmissionListAnswer,
  SyncPullAnswer,
  SyncPullInput,
  TagAnswer,
  TagInput,
  TagListAnswer,
  TaskAnswer,
  TaskGraphAnswer,
  TaskInput,
  TaskListAnswer,
  TriageSubmissionInput,
  UpdateArtifactInput,
  UpdateCommentInput,
  UpdateDocumentInput,
  UpdateFolderInput,
  UpdateGoalInput,
  UpdateNoteInput,
  UpdateProjectInput,
  UpdatePrototypeInput,
  UpdateRunInput,
  UpdateTagInput,
  UpdateTaskInput,
  UpdateViewInput,
  ViewAnswer,
  ViewInput,
  ViewListAnswer,
} from '../../schema/types.ts';

/** Where each operation is served below /api/v1; `names` tells members of the input that are called otherwise there. */
export const routes = {
  list_projects: { method: 'GET', path: '/projects' },
  get_project: { method: 'GET', path: '/projects/:project_id' },
  create_project: { method: 'POST', path: '/projects' },
  update_project: { method: 'PATCH', path: '/projects/:project_id' },
  delete_project: { method: 'DELETE', path: '/projects/:project_id' },
  search: { method: 'GET', path: '/search', names: { query: 'q' } },
  list_views: { method: 'GET', path: '/projects/:project_id/views' },
  get_view: { method: 'GET', path: '/views/:view_id' },
  create_view: { method: 'POST', path: '/projects/:project_id/views' },
  update_view: { method: 'PATCH', path: '/views/:view_id' },
  delete_view: { method: 'DELETE', path: '/views/:view_id' },
  scaffold_project_from_plan: { method: 'POST', path: '/scaffold' },
  scaffold_project: { method: 'POST', path: '/projects/:project_id/scaffold' },
  create_goal: { method: 'POST', path: '/projects/:project_id/goals' },
  get_goal: { method: 'GET', path: '/goals/:goal_id' },
  list_goals: { method: 'GET', path: '/projects/:project_id/goals' },
  update_goal: { method: 'PATCH', path: '/goals/:goal_id' },
  pause_goal: { method: 'POST', path: '/goals/:goal_id/pause' },
  resume_goal: { method: 'POST', path: '/goals/:goal_id/resume' },
  complete_goal: { method: 'POST', path: '/goals/:goal_id/complete' },
  reopen_goal: { method: 'POST', path: '/goals/:goal_id/reopen' },
  invoke_goal: { method: 'POST', path: '/goals/:goal_id/invoke' },
  set_current_goal: { method: 'PUT', path: '/projects/:project_id/current-goal' },
  get_next_task: { method: 'GET', path: '/projects/:project_id/next-task', names: { tags: 'tag' } },
  claim_task: { method: 'POST', path: '/tasks/:task_id/claim' },
  get_task_graph: { method: 'GET', path: '/projects/:project_id/task-graph' },
  create_task: { method: 'POST', path: '/projects/:project_id/tasks' },
  update_task: { method: 'PATCH', path: '/tasks/:task_id' },
  get_task: { method: 'GET', path: '/tasks/:task_id' },
  list_tasks: { method: 'GET', path: '/projects/:project_id/tasks', names: { tags: 'tag' } },
  delete_task: { method: 'DELETE', path: '/tasks/:task_id' },
  list_task_backlinks: { method: 'GET', path: '/tasks/:task_id/backlinks' },
  create_document: { method: 'POST', path: '/projects/:project_id/documents', names: { status_line: 'status' } },
  update_document: { method: 'PATCH', path: '/documents/:document_id', names: { status_line: 'status' } },
  get_document: { method: 'GET', path: '/documents/:document_id' },
  list_documents: { method: 'GET', path: '/projects/:project_id/documents' },
  delete_document: { method: 'DELETE', path: '/documents/:document_id' },
  move_documents: { method: 'POST', path: '/projects/:project_id/documents/move' },
  create_folder: { method: 'POST', path: '/projects/:project_id/folders' },
  update_folder: { method: 'PATCH', path: '/folders/:folder_id' },
  delete_folder: { method: 'DELETE', path: '/folders/:folder_id' },
  get_folder: { method: 'GET', path: '/folders/:folder_id' },
  list_folders: { method: 'GET', path: '/projects/:project_id/folders' },
  list_revisions: { method: 'GET', path: '/projects/:project_id/revisions' },
  get_revision: { method: 'GET', path: '/revisions/:revision_id' },
  diff_revision: { method: 'GET', path: '/revisions/:revision_id/diff' },
  restore_revision: { method: 'POST', path: '/revisions/:revision_id/restore' },
  create_note: { method: 'POST', path: '/projects/:project_id/notes' },
  update_note: { method: 'PATCH', path: '/notes/:note_id' },
  get_note: { method: 'GET', path: '/notes/:note_id' },
  list_notes: { method: 'GET', path: '/projects/:project_id/notes' },
  delete_note: { method: 'DELETE', path: '/notes/:note_id' },
  list_tags: { method: 'GET', path: '/projects/:project_id/tags' },
  get_tag: { method: 'GET', path: '/tags/:tag_id' },
  create_tag: { method: 'POST', path: '/projects/:project_id/tags' },
  update_tag: { method: 'PATCH', path: '/tags/:tag_id' },
  delete_tag: { method: 'DELETE', path: '/tags/:tag_id' },
  create_edge: { method: 'POST', path: '/projects/:project_id/edges' },
  list_edges: { method: 'GET', path: '/projects/:project_id/edges' },
  delete_edge: { method: 'DELETE', path: '/projects/:project_id/edges/:edge_id' },
  create_file: { method: 'POST', path: '/projects/:project_id/files' },
  get_file: { method: 'GET', path: '/files/:file_id', raw: true },
  list_files: { method: 'GET', path: '/projects/:project_id/files' },
  create_artifact: { method: 'POST', path: '/projects/:project_id/artifacts' },
  get_artifact: { method: 'GET', path: '/artifacts/:artifact_id' },
  update_artifact: { method: 'PATCH', path: '/artifacts/:artifact_id' },
  list_artifacts: { method: 'GET', path: '/projects/:project_id/artifacts' },
  delete_artifact: { method: 'DELETE', path: '/artifacts/:artifact_id' },
  render_artifact: { method: 'GET', path: '/artifacts/:artifact_id/render', raw: true },
  move_screen: { method: 'POST', path: '/artifacts/:artifact_id/move' },
  copy_screen: { method: 'POST', path: '/artifacts/:artifact_id/copy' },
  create_prototype: { method: 'POST', path: '/projects/:project_id/prototypes' },
  get_prototype: { method: 'GET', path: '/prototypes/:prototype_id' },
  list_prototypes: { method: 'GET', path: '/projects/:project_id/prototypes' },
  update_prototype: { method: 'PATCH', path: '/prototypes/:prototype_id' },
  delete_prototype: { method: 'DELETE', path: '/prototypes/:prototype_id' },
  get_canvas: { method: 'GET', path: '/projects/:project_id/canvas' },
  put_canvas: { method: 'PUT', path: '/projects/:project_id/canvas' },
  list_problems: { method: 'GET', path: '/projects/:project_id/problems' },
  get_record_file: { method: 'GET', path: '/projects/:project_id/records/:record_id/file' },
  export_project: { method: 'GET', path: '/projects/:project_id/export', raw: true },
  import_project: { method: 'POST', path: '/projects/import' },
  share_task: { method: 'POST', path: '/tasks/:task_id/share' },
  share_document: { method: 'POST', path: '/documents/:document_id/share' },
  share_prototype: { method: 'POST', path: '/prototypes/:prototype_id/share' },
  create_participant_link: { method: 'POST', path: '/projects/:project_id/participant-links' },
  list_shares: { method: 'GET', path: '/projects/:project_id/shares' },
  revoke_share: { method: 'DELETE', path: '/shares/:share_id' },
  read_share: { method: 'GET', path: '/share/:token.md', raw: true },
  read_share_file: { method: 'GET', path: '/share/:token/files/:file_id', raw: true },
  get_participation: { method: 'GET', path: '/participate/:token' },
  participate: { method: 'POST', path: '/participate/:token/submissions' },
  list_comments: { method: 'GET', path: '/projects/:project_id/comments' },
  add_comment: { method: 'POST', path: '/projects/:project_id/comments' },
  get_comment: { method: 'GET', path: '/comments/:comment_id' },
  update_comment: { method: 'PATCH', path: '/comments/:comment_id' },
  resolve_comment: { method: 'POST', path: '/comments/:comment_id/resolve' },
  delete_comment: { method: 'DELETE', path: '/comments/:comment_id' },
  list_artifact_comments: { method: 'GET', path: '/projects/:project_id/artifact-comments' },
  add_artifact_comment: { method: 'POST', path: '/projects/:project_id/artifact-comments' },
  list_document_comments: { method: 'GET', path: '/documents/:document_id/comments' },
  add_document_comment: { method: 'POST', path: '/documents/:document_id/comments' },
  list_task_comments: { method: 'GET', path: '/tasks/:task_id/comments' },
  add_task_comment: { method: 'POST', path: '/tasks/:task_id/comments' },
  list_note_comments: { method: 'GET', path: '/notes/:note_id/comments' },
  add_note_comment: { method: 'POST', path: '/notes/:note_id/comments' },
  list_submission_comments: { method: 'GET', path: '/submissions/:submission_id/comments' },
  add_submission_comment: { method: 'POST', path: '/submissions/:submission_id/comments' },
  start_agent_run: { method: 'POST', path: '/projects/:project_id/agent-runs' },
  record_agent_progress: { method: 'POST', path: '/agent-runs/:run_id/progress' },
  complete_agent_run: { method: 'POST', path: '/agent-runs/:run_id/complete' },
  list_agent_runs: { method: 'GET', path: '/projects/:project_id/agent-runs' },
  get_agent_run: { method: 'GET', path: '/agent-runs/:run_id' },
  update_agent_run: { method: 'PATCH', path: '/agent-runs/:run_id' },
  list_submissions: { method: 'GET', path: '/projects/:project_id/submissions' },
  get_submission: { method: 'GET', path: '/submissions/:submission_id' },
  create_submission: { method: 'POST', path: '/projects/:project_id/submissions' },
  triage_submission: { method: 'POST', path: '/submissions/:submission_id/triage' },
  sync_pull: { method: 'POST', path: '/projects/:project_id/sync-pull' },
  list_keys: { method: 'GET', path: '/keys' },
  create_key: { method: 'POST', path: '/keys' },
  revoke_key: { method: 'DELETE', path: '/keys/:key_id' },
  list_sign_ins: { method: 'GET', path: '/sign-ins' },
  end_sign_in: { method: 'DELETE', path: '/sign-ins/:sign_in_id' },
  list_identities: { method: 'GET', path: '/identities' },
  forget_identity: { method: 'DELETE', path: '/identities/:identity_id' },
} as const;

/** What each operation takes, and the body of its answer. */
export interface Calls {
  readonly list_projects: { readonly input: ListProjectsInput; readonly answer: ProjectListAnswer };
  readonly get_project: {
    readonly input: GetProjectInput;
    readonly answer: ProjectDetailAnswer['project'] & Omit<ProjectDetailAnswer, 'project'>;
  };
  readonly create_project: {
    readonly input: CreateProjectInput;
    readonly answer: ProjectAnswer['project'] & Omit<ProjectAnswer, 'project'>;
  };
  readonly update_project: {
    readonly input: UpdateProjectInput;
    readonly answer: ProjectAnswer['project'] & Omit<ProjectAnswer, 'project'>;
  };
  readonly delete_project: { readonly input: ProjectInput; readonly answer: undefined };
  readonly search: { readonly input: SearchInput; readonly answer: SearchAnswer };
  readonly list_views: { readonly input: ListViewsInput; readonly answer: ViewListAnswer };
  readonly get_view: { readonly input: ViewInput; readonly answer: ViewAnswer['view'] & Omit<ViewAnswer, 'view'> };
  readonly create_view: {
    readonly input: CreateViewInput;
    readonly answer: ViewAnswer['view'] & Omit<ViewAnswer, 'view'>;
  };
  readonly update_view: {
    readonly input: UpdateViewInput;
    readonly answer: ViewAnswer['view'] & Omit<ViewAnswer, 'view'>;
  };
  readonly delete_view: { readonly input: ViewInput; readonly answer: undefined };
  readonly scaffold_project_from_plan: { readonly input: ScaffoldInput; readonly answer: ScaffoldAnswer };
  readonly scaffold_project: { readonly input: ScaffoldInput; readonly answer: ScaffoldAnswer };
  readonly create_goal: {
    readonly input: CreateGoalInput;
    readonly answer: GoalWithWarningsAnswer['goal'] & Omit<GoalWithWarningsAnswer, 'goal'>;
  };
  readonly get_goal: {
    readonly input: GetGoalInput;
    readonly answer: GoalDetailAnswer['goal'] & Omit<GoalDetailAnswer, 'goal'>;
  };
  readonly list_goals: { readonly input: ListGoalsInput; readonly answer: GoalListAnswer };
  readonly update_goal: {
    readonly input: UpdateGoalInput;
    readonly answer: GoalWithWarningsAnswer['goal'] & Omit<GoalWithWarningsAnswer, 'goal'>;
  };
  readonly pause_goal: { readonly input: GoalInput; readonly answer: GoalAnswer['goal'] & Omit<GoalAnswer, 'goal'> };
  readonly resume_goal: { readonly input: GoalInput; readonly answer: GoalAnswer['goal'] & Omit<GoalAnswer, 'goal'> };
  readonly complete_goal: {
    readonly input: CompleteGoalInput;
    readonly answer: CompleteGoalAnswer['goal'] & Omit<CompleteGoalAnswer, 'goal'>;
  };
  readonly reopen_goal: { readonly input: GoalInput; readonly answer: GoalAnswer['goal'] & Omit<GoalAnswer, 'goal'> };
  readonly invoke_goal: { readonly input: GoalInput; readonly answer: InvokeGoalAnswer };
  readonly set_current_goal: { readonly input: GoalInput; readonly answer: SetCurrentGoalAnswer };
  readonly get_next_task: {
    readonly input: GetNextTaskInput;
    readonly answer: NextTaskAnswer['next'] & Omit<NextTaskAnswer, 'next'>;
  };
  readonly claim_task: { readonly input: ClaimTaskInput; readonly answer: ClaimTaskAnswer };
  readonly get_task_graph: { readonly input: GetTaskGraphInput; readonly answer: TaskGraphAnswer };
  readonly create_task: {
    readonly input: CreateTaskInput;
    readonly answer: TaskAnswer['task'] & Omit<TaskAnswer, 'task'>;
  };
  readonly update_task: {
    readonly input: UpdateTaskInput;
    readonly answer: TaskAnswer['task'] & Omit<TaskAnswer, 'task'>;
  };
  readonly get_task: { readonly input: TaskInput; readonly answer: TaskAnswer['task'] & Omit<TaskAnswer, 'task'> };
  readonly list_tasks: { readonly input: ListTasksInput; readonly answer: TaskListAnswer };
  readonly delete_task: { readonly input: TaskInput; readonly answer: undefined };
  readonly list_task_backlinks: { readonly input: TaskInput; readonly answer: BacklinksAnswer };
  readonly create_document: {
    readonly input: CreateDocumentInput;
    readonly answer: DocumentAnswer['document'] & Omit<DocumentAnswer, 'document'>;
  };
  readonly update_document: {
    readonly input: UpdateDocumentInput;
    readonly answer: DocumentAnswer['document'] & Omit<DocumentAnswer, 'document'>;
  };
  readonly get_document: {
    readonly input: DocumentInput;
    readonly answer: DocumentAnswer['document'] & Omit<DocumentAnswer, 'document'>;
  };
  readonly list_documents: { readonly input: ListDocumentsInput; readonly answer: DocumentTreeAnswer };
  readonly delete_document: { readonly input: DocumentInput; readonly answer: undefined };
  readonly move_documents: { readonly input: MoveDocumentsInput; readonly answer: MoveDocumentsAnswer };
  readonly create_folder: {
    readonly input: CreateFolderInput;
    readonly answer: FolderAnswer['folder'] & Omit<FolderAnswer, 'folder'>;
  };
  readonly update_folder: {
    readonly input: UpdateFolderInput;
    readonly answer: FolderAnswer['folder'] & Omit<FolderAnswer, 'folder'>;
  };
  readonly delete_folder: { readonly input: DeleteFolderInput; readonly answer: FolderDeletedAnswer };
  readonly get_folder: {
    readonly input: FolderInput;
    readonly answer: FolderAnswer['folder'] & Omit<FolderAnswer, 'folder'>;
  };
  readonly list_folders: { readonly input: ListFoldersInput; readonly answer: FolderListAnswer };
  readonly list_revisions: { readonly input: ListRevisionsInput; readonly answer: RevisionListAnswer };
  readonly get_revision: {
    readonly input: RevisionInput;
    readonly answer: RevisionDetailAnswer['revision'] & Omit<RevisionDetailAnswer, 'revision'>;
  };
  readonly diff_revision: {
    readonly input: RevisionInput;
    readonly answer: RevisionDiffAnswer['diff'] & Omit<RevisionDiffAnswer, 'diff'>;
  };
  readonly restore_revision: {
    readonly input: RevisionInput;
    readonly answer: RestoredAnswer['restored'] & Omit<RestoredAnswer, 'restored'>;
  };
  readonly create_note: {
    readonly input: CreateNoteInput;
    readonly answer: NoteAnswer['note'] & Omit<NoteAnswer, 'note'>;
  };
  readonly update_note: {
    readonly input: UpdateNoteInput;
    readonly answer: NoteAnswer['note'] & Omit<NoteAnswer, 'note'>;
  };
  readonly get_note: { readonly input: NoteInput; readonly answer: NoteAnswer['note'] & Omit<NoteAnswer, 'note'> };
  readonly list_notes: { readonly input: ListNotesInput; readonly answer: NoteListAnswer };
  readonly delete_note: { readonly input: NoteInput; readonly answer: undefined };
  readonly list_tags: { readonly input: ListTagsInput; readonly answer: TagListAnswer };
  readonly get_tag: { readonly input: TagInput; readonly answer: TagAnswer['tag'] & Omit<TagAnswer, 'tag'> };
  readonly create_tag: { readonly input: CreateTagInput; readonly answer: TagAnswer['tag'] & Omit<TagAnswer, 'tag'> };
  readonly update_tag: { readonly input: UpdateTagInput; readonly answer: TagAnswer['tag'] & Omit<TagAnswer, 'tag'> };
  readonly delete_tag: { readonly input: TagInput; readonly answer: undefined };
  readonly create_edge: {
    readonly input: CreateEdgeInput;
    readonly answer: EdgeAnswer['edge'] & Omit<EdgeAnswer, 'edge'>;
  };
  readonly list_edges: { readonly input: ListEdgesInput; readonly answer: EdgeListAnswer };
  readonly delete_edge: { readonly input: EdgeInput; readonly answer: EdgeDeletedAnswer };
  readonly create_file: {
    readonly input: CreateFileInput;
    readonly answer: FileAnswer['file'] & Omit<FileAnswer, 'file'>;
  };
  readonly get_file: { readonly input: FileInput; readonly answer: undefined };
  readonly list_files: { readonly input: ListFilesInput; readonly answer: FileListAnswer };
  readonly create_artifact: {
    readonly input: CreateArtifactInput;
    readonly answer: ArtifactAnswer['artifact'] & Omit<ArtifactAnswer, 'artifact'>;
  };
  readonly get_artifact: {
    readonly input: ArtifactInput;
    readonly answer: ArtifactAnswer['artifact'] & Omit<ArtifactAnswer, 'artifact'>;
  };
  readonly update_artifact: {
    readonly input: UpdateArtifactInput;
    readonly answer: ArtifactAnswer['artifact'] & Omit<ArtifactAnswer, 'artifact'>;
  };
  readonly list_artifacts: { readonly input: ListArtifactsInput; readonly answer: ArtifactListAnswer };
  readonly delete_artifact: { readonly input: ArtifactInput; readonly answer: undefined };
  readonly render_artifact: { readonly input: RenderArtifactInput; readonly answer: undefined };
  readonly move_screen: {
    readonly input: MoveScreenInput;
    readonly answer: ArtifactAnswer['artifact'] & Omit<ArtifactAnswer, 'artifact'>;
  };
  readonly copy_screen: {
    readonly input: CopyScreenInput;
    readonly answer: ArtifactAnswer['artifact'] & Omit<ArtifactAnswer, 'artifact'>;
  };
  readonly create_prototype: {
    readonly input: CreatePrototypeInput;
    readonly answer: PrototypeAnswer['prototype'] & Omit<PrototypeAnswer, 'prototype'>;
  };
  readonly get_prototype: {
    readonly input: GetPrototypeInput;
    readonly answer: PrototypeAnswer['prototype'] & Omit<PrototypeAnswer, 'prototype'>;
  };
  readonly list_prototypes: { readonly input: ListPrototypesInput; readonly answer: PrototypeListAnswer };
  readonly update_prototype: {
    readonly input: UpdatePrototypeInput;
    readonly answer: PrototypeAnswer['prototype'] & Omit<PrototypeAnswer, 'prototype'>;
  };
  readonly delete_prototype: { readonly input: PrototypeInput; readonly answer: undefined };
  readonly get_canvas: {
    readonly input: ProjectInput;
    readonly answer: CanvasAnswer['canvas'] & Omit<CanvasAnswer, 'canvas'>;
  };
  readonly put_canvas: {
    readonly input: PutCanvasInput;
    readonly answer: CanvasAnswer['canvas'] & Omit<CanvasAnswer, 'canvas'>;
  };
  readonly list_problems: { readonly input: ListProblemsInput; readonly answer: ProblemListAnswer };
  readonly get_record_file: { readonly input: RecordFileInput; readonly answer: RecordFileAnswer };
  readonly export_project: { readonly input: ExportProjectInput; readonly answer: undefined };
  readonly import_project: {
    readonly input: ImportProjectInput;
    readonly answer: ProjectDetailAnswer['project'] & Omit<ProjectDetailAnswer, 'project'>;
  };
  readonly share_task: { readonly input: ShareTaskInput; readonly answer: ShareLink };
  readonly share_document: { readonly input: ShareDocumentInput; readonly answer: ShareLink };
  readonly share_prototype: { readonly input: SharePrototypeInput; readonly answer: ShareLink };
  readonly create_participant_link: { readonly input: CreateParticipantLinkInput; readonly answer: ParticipantLink };
  readonly list_shares: { readonly input: ListSharesInput; readonly answer: ShareListAnswer };
  readonly revoke_share: { readonly input: ShareInput; readonly answer: undefined };
  readonly read_share: { readonly input: LinkInput; readonly answer: undefined };
  readonly read_share_file: { readonly input: LinkFileInput; readonly answer: undefined };
  readonly get_participation: { readonly input: ParticipationInput; readonly answer: Participation };
  readonly participate: {
    readonly input: ParticipateInput;
    readonly answer: SubmissionAnswer['submission'] & Omit<SubmissionAnswer, 'submission'>;
  };
  readonly list_comments: { readonly input: ListCommentsInput; readonly answer: CommentListAnswer };
  readonly add_comment: {
    readonly input: AddCommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly get_comment: {
    readonly input: CommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly update_comment: {
    readonly input: UpdateCommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly resolve_comment: {
    readonly input: CommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly delete_comment: { readonly input: CommentInput; readonly answer: undefined };
  readonly list_artifact_comments: { readonly input: ListArtifactCommentsInput; readonly answer: CommentListAnswer };
  readonly add_artifact_comment: {
    readonly input: AddArtifactCommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly list_document_comments: { readonly input: ListDocumentCommentsInput; readonly answer: CommentListAnswer };
  readonly add_document_comment: {
    readonly input: AddDocumentCommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly list_task_comments: { readonly input: ListTaskCommentsInput; readonly answer: CommentListAnswer };
  readonly add_task_comment: {
    readonly input: AddTaskCommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly list_note_comments: { readonly input: ListNoteCommentsInput; readonly answer: CommentListAnswer };
  readonly add_note_comment: {
    readonly input: AddNoteCommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly list_submission_comments: {
    readonly input: ListSubmissionCommentsInput;
    readonly answer: CommentListAnswer;
  };
  readonly add_submission_comment: {
    readonly input: AddSubmissionCommentInput;
    readonly answer: CommentAnswer['comment'] & Omit<CommentAnswer, 'comment'>;
  };
  readonly start_agent_run: {
    readonly input: StartRunInput;
    readonly answer: RunAnswer['run'] & Omit<RunAnswer, 'run'>;
  };
  readonly record_agent_progress: {
    readonly input: RecordProgressInput;
    readonly answer: ProgressAnswer['event'] & Omit<ProgressAnswer, 'event'>;
  };
  readonly complete_agent_run: {
    readonly input: CompleteRunInput;
    readonly answer: ClosedRunAnswer['run'] & Omit<ClosedRunAnswer, 'run'>;
  };
  readonly list_agent_runs: { readonly input: ListRunsInput; readonly answer: RunListAnswer };
  readonly get_agent_run: { readonly input: RunInput; readonly answer: RunAnswer['run'] & Omit<RunAnswer, 'run'> };
  readonly update_agent_run: {
    readonly input: UpdateRunInput;
    readonly answer: RunAnswer['run'] & Omit<RunAnswer, 'run'>;
  };
  readonly list_submissions: { readonly input: ListSubmissionsInput; readonly answer: SubmissionListAnswer };
  readonly get_submission: {
    readonly input: SubmissionInput;
    readonly answer: SubmissionAnswer['submission'] & Omit<SubmissionAnswer, 'submission'>;
  };
  readonly create_submission: {
    readonly input: CreateSubmissionInput;
    readonly answer: SubmissionAnswer['submission'] & Omit<SubmissionAnswer, 'submission'>;
  };
  readonly triage_submission: {
    readonly input: TriageSubmissionInput;
    readonly answer: SubmissionAnswer['submission'] & Omit<SubmissionAnswer, 'submission'>;
  };
  readonly sync_pull: { readonly input: SyncPullInput; readonly answer: SyncPullAnswer };
  readonly list_keys: { readonly input: ListKeysInput; readonly answer: KeyListAnswer };
  readonly create_key: {
    readonly input: CreateKeyInput;
    readonly answer: NewKeyAnswer['key'] & Omit<NewKeyAnswer, 'key'>;
  };
  readonly revoke_key: { readonly input: KeyInput; readonly answer: undefined };
  readonly list_sign_ins: { readonly input: ListSignInsInput; readonly answer: SignInListAnswer };
  readonly end_sign_in: { readonly input: SignInInput; readonly answer: undefined };
  readonly list_identities: { readonly input: ListIdentitiesInput; readonly answer: IdentityListAnswer };
  readonly forget_identity: { readonly input: IdentityInput; readonly answer: undefined };
}
