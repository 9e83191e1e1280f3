import { isoTime } from '../base/clock.ts';
import { invalid, PlannerError } from '../base/errors.ts';
import { idPattern } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { SubmissionRecord } from '../schema/types.ts';
import { recordValidator } from '../schema/validators.ts';
import type { RemoteResponse } from './remote-client.ts';
import type { RemoteProject } from './remote.ts';

/** A submission of a remote, with its id there. */
export type RemoteSubmission = Pick<
  SubmissionRecord,
  'id' | 'created_at' | 'participant_name' | 'title' | 'body' | 'severity' | 'task_ref'
>;

/** The inbox of a remote, and the entity tag for requesting changes. */
export interface RemoteInbox {
  readonly submissions: readonly RemoteSubmission[];
  readonly etag: string | undefined;
}

/** Page sizes; the smaller one is used if a page of the larger exceeds the size limit. */
const pageRows = [200, 10] as const;

/**
 * Fetches the submissions that await triage at a remote: the changes since an entity tag, or all. Rejects with `forbidden` if the remote
 * rejects the key, `invalid_argument` if it has no such project, `unavailable` for every other failure of the remote.
 */
export async function fetchInbox(remote: RemoteProject, since: string | undefined): Promise<RemoteInbox> {
  if (since !== undefined) {
    const changed = await unlessTooLarge(() => fetchSubmissions(remote, { since }));
    if (changed !== undefined) return { submissions: rowsOf(remote, changed), etag: changed.etag };
  }
  for (const limit of pageRows) {
    const all = await unlessTooLarge(() => fetchPages(remote, limit));
    if (all !== undefined) return all;
  }
  throw unavailable(remote, 'sends responses that exceed the size limit');
}

/** The result; undefined if the response exceeds the size limit. */
async function unlessTooLarge<T>(fetching: () => Promise<T>): Promise<T | undefined> {
  try {
    return await fetching();
  } catch (thrown) {
    if (thrown instanceof PlannerError && thrown.code === 'payload_too_large') return undefined;
    throw thrown;
  }
}

async function fetchPages(remote: RemoteProject, limit: number): Promise<RemoteInbox> {
  const submissions: RemoteSubmission[] = [];
  const first = await fetchSubmissions(remote, { limit: String(limit) });
  let answer = first;
  for (;;) {
    submissions.push(...rowsOf(remote, answer));
    if (submissions.length > limits.arrayItemsMax)
      throw unavailable(
        remote,
        `has over ${limits.arrayItemsMax} submissions that await triage: decide some of them there`,
      );
    const { next_cursor: cursor } = membersOf(answer.body);
    // Submissions that arrive while the pages are read are newer than the first page's tag.
    if (typeof cursor !== 'string') return { submissions, etag: first.etag };
    answer = await fetchSubmissions(remote, { limit: String(limit), cursor });
  }
}

async function fetchSubmissions(
  remote: RemoteProject,
  query: Readonly<Record<string, string>>,
): Promise<RemoteResponse> {
  const { client, url, projectId } = remote;
  const parameters = new URLSearchParams({ status: 'pending', ...query });
  const answer = await client.get(`/projects/${encodeURIComponent(projectId)}/submissions?${parameters.toString()}`);
  if (answer.status === 200) return answer;
  if (answer.status === 401 || answer.status === 403)
    throw new PlannerError(
      'forbidden',
      `The remote ${url} rejects your key (${answer.status}): log in again with planner login ${url}.`,
    );
  if (answer.status === 404)
    throw invalid('remote.project_id', `The remote ${url} has no project ${projectId}: correct .planner/config.json.`);
  const { message } = membersOf(answer.body);
  throw unavailable(
    remote,
    `responds with ${answer.status}${typeof message === 'string' ? `: ${message.slice(0, 500)}` : ''}`,
  );
}

/** Validates the rows of a response, which is untrusted. */
function rowsOf(remote: RemoteProject, { body }: RemoteResponse): RemoteSubmission[] {
  const { submissions } = membersOf(body);
  if (!Array.isArray(submissions))
    throw unavailable(remote, 'does not respond with a list of submissions: it may not be a Planner service');
  return submissions.map((row) => {
    const { id, created_at: created, participant_name, title, body: text, severity, task_ref } = membersOf(row);
    const at = typeof created === 'string' ? Date.parse(created) : NaN;
    const created_at = Number.isNaN(at) ? '' : isoTime(at);
    const submission = { id, created_at, participant_name, title, body: text ?? '', severity, task_ref };
    const record = { ...submission, updated_at: created_at, status: 'pending', linked_task_id: null };
    const [violation] = recordValidator('SubmissionRecord')(record);
    if (violation !== undefined) throw unavailable(remote, `sends an invalid submission: ${violation.message}`);
    if (!idPattern.test(record.id as string)) throw unavailable(remote, 'sends a submission with an invalid id');
    return submission as RemoteSubmission;
  });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function unavailable({ url }: RemoteProject, what: string): PlannerError {
  return new PlannerError('unavailable', `The remote ${url} ${what.replace(/\.$/, '')}.`);
}
