/** Made from `schemas/generated/openapi.json` by `npm run generate`. Do not edit. */
import type * as types from './types.ts';

/** The route of each operation: `{member}` of the path, members of the `query`, and whether the others are a body. */
export const routes = {
  get_agent_run: { method: 'GET', path: '/api/v1/agent-runs/{run_id}', query: ['project_id'] },
  update_agent_run: { method: 'PATCH', path: '/api/v1/agent-runs/{run_id}', query: ['project_id'], body: true },
  answer_agent_run: { method: 'POST', path: '/api/v1/agent-runs/{run_id}/answer', query: ['project_id'], body: true },
  complete_agent_run: {
    method: 'POST',
    path: '/api/v1/agent-runs/{run_id}/complete',
    query: ['project_id'],
    body: true,
  },
  record_agent_progress: {
    method: 'POST',
    path: '/api/v1/agent-runs/{run_id}/progress',
    query: ['project_id'],
    body: true,
  },
  reopen_agent_run: { method: 'POST', path: '/api/v1/agent-runs/{run_id}/reopen', query: ['project_id'] },
  get_artifact: { method: 'GET', path: '/api/v1/artifacts/{artifact_id}', query: ['project_id'] },
  update_artifact: { method: 'PATCH', path: '/api/v1/artifacts/{artifact_id}', query: ['project_id'], body: true },
  delete_artifact: { method: 'DELETE', path: '/api/v1/artifacts/{artifact_id}', query: ['project_id'] },
  copy_screen: { method: 'POST', path: '/api/v1/artifacts/{artifact_id}/copy', query: ['project_id'], body: true },
  move_screen: { method: 'POST', path: '/api/v1/artifacts/{artifact_id}/move', query: ['project_id'], body: true },
  render_artifact: { method: 'GET', path: '/api/v1/artifacts/{artifact_id}/render', query: ['project_id', 'embed'] },
  post_call_operation: { method: 'POST', path: '/api/v1/call/{operation}', body: true },
  get_comment: { method: 'GET', path: '/api/v1/comments/{comment_id}', query: ['project_id'] },
  update_comment: { method: 'PATCH', path: '/api/v1/comments/{comment_id}', query: ['project_id'], body: true },
  delete_comment: { method: 'DELETE', path: '/api/v1/comments/{comment_id}', query: ['project_id'] },
  resolve_comment: { method: 'POST', path: '/api/v1/comments/{comment_id}/resolve', query: ['project_id'] },
  get_docs: { method: 'GET', path: '/api/v1/docs' },
  get_docs_errors: { method: 'GET', path: '/api/v1/docs/errors' },
  get_docs_page_css: { method: 'GET', path: '/api/v1/docs/page.css' },
  get_docs_page_js: { method: 'GET', path: '/api/v1/docs/page.js' },
  get_docs_swagger_ui_css: { method: 'GET', path: '/api/v1/docs/swagger-ui.css' },
  get_docs_swagger_ui_js: { method: 'GET', path: '/api/v1/docs/swagger-ui.js' },
  get_doctor: { method: 'GET', path: '/api/v1/doctor' },
  post_doctor: { method: 'POST', path: '/api/v1/doctor' },
  update_document: { method: 'PATCH', path: '/api/v1/documents/{document_id}', query: ['project_id'], body: true },
  get_document: { method: 'GET', path: '/api/v1/documents/{document_id}', query: ['project_id'] },
  delete_document: { method: 'DELETE', path: '/api/v1/documents/{document_id}', query: ['project_id'] },
  list_document_comments: {
    method: 'GET',
    path: '/api/v1/documents/{document_id}/comments',
    query: ['project_id', 'include_resolved', 'limit', 'cursor', 'since'],
  },
  add_document_comment: {
    method: 'POST',
    path: '/api/v1/documents/{document_id}/comments',
    query: ['project_id'],
    body: true,
  },
  share_document: { method: 'POST', path: '/api/v1/documents/{document_id}/share', query: ['project_id'], body: true },
  list_all_events: {
    method: 'GET',
    path: '/api/v1/feed',
    query: ['since', 'before', 'types', 'limit', 'wait', 'presence', 'service'],
  },
  get_file: { method: 'GET', path: '/api/v1/files/{file_id}', query: ['project_id'] },
  find_record: {
    method: 'GET',
    path: '/api/v1/find-record',
    query: ['text', 'kind', 'project_id', 'current_project_id'],
  },
  post_flush: { method: 'POST', path: '/api/v1/flush' },
  update_folder: { method: 'PATCH', path: '/api/v1/folders/{folder_id}', query: ['project_id'], body: true },
  delete_folder: { method: 'DELETE', path: '/api/v1/folders/{folder_id}', query: ['project_id', 'reparent_to'] },
  get_folder: { method: 'GET', path: '/api/v1/folders/{folder_id}', query: ['project_id'] },
  get_goal: { method: 'GET', path: '/api/v1/goals/{goal_id}', query: ['project_id', 'verbose', 'limit', 'cursor'] },
  update_goal: { method: 'PATCH', path: '/api/v1/goals/{goal_id}', query: ['project_id'], body: true },
  archive_goal: { method: 'POST', path: '/api/v1/goals/{goal_id}/archive', query: ['project_id'] },
  complete_goal: { method: 'POST', path: '/api/v1/goals/{goal_id}/complete', query: ['project_id'], body: true },
  invoke_goal: { method: 'POST', path: '/api/v1/goals/{goal_id}/invoke', query: ['project_id'] },
  pause_goal: { method: 'POST', path: '/api/v1/goals/{goal_id}/pause', query: ['project_id'], body: true },
  reopen_goal: { method: 'POST', path: '/api/v1/goals/{goal_id}/reopen', query: ['project_id'] },
  resume_goal: { method: 'POST', path: '/api/v1/goals/{goal_id}/resume', query: ['project_id'] },
  unarchive_goal: { method: 'POST', path: '/api/v1/goals/{goal_id}/unarchive', query: ['project_id'] },
  get_health: { method: 'GET', path: '/api/v1/health' },
  list_identities: { method: 'GET', path: '/api/v1/identities', query: ['limit', 'cursor', 'since'] },
  forget_identity: { method: 'DELETE', path: '/api/v1/identities/{identity_id}' },
  list_keys: { method: 'GET', path: '/api/v1/keys', query: ['limit', 'cursor', 'since'] },
  create_key: { method: 'POST', path: '/api/v1/keys', query: ['project_id'], body: true },
  revoke_key: { method: 'DELETE', path: '/api/v1/keys/{key_id}' },
  update_note: { method: 'PATCH', path: '/api/v1/notes/{note_id}', query: ['project_id'], body: true },
  get_note: { method: 'GET', path: '/api/v1/notes/{note_id}', query: ['project_id'] },
  delete_note: { method: 'DELETE', path: '/api/v1/notes/{note_id}', query: ['project_id'] },
  list_note_comments: {
    method: 'GET',
    path: '/api/v1/notes/{note_id}/comments',
    query: ['project_id', 'include_resolved', 'limit', 'cursor', 'since'],
  },
  add_note_comment: { method: 'POST', path: '/api/v1/notes/{note_id}/comments', query: ['project_id'], body: true },
  get_openapi_json: { method: 'GET', path: '/api/v1/openapi.json' },
  get_participation: { method: 'GET', path: '/api/v1/participate/{token}', query: ['limit', 'cursor'] },
  participate: { method: 'POST', path: '/api/v1/participate/{token}/submissions', body: true },
  list_projects: { method: 'GET', path: '/api/v1/projects', query: ['limit', 'cursor', 'since'] },
  create_project: { method: 'POST', path: '/api/v1/projects', body: true },
  import_project: { method: 'POST', path: '/api/v1/projects/import', body: true },
  create_sample_project: { method: 'POST', path: '/api/v1/projects/sample', body: true },
  get_project: { method: 'GET', path: '/api/v1/projects/{project_id}', query: ['limit', 'cursor'] },
  update_project: { method: 'PATCH', path: '/api/v1/projects/{project_id}', body: true },
  delete_project: { method: 'DELETE', path: '/api/v1/projects/{project_id}' },
  start_agent_run: { method: 'POST', path: '/api/v1/projects/{project_id}/agent-runs', body: true },
  list_agent_runs: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/agent-runs',
    query: ['status', 'task_id', 'verbose', 'limit', 'cursor', 'since'],
  },
  list_artifact_comments: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/artifact-comments',
    query: ['artifact_id', 'include_resolved', 'limit', 'cursor', 'since'],
  },
  add_artifact_comment: { method: 'POST', path: '/api/v1/projects/{project_id}/artifact-comments', body: true },
  create_artifact: { method: 'POST', path: '/api/v1/projects/{project_id}/artifacts', body: true },
  list_artifacts: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/artifacts',
    query: ['limit', 'cursor', 'since'],
  },
  get_canvas: { method: 'GET', path: '/api/v1/projects/{project_id}/canvas' },
  put_canvas: { method: 'PUT', path: '/api/v1/projects/{project_id}/canvas', body: true },
  list_record_changes: { method: 'GET', path: '/api/v1/projects/{project_id}/changes', query: ['since'] },
  apply_record_changes: { method: 'POST', path: '/api/v1/projects/{project_id}/changes', body: true },
  get_full_revisions: { method: 'GET', path: '/api/v1/projects/{project_id}/changes/revisions', query: ['ids'] },
  list_comments: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/comments',
    query: ['target_type', 'target_id', 'include_resolved', 'limit', 'cursor', 'since'],
  },
  add_comment: { method: 'POST', path: '/api/v1/projects/{project_id}/comments', body: true },
  set_current_goal: { method: 'PUT', path: '/api/v1/projects/{project_id}/current-goal', body: true },
  create_document: { method: 'POST', path: '/api/v1/projects/{project_id}/documents', body: true },
  list_documents: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/documents',
    query: ['folder_id', 'verbose', 'limit', 'cursor', 'since'],
  },
  move_documents: { method: 'POST', path: '/api/v1/projects/{project_id}/documents/move', body: true },
  create_edge: { method: 'POST', path: '/api/v1/projects/{project_id}/edges', body: true },
  list_edges: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/edges',
    query: ['from_id', 'to_id', 'first_id', 'then_id', 'limit', 'cursor', 'since'],
  },
  delete_edge: { method: 'DELETE', path: '/api/v1/projects/{project_id}/edges/{edge_id}' },
  list_events: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/events',
    query: ['since', 'before', 'types', 'resource', 'limit', 'wait', 'presence', 'service'],
  },
  export_project: { method: 'GET', path: '/api/v1/projects/{project_id}/export', query: ['format'] },
  create_file: { method: 'POST', path: '/api/v1/projects/{project_id}/files', body: true },
  list_files: { method: 'GET', path: '/api/v1/projects/{project_id}/files', query: ['limit', 'cursor', 'since'] },
  create_folder: { method: 'POST', path: '/api/v1/projects/{project_id}/folders', body: true },
  list_folders: { method: 'GET', path: '/api/v1/projects/{project_id}/folders', query: ['limit', 'cursor', 'since'] },
  create_goal: { method: 'POST', path: '/api/v1/projects/{project_id}/goals', body: true },
  list_goals: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/goals',
    query: ['status', 'archived', 'needs_person', 'limit', 'cursor', 'since'],
  },
  list_hand_written_files: { method: 'GET', path: '/api/v1/projects/{project_id}/hand-written-files' },
  match_tasks: { method: 'GET', path: '/api/v1/projects/{project_id}/matching-tasks', query: ['q'] },
  get_next_task: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/next-task',
    query: ['goal_id', 'tag', 'any_goal', 'verbose', 'limit', 'cursor'],
  },
  create_note: { method: 'POST', path: '/api/v1/projects/{project_id}/notes', body: true },
  list_notes: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/notes',
    query: ['verbose', 'limit', 'cursor', 'since'],
  },
  create_participant_link: { method: 'POST', path: '/api/v1/projects/{project_id}/participant-links', body: true },
  list_presence: { method: 'GET', path: '/api/v1/projects/{project_id}/presence' },
  set_presence: { method: 'PUT', path: '/api/v1/projects/{project_id}/presence/{session}', body: true },
  list_problems: { method: 'GET', path: '/api/v1/projects/{project_id}/problems', query: ['limit', 'cursor', 'since'] },
  create_prototype: { method: 'POST', path: '/api/v1/projects/{project_id}/prototypes', body: true },
  list_prototypes: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/prototypes',
    query: ['limit', 'cursor', 'since'],
  },
  get_record_file: { method: 'GET', path: '/api/v1/projects/{project_id}/records/{record_id}/file' },
  list_revisions: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/revisions',
    query: ['target_type', 'target_id', 'author', 'limit', 'cursor', 'since'],
  },
  scaffold_project: { method: 'POST', path: '/api/v1/projects/{project_id}/scaffold', body: true },
  list_shares: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/shares',
    query: ['state', 'limit', 'cursor', 'since'],
  },
  list_short_ids: { method: 'GET', path: '/api/v1/projects/{project_id}/short-ids', query: ['id'] },
  list_submissions: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/submissions',
    query: ['status', 'verbose', 'limit', 'cursor', 'since'],
  },
  create_submission: { method: 'POST', path: '/api/v1/projects/{project_id}/submissions', body: true },
  sync_pull: { method: 'POST', path: '/api/v1/projects/{project_id}/sync-pull' },
  list_tags: { method: 'GET', path: '/api/v1/projects/{project_id}/tags', query: ['limit', 'cursor', 'since'] },
  create_tag: { method: 'POST', path: '/api/v1/projects/{project_id}/tags', body: true },
  get_task_graph: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/task-graph',
    query: ['goal_id', 'limit', 'cursor'],
  },
  create_task: { method: 'POST', path: '/api/v1/projects/{project_id}/tasks', body: true },
  list_tasks: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/tasks',
    query: [
      'status',
      'tag',
      'goal_id',
      'assignee',
      'kind',
      'priority',
      'lane',
      'severity',
      'awaiting_review',
      'returned',
      'to_merge',
      'order',
      'verbose',
      'limit',
      'cursor',
      'since',
    ],
  },
  change_tasks: { method: 'POST', path: '/api/v1/projects/{project_id}/tasks/batch', body: true },
  list_trash: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/trash',
    query: ['target_id', 'limit', 'cursor', 'since'],
  },
  restore_from_trash: { method: 'POST', path: '/api/v1/projects/{project_id}/trash/{trash_id}/restore' },
  undo_change: { method: 'POST', path: '/api/v1/projects/{project_id}/undo', body: true },
  list_views: { method: 'GET', path: '/api/v1/projects/{project_id}/views', query: ['limit', 'cursor', 'since'] },
  create_view: { method: 'POST', path: '/api/v1/projects/{project_id}/views', body: true },
  create_webhook: { method: 'POST', path: '/api/v1/projects/{project_id}/webhooks', body: true },
  list_webhooks: { method: 'GET', path: '/api/v1/projects/{project_id}/webhooks', query: ['limit', 'cursor', 'since'] },
  get_prototype: { method: 'GET', path: '/api/v1/prototypes/{prototype_id}', query: ['project_id', 'limit', 'cursor'] },
  update_prototype: { method: 'PATCH', path: '/api/v1/prototypes/{prototype_id}', query: ['project_id'], body: true },
  delete_prototype: { method: 'DELETE', path: '/api/v1/prototypes/{prototype_id}', query: ['project_id'] },
  share_prototype: {
    method: 'POST',
    path: '/api/v1/prototypes/{prototype_id}/share',
    query: ['project_id'],
    body: true,
  },
  get_ready: { method: 'GET', path: '/api/v1/ready' },
  get_revision: { method: 'GET', path: '/api/v1/revisions/{revision_id}', query: ['project_id'] },
  diff_revision: { method: 'GET', path: '/api/v1/revisions/{revision_id}/diff', query: ['project_id'] },
  restore_revision: {
    method: 'POST',
    path: '/api/v1/revisions/{revision_id}/restore',
    query: ['project_id'],
    body: true,
  },
  scaffold_project_from_plan: { method: 'POST', path: '/api/v1/scaffold', query: ['project_id'], body: true },
  search: { method: 'GET', path: '/api/v1/search', query: ['q', 'project_id', 'limit', 'bodies', 'type'] },
  get_service: { method: 'GET', path: '/api/v1/service' },
  post_service_hand_over: { method: 'POST', path: '/api/v1/service/hand-over' },
  read_share: { method: 'GET', path: '/api/v1/share/{token}.md' },
  read_share_file: { method: 'GET', path: '/api/v1/share/{token}/files/{file_id}' },
  revoke_share: { method: 'DELETE', path: '/api/v1/shares/{share_id}', query: ['project_id'] },
  list_sign_ins: { method: 'GET', path: '/api/v1/sign-ins', query: ['limit', 'cursor', 'since'] },
  end_sign_in: { method: 'DELETE', path: '/api/v1/sign-ins/{sign_in_id}' },
  get_submission: { method: 'GET', path: '/api/v1/submissions/{submission_id}', query: ['project_id'] },
  list_submission_comments: {
    method: 'GET',
    path: '/api/v1/submissions/{submission_id}/comments',
    query: ['project_id', 'include_resolved', 'limit', 'cursor', 'since'],
  },
  add_submission_comment: {
    method: 'POST',
    path: '/api/v1/submissions/{submission_id}/comments',
    query: ['project_id'],
    body: true,
  },
  reopen_submission: { method: 'POST', path: '/api/v1/submissions/{submission_id}/reopen', query: ['project_id'] },
  triage_submission: {
    method: 'POST',
    path: '/api/v1/submissions/{submission_id}/triage',
    query: ['project_id'],
    body: true,
  },
  get_tag: { method: 'GET', path: '/api/v1/tags/{tag_id}', query: ['project_id'] },
  update_tag: { method: 'PATCH', path: '/api/v1/tags/{tag_id}', query: ['project_id'], body: true },
  delete_tag: { method: 'DELETE', path: '/api/v1/tags/{tag_id}', query: ['project_id'] },
  update_task: { method: 'PATCH', path: '/api/v1/tasks/{task_id}', query: ['project_id'], body: true },
  get_task: { method: 'GET', path: '/api/v1/tasks/{task_id}', query: ['project_id'] },
  delete_task: { method: 'DELETE', path: '/api/v1/tasks/{task_id}', query: ['project_id'] },
  list_task_backlinks: { method: 'GET', path: '/api/v1/tasks/{task_id}/backlinks', query: ['project_id'] },
  claim_task: { method: 'POST', path: '/api/v1/tasks/{task_id}/claim', query: ['project_id'], body: true },
  list_task_comments: {
    method: 'GET',
    path: '/api/v1/tasks/{task_id}/comments',
    query: ['project_id', 'include_resolved', 'limit', 'cursor', 'since'],
  },
  add_task_comment: { method: 'POST', path: '/api/v1/tasks/{task_id}/comments', query: ['project_id'], body: true },
  share_task: { method: 'POST', path: '/api/v1/tasks/{task_id}/share', query: ['project_id'], body: true },
  get_view: { method: 'GET', path: '/api/v1/views/{view_id}', query: ['project_id'] },
  update_view: { method: 'PATCH', path: '/api/v1/views/{view_id}', query: ['project_id'], body: true },
  delete_view: { method: 'DELETE', path: '/api/v1/views/{view_id}', query: ['project_id'] },
  delete_webhook: { method: 'DELETE', path: '/api/v1/webhooks/{webhook_id}' },
  list_webhook_deliveries: {
    method: 'GET',
    path: '/api/v1/webhooks/{webhook_id}/deliveries',
    query: ['limit', 'cursor', 'since'],
  },
  redeliver_webhook: { method: 'POST', path: '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver' },
  pause_webhook: { method: 'POST', path: '/api/v1/webhooks/{webhook_id}/pause' },
  resume_webhook: { method: 'POST', path: '/api/v1/webhooks/{webhook_id}/resume' },
} as const;

