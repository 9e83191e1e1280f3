import type {
  ListProblemsInput,
  PlannerCollections,
  Problem,
  ProblemListAnswer,
  RecordFileAnswer,
  RecordFileInput,
} from '../domain/records/collections.ts';
import { problemsFor } from '../domain/feed/known-problems.ts';
import { namedGuestMark } from '../domain/records/guest-texts.ts';
import { notFound } from '../base/errors.ts';
import type { ReadTransaction } from '../store/index.ts';
import { audienceOf } from './access/authorise.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { isCurrent } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { decodeCursor, nextCursor, pageOf } from './pipeline/page.ts';
import type { PlannerOperation, Read } from './declaration/planner-operation.ts';
import { showProblem } from './remedies.ts';

/** The problems that the caller may see. The path of a file has words of the record's title. */
function shownProblems(view: ReadTransaction<PlannerCollections>, context: Context): Problem[] {
  return problemsFor(view, audienceOf(context)).map((problem) => ({
    ...showProblem(problem),
    ...(problem.id !== undefined && namedGuestMark(view, problem.id)),
  }));
}

/** Problems before notes, by path, then line and kind. */
function problemsOf(
  view: ReadTransaction<PlannerCollections>,
  context: Context,
): { readonly problem: Problem; readonly key: string }[] {
  return shownProblems(view, context)
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

const problemsTag = (view: ReadTransaction<PlannerCollections>, _: ListProblemsInput, context: Context): Tag => ({
  own: hashOf(shownProblems(view, context)),
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
    if (input.since !== undefined && isCurrent(input, problemsTag(view, input, context)))
      return { problems: [], removed: [] };
    const [after] = input.cursor === undefined ? [] : decodeCursor(input.cursor, 1);
    const behind = problemsOf(view, context).filter(({ key }) => after === undefined || key > after);
    const page = pageOf(behind, input, context, {
      show: ({ problem }) => problem,
      snapshots: true,
      position: ({ key }) => [key],
    });
    return { problems: page.rows, ...nextCursor(page) };
  },
};

/** An operation for people who write in their own editor. */
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
function pathOf(view: ReadTransaction<PlannerCollections>, id: string): string | null {
  if (view.find(id) === undefined) throw notFound('record', id);
  return view.pathOf(id) ?? null;
}

export const problemOperations: readonly PlannerOperation[] = [list, file];
