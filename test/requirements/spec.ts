import type { Section } from './section.ts';

/** The interface specification, except its tables of routes (rest.ts) and tools (mcp.ts). */
export const spec: readonly Section[] = [
  {
    title: 'Specification: rules that hold for the whole service',
    now: {
      'S.rule.1':
        'Every task belongs to a goal: the given one, else the default goal General, with which each project is created.',
      'S.rule.2': 'An agent works a goal to its end by looping get_next_task and update_task.',
      'S.rule.3': 'REST and MCP act on the same data: what one changes the other reads.',
      'S.rule.4': 'No MCP tool deletes a project, task, document, note or artifact.',
      'S.rule.5':
        'Two MCP tools delete, and structure only: delete_edge one link, delete_folder a folder but not its contents.',
      'S.rule.6': 'Comments cannot be deleted through MCP, only resolved.',
      'S.rule.7': 'MCP exposes 64 tools, the last three of them sync_pull, list_submissions and triage_submission.',
      'S.rule.8': 'The project of a call is resolved from .planner/config.json when present; ids are never guessed.',
      'S.rule.9': 'scaffold_project_from_plan creates a project, tasks, edges and documents in one call.',
      'S.rule.10': 'A share link gives one task, document or prototype to a delegated worker as Markdown.',
    },
  },
  {
    title: 'Specification: projects and the canvas',
    now: {
      'S.project.name': 'A project needs a name on create, not on update.',
      'S.project.null': 'repo_url and folder_path of a project are cleared by null.',
      'S.project.summary': 'Project detail returns the project plus summary counts.',
      'S.canvas.object': 'A canvas is an object of nodes, edges and layout.',
      'S.canvas.upsert': 'PUT canvas upserts nodes, edges and layout.',
      'S.canvas.same': 'A canvas reads back with the coordinates and edge labels that were written.',
    },
  },
  {
    title: 'Specification: documents and folders',
    now: {
      'S.document.required': 'A document needs title and body on create.',
      'S.document.folder': 'A document is Unfiled when it has no folder_id.',
      'S.document.link_to':
        'link_to of create and update takes one id or a list of ids of tasks or documents and creates edges.',
      'S.document.links': 'A document shows links (outgoing) and backlinks (incoming), each entry with its edge_id.',
      'S.document.tree': 'Listing documents returns a tree.',
      'S.document.many': 'A document linked to several tasks appears in the backlinks of each of them.',
      'S.folder.nested': 'A folder may be in another folder.',
      'S.folder.update': 'A folder can be renamed and re-parented.',
      'S.folder.cycle': 'Re-parenting a folder that would create a cycle is rejected.',
      'S.folder.delete': 'Deleting a folder moves its documents and sub-folders to the parent, Unfiled by default.',
    },
  },
  {
    title: 'Specification: tasks, tags and edges',
    now: {
      'S.task.label': 'A task needs a label on create.',
      'S.task.node': 'Creating a task also creates its canvas node.',
      'S.task.tags': 'The tags given to an update replace the former ones.',
      'S.task.delete': 'Deleting a task deletes its edges.',
      'S.task.filter': 'list_tasks filters by status and by tags, any of the tags sufficing.',
      'S.tag.list': "list_tags returns the project's tags with id, name and color.",
      'S.edge.types':
        'An edge joins tasks and documents by from_type, from_id, to_type and to_id, with an optional label.',
      'S.edge.siblings': 'Deleting one edge leaves sibling edges untouched.',
    },
  },
  {
    title: 'Specification: goals',
    now: {
      'S.goal.objective': 'A goal needs an objective on create.',
      'S.goal.surface':
        'verification_surface is optional: a gate_command, an acceptance_checklist or a human_sign_off.',
      'S.goal.contract':
        'name, objective, constraints, boundaries, iteration_policy, stop_condition and budget are editable.',
      'S.goal.status': 'A goal is active, paused, complete or blocked.',
      'S.goal.last_verification': 'last_verification is null or {at, green, kind, detail?}.',
      'S.goal.cycle_tasks': 'Goal detail returns cycle_tasks.',
      'S.goal.current':
        'The session holds a current goal, set by invoke_goal or set_current_goal; only an active goal may be made current.',
    },
  },
  {
    title: 'Specification: states and transitions',
    now: {
      'S.state.pause': 'An active goal is paused.',
      'S.state.resume': 'A paused goal is resumed to active.',
      'S.state.complete':
        'An active goal with all cycle tasks done and green evidence becomes complete, the evidence in last_verification.',
      'S.state.blocked': 'An active goal with red evidence becomes blocked, and a scope remediation task is filed.',
      'S.state.no-gate': 'The service never runs the verification gate.',
      'S.state.next': "get_next_task returns the next actionable todo on the active goal's frontier.",
      'S.state.claim': 'claim_task claims atomically: two agents cannot take the same task.',
      'S.state.share': 'A share link resolves as live, unknown, or expired/revoked.',
      'S.state.run': 'An agent run is started, collects progress and is closed as completed or failed.',
    },
  },
  {
    title: 'Specification: revisions',
    now: {
      'S.revision.list': 'Revisions of a task or document show author, changed fields and time, newest first.',
      'S.revision.snapshot': 'get_revision adds a snapshot of the prior state.',
      'S.revision.no-restore': 'There is no restore tool over MCP.',
    },
  },
  {
    title: 'Specification: the other resources',
    now: {
      'S.share.one': 'A share link is scoped to exactly one task, document or prototype.',
      'S.submission.triage': 'A participant submission is accepted into a real task or rejected.',
      'S.share-route.1': 'The share route returns agent-ready Markdown of exactly one task or document.',
      'S.share-route.2': 'Linked documents are inlined in shared Markdown.',
      'S.share-route.3': 'An instruction at the top of shared Markdown asks the reader to fetch every embedded image.',
      'S.share-route.4': 'Relative URLs in shared Markdown are made absolute.',
      'S.comment.targets':
        'A comment belongs to a document, task, note, submission or artifact, optionally anchored to a passage.',
      'S.comment.artifact':
        'An artifact target is any file of the project; its comments live under /projects/:id/artifact-comments.',
      'S.note.fields': 'A note has a title and a Markdown body.',
      'S.view.read-only': 'Saved views are read-only over MCP.',
      'S.run.events': 'Progress events are listed nested under their run.',
      'S.file.url': 'An uploaded file has an id and a url that is embedded in a body as ![alt](url).',
      'S.artifact.loop':
        'An artifact is revised under its id: list its comments, address them, update the same artifact.',
      'S.prototype.screens': 'A prototype is a flow with a viewport whose screens are HTML artifacts.',
      'S.prototype.move': 'move_screen keeps the artifact id and its comments.',
      'S.prototype.copy': 'copy_screen creates a new artifact id with the same content and without comments.',
    },
  },
  {
    title: 'Specification: authentication and events',
    now: {
      'S.auth.loopback': 'On local loopback a caller without a header is the owner.',
      'S.events.none': 'There is no event stream: /api/v1/events does not exist.',
      'S.auth.cookie': 'On a hosted service, a browser is authenticated by the session cookie of its sign-in.',
      'S.auth.bearer':
        'On a hosted service, a command line or agent is authenticated by Authorization: Bearer with an owner key or an agent key.',
      'S.auth.basic': 'PLANNER_AUTH_PASSWORD enables HTTP basic authentication.',
      'S.auth.1': 'The next call after a key or token was revoked returns 401, over REST and MCP.',
      'S.auth.2': 'The programmatic client reads PLANNER_URL and PLANNER_MCP_TOKEN.',
      'S.auth.3': 'A share link gives access to one resource only, by the token in its path.',
    },
    later: {},
  },
  {
    title: 'Specification: errors',
    now: {
      'S.errors.unknown-project': 'An unknown project in an MCP call is the tool error not_found.',
      'S.errors.invalid-status': 'An invalid status value in an MCP call is the tool error invalid_argument.',
      'S.errors.no-goal': 'get_next_task that cannot choose a goal returns no_active_goal or multiple_active_goals.',
      'S.errors.folder-cycle': 'A folder re-parent that would form a cycle is rejected.',
      'S.errors.move-partial': 'move_documents that fails in part succeeds with moved ids and a failed entry per item.',
      'S.errors.revoked': 'A revoked token or key returns 401 over REST and MCP.',
      'S.errors.share-unknown': 'An unknown share token returns 404.',
      'S.errors.share-expired': 'An expired or revoked share link returns 410.',
    },
  },
  {
    title: 'Specification: limits, conformance and versioning',
    now: {
      'S.conformance.1': 'GET /api/v1/health returns { ok: true }.',
      'S.conformance.3':
        'A canvas written with 3 nodes and 2 labeled edges reads back with identical coordinates and labels.',
      'S.conformance.4': 'An MCP update_task is visible on the next REST read.',
      'S.limits.tools': 'MCP has the 64 specified tools.',
      'S.version.rest': 'REST carries its version in the path prefix /api/v1.',
      'S.version.mcp': 'The MCP endpoint carries no version in its path; clients list the tools.',
      'S.conformance.5': 'Export then import preserves node, edge and document counts and content.',
      'S.conformance.2': 'An MCP session with a bearer token lists at least 8 tools and at least 1 project.',
      'S.conformance.6': 'A revoked key gets 401 on the next call.',
      'S.limits.share': 'A share link lives 24 hours by default and its expiry can never be disabled.',
      'S.limits.upload': 'A file upload holds at most 10 MB.',
    },
    later: {
      'S.limits.polling': 'The page polls about every 2.5 seconds where no stream reaches it.',
    },
    measured: {
      'S.limits.cold-start': 'The first project is created within 5 s of the start.',
      'S.limits.p95': 'list_projects plus get_project over MCP take under 2 s at p95.',
    },
  },
];