/** The input of each operation, wherever its members are in the request, and the body of its response. */
export interface Calls {
  readonly get_agent_run: { readonly input: types.GetAgentRunRequest; readonly answer: types.Run };
  readonly update_agent_run: { readonly input: types.UpdateAgentRunRequest; readonly answer: types.Run };
  readonly answer_agent_run: {
    readonly input: types.AnswerAgentRunRequest;
    readonly answer: types.AnswerAgentRunAnswer;
  };
  readonly complete_agent_run: { readonly input: types.CompleteAgentRunRequest; readonly answer: types.ClosedRun };
  readonly record_agent_progress: {
    readonly input: types.RecordAgentProgressRequest;
    readonly answer: types.RecordAgentProgressAnswer;
  };
  readonly reopen_agent_run: { readonly input: types.ReopenAgentRunRequest; readonly answer: types.Run };
  readonly get_artifact: { readonly input: types.GetArtifactRequest; readonly answer: types.Artifact };
  readonly update_artifact: { readonly input: types.UpdateArtifactRequest; readonly answer: types.Artifact };
  readonly delete_artifact: { readonly input: types.DeleteArtifactRequest; readonly answer: undefined };
  readonly copy_screen: { readonly input: types.CopyScreenRequest; readonly answer: types.Artifact };
  readonly move_screen: { readonly input: types.MoveScreenRequest; readonly answer: types.Artifact };
  readonly render_artifact: { readonly input: types.RenderArtifactRequest; readonly answer: unknown };
  readonly post_call_operation: {
    readonly input: types.PostCallOperationRequest;
    readonly answer: types.PostCallOperationAnswer;
  };
  readonly get_comment: { readonly input: types.GetCommentRequest; readonly answer: types.Comment };
  readonly update_comment: { readonly input: types.UpdateCommentRequest; readonly answer: types.Comment };
  readonly delete_comment: { readonly input: types.DeleteCommentRequest; readonly answer: undefined };
  readonly resolve_comment: { readonly input: types.ResolveCommentRequest; readonly answer: types.Comment };
  readonly get_docs: { readonly input: types.GetDocsRequest; readonly answer: unknown };
  readonly get_docs_errors: { readonly input: types.GetDocsErrorsRequest; readonly answer: unknown };
  readonly get_docs_page_css: { readonly input: types.GetDocsPageCssRequest; readonly answer: unknown };
  readonly get_docs_page_js: { readonly input: types.GetDocsPageJsRequest; readonly answer: unknown };
  readonly get_docs_swagger_ui_css: { readonly input: types.GetDocsSwaggerUiCssRequest; readonly answer: unknown };
  readonly get_docs_swagger_ui_js: { readonly input: types.GetDocsSwaggerUiJsRequest; readonly answer: unknown };
  readonly get_doctor: { readonly input: types.GetDoctorRequest; readonly answer: types.GetDoctorAnswer };
  readonly post_doctor: { readonly input: types.PostDoctorRequest; readonly answer: types.PostDoctorAnswer };
  readonly update_document: { readonly input: types.UpdateDocumentRequest; readonly answer: types.Document };
  readonly get_document: { readonly input: types.GetDocumentRequest; readonly answer: types.Document };
  readonly delete_document: { readonly input: types.DeleteDocumentRequest; readonly answer: undefined };
  readonly list_document_comments: {
    readonly input: types.ListDocumentCommentsRequest;
    readonly answer: types.ListDocumentCommentsAnswer;
  };
  readonly add_document_comment: { readonly input: types.AddDocumentCommentRequest; readonly answer: types.Comment };
  readonly share_document: { readonly input: types.ShareDocumentRequest; readonly answer: types.ShareDocumentAnswer };
  readonly list_all_events: { readonly input: types.ListAllEventsRequest; readonly answer: types.ListAllEventsAnswer };
  readonly get_file: { readonly input: types.GetFileRequest; readonly answer: unknown };
  readonly find_record: { readonly input: types.FindRecordRequest; readonly answer: types.FoundRecord };
  readonly post_flush: { readonly input: types.PostFlushRequest; readonly answer: types.PostFlushAnswer };
  readonly update_folder: { readonly input: types.UpdateFolderRequest; readonly answer: types.Folder };
  readonly delete_folder: { readonly input: types.DeleteFolderRequest; readonly answer: undefined };
  readonly get_folder: { readonly input: types.GetFolderRequest; readonly answer: types.Folder };
  readonly get_goal: { readonly input: types.GetGoalRequest; readonly answer: types.GetGoalAnswer };
  readonly update_goal: { readonly input: types.UpdateGoalRequest; readonly answer: types.UpdateGoalAnswer };
  readonly archive_goal: { readonly input: types.ArchiveGoalRequest; readonly answer: types.Goal };
  readonly complete_goal: { readonly input: types.CompleteGoalRequest; readonly answer: types.CompleteGoalAnswer };
  readonly invoke_goal: { readonly input: types.InvokeGoalRequest; readonly answer: types.InvokeGoalAnswer };
  readonly pause_goal: { readonly input: types.PauseGoalRequest; readonly answer: types.Goal };
  readonly reopen_goal: { readonly input: types.ReopenGoalRequest; readonly answer: types.Goal };
  readonly resume_goal: { readonly input: types.ResumeGoalRequest; readonly answer: types.Goal };
  readonly unarchive_goal: { readonly input: types.UnarchiveGoalRequest; readonly answer: types.Goal };
  readonly get_health: { readonly input: types.GetHealthRequest; readonly answer: types.GetHealthAnswer };
  readonly list_identities: {
    readonly input: types.ListIdentitiesRequest;
    readonly answer: types.ListIdentitiesAnswer;
  };
  readonly forget_identity: { readonly input: types.ForgetIdentityRequest; readonly answer: undefined };
  readonly list_keys: { readonly input: types.ListKeysRequest; readonly answer: types.ListKeysAnswer };
  readonly create_key: { readonly input: types.CreateKeyRequest; readonly answer: types.NewKey };
  readonly revoke_key: { readonly input: types.RevokeKeyRequest; readonly answer: undefined };
  readonly update_note: { readonly input: types.UpdateNoteRequest; readonly answer: types.Note };
  readonly get_note: { readonly input: types.GetNoteRequest; readonly answer: types.Note };
  readonly delete_note: { readonly input: types.DeleteNoteRequest; readonly answer: undefined };
  readonly list_note_comments: {
    readonly input: types.ListNoteCommentsRequest;
    readonly answer: types.ListNoteCommentsAnswer;
  };
  readonly add_note_comment: { readonly input: types.AddNoteCommentRequest; readonly answer: types.Comment };
  readonly get_openapi_json: {
    readonly input: types.GetOpenapiJsonRequest;
    readonly answer: types.GetOpenapiJsonAnswer;
  };
  readonly get_participation: {
    readonly input: types.GetParticipationRequest;
    readonly answer: types.GetParticipationAnswer;
  };
  readonly participate: { readonly input: types.ParticipateRequest; readonly answer: types.ParticipateAnswer };
  readonly list_projects: { readonly input: types.ListProjectsRequest; readonly answer: types.ListProjectsAnswer };
  readonly create_project: { readonly input: types.CreateProjectRequest; readonly answer: types.Project };
  readonly import_project: { readonly input: types.ImportProjectRequest; readonly answer: types.ImportProjectAnswer };
  readonly create_sample_project: { readonly input: types.CreateSampleProjectRequest; readonly answer: types.Project };
  readonly get_project: { readonly input: types.GetProjectRequest; readonly answer: types.GetProjectAnswer };
  readonly update_project: { readonly input: types.UpdateProjectRequest; readonly answer: types.Project };
  readonly delete_project: { readonly input: types.DeleteProjectRequest; readonly answer: undefined };
  readonly start_agent_run: { readonly input: types.StartAgentRunRequest; readonly answer: types.Run };
  readonly list_agent_runs: { readonly input: types.ListAgentRunsRequest; readonly answer: types.ListAgentRunsAnswer };
  readonly list_artifact_comments: {
    readonly input: types.ListArtifactCommentsRequest;
    readonly answer: types.ListArtifactCommentsAnswer;
  };
  readonly add_artifact_comment: { readonly input: types.AddArtifactCommentRequest; readonly answer: types.Comment };
  readonly create_artifact: { readonly input: types.CreateArtifactRequest; readonly answer: types.Artifact };
  readonly list_artifacts: { readonly input: types.ListArtifactsRequest; readonly answer: types.ListArtifactsAnswer };
  readonly get_canvas: { readonly input: types.GetCanvasRequest; readonly answer: types.Canvas };
  readonly put_canvas: { readonly input: types.PutCanvasRequest; readonly answer: types.Canvas };
  readonly list_record_changes: { readonly input: types.ListRecordChangesRequest; readonly answer: unknown };
  readonly apply_record_changes: {
    readonly input: types.ApplyRecordChangesRequest;
    readonly answer: types.ApplyRecordChangesAnswer;
  };
  readonly get_full_revisions: {
    readonly input: types.GetFullRevisionsRequest;
    readonly answer: types.GetFullRevisionsAnswer;
  };
  readonly list_comments: { readonly input: types.ListCommentsRequest; readonly answer: types.ListCommentsAnswer };
  readonly add_comment: { readonly input: types.AddCommentRequest; readonly answer: types.Comment };
  readonly set_current_goal: {
    readonly input: types.SetCurrentGoalRequest;
    readonly answer: types.SetCurrentGoalAnswer;
  };
  readonly create_document: { readonly input: types.CreateDocumentRequest; readonly answer: types.Document };
  readonly list_documents: { readonly input: types.ListDocumentsRequest; readonly answer: types.ListDocumentsAnswer };
  readonly move_documents: { readonly input: types.MoveDocumentsRequest; readonly answer: types.MoveDocumentsAnswer };
  readonly create_edge: { readonly input: types.CreateEdgeRequest; readonly answer: types.CreateEdgeAnswer };
  readonly list_edges: { readonly input: types.ListEdgesRequest; readonly answer: types.ListEdgesAnswer };
  readonly delete_edge: { readonly input: types.DeleteEdgeRequest; readonly answer: undefined };
  readonly list_events: { readonly input: types.ListEventsRequest; readonly answer: types.ListEventsAnswer };
  readonly export_project: { readonly input: types.ExportProjectRequest; readonly answer: unknown };
  readonly create_file: { readonly input: types.CreateFileRequest; readonly answer: types.File };
  readonly list_files: { readonly input: types.ListFilesRequest; readonly answer: types.ListFilesAnswer };
  readonly create_folder: { readonly input: types.CreateFolderRequest; readonly answer: types.Folder };
  readonly list_folders: { readonly input: types.ListFoldersRequest; readonly answer: types.ListFoldersAnswer };
  readonly create_goal: { readonly input: types.CreateGoalRequest; readonly answer: types.CreateGoalAnswer };
  readonly list_goals: { readonly input: types.ListGoalsRequest; readonly answer: types.ListGoalsAnswer };
  readonly list_hand_written_files: {
    readonly input: types.ListHandWrittenFilesRequest;
    readonly answer: types.ListHandWrittenFilesAnswer;
  };
  readonly match_tasks: { readonly input: types.MatchTasksRequest; readonly answer: types.MatchTasksAnswer };
  readonly get_next_task: { readonly input: types.GetNextTaskRequest; readonly answer: types.NextTask };
  readonly create_note: { readonly input: types.CreateNoteRequest; readonly answer: types.Note };
  readonly list_notes: { readonly input: types.ListNotesRequest; readonly answer: types.ListNotesAnswer };
  readonly create_participant_link: {
    readonly input: types.CreateParticipantLinkRequest;
    readonly answer: types.CreateParticipantLinkAnswer;
  };
  readonly list_presence: { readonly input: types.ListPresenceRequest; readonly answer: types.ListPresenceAnswer };
  readonly set_presence: { readonly input: types.SetPresenceRequest; readonly answer: types.SetPresenceAnswer };
  readonly list_problems: { readonly input: types.ListProblemsRequest; readonly answer: types.ListProblemsAnswer };
  readonly create_prototype: {
    readonly input: types.CreatePrototypeRequest;
    readonly answer: types.CreatePrototypeAnswer;
  };
  readonly list_prototypes: {
    readonly input: types.ListPrototypesRequest;
    readonly answer: types.ListPrototypesAnswer;
  };
  readonly get_record_file: { readonly input: types.GetRecordFileRequest; readonly answer: types.GetRecordFileAnswer };
  readonly list_revisions: { readonly input: types.ListRevisionsRequest; readonly answer: types.ListRevisionsAnswer };
  readonly scaffold_project: {
    readonly input: types.ScaffoldProjectRequest;
    readonly answer: types.ScaffoldProjectAnswer;
  };
  readonly list_shares: { readonly input: types.ListSharesRequest; readonly answer: types.ListSharesAnswer };
  readonly list_short_ids: { readonly input: types.ListShortIdsRequest; readonly answer: types.ListShortIdsAnswer };
  readonly list_submissions: {
    readonly input: types.ListSubmissionsRequest;
    readonly answer: types.ListSubmissionsAnswer;
  };
  readonly create_submission: {
    readonly input: types.CreateSubmissionRequest;
    readonly answer: types.CreateSubmissionAnswer;
  };
  readonly sync_pull: { readonly input: types.SyncPullRequest; readonly answer: types.SyncPullAnswer };
  readonly list_tags: { readonly input: types.ListTagsRequest; readonly answer: types.ListTagsAnswer };
  readonly create_tag: { readonly input: types.CreateTagRequest; readonly answer: types.Tag };
  readonly get_task_graph: { readonly input: types.GetTaskGraphRequest; readonly answer: types.GetTaskGraphAnswer };
  readonly create_task: { readonly input: types.CreateTaskRequest; readonly answer: types.CreateTaskAnswer };
  readonly list_tasks: { readonly input: types.ListTasksRequest; readonly answer: types.ListTasksAnswer };
  readonly change_tasks: { readonly input: types.ChangeTasksRequest; readonly answer: types.ChangeTasksAnswer };
  readonly list_trash: { readonly input: types.ListTrashRequest; readonly answer: types.ListTrashAnswer };
  readonly restore_from_trash: {
    readonly input: types.RestoreFromTrashRequest;
    readonly answer: types.RestoredFromTrash;
  };
  readonly undo_change: { readonly input: types.UndoChangeRequest; readonly answer: types.UndoneChange };
  readonly list_views: { readonly input: types.ListViewsRequest; readonly answer: types.ListViewsAnswer };
  readonly create_view: { readonly input: types.CreateViewRequest; readonly answer: types.View };
  readonly create_webhook: { readonly input: types.CreateWebhookRequest; readonly answer: types.NewWebhook };
  readonly list_webhooks: { readonly input: types.ListWebhooksRequest; readonly answer: types.ListWebhooksAnswer };
  readonly get_prototype: { readonly input: types.GetPrototypeRequest; readonly answer: types.GetPrototypeAnswer };
  readonly update_prototype: {
    readonly input: types.UpdatePrototypeRequest;
    readonly answer: types.UpdatePrototypeAnswer;
  };
  readonly delete_prototype: { readonly input: types.DeletePrototypeRequest; readonly answer: undefined };
  readonly share_prototype: {
    readonly input: types.SharePrototypeRequest;
    readonly answer: types.SharePrototypeAnswer;
  };
  readonly get_ready: { readonly input: types.GetReadyRequest; readonly answer: types.GetReadyAnswer };
  readonly get_revision: { readonly input: types.GetRevisionRequest; readonly answer: types.RevisionDetail };
  readonly diff_revision: { readonly input: types.DiffRevisionRequest; readonly answer: types.RevisionDiff };
  readonly restore_revision: {
    readonly input: types.RestoreRevisionRequest;
    readonly answer: types.RestoreRevisionAnswer;
  };
  readonly scaffold_project_from_plan: {
    readonly input: types.ScaffoldProjectFromPlanRequest;
    readonly answer: types.ScaffoldProjectFromPlanAnswer;
  };
  readonly search: { readonly input: types.SearchRequest; readonly answer: types.SearchAnswer };
  readonly get_service: { readonly input: types.GetServiceRequest; readonly answer: types.GetServiceAnswer };
  readonly post_service_hand_over: {
    readonly input: types.PostServiceHandOverRequest;
    readonly answer: types.PostServiceHandOverAnswer;
  };
  readonly read_share: { readonly input: types.ReadShareRequest; readonly answer: unknown };
  readonly read_share_file: { readonly input: types.ReadShareFileRequest; readonly answer: unknown };
  readonly revoke_share: { readonly input: types.RevokeShareRequest; readonly answer: undefined };
  readonly list_sign_ins: { readonly input: types.ListSignInsRequest; readonly answer: types.ListSignInsAnswer };
  readonly end_sign_in: { readonly input: types.EndSignInRequest; readonly answer: undefined };
  readonly get_submission: { readonly input: types.GetSubmissionRequest; readonly answer: types.GetSubmissionAnswer };
  readonly list_submission_comments: {
    readonly input: types.ListSubmissionCommentsRequest;
    readonly answer: types.ListSubmissionCommentsAnswer;
  };
  readonly add_submission_comment: {
    readonly input: types.AddSubmissionCommentRequest;
    readonly answer: types.Comment;
  };
  readonly reopen_submission: {
    readonly input: types.ReopenSubmissionRequest;
    readonly answer: types.ReopenSubmissionAnswer;
  };
  readonly triage_submission: {
    readonly input: types.TriageSubmissionRequest;
    readonly answer: types.TriageSubmissionAnswer;
  };
  readonly get_tag: { readonly input: types.GetTagRequest; readonly answer: types.Tag };
  readonly update_tag: { readonly input: types.UpdateTagRequest; readonly answer: types.Tag };
  readonly delete_tag: { readonly input: types.DeleteTagRequest; readonly answer: undefined };
  readonly update_task: { readonly input: types.UpdateTaskRequest; readonly answer: types.UpdateTaskAnswer };
  readonly get_task: { readonly input: types.GetTaskRequest; readonly answer: types.GetTaskAnswer };
  readonly delete_task: { readonly input: types.DeleteTaskRequest; readonly answer: undefined };
  readonly list_task_backlinks: {
    readonly input: types.ListTaskBacklinksRequest;
    readonly answer: types.ListTaskBacklinksAnswer;
  };
  readonly claim_task: { readonly input: types.ClaimTaskRequest; readonly answer: types.ClaimTaskAnswer };
  readonly list_task_comments: {
    readonly input: types.ListTaskCommentsRequest;
    readonly answer: types.ListTaskCommentsAnswer;
  };
  readonly add_task_comment: { readonly input: types.AddTaskCommentRequest; readonly answer: types.Comment };
  readonly share_task: { readonly input: types.ShareTaskRequest; readonly answer: types.ShareTaskAnswer };
  readonly get_view: { readonly input: types.GetViewRequest; readonly answer: types.View };
  readonly update_view: { readonly input: types.UpdateViewRequest; readonly answer: types.View };
  readonly delete_view: { readonly input: types.DeleteViewRequest; readonly answer: undefined };
  readonly delete_webhook: { readonly input: types.DeleteWebhookRequest; readonly answer: undefined };
  readonly list_webhook_deliveries: {
    readonly input: types.ListWebhookDeliveriesRequest;
    readonly answer: types.ListWebhookDeliveriesAnswer;
  };
  readonly redeliver_webhook: { readonly input: types.RedeliverWebhookRequest; readonly answer: types.Webhook };
  readonly pause_webhook: { readonly input: types.PauseWebhookRequest; readonly answer: types.Webhook };
  readonly resume_webhook: { readonly input: types.ResumeWebhookRequest; readonly answer: types.Webhook };
}
