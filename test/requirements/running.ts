import type { Section } from './section.ts';

/** What holds for the descriptions that Planner gives of itself, for tools of others, and for whoever runs it. */
export const running: readonly Section[] = [
  {
    title: 'Running: descriptions',
    now: {
      'A.openapi-lint': 'The OpenAPI description is without a finding of a public linter under its recommended rules.',
      'A.reference': 'The reference page is served whole by the service, under a policy that lets nothing else in.',
      'A.documented-routes': 'Every route of the specification is in the catalogue.',
      'A.documented-tools': 'Every tool of the specification is in the catalogue, and listed in its order of groups.',
    },
  },
  {
    title: "Running: others' tools",
    now: {
      'A.conformance':
        "The official conformance suite passes every scenario that is a tools server's; the rest is a reviewed baseline.",
      'A.inspector': "The MCP Inspector's command line lists and calls tools.",
      'A.sdk-client': "The SDK's own client works with a session and without one.",
    },
  },
  {
    title: 'Running: operations',
    now: {
      'A.log-line':
        'Each request is one line of the log: id, route, status, milliseconds, kind of caller; no path, query or body.',
      'A.log-secrets': 'No token, key or text of a caller stands in the log.',
      'A.request-id': 'X-Request-Id is answered always, and a sound one of the request is kept.',
      'A.ready': 'GET /api/v1/ready answers the state of the store, 503 unavailable when it refuses writes.',
      'A.metrics': 'GET /metrics tells Prometheus of requests by route and of the store, to the owner alone.',
      'A.get-tags': 'Every GET of the REST interface carries a strong ETag and answers 304 to who names it.',
    },
  },
  {
    title: 'Running: bad input',
    now: {
      'A.bad-input':
        'Every operation, over each of its doors, refuses input that is missing, blank, over-long, wrongly typed or unknown, naming it, and nothing changes.',
      'A.bad-body':
        'Every route refuses a body over the limit, one that is no JSON and one of another type, and nothing changes.',
      'A.foreign-id': 'An id of a project that is none answers not_found.',
      'A.revoked-key': 'A revoked key is refused by every operation over both doors.',
      'A.random-requests': 'Random requests drawn from the schemas give no internal error and leave the check clean.',
    },
  },
];
