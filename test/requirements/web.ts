import type { Section } from './section.ts';

/** The page: what people see and do in a browser. */
export const web: readonly Section[] = [
  {
    title: 'The page',
    now: {
      'S.web.home':
        'The home shows every project with its progress and what changed last; projects are made, imported and, after typing their name, deleted there.',
      'S.web.overview':
        'The overview shows goals, counts by status, what is next, who works, what changed and what needs a person.',
      'S.web.board':
        'The board has five columns; a card goes to another by hand or by keys, and tasks are added in place.',
      'S.web.board-filter': 'What the board is filtered and grouped by stands in its address.',
      'S.web.task': 'A task opens beside any view, by the address, with every field to be changed.',
      'S.web.list': 'The list sorts by several columns, filters and groups; its address says all of it.',
      'S.web.list-views':
        'Views of the list are saved under a name, changed, renamed and deleted; an address shows them to others.',
      'S.web.list-csv':
        'What the list shows is exported as CSV in its order, with nothing a spreadsheet takes for a formula.',
      'S.web.list-bulk': 'Many tasks are changed at once and can be put back; deleting them asks first.',
      'S.web.list-keys': 'The list is worked by keys alone: go, choose, choose a range, open, delete.',
      'S.web.list-large': 'Of a list of any length only the rows in sight are drawn.',
      'S.web.canvas': 'Edges of the canvas are drawn, led elsewhere and deleted by hand.',
      'S.web.canvas-places':
        'The canvas saves where nodes were put and nothing else of them; what is in the hand is not torn from it by what arrives.',
      'S.web.canvas-undo': 'Whatever is done on the canvas can be undone and done again, in order.',
      'S.web.canvas-order':
        'What can be begun and the longest chain of open tasks are highlighted, by the order of work that the service reads.',
      'S.web.canvas-layout': 'The canvas asks before it arranges nodes, and takes it back.',
      'S.web.canvas-edit': 'Labels and statuses are written in place; deleting a node asks, and can be undone.',
      'S.web.canvas-keys': 'The canvas is worked by keys alone: go, move, write, connect, make, delete, find, open.',
      'S.web.canvas-large': 'Of a canvas of any size only what is in sight is drawn.',
      'S.web.live': 'A file that is edited on disk, and what others change, appears within a poll.',
      'S.web.refused': 'A change that is refused is taken back, with the reason in sight.',
      'S.web.offline': 'While the service does not answer the page says so and goes on showing what it knew.',
      'S.web.accessible': 'axe finds no serious violation in any view, light and dark.',
      'S.web.policy': 'Scripts come from the service alone, and nothing is loaded from elsewhere.',
      'S.web.address': 'Every address of the page is answered with the page; programs get JSON.',
      'S.web.goals':
        'A goal shows its contract, its verification and its tasks; it is written, ticked, signed off, completed on evidence, blocked with a remediation task, paused, resumed, reopened and invoked there.',
      'S.web.inbox':
        'The inbox goes through submissions, proposals and the backlog by keys; each is accepted, edited, linked or rejected by one.',
      'S.web.agents': 'Runs are shown with their progress as a timeline, and claims with who holds them until when.',
      'S.web.history':
        'History shows who changed what field by field with differences, filtered by author and target in the address, page by page, and brings former states back.',
      'S.web.problems':
        'Files that need a person are shown with path, line, reason and remedy, and mended where that is safe.',
      'S.web.settings':
        'Settings change the project, make and revoke keys and links that are shown once, keep tags, hand out exports, and delete the project after its name was typed.',
      'S.web.connect': 'The settings show for each client what planner connect would write.',
      'S.web.commands': 'The command menu finds, goes, creates and changes the status of the open task by keys alone.',
      'S.web.shortcuts': 'Shortcuts work wherever no text is written, and are listed.',
      'S.web.hosted': 'At a hosted service the page asks for a sign-in with an owner key, and shows who is signed in.',
      'S.web.documents':
        'Documents lie in folders, to be moved by hand or by menu; their Markdown is written with a live preview, pasted pictures become files, [[ completes links, and links are seen from both ends.',
      'S.web.autosave':
        'What is typed is saved by itself and survives a reload; a change by somebody else is merged in, and where both changed the same both are shown to choose from.',
      'S.web.session':
        'The changes of a record that bear one Editing-Session, with no other in between, are read as one revision.',
      'S.web.file-path': "The file of a record can be asked for, to be opened in an editor of one's own.",
      'S.web.anchors':
        'A comment on selected text is anchored by a W3C text quote and finds its place again after the text was changed.',
      'S.web.comments':
        'Comments are written as formatted text with pictures, changed, resolved, reopened and deleted; resolved ones are shown when asked for.',
      'S.web.notes': 'Notes are written, commented on and deleted.',
      'S.web.artifacts':
        'Artifacts are shown in a sandbox without the origin, storage and network of the service, and annotated in place by pins and text.',
      'S.web.prototypes':
        'Prototypes show their screens at their size; screens are presented over the whole window by links and keys, moved and copied.',
      'S.web.guests': 'Share and participant pages look like the page, in light and dark, without script.',
    },
  },
];
