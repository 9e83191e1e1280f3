import { conflict, notFound } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { equal } from '../../store/index.ts';
import type { Acting } from '../records/acting.ts';
import type {
  AnswerRunInput,
  Awaiting,
  ClosedRun,
  PlanReadTransaction,
  PlanTransaction,
  RecordedEvent,
  RecordProgressInput,
  Run,
  RunEvent,
  RunQuestion,
  RunRecord,
  StartRunInput,
  UpdateRunInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { renewLeases } from './leases.ts';
import { commitRefs, taskById } from './tasks.ts';

/** Throws `not_found`. */
export function runById(view: PlanReadTransaction, id: string): RunRecord {
  const run = view.get('run', id);
  if (run === undefined) throw notFound('run', id);
  return run;
}

/** Starts a run. Throws `not_found` for a task that the project does not have. */
export function startRun(tx: PlanTransaction, { project_id: _, ...input }: StartRunInput): RunRecord {
  const fields = { ...storedFields(tx, input, undefined), started_at: tx.now };
  return tx.put('run', newRecord('run', { id: tx.newId('run'), created_at: tx.now, ...fields }));
}

type Given = Omit<StartRunInput, 'project_id'>;

/** Fields of an input as a record has them: commits in one form and once each, the question with the time at which it was asked. */
function storedFields(
  tx: PlanTransaction,
  { commits, awaiting, ...fields }: Given,
  former: RunRecord | undefined,
): Omit<Given, 'awaiting'> & Pick<RunRecord, 'awaiting'> {
  if (fields.task_id != null) taskById(tx, fields.task_id);
  return {
    ...fields,
    ...(commits === undefined ? undefined : { commits: commitRefs(commits) }),
    ...(awaiting === undefined ? undefined : { awaiting: asked(tx, awaiting, former) }),
  };
}

/** A question as it is stored. One that is asked again keeps its time: a retry is no further question. */
function asked(tx: PlanTransaction, question: RunQuestion | null, former: RunRecord | undefined): Awaiting | null {
  if (question === null) return null;
  const known = former?.awaiting;
  return { ...question, asked_at: known != null && isSameQuestion(known, question) ? known.asked_at : tx.now };
}

function isSameQuestion(one: RunQuestion, other: RunQuestion): boolean {
  return one.question === other.question && equal(one.choices ?? [], other.choices ?? []);
}

/**
 * Appends a progress message, and renews the leases of the agent (without `agent_ref`, of the calling session): `renewed` lists their tasks.
 * A question, here or as the message, replaces the one that waits.
 */
export function recordProgress(
  tx: PlanTransaction,
  { run_id: id, message, agent_ref: agentRef, awaiting: question }: RecordProgressInput,
  by: Acting,
): { readonly event: RunEvent; readonly renewed: readonly string[] } {
  const run = runningById(tx, id);
  requireRoom(run, message);
  const event = { id: tx.newId('event'), message, created_at: tx.now };
  const replaced = isQuestion(message) ? { awaiting: null } : undefined;
  const awaiting = question === undefined ? replaced : { awaiting: asked(tx, question, run) };
  tx.put('run', { ...run, ...awaiting, events: [...run.events, event] });
  return { event, renewed: renewLeases(tx, agentRef, by) };
}

/** Updates or closes a run. A closed run rejects further progress, and asks nothing. */
export function updateRun(tx: PlanTransaction, { run_id: id, project_id: _, ...fields }: UpdateRunInput): RunRecord {
  const run = runningById(tx, id);
  const closed = fields.status === undefined ? undefined : { completed_at: tx.now, awaiting: null };
  return tx.put('run', { ...run, ...storedFields(tx, fields, run), ...closed });
}

/**
 * Answers the question of a run: a line with its author, and with the question unless a line of progress has it. `asked_at` names the
 * question. Throws `conflict` if the run asks nothing, or another question.
 */
export function answerRun(
  tx: PlanTransaction,
  { run_id: id, answer, asked_at: askedAt }: Omit<AnswerRunInput, 'project_id'>,
): RunRecord {
  const run = runningById(tx, id);
  const awaiting = awaitedBy(run);
  if (awaiting === null) throw conflict('The run asks nothing: its question was answered or withdrawn.', { id });
  if (askedAt !== undefined && askedAt !== awaiting.asked_at)
    throw conflict('The run asks another question now: read it, then answer.', { id, awaiting });
  requireRoom(run, answer);
  const question = run.awaiting == null ? undefined : { question: awaiting.question };
  const line = { id: tx.newId('event'), message: answer, created_at: tx.now, author: tx.author, ...question };
  return tx.put('run', { ...run, awaiting: null, events: [...run.events, line] });
}

/** The task whose comments the agent of a run reads: the one that the run names, else one that its agent holds. */
export function taskOfRun(
  view: PlanReadTransaction,
  { task_id: named, agent_ref: agent }: RunRecord,
): string | undefined {
  if (named != null && view.get('task', named) !== undefined) return named;
  if (agent === null) return undefined;
  return view.by('task', 'assignee', agent).find(({ status }) => status === 'in_progress')?.id;
}

/** Reopens a closed run, whose agent may go on with it. A running run stays as it is. */
export function reopenRun(tx: PlanTransaction, id: string): RunRecord {
  return tx.put('run', { ...runById(tx, id), status: 'running', completed_at: null });
}

function runningById(view: PlanReadTransaction, id: string): RunRecord {
  const run = runById(view, id);
  if (run.status === 'running') return run;
  throw conflict(
    `The run was closed as ${run.status} and accepts no further progress. Start another one, or ask a person to reopen it.`,
    {
      status: run.status,
    },
  );
}

function requireRoom({ events }: RunRecord, message: string): void {
  const bytes = events.reduce((sum, event) => sum + Buffer.byteLength(event.message), Buffer.byteLength(message));
  if (events.length < limits.runEventsMax && bytes <= limits.runMessagesBytesMax) return;
  throw conflict(
    `A run has at most ${limits.runEventsMax} lines of progress with ${limits.runMessagesBytesMax} bytes in all. Complete it and start another one.`,
    { events: events.length },
  );
}

/** A run with its events, in the form for callers. A record of a former version lacks some of these fields. */
export function showRun(view: PlanReadTransaction, run: RunRecord): Run {
  const { agent = null, task_id = null, branch = null, commits = [] } = run;
  const { tokens = null, cost_usd = null, diff_stat = null } = run;
  const awaiting = awaitedBy(run);
  return shown.run.details(run, {
    ...{ project_id: view.project, agent, task_id, branch, commits, tokens, cost_usd, diff_stat },
    ...{ awaiting, asks: awaiting !== null },
  });
}

/** The question marks of Latin, Arabic and East Asian scripts. */
const questionMarks = ['?', '؟', '？'];

function isQuestion(message: string): boolean {
  const text = message.trimEnd();
  return questionMarks.some((mark) => text.endsWith(mark));
}

/** The question with which a running run waits for a person: its own, or its newest message if that ends with a question mark. */
export function awaitedBy({
  status,
  awaiting,
  events,
}: Pick<RunRecord, 'status' | 'awaiting' | 'events'>): Awaiting | null {
  if (status !== 'running') return null;
  if (awaiting != null) return awaiting;
  const last = events.at(-1);
  const asks = last !== undefined && last.author === undefined && isQuestion(last.message);
  return asks ? { question: last.message, asked_at: last.created_at } : null;
}

/** The number of runs that wait for a person. Time proportional to the number of running runs. */
export function askingRuns(view: PlanReadTransaction): number {
  return view.by('run', 'status', 'running').filter((run) => awaitedBy(run) !== null).length;
}

/** A closed run without its events, for the caller that closed it. */
export function showClosedRun(view: PlanReadTransaction, run: RunRecord): ClosedRun {
  const { id, status, label, agent_ref, started_at, completed_at, events } = run;
  return {
    ...{ id, project_id: view.project, status, label, agent_ref, started_at, completed_at },
    events_total: events.length,
  };
}

/** An event, for the caller that recorded it. */
export function showEvent(runId: string, { id, message, created_at }: RunEvent): RecordedEvent {
  return { id, run_id: runId, message, created_at };
}
