import type { Section } from './section.ts';

/** The decisions 6 to 11: documents and the other resources, revisions, sharing, whole plans, credentials, the command line. */
export const decisionsOfParts: readonly Section[] = [
  {
    title: 'Decisions 6: documents, folders, notes, artifacts, prototypes, files',
    now: {
      'D6.document': 'A document has all of its fields; a link entry is {type, id, title|label, label, edge_id}.',
      'D6.body': 'A body is stored as written, byte for byte.',
      'D6.status_line': 'The one-line status of a document is status_line in MCP tools.',
      'D6.link_to': 'link_to adds edges labelled documents (to a task) or references (to a document).',
      'D6.tree':
        'GET /projects/:id/documents returns nested folders and unfiled documents; list_documents the same without bodies.',
      'D6.folder-rest': 'Folders have GET/POST /projects/:id/folders and GET/PATCH/DELETE /folders/:id.',
      'D6.folder-names': 'A cycle of folders, or a duplicate name among siblings, is invalid_argument.',
      'D6.delete_folder': "reparent_to absent is the folder's own parent, null is Unfiled.",
      'D6.move_documents':
        'move_documents returns {moved, failed: [{document_id, error, message}]}, a success even if all failed.',
      'D6.note': 'Notes have title, body and their REST routes.',
      'D6.artifact': 'Artifacts have kind markdown (default) or html, and DELETE and render routes.',
      'D6.render': "An artifact is rendered in a restrictive sandbox, never in the service's own origin.",
      'D6.prototype': 'Prototypes have a positive viewport, screens and their REST routes.',
      'D6.screen-links': 'Screens link to each other with planner://artifact/<id or title>.',
      'D6.file': 'A file has id, project_id, filename, mime, size, sha256, url, created_at.',
      'D6.file-once': 'The same bytes twice give the same file.',
      'D6.upload-memory': 'Eight uploads of 10 MB at once keep the process under 250 MB.',
      'D6.file-forms': 'Files are accepted as JSON base64 and as multipart, up to 10,000,000 bytes of content.',
      'D6.file-serving': 'Files are served with nosniff, active types under a sandboxing CSP.',
      'D6.file_path':
        "attach_file takes file_path on a loopback service only, inside the project's folder_path and without following links.",
    },
  },
  {
    title: 'Decisions 7: comments, revisions, runs, views, search',
    now: {
      'D7.revision':
        'A revision has id, target_type, target_id, author, changed_fields, created_at; get adds snapshot.',
      'D7.versioned':
        'Every field of a task, document or goal that a caller can set is versioned, except position and links.',
      'D7.unversioned': 'Changing position and links alone makes no revision and leaves updated_at.',
      'D7.revision-rest':
        'Revisions have GET /projects/:id/revisions, GET /revisions/:id and POST /revisions/:id/restore.',
      'D7.restore': 'Restoring a revision restores the record as it was before the change.',
      'D7.restore-changed':
        'With changed_fields_only, restoring a revision keeps later changes of the fields that it did not change.',
      'D7.diff': 'GET /revisions/:id/diff shows field by field what a revision changed, texts as unified diffs.',
      'D7.author': 'author is human:<name>, agent:<client name>, file or system.',
      'D7.tag-rest': 'Tags have GET/POST /projects/:id/tags and PATCH/DELETE /tags/:id.',
      'D7.tag-color': 'The color of a tag is #rrggbb or null.',
      'D7.search': 'Search returns documents, tasks and notes, best match first, prefix and typo tolerant.',
      'D7.search-all': 'Search without project_id covers every project that the caller may see.',
      'D7.search-bodies': 'Bodies are searched only with bodies: true, then with an excerpt.',
      'D7.match-tasks':
        'GET /projects/:id/matching-tasks returns the ids of all tasks whose labels and descriptions contain every word of q.',
      'D7.author-key':
        'author is agent:<key> for an agent key, and agent:<name> (<key>) if the client, or agent_ref, names the agent.',
      'D7.comment': 'A comment has all of its fields, author included.',
      'D7.comment-html': 'A comment is rendered and sanitised on write.',
      'D7.comment-source': 'What was sent as a comment is kept beside the HTML that is served.',
      'D7.comment-text': 'What is no tag of HTML in a comment is shown as text.',
      'D7.comment-resolved': 'Lists of comments leave resolved ones out unless include_resolved.',
      'D7.artifact_id': "An artifact-comment's artifact_id is any non-empty string of at most 1,000 characters.",
      'D7.versioned-others': 'Notes and artifacts are versioned too.',
      'D7.run': 'A run has status, label, agent_ref and events.',
      'D7.run-light': 'With verbose=false, a list of runs has the newest 5 events of each, and their number.',
      'D7.run-closed': 'A closed run rejects further progress.',
      'D7.run-reopen': 'A person can take the closing of a run back: it runs again, with its progress.',
      'D7.run-fields':
        'A run has a task of the project, a branch, commits, tokens, cost_usd and a diff_stat, each null until it is reported; runs of former versions are read as they are.',
      'D7.run-asks':
        'A run asks a person by awaiting, with choices, or by a message that ends with a question mark; a further question replaces it, and closing the run ends it.',
      'D7.run-answer':
        'A person answers the question of a run, and no agent: a line of the run with its author, and a comment on its task.',
      'D7.run-events': 'run.asks has the question and its choices, run.answered the question and the answer.',
      'D7.view': 'A view has name, config of at most 64 KiB, position, and its REST routes.',
    },
  },
  {
    title: 'Decisions 8: sharing and submissions',
    now: {
      'D8.hidden': 'The Markdown of a share link does not contain what its page hides.',
      'D8.mint':
        'Creating a link returns {id, url, markdown_url, expires_at} for exactly one of task, document, prototype.',
      'D8.expires': 'expires is 1 h to 30 d, default 24h; anything that would disable expiry is rejected.',
      'D8.token': 'Tokens carry 256 bits, are shown once and stored hashed.',
      'D8.shares': 'Shares are listed without tokens and revoked.',
      'D8.markdown':
        'Shared Markdown begins with instructions, then label, status, body and linked documents one step away.',
      'D8.absolute': 'Every relative URL in it is absolute.',
      'D8.no-store': 'It is text/markdown; charset=utf-8 with Cache-Control: no-store.',
      'D8.participants':
        'A participant link opens a page of names, labels and statuses that accepts a submission, and nothing else.',
      'D8.guests': 'Guests submit at most 10 times a minute per link and address.',
      'D8.submission': 'A submission has all of its fields and its REST routes.',
      'D8.triage':
        'Accepting files a scope task or links an existing one; the same decision twice is idempotent, another a conflict.',
      'D8.reopen': 'A person can take the decision on a submission back: it is pending again.',
      'D8.sync_pull': 'sync_pull fetches each remote submission once, keeping its id.',
      'D8.sync-origin':
        'sync_pull asks only an origin that this user logged in to; without a remote it says how to set one.',
      'D8.files': "Embedded files of that one resource are readable with the share's token, nothing else is.",
    },
  },
  {
    title: 'Decisions 9: whole plans',
    now: {
      'D9.scaffold': 'A scaffold returns project, goal, tasks, edges, documents, key_to_id and counts.',
      'D9.new-project': 'With name a scaffold creates a new project, with project_id it uses an existing one.',
      'D9.atomic': 'A scaffold is one transaction: all or nothing.',
      'D9.layout': 'Without positions, tasks are laid out by dependency depth.',
      'D9.keys': 'Duplicate or unknown keys, and self-edges, name the key.',
      'D9.export': 'An export is one deterministic JSON document per project, written and read as a stream.',
      'D9.total': 'What is served can be exported, and its export imported.',
      'D9.import': 'An import creates a new project with new ids, all or nothing.',
      'D9.newer': 'An export of a newer version is rejected with the remedy.',
      'D9.formats': 'A project is also exported as JSON Canvas and its tasks as CSV.',
      'D9.moving.backlog':
        'The directory of Backlog.md is imported: tasks, milestones, documents, decisions, dependencies, pictures.',
      'D9.moving.beads': 'The issues of beads are imported with labels, dependencies and comments.',
      'D9.moving.taskmaster':
        "Taskmaster's tasks.json is imported: tags as goals, tasks and subtasks with their dependencies.",
      'D9.moving.plandesk': 'An export of Plan Desk (plandesk-export-v3) is imported.',
      'D9.moving.canvas': 'A JSON Canvas is imported: nodes as tasks and documents, edges as edges.',
      'D9.moving.trackers':
        'Issues of GitHub, Linear and Jira, boards of Trello and exports of Vibe Kanban are imported with their links and comments.',
      'D9.moving.lists':
        'Markdown checklists and todo.txt are imported: nesting, headings, priorities, dates, projects.',
      'D9.moving.kept': 'Values without a field are kept in the description, and what was left out is reported.',
      'D9.moving.one-path':
        'REST, the page and the command line import the same formats, in files or directories; errors name the format and the place.',
      'D9.moving.bounded':
        'Reading a plan is bounded in time, memory and bytes, in a thread of its own, and one that takes more is rejected.',
      'D9.moving.one-at-a-time':
        'Plans are read and carried out one after the other; each credential has one that is read and one that waits.',
      'D9.moving.with-caller': 'Reading a plan, and waiting for it, end with the request.',
      'D9.moving.dry-run': 'A dry run says what an import would do, and changes nothing.',
      'D9.moving.into':
        'A plan is merged into an existing project by the ids of its tool: importing it a second time changes nothing.',
      'D9.moving.conflicts': 'Conflicts of git in the files of a plan are named, with their lines and what to do.',
      'D9.moving.left-out': 'What an import leaves out is counted by reason, how many of how many, and listed whole.',
      'D9.moving.dates':
        'Whether the day or the month is first in dates is decided by their column; what decides nothing is kept and listed. A time without a zone is UTC.',
      'D9.moving.states':
        'What a tool says about the end of an issue counts more than its status. What is cancelled is done, with that tag, and holds nothing up.',
      'D9.moving.encodings':
        'UTF-8, UTF-16 and Windows-1252 are read, and bytes that are neither are refused with their line.',
      'D9.moving.front-matter':
        'Values in the front matter of other tools are read as they are written, line by line if it is not YAML.',
      'D9.moving.scopes': 'An id of another tool counts in its repository only.',
      'D9.moving.found':
        'The format is detected from the content: a file, a directory, or a repository that contains one.',
    },
  },
  {
    title: 'Decisions 10: credentials',
    now: {
      'D10.sent': 'A credential that is sent is always checked, also on loopback: an invalid one returns 401.',
      'D10.owner': 'On loopback a caller without a credential is the owner.',
      'D10.host': 'On loopback the Host header must name loopback.',
      'D10.origin': "On loopback a request with an Origin must have the service's own.",
      'D10.forwarded':
        'On loopback requests with Forwarded or X-Forwarded-* are rejected with a message that names --hosted.',
      'D10.bound': 'Only the bound address determines whether a service is on loopback.',
      'D10.hosted': 'Hosted, everything but health, sign-in, static files and links needs a credential.',
      'D10.base-url': 'Hosted, --base-url is required.',
      'D10.trust-proxy': 'PLANNER_TRUST_PROXY=<hops> is the number of trusted proxies.',
      'D10.admin': 'serve writes local/admin (0600), new at each start, with which the command line acts as the owner.',
      'D10.keys': 'Keys have 256 random bits, are stored as SHA-256 and compared in constant time.',
      'D10.keys-rest': 'Only the owner lists, creates and revokes keys, over REST and the command line.',
      'D10.revoke': 'Revoking takes effect with the next call, also in open MCP sessions.',
      'D10.agent-key': 'An agent key sees one project; everything else is not_found.',
      'D10.agent-delete': 'DELETE of content, keys and workspace routes are forbidden to an agent key.',
      'D10.basic': "With PLANNER_AUTH_PASSWORD, HTTP basic is the owner's credential and its absence 401.",
      'D10.oidc':
        'Hosted browsers sign in by OpenID Connect with PKCE; after the first sign-in the pair (iss, sub) is the identity.',
      'D10.cookie': 'The session cookie is __Host-, HttpOnly, Secure, SameSite=Lax, rotated, idle 12 h, revocable.',
      'D10.csrf': "State-changing requests with a cookie, or with Basic from a browser, need the service's own Origin.",
      'D10.login': "login keeps {origin: key} in the user's own configuration directory (0600).",
      'D10.connect': 'connect writes an agent key to .planner/token and refuses if git does not ignore it.',
    },
  },
  {
    title: 'Decisions 11: the command line',
    now: {
      'D11.serve': 'serve takes --root, --host, --port and prints one line with the URL when it is ready.',
      'D11.root': 'The default root is the nearest .planner upwards, else one created in the working directory.',
      'D11.port':
        'The default port is PLANNER_PORT, else that of the last time, else 4747; if it is in use, the next free one. A window never takes the port of a hosted service.',
      'D11.drain': 'SIGTERM drains and exits with 0.',
      'D11.mcp': 'planner mcp bridges stdio to a service or an embedded one, and never creates a .planner.',
      'D11.mcp-root':
        "planner mcp takes the root of --root, PLANNER_ROOT, the client's roots, the directory upwards, else an error says so.",
      'D11.mcp-takeover':
        'When the planner mcp that holds a root ends, the next takes over; calls in flight are executed once and answered once.',
      'D11.takeover':
        'planner serve takes a root over from planner mcp, on the request of an owner with a credential alone; it is taken over from no planner serve, and planner stop ends no planner mcp.',
      'D11.mcp-subscribe':
        'planner mcp forwards notifications of resources, across restarts of the service, and questions to persons.',
      'D11.mcp-modern':
        'planner mcp serves clients without a session, and answers server/discover without opening a root or starting a service.',
      'D11.client': 'The package exports the programmatic client as <name>/client.',
      'D11.deploy':
        'The image, the compose file and the units for deployment are well-formed, and the service starts from them.',
      'D11.plugins': 'Plugins, the registry entry and the bundle fit their formats, and skills name tools that exist.',
      'D11.build': 'Errors of the built program name files and lines of its sources.',
      'D11.binary':
        'npm run build:binary makes one file that serves, shows the page, bridges MCP, imports, checks and merges for git without Node.',
      'D11.binary.files':
        'The files of the single executable are unpacked once, for their user alone, and replaced if they are not what it contains.',
      'D11.cache':
        'Compiled code is loaded from, and the single executable is unpacked to, a directory that no other user but root can write to, replace or lead elsewhere; without one, code is compiled at each start, and the executable says why it does not start.',
      'D11.commands': 'init, login, connect, keys, export, import, share, flush and doctor work as documented.',
      'D11.read-only':
        'On a read-only file system planner doctor checks the files and writes nothing; every other command reports what it needs.',
      'D11.answers': "If an address is not a Planner service's, the error names the address, without a stack.",
      'D11.catalogue': 'call, next, claim, done, task and doc work from the catalogue.',
      'D11.names':
        'Where a command takes an id, a unique beginning of it (type and four characters) or end (four characters), a label, title or name, or a part of that, will do; several matches are listed, and for none similar names are proposed. Lists show the shortest unique ends.',
      'D11.messages':
        'Errors of commands name what is wrong and what would be right, and never the command that was just run.',
      'D11.login':
        'login signs in with the browser where people sign in at an identity provider, else asks for the key without echo.',
      'D11.json': '--root and --json are taken by every command.',
      'D11.either': 'Commands use the running service if there is one, and open the files otherwise.',
    },
    later: {},
  },
];
