/** The codes of every error that leaves Planner, the same over REST, MCP and the command line. Codes are stable, messages are for people. */
export const errorCodes = [
  'invalid_argument',
  'verification_required',
  'blocked_by_incomplete_tasks',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'conflict',
  'gone',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'unavailable',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** When each is answered, in one sentence, and what its body says further. schemas/README.md has the same table. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_argument:
    'The input does not fit its schema, or names what is not there; `field`, up to 20 violations in `details`.',
  verification_required: "A goal is completed without evidence of its surface's kind; `required_kind`.",
  blocked_by_incomplete_tasks: 'A goal is completed with open tasks; `incomplete_task_ids`.',
  unauthorized: 'A credential is missing, unknown or revoked.',
  forbidden: 'The credential may not do this, or the request comes from a foreign origin or host.',
  not_found: 'An unknown id, or one outside of what the caller may see; `resource`, `id`.',
  method_not_allowed: 'The path is there, the method is not; see `Allow`.',
  conflict: 'The present state forbids it; of a file that cannot be read with `path` and `line`.',
  gone: 'It was there and is no more.',
  precondition_failed: '`If-Match` names another state than the present one.',
  payload_too_large: 'A body over its limit.',
  unsupported_media_type: 'Another content type than JSON, or a content encoding.',
  rate_limited: 'Too many at once; see `Retry-After`.',
  internal: 'A fault of the service; its log has the reason under the `id` of the answer.',
  unavailable:
    'The store refuses writes until a restart (`outcome: "unknown"`: it may exist then); a remote fails; too many bodies arrive (`Retry-After`).',
};

/** The one wire shape of an error: `{error, message, field?, ...details}`. */
export interface ErrorBody {
  readonly error: ErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly [detail: string]: unknown;
}

/**
 * An error that a caller is meant to read. The message says what was wrong and what would be right.
 * `field` is the path of the offending member (`tasks[3].label`), `details` are further members of the body.
 * Anything else that is thrown becomes `internal` at the door and its text stays in the log.
 */
export class PlannerError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> & { readonly field?: string } = {},
  ) {
    super(message);
    this.name = 'PlannerError';
    const { field, ...rest } = details;
    this.code = code;
    this.field = field;
    this.details = rest;
  }

  toJSON(): ErrorBody {
    const { code: error, message, field, details } = this;
    return field === undefined ? { error, message, ...details } : { error, message, field, ...details };
  }
}

/** `invalid_argument` at a member's path. */
export function invalid(field: string, message: string, details: Record<string, unknown> = {}): PlannerError {
  return new PlannerError('invalid_argument', message, { ...details, field });
}

/** `not_found` for a resource by its kind (`task`) and id; a foreign project's id reads the same. */
export function notFound(resource: string, id: string): PlannerError {
  return new PlannerError('not_found', `There is no ${resource} with the id ${JSON.stringify(id)}.`, { resource, id });
}

/** `conflict`: the request is well formed, the present state forbids it. */
export function conflict(message: string, details: Record<string, unknown> = {}): PlannerError {
  return new PlannerError('conflict', message, details);
}
