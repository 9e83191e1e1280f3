import type { Section } from './section.ts';

/** A service of several nodes over a database. */
export const nodes: Section = {
  title: 'Architecture: several nodes over one database',
  now: {
    'A.nodes.reads': 'What was acknowledged by one node is seen by every call that arrives at another one afterwards.',
    'A.nodes.catch-up':
      'Catching up with all projects costs what was appended since, whatever their number; what commits late is seen once it does, and a database that was replaced is compared whole.',
    'A.nodes.start':
      "A node listens once it has the service's own log. It begins its projects in the background, those that calls name before others, by their summaries, which nodes store while they change them, and not by their logs; without them by the logs, with the same.",
    'A.nodes.writes':
      'Nodes change the same project at the same time, and no change is lost, doubled or based on what it did not see.',
    'A.nodes.keys': 'A key, a sign-in or a session that was revoked or ended at one node is refused by all of them.',
    'A.nodes.links':
      'A link to a resource or to a project is known at every node as soon as it was made, and ended as soon as it was revoked.',
    'A.nodes.sessions': 'A session of MCP, of either era, is served by any node.',
    'A.nodes.sign-in': 'A sign-in at a provider begins at one node and ends at another, and so does that of a program.',
    'A.nodes.events':
      'Events of all nodes reach those who follow them at any node, with cursors that every node continues.',
    'A.nodes.webhooks': 'Webhooks are called by one node at a time, and by another one after that has ended.',
    'A.nodes.leases':
      'A task is claimed once, whatever the clocks of the machines say, and leases end by the time of the database.',
    'A.nodes.once': 'A call with an idempotency key is executed once, whichever nodes its repeats arrive at.',
    'A.nodes.bytes': 'Files are read at every node as they were uploaded at another.',
    'A.nodes.bucket':
      'A start with PLANNER_BLOBS, and one over a database without bytes that an earlier version has stored in a bucket, is refused with the way to copy them.',
    'A.nodes.files': 'What only a service over files has is refused with a clear error.',
    'A.nodes.ready': 'A node is ready while the database answers it; a balancer needs no credential to ask.',
    'A.nodes.home':
      'The requests of a project, of every kind, arrive at one node through a proxy that is set up as documented, and at another one while that is not ready.',
    'A.nodes.safe':
      'A server that could lose what it acknowledges, or whose tables are too new, gets no change acknowledged while nodes run: it is read, and written to again once it is safe.',
    'A.nodes.ended':
      'A node that ends leaves no connection, at whatever moment of its start and loading it is asked to: what is closed opens nothing, and says so.',
    'A.nodes.away':
      'While the database is away, calls are answered 503 with Retry-After, and nothing is shown from memory.',
    'A.nodes.restored':
      'Nodes notice that their database was restored from a backup, report it, and go on with what it has, keys and projects included.',
    'A.nodes.memory':
      'A node keeps the projects in memory that are in use, as many as fit, and none for long that only other nodes use; calls for the others load them, and see and change the same.',
    'A.nodes.list':
      'The list of projects has the same order and the same tag at each node, and another tag once the record of a project is another; a page costs what it shows and what has changed. So it is with the present of the feed over all projects.',
    'A.nodes.search':
      'A search over all projects finds by their titles what one that reads all of them finds, in the same order, on any node; where it does not, it says that it is incomplete.',
    'A.nodes.limits':
      'Failed credentials, sign-ins, calls of guests and bytes of agents are counted at all nodes together, and by each while the database is away.',
    'A.nodes.texts':
      'Large texts are stored beside entries, once, and read when they are asked for: memory and snapshots have references.',
    'A.nodes.workspace':
      'A workspace has the schema that its setting names, whole; a name that PostgreSQL cuts or has itself is refused with a clear error.',
    'A.nodes.pooler': 'Nodes work through a pooler in transaction mode, and go on after it was lost.',
    'A.nodes.working_copy':
      'Files become a project of a service, and a project of a service files, byte for byte; both change, and nothing is lost.',
    'A.nodes.migrate':
      'Tables of a former version are migrated while its nodes run, each step once and whole; a node starts only with tables that it can use.',
    'A.nodes.sweeps':
      'What a deleted project has left is removed after 30 days, and what has expired within hours, while the nodes run.',
    'A.nodes.changes':
      'Changes of a copy are applied with their ids, times, authors and revisions if each record is what was changed, all of them or none.',
    'A.nodes.sync':
      'A working copy and its hosted project are brought together in both directions, merged by field; nothing is lost or doubled, wherever it is interrupted.',
    'A.nodes.command': 'Commands act on a database as its owner, beside the nodes that serve it.',
  },
};
