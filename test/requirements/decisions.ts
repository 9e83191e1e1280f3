import type { Section } from './section.ts';

/** The decisions 1 to 5: common rules, errors, tasks, goals, canvas and edges. */
export const decisions: readonly Section[] = [
  {
    title: 'Decisions 1: common to every resource',
    now: {
      'D1.names': 'Names are snake_case on the wire, in files and in tool arguments.',
      'D1.ids':
        "An id is a prefix, the project's code and ten random characters of Crockford base32, 16 in all after the prefix.",
      'D1.id-order': 'Ids created in one millisecond ascend in the order of creation.',
      'D1.chosen-ids':
        'An id chosen on the canvas or in a file is accepted unchanged if it matches the pattern and is free in its project.',
      'D1.no-chosen-ids': 'Elsewhere callers may not choose ids.',
      'D1.ambiguous-id':
        'A route without a project that meets an id in several projects returns conflict naming them and takes ?project_id=.',
      'D1.times': 'Times are ISO 8601 UTC with milliseconds.',
      'D1.due-date': 'due_date is YYYY-MM-DD.',
      'D1.stamps': 'Every resource has created_at and updated_at.',
      'D1.unknown-members': 'Unknown members of a body, a query or a tool call are rejected by name, at every depth.',
      'D1.null': 'An absent member leaves a field unchanged, null clears it if the field is nullable.',
      'D1.name-length': 'Names, labels and titles have at most 500 characters.',
      'D1.body-length': 'Markdown and HTML bodies have at most 2 MiB.',
      'D1.tags-max': 'A task has at most 50 tags.',
      'D1.array-length': 'An array in a request has at most 10,000 items.',
      'D1.request-size': 'A request body has at most 16 MiB.',
      'D1.blank': 'Blank names, labels, titles and objectives are rejected.',
      'D1.limit': 'Lists take limit (1 to 1000) and cursor, and a limited response has next_cursor.',
      'D1.all': 'A list over REST returns every item when neither limit nor cursor is given.',
      'D1.order': 'Lists are ordered by created_at, then id, unless stated otherwise.',
      'D1.etag':
        "Every GET carries a strong ETag of two parts: own changes with the resource's own fields, rest with anything else shown.",
      'D1.tag-restart': 'A tag survives a restart of the service unless something was changed meanwhile.',
      'D1.304': 'If-None-Match of an unchanged response returns 304 without building the body.',
      'D1.if-match': 'PATCH and PUT honour If-Match, comparing the own part.',
      'D1.since': 'Lists take since and return what changed and what was removed, or everything if that is too old.',
      'D1.expiry-tag': 'Expiry of a resource changes the tag.',
      'D1.idempotency':
        'A write repeated with its Idempotency-Key (MCP: _meta["planner/key"]) gets the first response.',
      'D1.idempotency-restart': 'Idempotency keys are kept for 24 hours with the change, also across restarts.',
      'D1.blank-comment': 'Blank comment bodies are rejected.',
    },
  },
  {
    title: 'Decisions 2: errors',
    now: {
      'D2.shape':
        'An error is {error, message, field?, ...details}: the body over REST, an isError result as JSON text and structuredContent over MCP.',
      'D2.message': 'The message of an error says what is wrong and what would be right.',
      'D2.codes': 'The codes and their HTTP statuses are those of one table.',
      'D2.invalid_argument':
        '400: schema violation, unknown member, bad enum, bad reference inside a body; field is the path of the first.',
      'D2.violations': 'invalid_argument lists up to 20 violations in details.',
      'D2.parse-error': 'A body that is not JSON returns an error of the same shape over both interfaces.',
      'D2.verification_required': "400: complete_goal without evidence of the surface's kind, with required_kind.",
      'D2.blocked_by_incomplete_tasks': '400: complete_goal with open tasks, with incomplete_task_ids.',
      'D2.unauthorized': '401: a credential that is unknown, with WWW-Authenticate.',
      'D2.forbidden': '403: a foreign Origin or Host.',
      'D2.not_found': '404: an unknown id, with resource and id.',
      'D2.method_not_allowed': '405 with Allow.',
      'D2.conflict': '409: the state forbids it.',
      'D2.conflict-file': "409: the record's file on disk is unreadable, with path and line.",
      'D2.precondition_failed': '412: If-Match did not match.',
      'D2.payload_too_large': '413: a body over its limit.',
      'D2.unsupported_media_type': '415: another media type, or any Content-Encoding but identity.',
      'D2.internal': '500: never with a stack or a path in it.',
      'D2.unavailable': '503: the store rejects writes.',
      'D2.outcome-unknown': 'unavailable has outcome "unknown" if the change may exist after a restart.',
      'D2.statuses': 'POST that creates returns 201 with the resource, GET, PATCH and PUT 200, DELETE 204.',
      'D2.patch-get': 'Every path that takes PATCH also takes GET.',
      'D2.bare': 'Over REST a response is the bare resource and a list is { <plural>: [...] }.',
      'D2.unauthorized-revoked': '401: a revoked credential, or none if one is required.',
      'D2.forbidden-key': '403: a credential that may not do this, such as an agent key on a DELETE of content.',
      'D2.not_found-foreign': "404: an id outside the caller's project, indistinguishable from an unknown one.",
      'D2.rate_limited': '429 with Retry-After.',
      'D2.gone': '410: a share link expired or revoked, or its resource deleted.',
      'D2.payload-file': '413: a file over its limit.',
    },
  },
  {
    title: 'Decisions 2: MCP answers and transport',
    now: {
      'D2.mcp-answer':
        'A success is structuredContent plus the same object as JSON text, wrapped in one key named after the resource.',
      'D2.mcp-rows': 'Lists return at most 100 light rows and a next_cursor unless limit says otherwise.',
      'D2.mcp-size': 'No result of a list tool exceeds about 10,000 tokens.',
      'D2.mcp-listing':
        'The listing of the tools is one page in a fixed order, that of the specified ones within 48 kB, in a session without output schemas.',
      'D2.mcp-outputs':
        'Clients without a session get the members of each output, and the listing of the specified ones stays under 60 kB; results are as declared.',
      'D2.mcp-embedded':
        'Embedded lists are cut in the same way, each with its <name>_total, and those tools take limit and cursor.',
      'D2.annotations': 'Every tool has a title, a description and annotations.',
      'D2.project-default': "Without project_id, a loopback owner's call uses the project of the root's config.json.",
      'D2.project-missing':
        'Without project_id, a caller that is bound to no project gets invalid_argument with the reason.',
      'D2.project-by-ids':
        'If none is bound, the ids of a call find its project; ids of two projects are invalid_argument.',
      'D2.mcp-paths': 'MCP is served at /mcp and /mcp/.',
      'D2.sessions': 'Mcp-Session-Id keys credential, current goal, client name and claims.',
      'D2.sessionless': 'Calls without a session are served.',
      'D2.session-resume': 'A session id that a restarted process does not know is resumed for the same credential.',
      'D2.session-other': 'A session id with another credential is 404.',
      'D2.session-ended': 'A session ended by DELETE is 404.',
      'D2.session-limits': 'Sessions end when idle too long, and the oldest if there are too many.',
      'D2.modern':
        'Requests of MCP revision 2026-07-28, which have no session, are served on the same endpoint with the same tools.',
      'D2.modern-refusals':
        'They are rejected with the codes -32020, -32022 and -32602, the status and the id that the revision requires.',
      'D2.modern-state':
        'The current goal, claims and authorship of a client without a session belong to its credential and its name.',
      'D2.resources':
        'Documents, tasks, goals, notes, artifacts, the overview of a project and the next task are resources of MCP, with templates that are completed.',
      'D2.prompts':
        'The prompts plan, next, work, review, standup and triage request an agent to do so, with arguments that are completed.',
      'D2.elicitation':
        'A client that can ask a person is required to before a task leaves scope, a goal is signed off or no longer needs to be, or something is deleted.',
      'D2.elicitation-effects':
        'What a person confirms is decided by what a call changes, whichever tool it is, and asked after the call was found to be valid.',
      'D2.elicitation-bound':
        'An answer counts for the credential, the arguments and the states of the records that were asked about; otherwise the question is asked again.',
      'D2.elicitation-texts': 'Texts in questions are quoted, escaped and cut to a line.',
      'D2.subscribe':
        'A session that subscribed to resources gets a notification of each change on its stream, also of changes while it had none or the service was restarted.',
      'D2.listen':
        'A client without a session gets the same notifications in the response to subscriptions/listen until it disconnects.',
      'D2.events':
        'The extension of MCP for events lists the types of the feed, is polled with its cursors, and streams.',
      'D2.skills': 'The extension of MCP for skills has a skill for each prompt, with its text.',
      'D2.mcp-get': 'GET of the MCP endpoint opens the stream of a session; without one it returns 405 with Allow.',
      'D2.well-known': '/.well-known/*, /register, /authorize and /token return 404 in JSON.',
      'D2.instructions': 'initialize returns instructions of at most 2 kB: the working loop and the bound project.',
      'D2.mcp-get-credential': 'GET of the MCP endpoint returns 401 without a required credential.',
      'D2.project-key':
        'Without project_id, a call uses the project of an agent key, or of the stdio bridge in a connected repository.',
      'D2.page': 'The page is returned only for GETs of HTML outside /api, /mcp and /.well-known.',
    },
  },
  {
    title: 'Decisions 3: projects and tasks',
    now: {
      'D3.project':
        'A project has id, name, description, repo_url, folder_path, default_goal_id, created_at, updated_at.',
      'D3.repo_url': 'repo_url is of http, https, ssh, git or scp form without credentials.',
      'D3.folder_path':
        'folder_path is relative to the directory of .planner, without .., empty segments or symbolic links, also when read from a file.',
      'D3.project-patch': 'PATCH takes every settable field of a project over both interfaces.',
      'D3.review':
        'summary.awaiting_review counts done tasks without verified_at outside lane auto, and runs that ask.',
      'D3.summary': 'GET /projects/:id adds a summary of counts.',
      'D3.get_project': 'MCP get_project also returns light tasks, documents and the canvas.',
      'D3.task': 'A task has all of its fields, in lists and details also blocked and waiting_on.',
      'D3.status': 'A status is scope, todo (default), in_progress, done or backlog; any may follow any other.',
      'D3.filed-in-scope': 'Tasks that the service files itself have status scope.',
      'D3.kind': 'kind is build (default) or decision.',
      'D3.priority': 'priority is urgent, high, medium, low or null.',
      'D3.lane': 'lane is auto, approve, full or null.',
      'D3.severity': 'severity is low, medium, high or null.',
      'D3.commit_refs': 'commit_refs are at most 50 of 7 to 40 hex characters, lower-cased.',
      'D3.verified_ref': 'verified_ref needs verified_at.',
      'D3.filters':
        'Tasks are filtered by status, kind, priority, lane, severity, goal_id, assignee and tag (repeatable).',
      'D3.verbose': 'list_tasks, list_documents and get_goal leave descriptions and bodies out unless verbose.',
      'D3.tags': 'Tags are given as names, unknown ones are created, and the given set replaces the old one.',
      'D3.tag-stays': 'A tag that no task has stays listed.',
      'D3.delete': 'Deleting a task or document deletes its edges and canvas node.',
      'D3.delete-restore': 'A deletion is a revision that POST /revisions/:id/restore restores completely.',
      'D3.trash':
        'A deletion through the service is in the trash of its project for 30 days, in local/, and X-Planner-Trash names its entry.',
      'D3.trash-restore':
        'Restoring from the trash returns a record under its id with its comments, the edges whose other end exists, and its contents; what is left out is listed.',
      'D3.trash-file': 'A restored file has its former name, and what a person wrote into it.',
      'D3.trash-durable': 'A deletion that was acknowledged before a kill can be restored.',
      'D3.backlinks': 'Backlinks are entries {type, id, title|label, label, edge_id}.',
      'D3.verbose-notes': 'list_notes leaves bodies out unless verbose.',
      'D3.delete-comments': 'Deleting a task or document deletes its comments, and restoring it restores them.',
    },
  },
  {
    title: 'Decisions 3: prerequisites and the frontier',
    now: {
      'D3.prerequisites': 'Only edges between tasks order work.',
      'D3.depends_on': 'With depends_on the to task comes first; with any other label, or none, the from task does.',
      'D3.not-ordering': 'relates, relates_to, references, duplicates, supersedes, clarifies and supports never order.',
      'D3.labels-alike': 'Labels compare case-insensitively with space, - and _ alike.',
      'D3.self-edge': 'Self-edges are rejected.',
      'D3.satisfied': 'Only done satisfies a prerequisite; one that no longer exists is reported and does not block.',
      'D3.next': 'get_next_task returns {next: {next_task, reason, blocked, blocked_total}} and claims nothing.',
      'D3.next-rest': 'GET /projects/:id/next-task gives the inner object.',
      'D3.next-reasons':
        'reason is ok, no_tasks, no_todo_tasks, all_blocked, goal_blocked, no_active_goal or multiple_active_goals (then with active_goals).',
      'D3.next-goal':
        "The goal is the argument's, else the session's current one if still active, else the sole active one. Of several those count that have a task in todo or a claim that ran out; if none counts, the reason is no_todo_tasks.",
      'D3.next-inactive':
        'The reason is no_active_goal if the argument names a goal that is not active or is archived, and goal_blocked if red evidence blocks it or the current goal; a hint names the calls to make, and so does the answer to red evidence.',
      'D3.next-goals':
        'GET /projects/:id/next-task without goal_id lists several active goals, with the next task of each.',
      'D3.next-order': 'Unblocked todo tasks are ordered by priority, due_date, rank, created_at, id.',
      'D3.next-blocked': 'blocked lists tasks with what they wait for, fewest open prerequisites first.',
      'D3.claim':
        'A claim takes a todo task with every prerequisite done to in_progress with its assignee, atomically.',
      'D3.claim-refused': 'A rejected claim is {claimed: false, reason, assignee?}: 409 over REST, no error over MCP.',
      'D3.claim-repeat': 'A repeated claim by the same agent_ref succeeds.',
      'D3.lease': 'A task whose lease expired is actionable again.',
      'D3.lease-renewal':
        "A lease is renewed by a repeated claim or by update_task with that agent_ref, else by the session's own claims.",
      'D3.graph':
        'get_task_graph returns nodes with depth and prerequisites, roots, cycles and actionable_if_released.',
      'D3.depth': 'depth is the longest path from a root, 0 inside a cycle.',
      'D3.cycles': 'Cycles are canonical: the smallest id first.',
      'D3.released':
        'actionable_if_released are scope or todo tasks whose prerequisites are all done, those in other goals included.',
      'D3.lease-progress': 'record_agent_progress renews a lease.',
    },
  },
  {
    title: 'Decisions 4: goals',
    now: {
      'D4.goal': 'A goal has all of its fields; detail adds cycle_tasks.',
      'D4.name': 'The name of a goal is unique in its project.',
      'D4.status': 'The status of a goal may be set on create, not by update.',
      'D4.surface':
        'verification_surface is a JSON string or an object of a known kind with a command, or non-empty items each with a criterion.',
      'D4.item-ids': 'Checklist items get stable ids, kept across updates by id, else by equal criterion.',
      'D4.warnings': 'create and update of a goal return warnings.',
      'D4.general':
        'Every project is created with the active default goal General, which may be renamed, never deleted.',
      'D4.default':
        'A task without goal_id goes to the default goal whatever its state, with a warning if that is not active.',
      'D4.current': 'The current goal belongs to the MCP session; without one, to the credential and project.',
      'D4.current-restart': 'The current goal survives a restart of the service.',
      'D4.invoke': 'invoke_goal returns {ok, goal, first_task, warnings}.',
      'D4.invoke-refused':
        'invoke_goal is rejected with not_active, has_cycle or no_todo_tasks, and the current goal is unchanged.',
      'D4.set-current':
        'set_current_goal returns {project_id, current_goal_id, goal} and rejects a goal that is not active.',
      'D4.evidence':
        'Evidence is discriminated by kind; without it, or with another kind, the error is verification_required.',
      'D4.green':
        'Green is exit 0, every item, or a non-blank approver; without a surface last_verification has kind null.',
      'D4.red':
        'Red evidence is evaluated first: blocked with HTTP 200 and one scope remediation task, never a second while one is open.',
      'D4.open-tasks':
        "Green or no surface with an open task other than the goal's own remediation task returns blocked_by_incomplete_tasks.",
      'D4.complete': 'Green completes from active or blocked, and the remediation task becomes done.',
      'D4.unmatched': 'An unknown checklist entry is invalid_argument with unmatched and unmet, and nothing changed.',
      'D4.pause': 'A goal is paused only from active; else conflict.',
      'D4.resume':
        'A goal is resumed only from paused or blocked, where its remediation task stays open; else conflict.',
      'D4.archive':
        'POST /goals/:id/archive and unarchive (people only): not an active goal, not the default goal; else conflict.',
      'D4.archived':
        'An archived goal keeps its status, offers no tasks, and is resumed, reopened or completed only after unarchive.',
      'D4.list-archived': 'list_goals returns all goals, with archived only the archived ones or only the others.',
      'D4.reopen': 'POST /goals/:id/reopen only from complete; else conflict.',
      'D4.evidence-command':
        "Evidence of a command that is not the gate's is rejected; the error for missing evidence shows no evidence that would pass.",
      'D4.evidence-reported':
        'A verification on evidence of an agent says which agent reported it, in answers, files and on the page.',
      'D4.evidence-history':
        'Evidence is a revision of the goal: restoring it restores the status and the last verification before it.',
      'D4.no-gate': 'The service never runs the gate command.',
    },
  },
  {
    title: 'Decisions 5: canvas and edges',
    now: {
      'D5.canvas': 'A node is {id, type, label, status?, x, y, width?, height?}.',
      'D5.documents': 'Documents appear on the canvas once they have a position.',
      'D5.shown-edges': 'The canvas shows edges only between shown nodes.',
      'D5.layout': 'layout is any JSON object, stored verbatim, or null; absent it keeps the old one.',
      'D5.known-node': 'PUT takes only position and size of a known node.',
      'D5.unknown-node':
        "An unknown node needs a label, becomes a todo task of the default goal and keeps the client's id.",
      'D5.put-edges': 'PUT upserts edges by id, or matched by endpoints and label.',
      'D5.put-keeps': 'Nodes and edges that a PUT does not list stay.',
      'D5.put-atomic': 'A PUT is all or nothing.',
      'D5.edge': 'An edge has id and, equal, edge_id, and all of its fields.',
      'D5.endpoints': 'Endpoints must exist in the project under the claimed type.',
      'D5.edge-once': 'An identical edge is not created twice: the existing one is returned.',
      'D5.other-types': 'Edges also join artifacts and prototypes.',
    },
  },
];
