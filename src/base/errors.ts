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
  'cursor_expired',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'unavailable',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** When each code is returned, and the further members of its body. schemas/README.md has the same table. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_argument:
    'The input does not match its schema or refers to something that does not exist; `field`, up to 20 violations in `details`.',
  verification_required: "A goal is completed without evidence of its surface's kind; `required_kind`.",
  blocked_by_incomplete_tasks: 'A goal is completed with open tasks; `incomplete_task_ids`.',
  unauthorized: 'A credential is missing, unknown or revoked.',
  forbidden: 'The credential may not do this, or the request comes from a foreign origin or host.',
  not_found: 'An unknown id, or one outside of what the caller may see; `resource`, `id`.',
  method_not_allowed: 'The path does not support the method; see `Allow`.',
  conflict: 'The current state does not allow it; `path` and `line` if a file cannot be read.',
  gone: 'It existed, but was deleted or has ended.',
  cursor_expired:
    'A cursor of events is too old, or of another history of the project; `cursor`: where to begin after reading everything again.',
  precondition_failed: '`If-Match` does not match the current state.',
  payload_too_large: 'A body exceeds its limit.',
  unsupported_media_type: 'The content type is not JSON, or the body has a content encoding.',
  rate_limited: 'Too many requests; see `Retry-After`.',
  internal: 'An internal error of the service; its log has the reason under the `id` of the response.',
  unavailable:
    'The store rejects writes until a restart (`outcome: "unknown"`: the change may exist then); a remote fails; too many bodies are in flight (`Retry-After`).',
};

/** The wire format of all errors: `{error, message, field?, ...details}`. */
export interface ErrorBody {
  readonly error: ErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly [detail: string]: unknown;
}

/**
 * An error whose message is returned to the caller. The message describes the problem and its remedy. `field` is the
 * path of the invalid member (`tasks[3].label`), `details` are further members of the body. Transports return any other
 * exception as `internal` and write its text to the log only.
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

/** `invalid_argument` for the member at a path. */
export function invalid(field: string, message: string, details: Record<string, unknown> = {}): PlannerError {
  return new PlannerError('invalid_argument', message, { ...details, field });
}

/** `not_found` for a resource by kind (`task`) and id. Ids of other projects get the same error. */
export function notFound(resource: string, id: string): PlannerError {
  return new PlannerError('not_found', `There is no ${resource} with the id ${JSON.stringify(id)}.`, { resource, id });
}

/** `conflict`: the request is well formed, but the current state forbids it. */
export function conflict(message: string, details: Record<string, unknown> = {}): PlannerError {
  return new PlannerError('conflict', message, details);
}
