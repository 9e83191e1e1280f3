import type { Section } from './section.ts';

/** The order of tasks by hand, and changes of many tasks at once. */
export const order: Section = {
  title: 'Order by hand, and many tasks at once',
  now: {
    'A.rank.age':
      'A task without a rank has the place of its age, so that files and databases from before ranks need none; among others it is ordered as if its rank were the digits of its created_at and its id, and answers have no rank of it.',
    'A.rank.move':
      'A task is moved directly above or below another one, or all; the service computes its rank, and no other file changes while there is room.',
    'A.rank.bounded':
      'A rank has at most 64 digits: if there is no room between two tasks, the tasks near them get others.',
    'A.rank.next': 'get_next_task and planner run order by priority, due date, rank and age.',
    'A.rank.lists':
      'A list of tasks is given by creation, in the order by hand, or in the order of work, page by page.',
    'A.rank.merge': 'Moves in two branches merge, also with other changes of the same task.',
    'A.rank.export': 'An export and its import keep the order by hand.',
    'A.rank.cli': 'planner task move moves tasks, and planner diff, log and undo say so.',
    'A.batch.atomic':
      'change_tasks creates, changes and, for people, deletes up to 10,000 tasks in one request and one change set, all or nothing, in slices; a repeat with the same key changes nothing again.',
    'A.batch.refs': 'Later items and the edges name tasks that the same call creates by their keys.',
    'A.batch.errors': 'An error names the item and its member.',
  },
};
