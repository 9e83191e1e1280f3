import type {
  ListProblemsInput,
  PlannerCollections,
  Problem,
  ProblemListAnswer,
  RecordFileAnswer,
  RecordFileInput,
} from '../domain/records/collections.ts';
import { webhookProblems } from '../domain/webhooks.ts';
import { notFound } from '../errors.ts';
import type { View } from '../store/index.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { isCurrent } from './pipeline/list-tag.ts';
import type { Tag } from './declaration/operation.ts';
import { decodeCursor, nextCursor, pageOf } from './pipeline/page.ts';
import type { PlannerOperation, Read } from './declaration/planner-operation.ts';
import { resumeRemedy, showProblem } from './remedies.ts';

/** Those of files and of webhooks. */
function shownProblems(view: View<PlannerCollections>): Problem[] {
  const paused = webhookProblems(view).map((problem) => ({ ...problem, remedy: resumeRemedy }));
  return [...view.problems.map(showProblem), ...paused];
}

/** Problems before notes, by path, then line and kind. */
function problemsOf(view: View<PlannerCollections>): { readonly problem: Problem; readonly key: string }[] {
  return shownProblems(view)
    .map((problem) => ({
      problem,
      key: JSON.stringify([
        problem.severity ?? '',
        problem.path,
        String(problem.line ?? 0).padStart(9, '0'),
        problem.kind,
        problem.id ?? '',
      ]),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

const problemsTag = (view: View<PlannerCollections>): Tag => ({
  own: hashOf(shownProblems(view)),
  rest: '0',
});

const list: Read<ListProblemsInput, ProblemListAnswer> = {
  name: 'list_problems',
  summary:
    'What a person has to correct: files that are unreadable, in conflict or violate a rule, and paused webhooks',
  group: groups.service,
  input: 'ListProblemsInput',
  output: 'ProblemListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/problems' },
  tag: problemsTag,
  run: (view, input, context) => {
    if (isCurrent(input, problemsTag(view))) return { problems: [], removed: [] };
    const [after] = input.cursor === undefined ? [] : decodeCursor(input.cursor, 1);
    const behind = problemsOf(view).filter(({ key }) => after === undefined || key > after);
    const page = pageOf(behind, input, context, { show: ({ problem }) => problem, position: ({ key }) => [key] });
    return { problems: page.rows, ...nextCursor(page) };
  },
};

/** For people who write in their own editor. */
const file: Read<RecordFileInput, RecordFileAnswer> = {
  name: 'get_record_file',
  summary: 'The path of the file of a record',
  group: groups.projects,
  input: 'RecordFileInput',
  output: 'RecordFileAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/records/:record_id/file' },
  tag: (view, { record_id: id }) => ({ own: hashOf(pathOf(view, id)), rest: '0' }),
  run: (view, { record_id: id }) => ({ path: pathOf(view, id) }),
};

/** Null until the record's file was written. */
function pathOf(view: View<PlannerCollections>, id: string): string | null {
  if (view.find(id) === undefined) throw notFound('record', id);
  return view.pathOf(id) ?? null;
}

export const problemOperations: readonly PlannerOperation[] = [list, file];
