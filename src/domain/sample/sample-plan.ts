import { isoTime } from '../../base/clock.ts';
import type { Fields } from '../exchange/draft.ts';
import { exportFormat } from '../exchange/export-format.ts';
import type { SampleGoal } from './pottery-texts.ts';
import { sampleTasks } from './pottery-tasks.ts';
import type { SampleTask } from './pottery-tasks.ts';
import {
  sampleComments,
  sampleDocuments,
  sampleGoals,
  sampleNotes,
  sampleReport,
  sampleRuns,
  sampleScreens,
  sampleSubmissions,
} from './pottery-texts.ts';

const dayMs = 86_400_000;
/** The distance of cards on the canvas. */
const [columnWidth, rowHeight] = [300, 130];

/** A plan to look at and try, as an export: some weeks in, with something in every view. Its people are roles. `now`: milliseconds. */
export function samplePlan(now: number): Fields & { readonly project: Fields } {
  const ago = (days: number): string => isoTime(now - days * dayMs);
  const on = (days: number): string => isoTime(now + days * dayMs).slice(0, 10);
  const places = placesOf(sampleTasks);
  return {
    format: exportFormat,
    project: {
      id: 'prj_sample',
      name: 'Pottery shop',
      description: 'A web shop for a pottery with forty pots a month, every one of them the only one of its kind.',
      default_goal_id: 'gol_general',
      created_at: ago(30),
    },
    goals: sampleGoals.map(({ key, ...goal }) => ({ id: `gol_${key}`, created_at: ago(30), ...verified(goal, ago) })),
    folders: [{ id: 'fld_decisions', name: 'Decisions', created_at: ago(28) }],
    tasks: sampleTasks.map(({ key, goal, text, due, after: _, verified: evidence, ...task }, at) => ({
      ...task,
      id: `tsk_${key}`,
      goal: `gol_${goal}`,
      description: text ?? '',
      created_at: isoTime(now - 28 * dayMs + at * 60_000),
      position: places.get(key),
      ...(due !== undefined && { due_date: on(due) }),
      ...(evidence !== undefined && { verified_at: ago(3), verified_ref: evidence }),
      links: sampleTasks.filter(({ after = [] }) => after.includes(key)).map((then) => taskLink(then.key)),
    })),
    documents: sampleDocuments.map(({ key, links, ...document }) => ({
      ...{ id: `doc_${key}`, title: document.title, body: document.body, created_at: ago(20) },
      status: 'status' in document ? document.status : '',
      folder_id: 'folder' in document ? 'fld_decisions' : null,
      links: links.map(taskLink),
    })),
    notes: sampleNotes.map(({ key, ...note }) => ({ id: `not_${key}`, created_at: ago(9), ...note })),
    prototypes: [{ id: 'pro_checkout', name: 'Checkout', created_at: ago(8), viewport: { width: 390, height: 844 } }],
    artifacts: [
      ...sampleScreens.map(({ key, ...screen }, at) => ({
        ...{ id: `art_${key}`, kind: 'html', prototype_id: 'pro_checkout', ...screen },
        created_at: isoTime(now - 8 * dayMs + at * 60_000),
      })),
      { id: 'art_report', kind: 'markdown', title: 'One hundred visitors', content: sampleReport, created_at: ago(2) },
    ],
    submissions: sampleSubmissions.map(({ key, daysAgo, ...submission }) => ({
      ...{ id: `sub_${key}`, status: 'pending', created_at: ago(daysAgo), ...submission },
    })),
    comments: sampleComments.map(({ on: type, of, daysAgo, ...comment }, at) => ({
      ...{ id: `cmt_${at}`, target_type: type, created_at: ago(daysAgo), resolved: false, ...comment },
      target_id: `${type === 'task' ? 'tsk' : 'doc'}_${of}`,
    })),
    runs: sampleRuns.map(({ key, daysAgo, events, ...run }) => ({
      ...{ id: `run_${key}`, created_at: ago(daysAgo), started_at: ago(daysAgo), ...run },
      ...(run.status === 'completed' && { completed_at: isoTime(now - daysAgo * dayMs + 3_600_000) }),
      events: events.map((message, at) => ({
        ...{ id: `evt_${key}_${at}`, message },
        created_at: isoTime(now - daysAgo * dayMs + at * 600_000),
      })),
    })),
  };
}

const taskLink = (key: string): object => ({ to: `tsk_${key}`, type: 'task' });

function verified(
  { verification, remediation, ...goal }: Omit<SampleGoal, 'key'>,
  ago: (days: number) => string,
): Fields {
  if (verification === undefined) return goal;
  const { daysAgo, ...last } = verification;
  return {
    ...goal,
    last_verification: { at: ago(daysAgo), ...last },
    ...(remediation !== undefined && { remediation_task_id: `tsk_${remediation}` }),
  };
}

/** The number of columns next to each other. */
const columnsMax = 8;

/** A block for each goal, the blocks in bands from left to right; in a block, the first tasks are on the left. */
function placesOf(tasks: readonly SampleTask[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let [left, top, below] = [0, 0, 0];
  for (const goal of new Set(tasks.map((task) => task.goal))) {
    const block = blockOf(tasks.filter((task) => task.goal === goal));
    const columns = Math.max(...block.map(({ column }) => column)) + 1;
    if (left + columns > columnsMax) [left, top] = [0, below];
    for (const { key, column, row } of block)
      places.set(key, { x: (left + column) * columnWidth, y: (top + row) * rowHeight });
    left += columns + 1;
    below = Math.max(below, top + Math.max(...block.map(({ row }) => row)) + 2);
  }
  return places;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The tasks of a goal by their prerequisites in the goal. */
function blockOf(
  tasks: readonly SampleTask[],
): readonly { readonly key: string; readonly column: number; readonly row: number }[] {
  const columns = new Map<string, number>();
  const rows = new Map<number, number>();
  // The first tasks are written first.
  return tasks.map(({ key, after = [] }) => {
    const column = Math.max(-1, ...after.map((other) => columns.get(other) ?? -1)) + 1;
    const row = rows.get(column) ?? 0;
    columns.set(key, column);
    rows.set(column, row + 1);
    return { key, column, row };
  });
}
