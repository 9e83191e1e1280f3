import type {
  AnsweredRunAnswer,
  AnswerRunInput,
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
import { byCreation } from '../store/index.ts';
import { addComment } from '../domain/links/comments.ts';
import {
  answerRun,
  recordProgress,
  reopenRun,
  runById,
  showClosedRun,
  showEvent,
  showRun,
  startRun,
  taskOfRun,
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
  const { status, task_id: task } = input;
  const matches = (run: RunRecord): boolean =>
    (status === undefined || run.status === status) && (task === undefined || run.task_id === task);
  const show = (run: RunRecord): RunListAnswer['runs'][number] =>
    input.verbose === false ? withNewest(showRun(view, run)) : showRun(view, run);
  const changed = changedSince(view, 'run', input, runsTag(view));
  if (changed !== undefined) {
    const find = (id: string): RunRecord | undefined => {
      const run = view.get('run', id);
      return run !== undefined && matches(run) ? run : undefined;
    };
    const { changed: runs, removed } = delta(changed, find, show);
    return { runs, removed };
  }
  const after = positionAfter(input);
  const rows = task === undefined ? view.list('run', after) : runsOfTask(view, task, after);
  const page = pageOf(matching(rows, matches), input, context, { show, position: positionOf });
  return { runs: page.rows, ...nextCursor(page) };
}

/** For lists of runs of which each may have thousands of events. */
const eventsOfLightRow = 5;

function withNewest(run: RunAnswer['run']): RunAnswer['run'] {
  const { events } = run;
  return { ...run, events: events.slice(-eventsOfLightRow), events_total: events.length };
}

function* matching(rows: Iterable<RunRecord>, matches: (run: RunRecord) => boolean): IterableIterator<RunRecord> {
  for (const run of rows) if (matches(run)) yield run;
}

function runsOfTask(view: PlanReadTransaction, task: string, after: Position | undefined): RunRecord[] {
  const runs = view.by('run', 'task', task).sort(byCreation);
  return after === undefined ? runs : runs.filter((run) => byCreation(run, after) > 0);
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
  mcp: {
    title: 'Get agent run',
    description: 'Shows a run with its progress and the answers of people.',
  },
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
  rest: {
    method: 'PATCH',
    path: '/agent-runs/:run_id',
    bare: 'run',
    example: { awaiting: { question: 'Which currency?', choices: ['EUR', 'USD'] } },
  },
  mcp: {
    title: 'Update agent run',
    description: 'Says what a run works on and what it took, or asks a person: get_agent_run has the answer.',
  },
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

const answer: Write<AnswerRunInput, AnsweredRunAnswer, 'renderings'> = {
  name: 'answer_agent_run',
  summary: 'Answer the question of a run: a line of the run, and a comment on its task',
  group: groups.agentRuns,
  input: 'AnswerRunInput',
  output: 'AnsweredRunAnswer',
  scope: 'project',
  renders: true,
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: {
    method: 'POST',
    path: '/agent-runs/:run_id/answer',
    bare: 'run',
    status: 200,
    example: { answer: 'EUR' },
  },
  run: (tx, input, { renderings }) => {
    const run = answerRun(tx, input);
    const target_id = taskOfRun(tx, run);
    if (target_id === undefined) return { run: showRun(tx, run) };
    addComment(tx, { target_type: 'task', target_id, body: `**Answer:** ${input.answer}` }, renderings);
    return { run: showRun(tx, run), commented_on: target_id };
  },
};

export const runOperations: readonly PlannerOperation[] = [
  start,
  progress,
  complete,
  list,
  get,
  update,
  reopen,
  answer,
];
