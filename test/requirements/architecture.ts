import type { Section } from './section.ts';

/** What the architecture promises beyond the interfaces: the files, a write's way, a person's edits, untrusted input. */
export const architecture: readonly Section[] = [
  {
    title: 'Architecture: the house',
    now: {
      'A.layers': 'Imports go one way through the layers, without cycles, types included.',
      'A.one-disk': 'node:fs, the clock, randomness and the environment are each read in one file.',
      'A.map': 'src/README.md has one sentence a folder, and the folders are those.',
      'A.documents':
        'Links of the documents lead to what exists, what the README shows works as pasted, and README and ARCHITECTURE stay short.',
      'A.words': 'Comments, messages, titles and documents use common terms, not private ones.',
      'A.catalogue': 'Routes, tools, openapi.json and types are derived from one catalogue and do not drift.',
      'A.errors': 'Codes, their HTTP statuses and their documentation are compared both ways.',
    },
  },
  {
    title: 'Architecture: the format on disk',
    now: {
      'A.format.layout':
        'A .planner begins with .gitignore and .gitattributes, and a project lies in projects/<slug>-<code>/.',
      'A.format.one-file': 'One record is one file, with the edges that leave it in its links.',
      'A.format.links': 'Links stand one a line, sorted by to and label, without id where it can be derived.',
      'A.format.link-id':
        'The id of a link without one is derived from (from, to, label), and nothing is written back.',
      'A.format.link-once': 'Two link entries of equal from, to, label are one edge.',
      'A.format.link-removed': 'Deleting a record removes the links to it.',
      'A.format.no-counters': 'No counters, counts or updated_at stand in a file that branches share.',
      'A.format.updated_at': "updated_at is the newest revision's time, else created_at.",
      'A.format.key-order':
        'Keys are in fixed order, volatile and stable ones alternating, tags and links last, one item a line, sorted.',
      'A.format.names': 'Names that people choose alike do not collide between branches.',
      'A.format.tag-id': 'The id of a tag is derived from its folded name.',
      'A.format.folder': 'A folder is its directory and is called what the directory is called.',
      'A.format.bytes': 'Files have LF, UTF-8 without BOM and one final newline that is not part of the body.',
      'A.format.body': 'A body reads back byte for byte.',
      'A.format.unchanged': 'An unchanged record changes no byte and touches no file.',
      'A.format.keeps': 'Changing one field keeps every other byte of a file that a person wrote.',
      'A.format.scalar': "A text field takes its scalar's source text: label: 2026 is a label.",
      'A.format.file-name': 'File names are safe on Linux, macOS and Windows and at most 120 bytes.',
      'A.format.collision': 'No two file names differ in letter case alone.',
      'A.format.rename': "A file's name follows its title only while it bears the name made of the former title.",
      'A.format.move': 'The file of a document moves with its folder, by rename; unknown files stay.',
      'A.format.no-id':
        'A file without an id is a record with an id derived from its path, written down only when needed.',
      'A.format.title': 'The title of a file without one is its first heading, else the file name.',
      'A.format.created_at': "An absent created_at is the oldest revision's, else the file's mtime.",
      'A.format.path-remembers': 'A file that comes back without its id is the record it was, with its last values.',
      'A.format.empty': 'An empty file is believed only after 2 s.',
      'A.format.by-name':
        'In a file a goal may be named by id or name, a tag by name; former names still mean the record.',
      'A.format.aliases': 'Renaming a goal or tag changes one file: the former name becomes an alias.',
      'A.format.revision':
        'A revision stands whole in itself: nothing in it depends on the current file or another segment.',
      'A.format.segments': 'A process appends history only to a segment that it began and that is still as it left it.',
      'A.format.revision-order': 'Revisions are ordered by (at, id); equal ids are one.',
      'A.format.html': 'An .html artifact bears its record in a first line that the reader takes off.',
    },
  },
  {
    title: 'Architecture: one write',
    now: {
      'A.write.rollback': 'A throw inside a transaction rolls everything back.',
      'A.write.frozen': 'Records are frozen values.',
      'A.write.change-set':
        'A transaction yields a change set of added, updated from-to and removed, with author and source.',
      'A.write.durable': 'An answer leaves only when its change is durable in the journal.',
      'A.write.group': 'Change sets that wait for one fdatasync share the next one.',
      'A.write.read-waits': 'A read that meets a state not yet durable waits for its fdatasync.',
      'A.write.failed':
        'When an append or fdatasync fails the undurable changes are undone, newest first, and the store is read-only.',
      'A.write.checkpoint': 'Changes reach their files a moment later: a temporary file, then a rename.',
      'A.write.coalesce': 'Many changes to one record make one write.',
      'A.write.bounded': "Pending changes are bounded by the journal's size.",
      'A.write.look': 'Before overwriting a file that is not the one known, it is merged.',
      'A.write.look-back': 'A save that raced with the rename is found in the old inode and merged.',
      'A.write.git': 'While git is at work no file is written, and changes are served from the journal.',
      'A.write.git-lock': 'A git lock older than 60 s is a listed problem.',
      'A.write.git-batch': 'A batch during which git began is merged again when git has finished.',
      'A.write.flush': 'Flushing returns when nothing is pending.',
      'A.write.parked':
        'A change whose file cannot be written is parked: served, listed, its record refusing more, nothing else held up.',
      'A.write.unparked': 'A parked change is merged once its file can be written.',
      'A.write.segment-goes': 'Once the files of a segment are synced, the segment goes.',
      'A.write.add-project':
        "Creating a project writes its entry, then the service's; deleting the reverse; leftovers are swept at opening.",
      'A.write.trash': "A deleted project's directory lies in local/trash for 30 days.",
    },
  },
  {
    title: 'Architecture: opening and crashes',
    now: {
      'A.open.cache':
        'Opening parses only files that differ from the index cache, or that are too young to be told apart.',
      'A.open.torn': 'A torn last journal entry is dropped.',
      'A.open.corrupt': 'A corrupt entry inside the journal is an error that says where.',
      'A.open.debris': 'A file that is empty, all NUL or a prefix of what was to be written is written anew.',
      'A.open.gone':
        'A file with pending changes that is gone is treated as a deletion, a pending creation is written.',
      'A.open.merge': 'A file that a person changed while the service was down is merged with what is pending.',
      'A.open.written': 'A file with a written mark is taken as it is.',
      'A.crash.calls':
        'A disk that fails at any call of a commit, checkpoint or recovery leaves before or after, never between.',
      'A.crash.kill':
        'Killed at any moment under load, the service loses nothing acknowledged and leaves no torn file.',
      'A.crash.model': 'Random operations over both transports and across reopen do what a plain model does.',
      'A.lock.one': 'One process writes a root; the second says where the first one listens.',
      'A.lock.free': 'The lock is free as soon as its holder is gone.',
    },
  },
  {
    title: "Architecture: a person's edits, and git's",
    now: {
      'A.edit.live': 'An edit of a file is served a moment later.',
      'A.edit.one-transaction': 'What arrives together is applied as one transaction, source disk, author file.',
      'A.edit.no-write-back':
        'What came through the files leaves the project directory as it was found; its revisions go to local/.',
      'A.edit.known-after': 'No revision is made for a state that an arriving history entry names.',
      'A.edit.hints': "Events are hints: the truth is the file's stat, then its hash.",
      'A.edit.echo': 'Own writes never come back, and unchanged content publishes nothing.',
      'A.edit.sweep': 'A slow sweep catches what the notification lost.',
      'A.edit.overtaken': 'A reload that started before a write never overwrites it.',
      'A.edit.unreadable':
        'Of an unreadable file the last good version is served on, the problem is listed with path, line and reason.',
      'A.edit.never-over': 'The service never writes over an unreadable file; a change to its record answers conflict.',
      'A.edit.never-good':
        'An unreadable file that never was good answers conflict under the id of its name or first id line.',
      'A.edit.two-names': 'Of two goals of one name the older bears it, with a listed problem.',
      'A.edit.goal-gone':
        'A task whose goal is missing belongs to the default goal until it returns, its file unchanged.',
      'A.edit.two-ids':
        'Of two files with one id the one whose name bears it is served, then the smaller path, with a listed problem.',
      'A.edit.two-projects': 'A second directory with one project id is one problem.',
      'A.edit.merge':
        'Changed on both sides: fields merge one by one, tags and links as sets, bodies by three-way text merge.',
      'A.edit.file-wins':
        'Where both sides changed the same thing the file wins and the other value becomes a restorable revision.',
      'A.edit.gone': 'A file that is gone takes its record out of the index; links to it stay in their files.',
      'A.edit.back': 'A checkout there and back restores everything.',
      'A.edit.local-gone': 'When local/ vanishes everything pending is written and local/ made anew.',
      'A.edit.both': 'An edit on disk and one over REST at the same moment are both kept.',
      'A.edit.adopt': 'Markdown files of any origin are adopted; one field changed, every other byte stays.',
      'A.edit.burst': 'A checkout of a thousand changed files, and back, is followed.',
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
        'Bytes are durable before the transaction that names them; no record is acknowledged without its bytes.',
      'A.bytes.place':
        "A file's bytes lie beside its JSON under its name and their own ending, never over anything else.",
      'A.bytes.git': 'While git is at work bytes stay staged and are served.',
      'A.bytes.problem': 'Bytes that are missing or differ from their record are a listed problem.',
      'A.bytes.sweep': 'Staged bytes that no record names are swept.',
      'A.bytes.local-gone': 'Staged bytes outlive the removal of local/ under the service.',
    },
  },
  {
    title: 'Architecture: memory and the service',
    now: {
      'A.memory.texts': 'Texts over 64 KiB and history are read from their files.',
      'A.memory.heap': 'A service bounds how far V8 lets the heap and its young generation grow beyond what is alive.',
      'A.service.durable':
        'Sessions, current goals, leases and idempotency keys are durable before they are acknowledged.',
      'A.service.config': 'Configuration and what may be lost goes through lowdb with a durable adapter.',
      'A.check': 'The consistency check of the store finds what is wrong with its files and index.',
      'A.problems': 'GET /projects/:id/problems lists path, line, kind and reason of what is wrong with files.',
    },
  },
  {
    title: 'Architecture: a repository is untrusted input',
    now: {
      'A.trust.front-matter':
        'Front matter is YAML of the core schema only: no other engine, bounded size, keys, aliases and depth.',
      'A.trust.links': 'No symbolic link is followed.',
      'A.trust.root': 'No path leaves the root.',
      'A.trust.dot': 'Names beginning with a dot and directories without project.json are ignored.',
      'A.trust.gates': 'Gates are never run.',
      'A.trust.bad-input':
        'Bad input never costs data or the process: a clear error names the place and the previous state is served on.',
      'A.trust.outgoing': 'Outgoing requests go only to origins that this user logged in to.',
      'A.trust.html': 'HTML is sanitised or sandboxed.',
    },
  },
];
