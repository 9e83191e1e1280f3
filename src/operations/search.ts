import type {
  FindRecordInput,
  FoundRecordAnswer,
  MatchTasksAnswer,
  MatchTasksInput,
  PlannerCollections,
  SearchAnswer,
  SearchInput,
  ShortIdsAnswer,
  ShortIdsInput,
} from '../domain/records/collections.ts';
import { searchFields } from '../domain/records/declared.ts';
import { findRecord, foundKinds } from '../domain/search/find-record.ts';
import { shortIds } from '../domain/search/short-ids.ts';
import { choosingByTitles } from '../domain/search/title-candidates.ts';
import { matchTasks, readyToSearch, search } from '../domain/search/search.ts';
import { searched, searchedByDefault } from '../domain/search/searched.ts';
import { limits } from '../base/limits.ts';
import { atOnce } from '../base/slices.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { versionsTag } from './pipeline/list-tag.ts';
import type { Tag, Workspace } from './declaration/operation.ts';
import type { PlannerOperation, Read, ReadAll } from './declaration/planner-operation.ts';
import { Sliced } from './declaration/sliced.ts';

/** Any change of a record of these collections may change the result. */
function tagOver(
  ...collections: Parameters<typeof versionsTag>[1][]
): (workspace: Workspace<PlannerCollections>) => Tag {
  return ({ projects }) => ({
    own: hashOf(projects.map((view) => versionsTag(view, ...collections).own)),
    rest: '0',
  });
}

const find: ReadAll<SearchInput, SearchAnswer> = {
  name: 'search',
  summary: 'Search every kind of record',
  group: groups.search,
  input: 'SearchInput',
  output: 'SearchAnswer',
  scope: 'workspace',
  effect: 'read',
  rest: { method: 'GET', path: '/search', names: { q: 'query', type: 'types' } },
  mcp: {
    title: 'Search',
    description: 'Finds documents, tasks, notes or types by title; bodies: by text, with excerpts.',
  },
  // A comment is shown with the title of its target.
  tag: (workspace, { types }) => tagOver(...(types === undefined ? searchedByDefault : searched))(workspace),
  // Titles are found in all projects, texts in those that can be loaded.
  records: (input) => ({ choose: choosingByTitles(input), others: input.bodies === true }),
  before: ({ projects }, input) => readyToSearch(projects, input),
  run: ({ projects, isWhole }, input, { transport }) => {
    const { steps } = Sliced.of(search(projects, input), (found): SearchAnswer => {
      const answer = isWhole === false ? { ...found, incomplete: true as const } : found;
      return transport === 'mcp' ? withinContext(answer) : answer;
    });
    return input.bodies === true ? new Sliced(steps) : atOnce(steps);
  },
};

/** The operation for views that filter tasks which they have already. */
const match: ReadAll<MatchTasksInput, MatchTasksAnswer> = {
  name: 'match_tasks',
  summary: 'The tasks whose labels and descriptions contain words',
  group: groups.search,
  input: 'MatchTasksInput',
  output: 'MatchTasksAnswer',
  scope: 'workspace',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/matching-tasks', names: { q: 'query' } },
  tag: tagOver('task'),
  before: ({ projects }, { query }) => readyToSearch(projects, { query, bodies: true }),
  run: ({ projects: [view] }, { query }) => matchTasks(view!, query),
};

const lists = searched.map((collection) => searchFields[collection].list);
type List = (typeof lists)[number];

/** Limits a result to the size of an agent's context. The last hits of the longest list are dropped first. */
function withinContext(answer: SearchAnswer): SearchAnswer {
  const shown = lists.flatMap((name): [List, readonly object[]][] => {
    const list = answer[name];
    return list === undefined ? [] : [[name, list]];
  });
  const most = (limits.agentAnswerBytesMax - 400) / shown.length;
  const kept = shown.map(([name, list]): [List, readonly object[]] => {
    let sum = 0;
    const at = list.findIndex((row) => (sum += Buffer.byteLength(JSON.stringify(row)) + 1) > most);
    return [name, at === -1 ? list : list.slice(0, at)];
  });
  return { ...answer, ...(Object.fromEntries(kept) as Partial<SearchAnswer>) };
}

const findOne: ReadAll<FindRecordInput, FoundRecordAnswer> = {
  name: 'find_record',
  summary: 'The record that an id, its beginning or end, or a name means',
  group: groups.search,
  input: 'FindRecordInput',
  output: 'FoundRecordAnswer',
  scope: 'workspace',
  effect: 'read',
  rest: { method: 'GET', path: '/find-record', bare: 'record', names: { kind: 'kinds' } },
  tag: tagOver(...foundKinds),
  records: ({ text }) => ({ near: text.trim() }),
  run: ({ projects, isWhole = true }, input, { caller }) =>
    Sliced.of(
      findRecord(projects, input, { current: caller.boundTo ?? caller.defaultProject, isIncomplete: !isWhole }),
      (record) => ({
        record,
      }),
    ),
};

/** The operation for lists that people read and type from. */
const shorten: Read<ShortIdsInput, ShortIdsAnswer> = {
  name: 'list_short_ids',
  summary: 'The shortest ends of ids that no other record of the project has',
  group: groups.search,
  input: 'ShortIdsInput',
  output: 'ShortIdsAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/short-ids', names: { id: 'ids' } },
  tag: (view) => versionsTag(view, ...foundKinds),
  run: (view, { ids }) => Sliced.of(shortIds(view, ids), (short_ids) => ({ short_ids })),
};

export const searchOperations: readonly PlannerOperation[] = [find, match, findOne, shorten];
