import type { Section } from './section.ts';

/** What people may rely on when something goes wrong: crashes, two writers, hands and editors, git, hostile input, concurrency, age. */
export const trust: readonly Section[] = [
  {
    title: 'Trust: crashes',
    now: {
      'A.crash.points':
        'Whatever goes wrong at any disk call of a commit, checkpoint, recovery, adoption, merge, upload, import or export: check is clean afterwards, everything acknowledged is there, no transaction is half there.',
      'A.crash.power-cut':
        'A power cut that drops what was not synced, data and names alike, takes nothing that was acknowledged.',
      'A.crash.final':
        'A failed sync of the journal is final: what was not durable is undone, reads go on, writes answer 503, a restart recovers.',
      'A.crash.repeat': 'A call repeated with its idempotency key after an unknown outcome makes one change, not two.',
      'A.crash.full': 'A full disk refuses writes and loses nothing; with room made, a restart heals it.',
      'A.crash.debris': 'What a crash left half written goes when the root is opened next.',
    },
  },
  {
    title: 'Trust: two services, one root',
    now: {
      'A.root.stopped':
        'A stopped holder holds the root all the same, and the message says how to let it go on or to end it.',
      'A.root.containers':
        'Containers of one machine exclude each other whatever their pids and host names, and a killed one leaves the root free at once.',
      'A.root.machines':
        'On two machines a fresh beat refuses, a stale one is taken over with a notice, and clocks that differ make no living holder look dead.',
      'A.root.fuse':
        'A living holder of the same machine is never taken over, whatever the file system says of its lock.',
      'A.root.lost':
        'A service whose root another process has taken takes no change any more, and writes what it has acknowledged into the files.',
      'A.root.message': 'Who comes second is told who holds the root (host, pid, address) and what to do.',
      'A.root.commands': 'Beside a running service no command writes a file of the plan: it goes through the service.',
      'A.root.identity':
        'A command never takes another service for its own, though address and pid are those of its note.',
    },
  },
  {
    title: 'Trust: hands and editors',
    now: {
      'A.hands.editors':
        'What vim, VS Code, Obsidian, sed, mv and cp save as each really saves is served, every byte kept, nothing of theirs taken for a record.',
      'A.hands.copies':
        'A copied file is a listed problem that names the one command by which the copy becomes a record of its own.',
      'A.hands.copy-projects': 'So is a file copied into another project.',
      'A.hands.directories':
        'Folders and project directories that are renamed, moved, deleted and made again keep their records.',
      'A.hands.names': 'Names that differ in letter case or normalisation alone are followed.',
      'A.hands.bytes': 'CRLF, BOM, NFD, files of 0 bytes and of 5 MB are served to the letter, or kept and listed.',
      'A.hands.clocks': 'Clock steps of the service and of file times lose and hide nothing.',
      'A.hands.clock-back':
        'Times follow a clock that was wrong by more than a minute back at once, without a restart; smaller steps back keep the order of making.',
      'A.hands.many': 'Ten thousand files at once are served, and removed again.',
      'A.hands.storm':
        'Random edits of many tools at once beside changes over REST end in files that are what is served.',
      'A.hands.watches':
        'Where the system has no more watches, edits are found by a look at all files on a beat, and the problem is listed.',
      'A.hands.overflow':
        'Edits whose notice the system lost are found on the beat, which then goes faster for a while, and the log and a problem say so.',
    },
  },
  {
    title: 'Trust: git',
    now: {
      'A.git.init':
        "planner init and connect register the merge driver in the repository's own configuration, in linked worktrees too, whatever the path of the program; a driver, hooks and attributes of a person's own stay.",
      'A.git.without-driver': 'Where no driver is registered, or its program is gone, git merges records as text.',
      'A.git.driver':
        'Branches merge field by field: fields, tags, links and lines that different sides changed are all there.',
      'A.git.driver-order': 'A merge without a conflict gives the same bytes whichever side is ours.',
      'A.git.markers': 'Where both said different things, and only there, are conflict markers.',
      'A.git.problem':
        'A file with conflict markers is a listed problem with path and line, served as it last was, and taken up once a person has chosen.',
      'A.git.bytes':
        'A merge keeps what people wrote: comments, order, quotes, keys of their own, line endings, byte order mark.',
      'A.git.json': 'JSON records and the canvas merge member by member, lists of things with ids thing by thing.',
      'A.git.html': 'HTML artifacts merge: the record in its line, the content line by line.',
      'A.git.renamed': 'A file renamed on one side and changed on the other is one record with both.',
      'A.git.resolve':
        'planner resolve settles what git left unmerged for its paths alone; what the sides disagree in, or somebody edited, is left and named.',
      'A.git.other-files': 'Files that hold no readable record merge as git merges any text.',
      'A.git.driver-fails': 'A merge driver that fails leaves ours as it was, and git keeps both sides.',
      'A.git.history': 'Of a change that lost in a merge there is a revision, and the value that gave way.',
      'A.git.picked': 'A commit can be picked onto a branch that lacks the history before it.',
      'A.git.rebase': 'Rebases, with commands between the commits too, and stashes succeed under a running service.',
      'A.git.idle': 'The tree is clean while the service idles, and after a checkout there and back.',
      'A.git.worktree': 'Linked worktrees have a service each, and git at work in one holds up no other.',
      'A.git.shallow': 'A shallow clone is served, pulls and is pulled from.',
      'A.git.autocrlf': 'core.autocrlf changes no byte of a plan.',
      'A.git.clean': 'git clean -fdx under a running service loses nothing.',
      'A.git.writing':
        'Of changes acknowledged during checkouts each is there, or a revision where git changed the same field.',
      'A.git.clones':
        'Random work in two clones merges to the same plan in either order: all that did not collide is there, all that did is in history, and check is clean.',
    },
  },
  {
    title: 'Trust: hostile repositories and callers',
    now: {
      'A.hostile.links':
        'A link in the place of .planner, of what is below it, or of config.json or the token is followed for neither reading nor writing, nor when it comes under the running service.',
      'A.hostile.hard-links':
        'What a file of the plan has as a second name elsewhere keeps its bytes when the service writes.',
      'A.hostile.local':
        'A local/ that git brought is believed by no command, and nothing in it leads out of the root.',
      'A.hostile.git':
        'No command of Planner makes git run anything that a repository names: monitors, hooks, filters, transports, helpers, editors.',
      'A.hostile.local-signed':
        'A local/ is signed with a secret of its user outside of the root; one that is not, and is younger than that secret, is used only after its user has adopted it.',
      'A.trust.private':
        'local/ is readable by its user alone, with the journal, the history of edits on disk and the lock; one left open is closed when the root is opened.',
      'A.hostile.size': 'Record files, history and settings over their limits are listed and not read.',
      'A.hostile.prototypes':
        'Names like __proto__ and constructor in files, bodies, queries and arguments are kept or refused like any others, and change no prototype.',
      'A.hostile.names':
        'No title, name, id or path, from a caller, a file, a form or an import, leads a file out of its place.',
      'A.hostile.html': 'HTML and SVG in any field reach the reader of any page and answer without power.',
      'A.hostile.terminal':
        'No text of a plan, name of a file or argument reaches a terminal with a control character, a line separator or a bidirectional override: each is escaped in what every command and the log print.',
      'A.hostile.one-line':
        'Callers cannot put control characters, line breaks or bidirectional overrides into a text of one line; a file or an export that holds them is served and exported unchanged.',
      'A.hostile.guests-marked':
        "Texts of guests are marked for agents wherever they are answered, also as a task's, and agents are told what the mark means.",
      'A.hostile.agent-links':
        'An owner can keep share links to people; nothing in a repository gives them back to agents.',
      'A.hostile.foreign-ids':
        'An agent cannot give a record an id that names another project, and the answer does not say what is there; an id that files give to two projects is a conflict that names both.',
      'A.hostile.restored-links': 'A share link ends with its resource: restoring the resource does not revive it.',
      'A.hostile.agent-quota': 'An agent key writes a bounded number of bytes a day, and no other caller waits for it.',
      'A.hostile.project-bytes':
        'Agents and guests cannot let what a project stores, its files and history included, grow beyond a bound.',
      'A.hostile.junk':
        'Directories that can hold no records are neither watched nor walked, however many somebody makes.',
      'A.hostile.owner-reserve':
        'While the disk is nearly full agents and guests write nothing, and the owner can still change and delete.',
      'A.hostile.hosts':
        'No spelling of Host or Origin but its own opens a loopback service, and nothing that a proxy or tunnel marked.',
      'A.hostile.forms':
        'No page of another site makes a browser change anything: no form of any type is taken by any route.',
      'A.hostile.sessions': 'A session id or cookie that another chose opens nothing of whoever uses it.',
      'A.hostile.id-token': "An ID token that is not signed with the identity provider's key signs nobody in.",
      'A.hostile.stray-cookie':
        'A cookie that a page on another port of loopback sets locks nobody out of a service that has no sign-in.',
      'A.hostile.guessing': 'Who guesses credentials waits, and they are compared as digests, in constant time.',
      'A.hostile.headers': 'No name or text makes a header, whatever is in it.',
      'A.hostile.bodies': 'Deep, encoded, broken and endless bodies are refused, with a reason, within limits.',
      'A.hostile.body-budget':
        'Bodies that arrive at the same time are bounded, of one credential and in all: what is too much is refused with Retry-After, and other callers are served.',
      'A.hostile.wide':
        'A body with a million values, or an object with more than 10,000 members, is refused by its text; of very many violations one is named.',
      'A.hostile.duplicates':
        'A member that is there twice in one object, at any depth and however it is spelled, is refused with its path.',
      'A.hostile.other-sites':
        "What a browser sends for another site's page is refused below /api, /mcp and /metrics; links that a person follows to pages, shares, files and the reference are answered.",
      'A.hostile.untrusted-proxy':
        'A hosted service that trusts no proxy says once in its log that requests come through one.',
      'A.hostile.same-bytes':
        'Uploading the same bytes again breaks no read or export of them; damaged bytes are replaced.',
      'A.hostile.slow': 'Who sends or reads too slowly, or goes on sending when answered, is cut off.',
      'A.hostile.pipelining':
        'Pipelined requests of a connection are handled one after another: none begins, and no more is parsed, while a response is unsent.',
      'A.hostile.unread':
        'Responses that nobody reads are bounded, of one address and in all, the largest being cut off first; shared Markdown is made as it is read.',
      'A.hostile.assets':
        'The page is served from memory: a process without file descriptors, or another version installed in its place, breaks no response.',
      'A.hostile.uncaught':
        'An exception that nothing caught is logged and ends the service in order, with exit code 1 and everything acknowledged in its file.',
      'A.hostile.connections':
        'Thousands of idle connections leave the service answering, within the files that it may open.',
      'A.hostile.mcp-sessions': 'Thousands of MCP sessions are kept within bounds, the longest idle going first.',
      'A.hostile.repeats':
        'What is kept for repeats is bounded per answer, per credential and in all; a store or journal that holds more opens within the memory of any other.',
      'A.hostile.repeats-changed':
        'A repeat whose answer was too large to be kept gets it rebuilt, or is told that the call was carried out and where to read the result; it is never carried out again.',
      'A.hostile.sandbox':
        'An artifact and a shared screen, framed or opened alone, reach no other server: not by requests, navigation, prefetching or, as far as a guard in the page goes, WebRTC.',
      'A.hostile.rendering':
        'A text that takes long to render delays no other request: it is rendered in a thread with a time limit and shown as preformatted text beyond it.',
      'A.hostile.patterns':
        'No text of a caller or a file makes a pattern take more than time in proportion to its length.',
      'A.hostile.mutants':
        'A change to a guard, a credential check, a path check, git arguments or sanitising that no test notices fails the long tests, unless it is listed with a reason.',
    },
  },
  {
    title: 'Trust: the event loop',
    now: {
      'A.loop.slices':
        'Work that takes long is done in slices; all of it together leaves the event loop to other requests after a few milliseconds.',
      'A.loop.slow':
        'What holds the event loop for over 50 ms is a warning in the log, with its operation and project.',
      'A.loop.events': 'An event of a file costs no system call in the turn that hears of it.',
      'A.loop.delay': 'GET /metrics shows the delay of the event loop since it was last asked.',
      'A.loop.streamed': 'A long list over REST is made while it is sent, and says what its pages say.',
      'A.loop.snapshot':
        'What is sent in slices is the state of one moment, that of its tag, whatever changes meanwhile.',
    },
  },
  {
    title: 'Trust: concurrency',
    now: {
      'A.concurrency.linearizable':
        'What clients of both doors ask and are told of one plan is one order of events, crashes included: claims, changes, compared changes, single reads, lists, deltas, next tasks and exports.',
      'A.concurrency.judge':
        'The judge of such histories accepts every one that can be ordered and refuses stale reads, lost updates, double claims and values that nobody wrote.',
      'A.concurrency.no-take-back':
        'No answer over either door, refusals and repeats included, shows a state that is not durable: a crash never takes back what somebody saw.',
      'A.soak.flat':
        'Under mixed load with edits by hand and git at work memory, file descriptors and latency stay as they were.',
      'A.soak.well':
        'After such a load everything acknowledged is there, also after a restart, and doctor finds nothing.',
    },
  },
  {
    title: 'Trust: large changes',
    now: {
      'A.slices.turns':
        'A large change, from a caller or found on disk, runs in slices: other requests are answered between them.',
      'A.slices.whole':
        'Nobody sees half of a change in slices: readers of its project wait, a refusal or a failing journal undoes all of it, and a crash leaves all or nothing.',
      'A.slices.encoded': 'A large journal entry is encoded in slices, and reads like any other.',
      'A.open.cache-running':
        'The index cache is written while the service runs: an opening after a kill reads only the files that changed since, and makes no second revision of a change that has one.',
    },
  },
  {
    title: 'Trust: upgrades',
    now: {
      'A.upgrade.newer':
        'Files of a newer format are refused before anything is touched, naming who wrote them and what to install.',
      'A.upgrade.first': 'What names no format is of the first; a new root is of the newest.',
      'A.upgrade.older':
        'Files of an older format go through every step to the present one when they are opened; log and doctor tell of it.',
      'A.upgrade.backup':
        'Each file that an upgrade touches is kept as it was in local/backup/, from which one can go back.',
      'A.upgrade.rest': 'Nothing is upgraded while git is at work, or while changes are in the journal alone.',
      'A.upgrade.crash':
        'An upgrade that was interrupted is not begun or gone on with, and what somebody wrote meanwhile is kept.',
      'A.upgrade.hostile': 'A plan of an upgrade that came with a repository leads nowhere out of the root.',
      'A.upgrade.fixture':
        'A plan of every format that was ever written opens, shows what it showed, and is not changed by being opened.',
    },
  },
];
