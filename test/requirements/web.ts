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
      'S.web.live': 'A file that is edited on disk, and what others change, appears within a poll.',
      'S.web.refused': 'A change that is refused is taken back, with the reason in sight.',
      'S.web.offline': 'While the service does not answer the page says so and goes on showing what it knew.',
      'S.web.accessible': 'axe finds no serious violation in any view, light and dark.',
      'S.web.policy': 'Scripts come from the service alone, and nothing is loaded from elsewhere.',
      'S.web.address': 'Every address of the page is answered with the page; programs get JSON.',
    },
  },
];
