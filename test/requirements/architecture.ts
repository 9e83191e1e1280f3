import type { Section } from './section.ts';

/** The promises of the architecture beyond the interfaces: files, writes, external edits, untrusted input. */
export const architecture: readonly Section[] = [
  {
    title: 'Architecture: the source',
    now: {
      'A.layers': 'Imports go one way through the layers, without cycles, types included.',
      'A.node.fixed': 'planner doctor names a release of Node that lacks security fixes, and those that have them.',
      'A.node.old': 'An older Node prints the versions that Planner needs, and no error of syntax.',
      'A.trips': 'A call passes through at most so many functions and files as its budget allows.',
      'A.one-disk': 'node:fs, the clock, randomness and the environment are each read in one file.',
      'A.map': 'src/README.md has one sentence for each folder that exists.',
      'A.documents':
        'Links and names in the documents lead to what exists, what they show works as pasted, and README and ARCHITECTURE stay short.',
      'A.manifests':
        'Product, page and tests list what only they need, one command installs all of it, and that is at most 460 MB.',
      'A.words': 'Comments, messages, titles and documents use common terms, not private ones.',
      'A.catalogue': 'Routes, tools, openapi.json and types are derived from one catalogue and do not drift.',
      'A.errors': 'Codes, their HTTP statuses and their documentation are compared both ways.',
    },
  },
  {
    title: 'Architecture: the format on disk',
    now: {
      'A.format.layout':
        'A .planner begins with .gitignore and .gitattributes, and a project is in projects/<slug>-<code>/.',
      'A.format.one-file': 'One record is one file, with the edges that leave it in its links.',
      'A.format.links': 'Links have one line each, sorted by to and label, without id if it can be derived.',
      'A.format.link-id':
        'The id of a link without one is derived from (from, to, label), and nothing is written back.',
      'A.format.link-once': 'Two link entries with equal from, to and label are one edge.',
      'A.format.link-removed': 'Deleting a record removes the links to it.',
      'A.format.no-counters': 'No file that branches share contains counters, counts or updated_at.',
      'A.format.updated_at': "updated_at is the newest revision's time, else created_at.",
      'A.format.key-order':
        'Keys are in fixed order, volatile and stable ones alternating, tags and links last, one item per line, sorted.',
      'A.format.names': 'Equal names do not collide between branches.',
      'A.format.tag-id': 'The id of a tag is derived from its folded name.',
      'A.format.folder': "A folder is its directory and has the directory's name.",
      'A.format.folder-rows':
        'The ids of folders that Planner made, moved or refers to are in documents/.folders.json, one line each; every other directory has the id that its path derives.',
      'A.format.bytes': 'Files have LF, UTF-8 without BOM and one final newline that is not part of the body.',
      'A.format.body': 'A body reads back byte for byte.',
      'A.format.unchanged': 'An unchanged record changes no byte and touches no file.',
      'A.format.keeps': 'Changing one field keeps every other byte of a file that a person wrote.',
      'A.format.scalar': "A text field takes its scalar's source text: label: 2026 is a label.",
      'A.format.file-name': 'File names are safe on Linux, macOS and Windows and at most 120 bytes.',
      'A.format.collision': 'No two file names differ in letter case alone.',
      'A.format.rename': "A file's name follows its title only while it is the name derived from the former title.",
      'A.format.move': 'The file of a document moves with its folder, by rename; unknown files stay.',
      'A.format.no-id':
        'A file without an id is a record with an id derived from its path, written to the file only when needed.',
      'A.format.links-by-name':
        'A link in a file may name its end by the name of its file, its label or title; the name stays as written.',
      'A.format.by-path':
        'A file without an id is known by its path: renamed, it is another record, unless one rescan finds it missing and its inode, or its content and name, at another path.',
      'A.format.title':
        'The title of a file without one is its name; it is not written until it is set. A task takes `title` as its label.',
      'A.format.created_at': "An absent created_at is the oldest revision's, else the file's mtime.",
      'A.format.path-remembers': 'A file that returns without its id is the record it was, with its last values.',
      'A.format.empty': 'An empty file counts only after a grace period of 2 s.',
      'A.format.by-name':
        'In a file a goal may be named by id or name, a tag by name; former names still mean the record.',
      'A.format.aliases': 'Renaming a goal or tag changes one file: the former name becomes an alias.',
      'A.format.revision':
        'A revision is self-contained: it depends neither on the current file nor on another segment.',
      'A.format.segments': 'A process appends history only to a segment that it began and that is unchanged since.',
      'A.format.revision-order': 'Revisions are ordered by (at, id); equal ids are one.',
      'A.format.html': 'An .html artifact contains its record in a first line, which the reader removes.',
    },
  },
  {
    title: 'Architecture: one write',
    now: {
      'A.write.rollback': 'A throw inside a transaction rolls everything back.',
      'A.write.frozen': 'Records are frozen values.',
      'A.write.change-set':
        'A transaction yields a change set of added, updated from-to and removed, with author and source.',
      'A.write.durable': 'A response is sent only when its change is durable in the journal.',
      'A.write.group': 'Change sets that wait for one fdatasync share the next one.',
      'A.write.read-waits': 'A read of a state that is not yet durable waits for its fdatasync.',
      'A.write.failed':
        'When an append or fdatasync fails the undurable changes are undone, newest first, and the store is read-only.',
      'A.write.checkpoint': 'The checkpoint writes changes to their files: a temporary file, then a rename.',
      'A.write.coalesce': 'Many changes to one record make one write.',
      'A.write.burst':
        'A burst of commits goes to the journal alone: files are written after it, after 15 s, or when a caller waits for them.',
      'A.write.bounded': "Pending changes are bounded by the journal's size.",
      'A.write.look': 'A file that is not the known version is merged before it is overwritten.',
      'A.write.look-back': 'A save that raced with the rename is found in the old inode and merged.',
      'A.write.git': 'While git changes the working tree no file is written, and changes are served from the journal.',
      'A.write.git-lock': 'A git lock older than 60 s is a listed problem.',
      'A.write.git-batch': 'A batch during which git began is merged again when git has finished.',
      'A.write.flush': 'Flushing returns when nothing is pending.',
      'A.write.parked':
        'A change whose file cannot be written is parked: it is served and listed, its record rejects further changes, and nothing else waits.',
      'A.write.unparked': 'A parked change is merged once its file can be written.',
      'A.write.segment-goes': 'Once the files of a segment are synced, the segment is deleted.',
      'A.write.add-project':
        "Creating a project writes its entry, then the service's; deleting writes them in reverse; leftovers are removed at opening.",
      'A.write.trash': "A deleted project's directory stays in local/trash for 30 days.",
    },
  },
  {
    title: 'Architecture: opening and crashes',
    now: {
      'A.open.cache':
        'Opening parses only files that differ from the index cache, or that are too young for their timestamps to be trusted.',
      'A.open.torn': 'A torn last journal entry is dropped.',
      'A.open.corrupt': 'A corrupt entry inside the journal is an error that names its position.',
      'A.open.debris': 'A file that is empty, all NUL or a prefix of what was to be written is written again.',
      'A.open.gone':
        'A file with pending changes that is gone is treated as a deletion; a pending creation, and any after a restart of the machine, is written.',
      'A.open.merge': 'A file that a person changed while the service was down is merged with what is pending.',
      'A.open.written': 'A file with a written mark is accepted as it is.',
      'A.crash.calls':
        'A disk that fails at any call of a commit, checkpoint or recovery leaves the state before or after, never between.',
      'A.crash.kill':
        'Killed at any moment under load, the service loses nothing acknowledged and leaves no torn file.',
      'A.crash.simulation':
        'In a simulation, after any interleaving of calls, edits, git and crashes, every acknowledged change and every edit is served or in history, and files, index and history agree.',
      'A.ends.turns':
        'A service that is asked to end in any turn of its start, its loading and its work is gone within its drain time and 5 s, and leaves no note of itself.',
      'A.ends.closed': 'What is closed opens nothing, no thread and no file, and answers with an error.',
      'A.returning.same':
        'A project that was deleted, or whose directory was removed, comes back with its ids by a call or with its directory; its log and its feed go on, and a restart, a kill or a power cut changes nothing of it.',
      'A.returning.one':
        'Of calls that create a project with one id at the same time one does, and the others are refused alone.',
      'A.returning.others':
        'A change that does not fit the log of its project is refused alone: other projects are read and written.',
      'A.crash.model': 'Random operations over both transports and across reopen do what a plain model does.',
      'A.lock.one': 'One process writes a root; a second one reports the address of the first.',
      'A.lock.free': 'The lock is released when its holder dies.',
    },
  },
  {
    title: "Architecture: a person's edits, and git's",
    now: {
      'A.edit.live': 'An edit of a file is served within milliseconds.',
      'A.edit.one-transaction':
        'Edits that arrive together are applied as one transaction with source disk and author file.',
      'A.edit.no-write-back': 'An external edit leaves the project directory as it was; its revisions go to local/.',
      'A.edit.known-after': 'No revision is made for a state that an arriving history entry names.',
      'A.edit.hints': "Events are hints: what counts is the file's stat, then its hash.",
      'A.edit.echo': 'Own writes are not applied again, and unchanged content publishes nothing.',
      'A.edit.sweep': 'A periodic rescan finds what the notification lost.',
      'A.edit.overtaken': 'A reload that started before a write never overwrites it.',
      'A.edit.unreadable':
        'The last good version of an unreadable file is still served, and the problem is listed with path, line and reason.',
      'A.edit.never-over': 'The service never overwrites an unreadable file; a change of its record returns conflict.',
      'A.edit.never-good':
        'An unreadable file without a good version returns conflict under the id of its name or first id line.',
      'A.edit.foreign':
        'A value in front matter that a record cannot have is ignored, kept byte for byte and noted with its line, all of a file at once.',
      'A.edit.like-keys':
        'An unknown key that is like a known one is noted with its line, in front matter and JSON; it is never an error.',
      'A.edit.terms':
        'Terms of other tools for statuses and priorities are read in files without an id of Planner, and noted.',
      'A.edit.foreign-id': 'An id of another tool in front matter is the id of its record.',
      'A.edit.two-names': 'If two goals have one name, the older one keeps it, with a listed problem.',
      'A.edit.goal-gone':
        'A task whose goal is missing belongs to the default goal until it returns, its file unchanged.',
      'A.edit.two-ids':
        'If two files have one id, one of them is served, always the same, and the other one is a listed problem.',
      'A.edit.two-projects': 'A second directory with one project id is one problem.',
      'A.edit.merge':
        'If both sides changed a record, fields merge one by one, tags and links as sets, bodies by three-way text merge.',
      'A.edit.file-wins':
        'If both sides changed the same value, the file wins and the other value becomes a restorable revision.',
      'A.edit.gone': 'A missing file removes its record from the index; links to it stay in their files.',
      'A.edit.back': 'A checkout of another branch and back restores everything.',
      'A.edit.local-gone': 'When local/ is removed everything pending is written and local/ created again.',
      'A.edit.both': 'An edit on disk and one over REST at the same moment are both kept.',
      'A.edit.adopt': 'Markdown files of any origin are adopted; one field changed, every other byte stays.',
      'A.edit.burst': 'A checkout of a thousand changed files, and back, is applied.',
      'A.git.merge': 'Two branches of one plan merge without a conflict, and the service reloads to the union.',
      'A.git.commands': 'pull, stash pop and rebase succeed while the service runs and leave the tree clean.',
      'A.git.checkout': 'Changes acknowledged during a checkout are all there afterwards.',
    },
  },
  {
    title: "Architecture: a file's bytes",
    now: {
      'A.bytes.read': "A file's bytes are readable from the moment its record is acknowledged, and streamed from disk.",
      'A.bytes.durable':
        'Bytes are durable before the transaction that references them; no record is acknowledged without its bytes.',
      'A.bytes.place':
        "A file's bytes are beside its JSON under its name with their own extension, and never overwrite anything else.",
      'A.bytes.git': 'While git changes the working tree bytes stay staged and are served.',
      'A.bytes.problem': 'Bytes that are missing or differ from their record are a listed problem.',
      'A.bytes.sweep': 'Staged bytes that no record references are removed.',
      'A.bytes.local-gone': 'Staged bytes survive the removal of local/ while the service runs.',
    },
  },
  {
    title: 'Architecture: memory and the service',
    now: {
      'A.memory.texts': 'Texts over 64 KiB and history are read from their files.',
      'A.history.index':
        'Memory and a start have only the latest revisions of a project; an index on disk, which is derived from the segments and may be lost, finds all others.',
      'A.memory.heap': 'A service bounds how far V8 lets the heap and its young generation grow beyond what is alive.',
      'A.service.durable':
        'Sessions, current goals, leases and idempotency keys are durable before they are acknowledged.',
      'A.service.config': 'Configuration and data that may be lost are stored by lowdb with a durable adapter.',
      'A.check': 'The consistency check of the store finds inconsistencies of its files and index.',
      'A.problems': 'GET /projects/:id/problems lists problems of files with path, line, kind and reason.',
    },
  },
  {
    title: 'Architecture: the file of a project',
    now: {
      'A.project.listed':
        'A directory with record files whose project.json is missing or unreadable is listed with path, line and remedy by planner projects, planner doctor, list_projects over REST and MCP, and the page.',
      'A.project.last-good':
        'The last good version of a project whose project.json becomes missing or unreadable is served, with the problem listed, also over restarts; a project goes with its last record file.',
      'A.project.rebuilt':
        'planner doctor --fix rebuilds a missing or unreadable project.json from the last good version, else from the records beside it; it keeps the bytes of an unreadable one, and does nothing if the project is not certain.',
      'A.names.listed':
        'Names of files and directories that are not UTF-8, or that differ in Unicode normalisation alone, are listed with a remedy, their bytes shown safely.',
      'A.project.none':
        'Nothing says that there are no projects while record files are in a directory below projects/.',
    },
  },
  {
    title: 'Architecture: a repository is untrusted input',
    now: {
      'A.trust.front-matter':
        'Front matter is YAML of the core schema only: no other engine, bounded size, keys, aliases and depth.',
      'A.trust.links': 'No symbolic link is followed.',
      'A.trust.root': 'No path leaves the root.',
      'A.trust.dot': 'Names beginning with a dot are ignored, and a directory without project.json is no project.',
      'A.trust.gates': 'Gates are never run.',
      'A.trust.bad-input':
        'Bad input never loses data or ends the process: an error names the place, and the previous state is still served.',
      'A.trust.outgoing': 'Outgoing requests go only to origins that this user logged in to.',
      'A.trust.html': 'HTML is sanitised or sandboxed.',
    },
  },
];
