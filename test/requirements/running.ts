import type { Section } from './section.ts';

/** The generated descriptions, compatibility with other tools, and operation. */
export const running: readonly Section[] = [
  {
    title: 'Running: descriptions',
    now: {
      'A.openapi-form':
        'The OpenAPI description has the form of OpenAPI 3.1: its schemas are valid, its references lead somewhere, and its parameters, tags and ids fit together.',
      'A.reference': 'The service serves the whole reference page, under a policy that allows no other origin.',
      'A.documented-routes': 'Every route of the specification is in the catalogue.',
      'A.documented-tools': 'Every tool of the specification is in the catalogue, and listed in its order of groups.',
    },
  },
  {
    title: 'Running: other tools',
    now: {
      'A.conformance':
        'The official conformance suite passes every scenario that applies to a tools server; the rest is a reviewed baseline.',
      'A.sdk-client': "The SDK's own client works with a session and without one.",
    },
  },
  {
    title: 'Running: operations',
    now: {
      'A.terminal':
        'At a terminal, serve prints a line for each change and problem (who, what, where) and sums up a burst; it waits for no terminal, and elsewhere prints none of it.',
      'A.terminal.output':
        'At a terminal, commands have colours and a pager, unless NO_COLOR, PAGER=cat, --no-color or --json says otherwise; --quiet prints errors and what was asked for.',
      'A.log-line':
        'Each request is one line of the log: id, route, status, milliseconds, kind of caller; no path, query or body.',
      'A.log-secrets': 'No token, key or text of a caller is logged.',
      'A.request-id': 'Every response has an X-Request-Id; a valid one of the request is kept.',
      'A.ready': 'GET /api/v1/ready returns the state of the store, and 503 unavailable while it rejects writes.',
      'A.metrics':
        'GET /metrics returns metrics of requests by route and of the store for Prometheus, to the owner only.',
      'A.get-tags': 'Every GET of the REST interface has a strong ETag and returns 304 if the request names it.',
    },
  },
  {
    title: 'Running: bad input',
    now: {
      'A.bad-input':
        'Every operation, over each of its transports, rejects input that is missing, blank, over-long, wrongly typed or unknown, names it, and changes nothing.',
      'A.bad-body':
        'Every route rejects a body over the limit, one that is not JSON and one of another type, and changes nothing.',
      'A.foreign-id': 'An id of a project that does not exist returns not_found.',
      'A.revoked-streams':
        'Streams, calls that wait and questions of a revoked credential end at once, at every node, and no event behind the revocation is sent to it.',
      'A.revoked-key': 'A revoked key is rejected by every operation over both transports.',
      'A.random-requests': 'Random requests drawn from the schemas cause no internal error and leave the check clean.',
    },
  },
];
