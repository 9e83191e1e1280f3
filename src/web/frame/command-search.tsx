import { FileText, Goal, Inbox, MessageSquare, MonitorSmartphone, Package, StickyNote } from '../ui/icons.ts';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useResponse } from '../api/cache.ts';
import { useProjects } from '../api/projects.ts';
import { useTasks } from '../api/tasks.ts';
import { StatusIcon } from '../ui/status-icon.tsx';
import { placeOf } from '../ui/target.tsx';
import { searchWith } from '../shell/open-task.ts';
import type { CommandGroup, CommandItem } from './command-items.tsx';

const size = 16;
const found = 8;

/** The kinds of records in the order of their groups. */
const kinds = [
  ['task', 'tasks', 'Tasks', FileText],
  ['document', 'documents', 'Documents', FileText],
  ['note', 'notes', 'Notes', StickyNote],
  ['goal', 'goals', 'Goals', Goal],
  ['artifact', 'artifacts', 'Artifacts', Package],
  ['prototype', 'prototypes', 'Prototypes', MonitorSmartphone],
  ['submission', 'submissions', 'Submissions', Inbox],
  ['comment', 'comments', 'Comments', MessageSquare],
] as const;
type Kind = (typeof kinds)[number][0];

const types = kinds.map(([type]) => type);

/**
 * The service's search results for the typed text, in this project or in all: at first those by title, with those by text once that was
 * typed for a moment longer (`settled`).
 */
export function useFound(
  query: string,
  settled: string,
  projectId: string | undefined,
): { readonly groups: readonly CommandGroup[]; readonly isSearching: boolean } {
  const navigate = useNavigate();
  const scope = projectId === undefined ? {} : { project_id: projectId };
  const input = { q: query, limit: found, type: types, ...scope };
  const isSettled = query !== '' && settled === query;
  const titles = useResponse('search', input, { enabled: query !== '', everyMs: false });
  const texts = useResponse('search', { ...input, bodies: true }, { enabled: isSettled, everyMs: false });
  const data = query === '' ? undefined : ((isSettled ? texts.data : undefined) ?? titles.data);
  const { data: projects = [] } = useProjects();
  const { data: tasks = [] } = useTasks(projectId ?? '', { enabled: projectId !== undefined });
  const isSearching = query !== '' && (titles.isFetching || texts.isFetching || !isSettled);
  if (data === undefined) return { groups: [], isSearching };
  const status = new Map(tasks.map((task) => [task.id, task.status]));
  const nameOf = new Map(projects.map(({ id, name }) => [id, name]));
  const words = wordsOf(query);
  const item = (type: Kind, hit: Hit, icon: ReactElement): CommandItem => ({
    id: `${type} ${hit.id}`,
    name: hit.label ?? hit.title ?? hit.id,
    icon,
    ...(hit.excerpt === undefined || hit.excerpt === '' ? {} : { below: marked(hit.excerpt, words) }),
    ...(projectId === undefined ? { beside: nameOf.get(hit.project_id) ?? '' } : {}),
    run: () => void navigate(placeOfHit(type, hit, projectId)),
  });
  const groups = kinds.map(([type, list, name, Icon]) => ({
    name,
    items: (data[list] ?? []).map((hit: Hit) =>
      item(
        type,
        hit,
        type === 'task' ? (
          <StatusIcon status={status.get(hit.id) ?? 'todo'} size={size} />
        ) : (
          <Icon size={size} aria-hidden />
        ),
      ),
    ),
  }));
  return { isSearching, groups };
}

/** The address of a record; a task opens next to the view, a comment with its target, a screen with its prototype. */
function placeOfHit(type: string, hit: Hit, projectId: string | undefined): string | { readonly search: string } {
  if (type === 'task' && projectId !== undefined) return { search: searchWith(hit.id) };
  if (type === 'submission') return `/projects/${hit.project_id}/inbox`;
  if (hit.target_type !== undefined && hit.target_id !== undefined)
    return placeOfHit(hit.target_type, { id: hit.target_id, project_id: hit.project_id }, projectId);
  return placeOf({ projectId: hit.project_id, type, id: hit.id });
}

/** Letters without accents, in lower case: the same number of characters for most texts. */
const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

const wordsOf = (query: string): readonly string[] => folded(query).match(/[\p{L}\p{N}]+/gu) ?? [];

/** An excerpt in which the words that begin like one of the query are marked. */
function marked(excerpt: string, words: readonly string[]): ReactElement {
  const parts = excerpt.split(/([\p{L}\p{N}\p{M}]+)/u);
  return (
    <>
      {parts.map((part, at) =>
        at % 2 === 1 && words.some((word) => folded(part).startsWith(word)) ? <mark key={at}>{part}</mark> : part,
      )}
    </>
  );
}

interface Hit {
  readonly id: string;
  readonly project_id: string;
  readonly label?: string;
  readonly title?: string;
  readonly excerpt?: string;
  readonly target_type?: string;
  readonly target_id?: string;
}
