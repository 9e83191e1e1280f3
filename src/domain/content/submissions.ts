import { conflict, invalid, notFound, PlannerError } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type {
  CreateSubmissionInput,
  PlanReadTransaction,
  PlanTransaction,
  Submission,
  SubmissionRecord,
  SubmissionRow,
  SubmissionStatus,
  TaskRecord,
  TriageSubmissionInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { createTask } from '../plan/tasks.ts';

/** Throws `not_found`. */
export function submissionById(view: PlanReadTransaction, id: string): SubmissionRecord {
  const submission = view.get('submission', id);
  if (submission === undefined) throw notFound('submission', id);
  return submission;
}

/** Creates a submission, which awaits triage in the inbox. */
export function createSubmission(
  tx: PlanTransaction,
  input: Omit<CreateSubmissionInput, 'project_id'>,
): SubmissionRecord {
  const { participant_name, title, body, severity, task_ref } = input;
  const fields = { participant_name, title, body, severity, task_ref };
  return tx.put('submission', newRecord('submission', { id: tx.newId('submission'), created_at: tx.now, ...fields }));
}

const fullInboxSeconds = 3600;

/** Throws `rate_limited` if the maximal number of submissions awaits triage. */
export function requireRoom(view: PlanReadTransaction): void {
  if (view.countBy('submission', 'status', 'pending') < limits.pendingSubmissionsMax) return;
  throw new PlannerError(
    'rate_limited',
    `${limits.pendingSubmissionsMax} submissions of this project await triage: it accepts no more until some are triaged.`,
    { retry_after: fullInboxSeconds },
  );
}

/** Adds a remote's submissions to the inbox, except existing ones; returns the number added. */
export function pullSubmissions(
  tx: PlanTransaction,
  submissions: readonly Omit<SubmissionRecord, 'status' | 'linked_task_id' | 'updated_at'>[],
): number {
  let pulled = 0;
  for (const submission of submissions) {
    if (tx.find(submission.id) !== undefined) continue;
    tx.put('submission', { ...submission, status: 'pending', linked_task_id: null });
    pulled++;
  }
  return pulled;
}

/** The submissions, or the submissions with one status, by created_at, id, after `after`. */
export function listSubmissions(
  view: PlanReadTransaction,
  status: SubmissionStatus | undefined,
  after?: { readonly created_at: string; readonly id: string },
): Iterable<SubmissionRecord> {
  if (status === undefined) return view.list('submission', after);
  const key = ({ created_at: at, id }: { created_at: string; id: string }): string => `${at} ${id}`;
  return view
    .by('submission', 'status', status)
    .filter((one) => after === undefined || key(one) > key(after))
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/**
 * Triages a submission. Accepting creates a task in `scope` that names the participant, or links the given one. Repeating the decision
 * changes nothing; a different one is a `conflict`.
 */
export function triageSubmission(tx: PlanTransaction, input: TriageSubmissionInput): SubmissionRecord {
  const { submission_id: id, action, as_task: asTask, link_task_id: linkTo } = input;
  if (asTask !== undefined && linkTo !== undefined)
    throw invalid('link_task_id', 'as_task creates a task and link_task_id links an existing one: give one of them.');
  if (action === 'reject' && (asTask ?? linkTo) !== undefined)
    throw invalid(
      asTask === undefined ? 'link_task_id' : 'as_task',
      'A rejected submission creates and links no task: omit this.',
    );
  const submission = submissionById(tx, id);
  if (linkTo !== undefined && tx.get('task', linkTo) === undefined)
    throw invalid('link_task_id', `link_task_id must be the id of a task of this project: ${JSON.stringify(linkTo)}.`);
  if (submission.status !== 'pending') {
    if (isSame(submission, action, linkTo)) return submission;
    throw decidedOtherwise(submission);
  }
  if (action === 'reject') return tx.put('submission', { ...submission, status: 'rejected' });
  const task = linkTo ?? fileTask(tx, submission, asTask).id;
  return tx.put('submission', { ...submission, status: 'accepted', linked_task_id: task });
}

/**
 * Takes a decision back: the submission is pending again and linked to no task. A task that accepting created remains; who wants it gone
 * deletes it. One that is pending is unchanged.
 */
export function reopenSubmission(tx: PlanTransaction, id: string): SubmissionRecord {
  const submission = submissionById(tx, id);
  return tx.put('submission', { ...submission, status: 'pending', linked_task_id: null });
}

function isSame(
  { status, linked_task_id: task }: SubmissionRecord,
  action: TriageSubmissionInput['action'],
  linkTo: string | undefined,
): boolean {
  if (action === 'reject') return status === 'rejected';
  return status === 'accepted' && (linkTo === undefined || linkTo === task);
}

function decidedOtherwise({ status, linked_task_id: task }: SubmissionRecord): PlannerError {
  const into = task === null ? '' : ` into ${task}`;
  return conflict(`The submission was already ${status}${into}. A person can reopen it.`, {
    status,
    ...(task === null ? undefined : { linked_task_id: task }),
  });
}

/** Tasks that the service creates itself await release in `scope`. */
function fileTask(
  tx: PlanTransaction,
  submission: SubmissionRecord,
  asTask: TriageSubmissionInput['as_task'],
): TaskRecord {
  const { title, severity } = submission;
  return createTask(tx, {
    label: asTask?.label ?? title,
    status: 'scope',
    severity,
    description: descriptionOf(submission, asTask?.description),
  });
}

function descriptionOf(submission: SubmissionRecord, given: string | undefined): string {
  const { id, participant_name: name, task_ref: about, body } = submission;
  const line = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const origin = `Submitted by ${line(name)} (${id})${about === null ? '' : `, about: ${line(about)}`}`;
  const text = `${(given ?? body).trimEnd()}\n\n${origin}`.trimStart();
  if (Buffer.byteLength(text) <= limits.bodyBytesMax) return text;
  if (given === undefined) return `${origin}\n\nIts text is too long to be repeated here: it is in the submission.`;
  throw invalid(
    'as_task.description',
    'as_task.description is too long together with the name of the submitter: shorten it.',
  );
}

/** A submission in the form for callers. */
export function showSubmission(view: PlanReadTransaction, submission: SubmissionRecord): Submission {
  return shown.submission.details(submission, { project_id: view.project, untrusted: true });
}

/** A submission in an agent's list, without its body and null members. */
export function submissionRow(submission: SubmissionRecord): SubmissionRow {
  return shown.submission.row(submission, { untrusted: true });
}
