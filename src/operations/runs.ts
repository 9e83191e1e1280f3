import type {
  ClosedRunAnswer,
  CompleteRunInput,
  ListRunsInput,
  PlanReadTransaction,
  ProgressAnswer,
  RecordProgressInput,
  RunAnswer,
  RunInput,
  RunListAnswer,
  RunRecord,
  StartRunInput,
  UpdateRunInput,
} from '../domain/records/collections.ts';
import {
  recordProgress,
  reopenRun,
  runById,
  showClosedRun,
  showEvent,
  showRun,
  startRun,
  updateRun,
} from '../domain/plan/runs.ts';
import { groups } from './groups.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, type Position, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

const locate = { member: 'run_id', resource: 'run' } as const;

const runTag = (view: PlanReadTransaction, { run_id: id }: { readonly run_id: string }): Tag =>
  resourceTag(runById(view, id), []);

const start: Write<StartRunInput, RunAnswer> = {
  name: 'start_agent_run',
  summary: 'Start a run',
  group: groups.agentRuns,
  input: 'StartRunInput',
  output: 'RunAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/agent-runs',
    bare: 'run',
    example: { label: 'Nightly checks', agent_ref: 'worker-1' },
  },
  mcp: {
    title: 'Start agent run',
    description:
      'Starts a run, which shows people your work. Then record_agent_progress, at the end complete_agent_run.',
  },
  run: (tx, input) => ({ run: showRun(tx, startRun(tx, input)) }),
};

const progress: Write<RecordProgressInput, ProgressAnswer> = {
  name: 'record_agent_progress',
  summary: 'Append a line of progress to a run',
  group: groups.agentRuns,
  input: 'RecordProgressInput',
  output: 'ProgressAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: {
    method: 'POST',
    path: '/agent-runs/:run_id/progress',
    bare: 'event',
    example: { message: '12 of 40 files checked.', agent_ref: 'worker-1' },
  },
  mcp: {
    title: 'Record agent progress',
    description: 'Appends a line of progress to a run and renews your claims.',
  },
  run: (tx, input, context) => {
    const { event, renewed } = recordProgress(tx, input, context);
    return { event: showEvent(input.run_id, event), ...(renewed.length === 0 ? undefined : { renewed: [...renewed] }) };
  },
};

const complete: Write<CompleteRunInput, ClosedRunAnswer> = {
  name: 'complete_agent_run',
  summary: 'Close a run as completed or failed',
  group: groups.agentRuns,
  input: 'CompleteRunInput',
  output: 'ClosedRunAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'POST', path: '/agent-runs/:run_id/complete', bare: 'run', status: 200 },
  mcp: {
    title: 'Complete agent run',
    description: 'Closes a run as completed or failed. A closed run accepts no more progress.',
  },
  run: (tx, { run_id: id, status = 'completed' }) => ({
    run: showClosedRun(tx, updateRun(tx, { run_id: id, status })),
  }),
};

const runsTag = (view: PlanReadTransaction): Tag => listTag(view, 'run');

const list: Read<ListRunsInput, RunListAnswer> = {
  name: 'list_agent_runs',
  summary: 'Runs of a project with their progress',
  group: groups.agentRuns,
  input: 'ListRunsInput',
  output: 'RunListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/agent-runs' },
  tag: runsTag,
  run: listResponse,
};

function listResponse(view: PlanReadTransaction, input: ListRunsInput, context: Context): RunListAnswer {
  const { status } = input;
  const matches = (run: RunRecord): boolean => status === undefined || run.status === status;
  const show = (run: RunRecord): RunListAnswer['runs'][number] => showRun(view, run);
  const changed = changedSince(view, 'run', input, runsTag(view));
  if (changed !== undefined) {
    const find = (id: string): RunRecord | undefined => {
      const run = view.get('run', id);
      return run !== undefined && matches(run) ? run : undefined;
    };
    const { changed: runs, removed } = delta(changed, find, show);
    return { runs, removed };
  }
  const page = pageOf(listRuns(view, matches, positionAfter(input)), input, context, { show, position: positionOf });
  return { runs: page.rows, ...nextCursor(page) };
}

function* listRuns(
  view: PlanReadTransaction,
  matches: (run: RunRecord) => boolean,
  after: Position | undefined,
): IterableIterator<RunRecord> {
  for (const run of view.list('run', after)) if (matches(run)) yield run;
}

const get: Read<RunInput, RunAnswer> = {
  name: 'get_agent_run',
  summary: 'One run with its progress',
  group: groups.agentRuns,
  input: 'RunInput',
  output: 'RunAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/agent-runs/:run_id', bare: 'run' },
  tag: runTag,
  run: (view, { run_id: id }) => ({ run: showRun(view, runById(view, id)) }),
};

const update: Write<UpdateRunInput, RunAnswer> = {
  name: 'update_agent_run',
  summary: 'Change a running run, or close it',
  group: groups.agentRuns,
  input: 'UpdateRunInput',
  output: 'RunAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/agent-runs/:run_id', bare: 'run' },
  tag: runTag,
  run: (tx, input) => ({ run: showRun(tx, updateRun(tx, input)) }),
};

const reopen: Write<RunInput, RunAnswer> = {
  name: 'reopen_agent_run',
  summary: 'Take the closing of a run back',
  group: groups.agentRuns,
  input: 'RunInput',
  output: 'RunAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'POST', path: '/agent-runs/:run_id/reopen', bare: 'run', status: 200 },
  run: (tx, { run_id: id }) => ({ run: showRun(tx, reopenRun(tx, id)) }),
};

export const runOperations: readonly PlannerOperation[] = [start, progress, complete, list, get, update, reopen];
