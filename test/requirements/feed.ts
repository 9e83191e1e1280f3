import type { Section } from './section.ts';

/** The feed of changes. */
export const feed: Section = {
  title: 'Architecture: the feed of events',
  now: {
    'A.feed.order':
      'Every change of a project is an event with a place in one order; the events of a change set are together.',
    'A.feed.types':
      'Types are <noun>.<created|updated|deleted>; what a change means for those who wait (task.done) is an event behind it.',
    'A.feed.fold': 'Folding the events after a cursor over what was read with it gives the present state.',
    'A.feed.before': 'With before, the answer has the last events before a cursor, or before the present.',
    'A.feed.durable':
      'A cursor continues exactly where it was after a restart, a crash or a kill: nothing twice, nothing missing.',
    'A.feed.expired': 'A cursor that is too old or foreign answers 410 cursor_expired with the one to begin at.',
    'A.feed.bulk':
      'A change of more than 25,000 records and edges has no events: cursors before it expire, and a project that it creates has project.created alone.',
    'A.feed.bounds': 'At least 100,000 events or 30 days are kept for each project, and no more than a bound of bytes.',
    'A.feed.lists': 'Following from the X-Planner-Cursor of a list misses nothing that the list does not show.',
    'A.feed.external': 'Edits of files and by git are events like any other, also those made while no service ran.',
    'A.feed.filter':
      'Events are filtered by types and by resource, and the cursor moves on over those that are left out.',
    'A.feed.wait': 'With wait, the answer comes with the next event, or empty after that time.',
    'A.feed.stream':
      'With Accept: text/event-stream, events are sent as they become durable, and Last-Event-ID continues after the last one.',
    'A.feed.followers': 'Calls and streams that wait are bounded for each caller and in all, and end with the service.',
    'A.feed.command':
      'planner events lists and follows events, across restarts of the service, and runs a command for each with the event on its standard input.',
    'A.feed.all': 'GET /feed has the events of all projects that the caller may see, with one cursor.',
    'A.feed.deleted':
      'GET /feed has one event for each project that its cursor names and that is deleted, by a call, by hand or by git, also while no service ran.',
    'A.feed.access': 'A key for one project sees its events and no others; guests see none.',
    'A.feed.webhooks': 'Events are delivered to the URLs of webhooks, at least once and in order for each.',
    'A.feed.webhooks.signature':
      'A delivery is signed by the rules of Standard Webhooks, with a secret that is shown once.',
    'A.feed.webhooks.retry':
      'A failed delivery is retried, each time later, for 24 hours; then the webhook is paused, which is a problem. 410 pauses it at once.',
    'A.feed.webhooks.addresses':
      'Webhooks call https URLs with public addresses, which are checked and pinned for each delivery, unless the owner allows the host.',
    'A.feed.webhooks.fair':
      'Receivers of one project that do not answer hold two connections at most, and delay the deliveries of no other project.',
    'A.feed.webhooks.deliveries':
      'The last 100 deliveries of a webhook are listed with their answers, and can be repeated.',
    'A.feed.problems':
      'problem.found and problem.cleared are events, each once, also of problems that came or went while no service ran.',
    'A.feed.leases':
      'A lease that expires is task.released with its reason, once, also if no service ran at that moment; its task keeps its state.',
    'A.feed.presence':
      'A stream says who looks at a record or edits it right now, as events without a cursor; a session is present while its stream is open, else for 30 seconds.',
    'A.feed.presence-names': 'A name of a session is taken in its project only: it says nothing about other projects.',
    'A.feed.room':
      'What callers follow at once is bounded for each of them, for the agents of a project and for all agents: the rest is reserved for owners.',
    'A.feed.service':
      'A stream with service=true says which records of the service changed, by the names of their collections, to people only.',
    'A.feed.webhooks.people': 'Webhooks are reserved for people.',
  },
  later: {},
};
