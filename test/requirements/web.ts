import type { Section } from './section.ts';

/** The page: what people see and do in a browser. */
export const web: readonly Section[] = [
  {
    title: 'The page',
    now: {
      'S.web.home':
        'The home view shows every project with its progress and latest changes; projects are created, imported and, after typing their name, deleted there.',
      'S.web.overview':
        'The overview shows goals, counts by status, the next task, running agents, recent changes and what needs a person.',
      'S.web.since':
        'The overview and the home view group the changes since the last visit of the browser, which alone knows of it.',
      'S.web.overview-next': 'Of several active goals the overview names the next task of each.',
      'S.web.overview-attention':
        'The overview shows questions and silence of agents, tasks that came back, goals that are blocked, stale or ready, what is overdue, due within a week, blocked, waiting for review, and claims that ran out.',
      'S.web.overview-long': 'Long words stay within their columns and cards, on phones too.',
      'S.web.task-facts':
        'A blocked task names what it waits for; its due date is chosen in words, by the page and the command line alike.',
      'S.web.agents-now': 'A run shows the tasks that its agent holds only while it is running.',
      'S.web.board': 'The board has five columns; a card is moved by mouse or by keys, and tasks are added in place.',
      'S.web.quick-add':
        'A new task is read in words: tags, priority, assignee, due date, goal; they are shown before it is made, and each can stay text.',
      'S.web.board-hand':
        'Cards are ordered by hand, by mouse and by keys; several move by one request; a group sets its field; columns fold.',
      'S.web.filters':
        'Filters of board and list match any, all or none of their values, and ranges of due and updated dates, in the address and in saved views.',
      'S.web.board-filter': "The address contains the board's filters and grouping.",
      'S.web.descriptions':
        'On request the text filter of board and list looks at descriptions too; the address and saved views say so.',
      'S.web.task': 'A task opens beside any view, by the address, with every field editable.',
      'S.web.picker':
        'One picker changes each field of the tasks that are focused, open or selected: by a key, a cell, a card, the bar of a selection, the canvas and the command menu.',
      'S.web.keyboard-planning':
        'Twelve tasks with eleven dependencies are planned with at most 120 keys, besides the letters of their labels.',
      'S.web.list': 'The list sorts by several columns, filters and groups; its address contains all of it.',
      'S.web.list-views':
        'Views of the list are saved under a name, changed, renamed and deleted; an address shares them.',
      'S.web.list-csv': 'The list is exported as CSV in its order; no value is read as a formula by a spreadsheet.',
      'S.web.list-bulk': 'Many tasks are changed at once, which can be undone; deleting them asks first.',
      'S.web.list-keys':
        'The list can be used by keys only: move, select, select a range, open, delete; an open task follows the keys beside it, and a click on a row opens its task.',
      'S.web.list-hand': 'A list sorted by hand is ordered by dragging rows and by keys, several together.',
      'S.web.list-large': 'Only the visible rows of a list are rendered.',
      'S.web.canvas':
        'Edges of the canvas are drawn, reconnected and deleted with the mouse; they can be dropped anywhere on a node.',
      'S.web.canvas-draw':
        'An edge is drawn from any point of the border of a card, or while edges are drawn from anywhere on it, to anywhere on another card.',
      'S.web.canvas-arrows':
        'On the canvas an arrow points from a prerequisite to the task that waits for it, whatever the label; labels that say no more than that are not drawn.',
      'S.web.canvas-neighbours':
        'Selecting a node or an edge on the canvas highlights its neighbours and dims the rest.',
      'S.web.canvas-places':
        'The canvas saves only the positions of nodes that were moved; a node being dragged is not moved by a change that arrives.',
      'S.web.canvas-undo': 'Every action on the canvas can be undone and redone, in order.',
      'S.web.undo':
        'Moves, statuses, fields, deletions, releases, triage and bulk changes are undone in order, by a notification and by Ctrl-Z in every view; never over a later change.',
      'S.web.undo-all':
        'What is done with one press can be undone: evidence for goals, closed runs, new and restored records too; a question comes before what cannot be.',
      'S.web.trash': 'The trash lists what was deleted, by whom and until when it can be restored, and restores it.',
      'S.web.deleted':
        'A record that another user deletes while it is open becomes a notice with its text and the unsent draft, and can be restored.',
      'S.web.canvas-order':
        "The tasks that can begin now and the longest chain of open tasks are highlighted, by the service's order of work.",
      'S.web.canvas-layout': 'The canvas asks before it arranges nodes, and can undo it.',
      'S.web.canvas-first-layout':
        'Tasks without a position are laid out by their dependencies, without a question, however many; lines do not run under cards; a move saves what is shown.',
      'S.web.canvas-fit': 'The view of the whole canvas has no card under a bar, the legend or the map.',
      'S.web.canvas-bars':
        'The bars of the canvas do not cover each other, name their numbers in words, and keep no tooltip after a dialog.',
      'S.web.canvas-map':
        'The map of the canvas distinguishes cards, marks the tasks that can begin and the longest chain, and moves the view.',
      'S.web.canvas-legible':
        'Labels on the canvas have a legible size at every zoom; where cards are smaller, those that fit are shown.',
      'S.web.canvas-filter':
        'The canvas is filtered and coloured by goal, assignee, priority and status, in its address; goals have frames, and are arranged by them.',
      'S.web.canvas-menu': 'Nodes, edges and the canvas itself have a menu at the pointer and by keys.',
      'S.web.canvas-export':
        'The whole canvas is exported as SVG and PNG, filtered, coloured and marked as shown; a file that cannot be made is explained.',
      'S.web.canvas-edit': 'Labels and statuses are edited in place; deleting a node asks first, and can be undone.',
      'S.web.canvas-keys':
        'The canvas can be used by keys only: select, move, edit, connect, create, delete, find, open.',
      'S.web.canvas-large': 'Only the visible part of a canvas is rendered.',
      'S.web.live':
        'Edits of files and changes of others appear at once on every view; within one poll where no stream passes.',
      'S.web.stream':
        'A page follows the changes by one stream while it is visible, requests only what they may have changed, and sends nothing while nothing changes.',
      'S.web.stream-fallback':
        'A page polls by tags where a stream is refused or held back, and follows a stream again as soon as one passes.',
      'S.web.stream-resume': 'After an interruption, a restart or a kill of the service a page misses no change.',
      'S.web.presence': 'An open task or document says who else looks at it or edits it, by the names of credentials.',
      'S.web.webhooks':
        'The settings create, pause, resume and delete webhooks, and list and repeat their deliveries; the secret is shown once.',
      'S.web.refused': 'A rejected change is rolled back, with a visible reason.',
      'S.web.offline': 'While the service does not respond the page says so and shows what it has.',
      'S.web.code':
        'Code that does not load is retried, a bar says that a new version is there, and the rest of the page stays usable.',
      'S.web.print':
        'A document, the list, the board, a goal and a task are printed whole, without what is around them.',
      'S.web.phone':
        'On a phone nothing is wider than the screen, cards are moved by touch, and targets have 24 pixels.',
      'S.web.pictures':
        'Each view looks as the picture of it that is kept, large in light and small in dark; a picture that changes is renewed in the same commit.',
      'S.web.still': 'While a view loads, its layout shift is 0.1 at most, with 1,440 pixels and on a phone.',
      'S.web.unknown':
        'Of data that is not known yet the page says neither a sentence nor a number: a default for it fails the checks.',
      'S.web.accessible': 'axe finds no serious violation in any view, light and dark.',
      'S.web.sidebar': 'The sidebar is folded and unfolded by a button and by a key; the browser keeps it.',
      'S.web.scales':
        'The page has five sizes of type, three weights, eight spaces and three breakpoints; a style sheet with another size fails the checks.',
      'S.web.policy': 'Scripts come from the service alone, and nothing is loaded from elsewhere.',
      'S.web.compressed': 'JSON of over 2 kB is compressed beyond loopback, if the client accepts it.',
      'S.web.address': 'Every address of the page returns the page; programs get JSON.',
      'S.web.goals':
        'A goal shows its contract, its verification and its tasks; it is edited, ticked, signed off, completed on evidence, blocked with a remediation task, paused, resumed, reopened and invoked there.',
      'S.web.goals-red':
        'The page says what red evidence does before it is submitted; a blocked goal is resumed there.',
      'S.web.goals-archive':
        'A goal that is not active is archived in the page, which leaves archived ones out of lists and pickers unless asked.',
      'S.web.review':
        'The review lists finished tasks that are not verified; each is approved or sent back with a reason by one key, and the sidebar counts them.',
      'S.web.review-half':
        'Sending back sets the status, then adds the reason; if only the comment fails, the reason is kept and added alone.',
      'S.web.review-questions':
        'Runs that ask are in the review, and are answered there, on a card, a row and the panel of their task; the answer is a comment on the held task and a line of the run.',
      'S.web.verified':
        'A task panel shows when and by what a task was verified, and its commits; cards and rows have a mark.',
      'S.web.holder':
        'Cards, rows and the panel show the agent or person that works on a task, and whether the work asks, is silent for 40 minutes or failed, or its claim ran out.',
      'S.web.proof':
        "The review, a task and a goal show the commit of a verification, whether it is stale, and the end of the gate's output once it is opened.",
      'S.web.programs':
        'planner run, verify and merge are copied from where they are of use; the page starts no program.',
      'S.web.composition': 'Keys of an input method end its composition, and nothing else.',
      'S.web.direction': 'Labels, titles and names have the direction of their letters wherever they are shown.',
      'S.web.commits': "Commits are links by the project's repository on known hosts, always http or https.",
      'S.web.plain-text': 'Cards show Markdown without its markup.',
      'S.web.inbox':
        'The inbox shows submissions, proposals and the backlog; each is accepted, edited, linked or rejected by one key.',
      'S.web.runs':
        'A run shows its task, branch, commits, diff, tokens and cost, and its question, which is answered there by a choice or a text; a task shows its runs.',
      'S.web.agents':
        'Runs are shown with their progress as a timeline, the newest lines first and all on request, and claims with their holder and expiry.',
      'S.web.history':
        'History shows changes by author and field with differences, filtered by author and target in the address, page by page, and restores former states.',
      'S.web.problems':
        'Files that need a person are shown with path, line, reason and remedy, and repaired if that is safe.',
      'S.web.settings':
        'Settings change the project, create and revoke keys and links that are shown once, manage tags, export, and delete the project after its name was typed.',
      'S.web.connect': 'The settings show for each client what planner connect would write.',
      'S.web.commands':
        'The command menu searches, navigates, creates and changes the status of the open task by keys only.',
      'S.web.launcher':
        'The command menu shows the records opened last and, for an id, its record, which a pasted id opens; runs are found by their lines, and the words of what is opened are marked.',
      'S.web.shortcuts': 'Shortcuts work unless a text is being edited, and are listed.',
      'S.web.hosted': 'On a hosted service the page asks for a sign-in with an owner key, and shows who is signed in.',
      'S.web.documents':
        'Documents are in folders and are moved by mouse or by menu; their Markdown is edited with a live preview, pasted pictures become files, [[ completes links, and links are shown at both ends.',
      'S.web.preview':
        'The preview beside a long text is parsed outside the thread that handles keys, changes only where the text changes, and shows the final text.',
      'S.web.checklists':
        'Checkboxes of documents and notes are ticked in the preview; those that cannot be look disabled.',
      'S.web.way-back': 'Going back to the list or the board shows the place where one was.',
      'S.web.start-here': 'An empty project names the first steps and links to them.',
      'S.web.autosave':
        'Text is saved automatically and survives a reload; a change by another user is merged in, and if both changed the same text, both are shown to choose from.',
      'S.web.session': 'Consecutive changes of a record with one Editing-Session are read as one revision.',
      'S.web.file-path': "The page shows the path of a record's file, to be opened in an editor.",
      'S.web.anchors':
        'A comment on selected text is anchored by a W3C text quote and is found again after the text was changed.',
      'S.web.comments':
        'Comments are formatted text with pictures and are changed, resolved, reopened and deleted; resolved ones are shown on request.',
      'S.web.notes': 'Notes are written, commented on and deleted.',
      'S.web.artifacts':
        'Artifacts are shown in a sandbox without the origin, storage and network of the service, and annotated in place by pins and text.',
      'S.web.prototypes':
        'Prototypes show their screens at their size; screens are presented over the whole window by links and keys, moved and copied.',
      'S.web.guests': 'Share and participant pages look like the page, in light and dark, without script.',
    },
  },
];
