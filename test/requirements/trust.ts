import type { Section } from './section.ts';

/** Guarantees under failures: crashes, two writers, external edits, git, hostile input, concurrency, age. */
export const trust: readonly Section[] = [
  {
    title: 'Trust: crashes',
    now: {
      'A.crash.points':
        'After a failure at any disk call of a commit, checkpoint, recovery, adoption, merge, upload, import or export, the check is clean, everything acknowledged is there, and no transaction is half there.',
      'A.crash.power-cut': 'A power cut that drops unsynced data and names loses nothing that was acknowledged.',
      'A.crash.final':
        'A failed sync of the journal is final: what was not durable is undone, reads continue, writes return 503, a restart recovers.',
      'A.crash.repeat': 'A call repeated with its idempotency key after an unknown outcome makes one change, not two.',
      'A.crash.full':
        'On a full disk writes are rejected and nothing is lost; when there is space again, a restart recovers.',
      'A.crash.debris': 'Torn writes of a crash are removed when the root is next opened.',
    },
  },
  {
    title: 'Trust: two services, one root',
    now: {
      'A.root.stopped': 'A suspended holder still holds the root, and the message says how to resume or end it.',
      'A.root.containers':
        'Containers of one machine exclude each other whatever their pids and host names, and a killed one releases the root at once.',
      'A.root.machines':
        'On two machines a fresh beat refuses the second service, a stale one is taken over and logged, and different clocks make no living holder look dead.',
      'A.root.fuse':
        'A living holder of the same machine is never taken over, whatever the file system reports about its lock.',
      'A.root.namespaces':
        'In another pid namespace the beat decides, unless the lock that was granted is the one that the holder noted, on a file system that hides none; a pid of another container decides nothing.',
      'A.root.lost':
        'A service whose root another process has taken rejects further changes, and writes what it has acknowledged to the files.',
      'A.root.message': 'A second service reports who holds the root (host, pid, address) and what to do.',
      'A.root.commands': 'Beside a running service no command writes a file of the plan: it goes through the service.',
      'A.root.waits':
        'A service that is started while a command has the root open waits for some seconds until that has ended, and says so.',
      'A.root.identity':
        "A command never mistakes another service for its own, even if address and pid match the lock's record.",
    },
  },
  {
    title: 'Trust: external edits',
    now: {
      'A.hands.editors':
        'Files saved the way vim, VS Code, Obsidian, sed, mv and cp save them are served with every byte kept; their temporary files are no records.',
      'A.hands.copies':
        'A copied file is a listed problem that names the one command by which the copy becomes a record of its own.',
      'A.hands.copies-keep':
        'A copy never takes over a record: it stays with the path that it had, also over renames and restarts. Among files never seen before it is in the one with the name that the service gives, else the one whose name is the beginning of the others’, else the one with the smallest path.',
      'A.hands.copy-projects': 'So is a file copied into another project.',
      'A.hands.directories':
        'Documents keep their records in folders and project directories that are renamed, moved, deleted and created again.',
      'A.hands.names': 'Names that differ in letter case or normalisation alone are followed.',
      'A.hands.bytes': 'CRLF, BOM, NFD, files of 0 bytes and of 5 MB are served unchanged, or kept and listed.',
      'A.hands.clocks': 'Clock steps of the service and of file times lose or hide nothing.',
      'A.hands.clock-back':
        'If a clock is set back by more than a minute, times follow at once, without a restart; smaller steps back keep the order of creation.',
      'A.hands.many': 'Ten thousand files at once are served, and removed again.',
      'A.hands.storm': 'After random concurrent edits by many tools and over REST, the files equal what is served.',
      'A.hands.watches':
        'If the system has no more watches, edits are found by a periodic rescan, and the problem is listed.',
      'A.hands.polling':
        'With watch set to poll in config.json, and on file systems whose type says that edits made elsewhere cause no events, edits are found without a watch, by rescans at a short interval that take at most a tenth of the time; the log says so once, and readiness says which way is used.',
      'A.hands.closing':
        'A service that closes ends soon although files were edited or are held by git: the journal keeps the changes for the next start.',
      'A.hands.overflow':
        'Edits whose events the system lost are found by the periodic rescan, which then runs more often for a while; the log and a problem report it.',
    },
  },
  {
    title: 'Trust: git',
    now: {
      'A.git.init':
        "planner init and connect register the merge driver in the repository's own configuration, in linked worktrees too, whatever the path of the program; a user's own driver, hooks and attributes stay.",
      'A.git.without-driver': 'If no driver is registered, or its program is missing, git merges records as text.',
      'A.git.driver':
        'Branches merge field by field: fields, tags, links and lines that only one side changed are all there.',
      'A.git.driver-order': 'A merge without a conflict gives the same bytes whichever side is ours.',
      'A.git.markers': 'Only values that both sides changed differently have conflict markers.',
      'A.git.problem':
        'A file with conflict markers is a listed problem with path and line, its last good version is served, and it is reloaded once a person has resolved it.',
      'A.git.bytes':
        'A merge keeps what people wrote: comments, order, quotes, unknown keys, line endings, byte order mark.',
      'A.git.json': 'JSON records and the canvas merge member by member, lists of objects with ids object by object.',
      'A.git.html': 'HTML artifacts merge: the record in its line, the content line by line.',
      'A.git.renamed': 'A file renamed on one side and changed on the other is one record with both.',
      'A.git.resolve':
        'planner resolve resolves what git left unmerged only because of paths; it leaves and reports what the sides disagree on or a person edited.',
      'A.git.other-files': 'Files without a readable record merge as git merges any text.',
      'A.git.driver-fails': 'A merge driver that fails leaves ours as it was, and git keeps both sides.',
      'A.git.history': 'A change that was overridden in a merge has a revision with the overridden value.',
      'A.git.picked': 'A commit can be cherry-picked onto a branch that lacks the history before it.',
      'A.git.rebase': 'Rebases, also with commands between the commits, and stashes succeed while the service runs.',
      'A.git.idle': 'The tree is clean while the service idles, and after a checkout of another branch and back.',
      'A.git.worktree': 'Linked worktrees with files of their own have a service each, and git in one delays no other.',
      'A.git.one-plan':
        "In a linked worktree, commands and planner mcp use one root: that of --root or PLANNER_ROOT, else of planner.root, else the main worktree's, else that of the first listed worktree; it is named once on standard error if the command is not called below it.",
      'A.git.switch':
        'If the main worktree switches branches, commands in linked worktrees get the plan of that branch; claims made on it hold, those that are not committed are kept, and nothing is lost or restored there and back.',
      'A.git.own': "With --own, or worktrees set to own in config.json, a worktree's own files are used.",
      'A.git.own-claims':
        'Claims of worktrees with files of their own are exclusive: one that another worktree holds is refused with its path and branch, and get_next_task skips it, until the task, the lease or the worktree ends.',
      'A.git.worktree-storm':
        'Whatever agents in several worktrees are killed and whatever worktrees are removed, no two agents hold a task at once, with one plan and with plans of their own.',
      'A.git.root-setting':
        'planner init and connect name the root in planner.root of the common configuration, relative to it; the setting is read as git reads it, without starting git for simple files.',
      'A.git.moved':
        'In a worktree whose repository was moved, or that is a copy, commands report how to repair it and use no plan.',
      'A.git.not-linked':
        'Submodules, repositories with a separate git directory and directories without git use the nearest .planner.',
      'A.git.worktree-state':
        'planner worktree shows the root, its branch, the service that runs over it, and what is uncommitted there.',
      'A.git.folders':
        'Two branches that each make, move or rename folders merge in plain git, or planner resolve settles it without a question; the plan is served whole meanwhile.',
      'A.git.closed': 'A record never names a folder that is not served, at any moment of a checkout, merge or stash.',
      'A.git.shallow': 'A shallow clone is served, pulls and is pulled from.',
      'A.git.autocrlf': 'core.autocrlf changes no byte of a plan.',
      'A.git.clean': 'git clean -fdx while the service runs loses nothing.',
      'A.git.writing':
        'Each change acknowledged during checkouts is there, or a revision if git changed the same field.',
      'A.git.clones':
        'Random changes in two clones merge to the same plan in either order: everything without a conflict is there, everything else is in history, and the check is clean.',
    },
  },
  {
    title: 'Trust: hostile repositories and callers',
    now: {
      'A.hostile.links':
        'A symbolic link in place of .planner, anything below it, config.json or the token is followed neither for reading nor for writing, also if it is created while the service runs.',
      'A.hostile.hard-links': "A hard link of a plan's file elsewhere keeps its bytes when the service writes.",
      'A.hostile.local': 'A local/ that git brought is used by no command, and nothing in it leads out of the root.',
      'A.hostile.git':
        'No command of Planner makes git run anything that a repository names: monitors, hooks, filters, transports, helpers, editors.',
      'A.hostile.programs':
        'Every program is started by its absolute path, found in the absolute entries of PATH: no program of a repository is started in place of git or the browser, whatever PATH contains and the system looks up first.',
      'A.hostile.service':
        'A service that a repository names gets no request, unless it serves that root or its user confirmed it for that root: by planner login there, by naming it to connect, push or pull, or in PLANNER_URL. The error names the command that confirms it.',
      'A.hostile.worktree':
        "A setting, a worktree or a git directory that a repository brings leads to no plan of another repository; another user's repository is used only if git uses it.",
      'A.hostile.local-signed':
        'A local/ is signed with a secret of its user outside the root; an unsigned one that is younger than that secret is used only after its user has adopted it.',
      'A.trust.private':
        'local/ with the journal, the history of edits on disk and the lock is readable by its user only; wider permissions are removed when the root is opened.',
      'A.hostile.size': 'Record files, history and settings over their limits are listed and not read.',
      'A.hostile.prototypes':
        'Names like __proto__ and constructor in files, bodies, queries and arguments are kept or rejected like any others, and change no prototype.',
      'A.hostile.names':
        'No title, name, id or path, from a caller, a file, a form or an import, leads to a file outside its directory.',
      'A.hostile.html': 'HTML and SVG in any field reach every page and response without being executed.',
      'A.hostile.terminal':
        'No text of a plan, name of a file or argument reaches a terminal with a control character, a line separator or a bidirectional override: each is escaped in what every command and the log print.',
      'A.hostile.one-line':
        'Callers cannot put control characters, line breaks or bidirectional overrides into a text of one line; a file or an export that holds them is served and exported unchanged.',
      'A.hostile.guests-marked':
        "Texts of guests are marked for agents wherever they are returned, also as a task's, and the instructions for agents explain the mark.",
      'A.hostile.guests-count':
        'Responses to guests have no cursor, and an entity tag of what they show: neither says how often the project is changed.',
      'A.hostile.remembered':
        'The security document lists what a client can make the service remember or repeat, each with its bound.',
      'A.hostile.watched-names': 'A client watches a record under one name, whatever part or spelling of it is named.',
      'A.hostile.watched-bound': 'The sessions and streams of a credential watch a bounded number of resources.',
      'A.hostile.watched-together':
        'Changes of a short time are reported together, each resource once, and wait for a client that reads slowly.',
      'A.hostile.watched-charged':
        'Sessions and what they subscribe to count towards what an agent may write; a subscription stores itself alone.',
      'A.hostile.agent-links':
        'An owner can reserve share links for people; nothing in a repository permits them to agents.',
      'A.hostile.foreign-ids':
        'An agent cannot give a record an id that names another project, and the response does not reveal what is there; an id that files give to two projects is a conflict that names both.',
      'A.hostile.restored-links': 'A share link ends with its resource: restoring the resource does not revive it.',
      'A.hostile.agent-quota':
        'An agent key may write a bounded number of bytes a day, and no other caller waits for it.',
      'A.hostile.project-bytes':
        'Agents and guests cannot make a project grow beyond a bound, its files and history included.',
      'A.hostile.junk':
        'Directories that cannot contain records are neither watched nor walked, however many there are.',
      'A.hostile.owner-reserve':
        'While the disk is nearly full agents and guests cannot write, and the owner can still change and delete.',
      'A.hostile.hosts':
        'A loopback service accepts no Host or Origin but its own in any spelling, and no request that a proxy or tunnel marked.',
      'A.hostile.forms':
        'No page of another site can make a browser change anything: no route accepts a form of any type.',
      'A.hostile.sessions': "A session id or cookie that an attacker chose gives no access to its user's data.",
      'A.hostile.id-token': "An ID token that is not signed with the identity provider's key is rejected.",
      'A.hostile.stray-cookie':
        'A cookie that a page on another port of loopback sets locks no user out of a service that has no sign-in.',
      'A.hostile.guessing': 'Guessing credentials is rate-limited, and they are compared as digests, in constant time.',
      'A.hostile.headers': 'No name or text can inject a header.',
      'A.hostile.bodies': 'Deep, encoded, broken and endless bodies are rejected with a reason, within limits.',
      'A.hostile.body-budget':
        'Bodies in flight are bounded per credential and in all: excess bodies are rejected with Retry-After, and other callers are served.',
      'A.hostile.wide':
        'A body with a million values, 200,000 members, 10,000 members of one object, or a name of over 1 KiB is rejected while it arrives, before it is parsed; of very many violations one is named.',
      'A.hostile.duplicates':
        'A member that occurs twice in one object, at any depth and in any spelling, is rejected with its path.',
      'A.hostile.other-sites':
        "Requests of another site's page are rejected below /api, /mcp and /metrics; links that a person follows to pages, shares, files and the reference are served.",
      'A.hostile.untrusted-proxy': 'A hosted service that trusts no proxy logs once that requests come through one.',
      'A.hostile.same-bytes':
        'Uploading the same bytes again breaks no read or export of them; damaged bytes are replaced.',
      'A.hostile.slow': 'Connections that send or read too slowly, or keep sending after the response, are closed.',
      'A.hostile.pipelining':
        'Pipelined requests of a connection are handled one after another: none begins, and no more is parsed, while a response is unsent.',
      'A.hostile.unread':
        'Unread responses are bounded per address and in all, the largest being cut off first; shared Markdown is rendered while it is sent.',
      'A.hostile.assets':
        'The page is served from memory: a process without file descriptors, or another version installed in its place, breaks no response.',
      'A.hostile.background':
        'What a service does for one project without a call is begun once more after it ended the process, and then suspended: a webhook until it is resumed, other work until another version of Planner runs, and the problems of the project say so.',
      'A.hostile.connects':
        'Everything that opens a connection is listed, and nothing by which it connects answers at once.',
      'A.hostile.uncaught':
        'An uncaught exception is logged and ends the service in order, with exit code 1 and everything acknowledged in its file.',
      'A.hostile.connections':
        'With thousands of idle connections the service still responds, within the files that it may open.',
      'A.hostile.mcp-sessions': 'Thousands of MCP sessions are bounded; the longest idle ones are evicted first.',
      'A.hostile.repeats':
        'Stored responses for retries are bounded each, per credential and in all; a store or journal that contains more opens in bounded memory.',
      'A.hostile.repeats-changed':
        'A retry whose response was too large to be stored gets it rebuilt, or a response that says that the call was executed and where to read the result; it is never executed again.',
      'A.hostile.sandbox':
        'An artifact and a shared screen, framed or opened by themselves, reach no other server: not by requests, navigation, prefetching or, as far as a guard in the page goes, WebRTC.',
      'A.hostile.rendering':
        'A text that takes long to render delays no other request: it is rendered in a thread with a time limit and shown as preformatted text beyond it.',
      'A.hostile.starts':
        'Whatever starts a thread, a program or a transaction for a request is listed with its bound, and keeps it with 64 at once.',
      'A.hostile.patterns': 'For any text of a caller or a file, patterns take time proportional to its length.',
    },
  },
  {
    title: 'Trust: the event loop',
    now: {
      'A.loop.slices':
        'Work that takes long is done in slices; together it yields the event loop to other requests after a few milliseconds.',
      'A.loop.turns':
        'No turn of the event loop does work that grows with what a caller sends or with the project, but to parse a body within its limits: each operation with its largest input handles so many records and characters in a turn at most.',
      'A.loop.health':
        'GET /health is answered in the turn in which it is read, whatever else is asked: it waits for the turn in progress alone.',
      'A.loop.slow':
        'A slice that holds the event loop for over 50 ms is logged as a warning, with its operation and project.',
      'A.loop.events': 'A file event costs no system call in the turn in which it arrives.',
      'A.loop.delay': 'GET /metrics shows the delay of the event loop since the last scrape.',
      'A.loop.streamed': 'A long list over REST is serialised while it is sent, and equals its pages.',
      'A.loop.snapshot': 'A response sent in slices shows one state, that of its tag, despite concurrent changes.',
    },
  },
  {
    title: 'Trust: concurrency',
    now: {
      'A.concurrency.linearizable':
        'Calls and responses of clients of both transports on one plan have one order of events, crashes included: claims, changes, compared changes, single reads, lists, deltas, next tasks and exports.',
      'A.concurrency.judge':
        'The checker of such histories accepts every history that can be ordered and rejects stale reads, lost updates, double claims and values that were never written.',
      'A.concurrency.no-take-back':
        'No response over either transport, errors and retries included, shows a state that is not durable: a crash never revokes what a client saw.',
      'A.soak.flat':
        'Under mixed load with external edits and git, memory, file descriptors and latency stay constant.',
      'A.soak.well':
        'After such a load everything acknowledged is there, also after a restart, and doctor finds no problem.',
    },
  },
  {
    title: 'Trust: large changes',
    now: {
      'A.slices.turns':
        'A large change, from a caller or found on disk, runs in slices: other requests are served between them.',
      'A.slices.whole':
        'No reader sees half of a change in slices: readers of its project wait, an error or a failing journal undoes all of it, and a crash leaves all or nothing.',
      'A.slices.bounded':
        'A change of many records does as much in one turn as one of few: validating, describing, encoding and undoing it.',
      'A.slices.encoded': 'A large journal entry is encoded in slices, and reads like any other.',
      'A.open.cache-running':
        'The index cache is written while the service runs: opening after a kill reads only the files that changed since, and creates no second revision of a change.',
    },
  },
  {
    title: 'Trust: upgrades',
    now: {
      'A.upgrade.newer':
        'Files of a newer format are rejected before anything is written; the error names the version that wrote them and what to install.',
      'A.upgrade.first': 'Files without a format have the first one; a new root has the newest.',
      'A.upgrade.older':
        'Files of an older format are upgraded step by step when they are opened; the log and doctor report it.',
      'A.upgrade.backup': 'Each file that an upgrade changes is copied to local/backup/ first, for going back.',
      'A.upgrade.rest':
        'Nothing is upgraded while git changes the working tree, or while changes are only in the journal.',
      'A.upgrade.crash':
        'An interrupted upgrade has either not begun or is continued, and edits made in between are kept.',
      'A.upgrade.hostile': "An upgrade's plan that came with a repository cannot lead outside the root.",
      'A.upgrade.fixture':
        'A plan of every format ever written opens, shows what it showed, and is not changed by opening.',
    },
  },
];
