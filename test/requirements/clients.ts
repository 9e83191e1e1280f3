import type { Section } from './section.ts';

/** What real clients, proxies and identity providers need. */
export const clients: Section = {
  title: 'Decisions 13: clients as they are',
  now: {
    'D13.if-match': 'If-Match, If-None-Match and since accept a tag that a proxy weakened or marked with its encoding.',
  },
};
