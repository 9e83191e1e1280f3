import { conflict, notFound } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type { Acting } from '../records/acting.ts';
import type {
  ClosedRun,
  PlanReadTransaction,
  PlanTransaction,
  RecordedEvent,
  RecordProgressInput,
  Run,
  RunEvent,
  RunRecord,
  StartRunInput,
  UpdateRunInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { renewLeases } from './leases.ts';

/** Throws `not_found`. */
export function runById(view: PlanReadTransaction, id: string): RunRecord {
  const run = view.get('run', id);
  if (run === undefined) throw notFound('run', id);
  return run;
}

/** Starts a run. */
export function startRun(tx: PlanTransaction, { label = null, agent_ref: agentRef = null }: StartRunInput): RunRecord {
  const fields = { label, agent_ref: agentRef, started_at: tx.now };
  return tx.put('run', newRecord('run', { id: tx.newId('run'), created_at: tx.now, ...fields }));
}

/** Appends a progress message, and renews the leases of the agent (without `agent_ref`, of the calling session): `renewed` lists their tasks. */
export function recordProgress(
  tx: PlanTransaction,
  { run_id: id, message, agent_ref: agentRef }: RecordProgressInput,
  by: Acting,
): { readonly event: RunEvent; readonly renewed: readonly string[] } {
  const run = runningById(tx, id);
  requireRoom(run, message);
  const event = { id: tx.newId('event'), message, created_at: tx.now };
  tx.put('run', { ...run, events: [...run.events, event] });
  return { event, renewed: renewLeases(tx, agentRef, by) };
}

/** Updates or closes a run. A closed run rejects further progress. */
export function updateRun(tx: PlanTransaction, { run_id: id, project_id: _, ...fields }: UpdateRunInput): RunRecord {
  const run = runningById(tx, id);
  const closed = fields.status === undefined ? undefined : { completed_at: tx.now };
  return tx.put('run', { ...run, ...fields, ...closed });
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

/** A run with its events, in the form for callers. */
export function showRun(view: PlanReadTransaction, run: RunRecord): Run {
  return shown.run.details(run, { project_id: view.project, asks: asks(run) });
}

/** The question marks of Latin, Arabic and East Asian scripts. */
const questionMarks = ['?', '؟', '？'];

/** Returns whether a run waits for a person: it is running, and its newest message ends with a question mark. */
function asks({ status, events }: RunRecord): boolean {
  const last = events.at(-1)?.message.trimEnd() ?? '';
  return status === 'running' && questionMarks.some((mark) => last.endsWith(mark));
}

/** The number of runs that wait for a person. Time proportional to the number of running runs. */
export function askingRuns(view: PlanReadTransaction): number {
  return view.by('run', 'status', 'running').filter(asks).length;
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
