import { survivors } from './survivors.ts';
import type { Accepted } from './survivors.ts';

/** Accepted survivors of the area `credentials`. */
export const acceptedCredentials: readonly Accepted[] = [
  ...survivors('src/operations/pipeline/idempotency.ts', 'No two members of an object have one name.', [
    'canonical: a < b → a <= b',
  ]),
  ...survivors(
    'src/operations/access/schemes.ts',
    "Only the journal names who changed the service's own records; nothing reads it there.",
    ["system: 'system' → ''", "system: 'system' → '' (2)"],
  ),
  ...survivors(
    'src/operations/access/sign-in-desk.ts',
    "Only the journal names who changed the service's own records; nothing reads it there.",
    ["system: 'system' → ''", "system: 'system' → '' (2)"],
  ),
  ...survivors(
    'src/operations/access/sessions.ts',
    "Only the journal names who changed the service's own records; nothing reads it there.",
    ["meta: 'system' → ''", "meta: 'system' → '' (2)"],
  ),
  ...survivors(
    'src/operations/access/sessions.ts',
    'Of two that were used in the same millisecond either may come first.',
    ['open: a.updated_at < b.updated_at → a.updated_at <= b.updated_at'],
  ),
  ...survivors('src/operations/access/sessions.ts', 'Only saves a transaction that changes nothing.', [
    'open: dropped.length > 0 → true',
    'open: dropped.length > 0 → dropped.length >= 0',
  ]),
  ...survivors('src/operations/access/sessions.ts', 'Only frees the memory of an empty map.', [
    '#drop: own?.size === 0 → false',
  ]),
  ...survivors(
    'src/operations/access/sessions.ts',
    'Of two credentials with equally many sessions either may give way.',
    ['#evict: b.size > a.size → b.size >= a.size'],
  ),
  ...survivors('src/operations/pipeline/repeat.ts', 'No parameter is called undefined: nothing asks for that entry.', [
    'constructor: parameter !== undefined → true',
  ]),
  ...survivors('src/domain/access/shares.ts', 'No two links have one id.', [
    'sharesOf: `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` → `${a.created_at} ${a.id}` <= `${b.created_at} ${b.id}`',
  ]),
  ...survivors(
    'src/sign-in/openid.ts',
    'A provider that says nothing of how a secret is shown would be needed; the default is that of OpenID Connect Discovery.',
    ["secretAuth: list without 'client_secret_basic'"],
  ),
  ...survivors('src/sign-in/openid.ts', 'Without an ID token there are no claims: the next lines throw.', [
    'finish: true → false',
  ]),
  ...survivors('src/sign-in/openid.ts', 'Asks for what the ID token says already; the answer is the same.', [
    "finish: claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined → configuration.serverMetadata().userinfo_endpoint !== undefined",
  ]),
  ...survivors('src/sign-in/openid.ts', 'A provider by https that names endpoints by http would be needed.', [
    '#discover: insecure → true',
  ]),
  ...survivors(
    'src/sign-in/sign-in.ts',
    'A response is sent whole as the last thing: the check is for what would throw after that.',
    ['#sendError: response.headersSent → false'],
  ),
  ...survivors(
    'src/sign-in/sign-in.ts',
    'The provider was asked for its endpoints when the sign-in began: who comes back has found it answering.',
    ['#finish: thrown instanceof PlannerError → false'],
  ),
  ...survivors('src/sign-in/sign-in.ts', 'What ends without a result answers undefined too.', [
    '#pending: { // The cookie is missing, forged, or sealed with another secret. return undefined; } → {}',
  ]),
  ...survivors('src/sign-in/sign-in.ts', 'A path has none of the names that are looked for.', [
    'queryOf: mark === -1 → false',
  ]),
];
