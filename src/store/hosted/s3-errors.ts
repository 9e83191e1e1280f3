import { conflict, PlannerError } from '../../errors.ts';

const retryAfterSeconds = 5;
const permissions = 's3:PutObject, s3:GetObject and s3:DeleteObject below its prefix, and s3:ListBucket';

/** The part of the SDK's errors that is used: a response of the store, or what went wrong before one. */
interface S3Error {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

export function nameOf(error: unknown): string {
  return (error as S3Error).name ?? '';
}

/** The status of the store's response; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  return (error as S3Error).$metadata?.httpStatusCode;
}

/** Whether the bucket itself does not exist. */
export function isOfBucket(error: unknown): boolean {
  return nameOf(error) === 'NoSuchBucket';
}

/** Whether the store answers that an object does not exist, or has no such bytes. A response to HEAD has no code. */
export function isMissing(error: unknown): boolean {
  return (statusOf(error) === 404 && !isOfBucket(error)) || statusOf(error) === 416;
}

/** What callers get when a bucket that was usable no longer is. Nothing of the store is shown to them: the log has the cause. */
export function unavailableBucket(cause: unknown): PlannerError {
  const error = new PlannerError(
    'unavailable',
    'The store of files does not answer. Everything else does; try again.',
    {
      retry_after: retryAfterSeconds,
    },
  );
  return Object.assign(error, { cause });
}

/** What a store said, or what happened instead. */
export function describeFailure(error: unknown): string {
  const { name, message, code } = error as S3Error;
  const status = statusOf(error);
  const parts = [name, message, code, status === undefined ? undefined : `status ${status}`];
  return [...new Set(parts)].filter((part) => part !== undefined && part !== '').join(', ');
}

/** Why a bucket cannot be used, for the operator. */
export function unsuitableBucket(cause: unknown, bucket: string, endpoint: string | undefined): PlannerError {
  const status = statusOf(cause);
  const name = nameOf(cause);
  const where = `${bucket}${endpoint === undefined ? '' : ` at ${endpoint}`}`;
  const said = describeFailure(cause);
  const details = { bucket, ...(status === undefined ? {} : { status }) };
  const refused = (remedy: string): PlannerError =>
    Object.assign(conflict(`The bucket of files ${where} cannot be used (${said}). ${remedy}`, details), { cause });
  if (name === 'CredentialsProviderError')
    return refused('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role of the machine.');
  if (status === 404) return refused('Create the bucket, or correct its name in PLANNER_BLOBS.');
  if (status === 301 || name === 'AuthorizationHeaderMalformed')
    return refused('Name the region of the bucket in PLANNER_BLOBS.');
  if (status === 401 || status === 403) return refused(`The credentials need ${permissions}.`);
  if (status !== undefined && status < 500 && status !== 429)
    return refused('Correct PLANNER_BLOBS, or the settings of the store.');
  const reached = status === undefined ? 'not be reached' : 'not be used';
  const message = `The bucket of files ${where} could ${reached} (${said}). Start its store, or correct PLANNER_BLOBS.`;
  return Object.assign(new PlannerError('unavailable', message, { ...details, retry_after: retryAfterSeconds }), {
    cause,
  });
}
