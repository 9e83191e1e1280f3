import {
  Bot,
  FileText,
  Goal,
  Inbox,
  ListTodo,
  MessageSquare,
  MonitorSmartphone,
  Package,
  StickyNote,
} from '../ui/icons.ts';
import type { ReactElement } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { soFar, useResponse } from '../api/cache.ts';
import { useProjects } from '../api/projects.ts';
import { useTasks } from '../api/tasks.ts';
import { StatusIcon } from '../ui/status-icon.tsx';
import { placeOf } from '../ui/target.tsx';
import { partsOf, wordsOf } from '../shell/found-words.ts';
import { searchWith } from '../shell/open-task.ts';
import { recentOf } from '../shell/recent.ts';
import type { CommandGroup, CommandItem } from './command-items.tsx';

const size = 16;
const found = 8;
const recentShown = 5;

/** The kinds of records in the order of their groups. */
const kinds = [
  ['task', 'tasks', 'Tasks', ListTodo],
  ['document', 'documents', 'Documents', FileText],
  ['note', 'notes', 'Notes', StickyNote],
  ['goal', 'goals', 'Goals', Goal],
  ['artifact', 'artifacts', 'Artifacts', Package],
  ['prototype', 'prototypes', 'Prototypes', MonitorSmartphone],
  ['submission', 'submissions', 'Submissions', Inbox],
  ['comment', 'comments', 'Comments', MessageSquare],
  ['run', 'runs', 'Agents', Bot],
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
  const projects = soFar(useProjects().data);
  const tasks = soFar(useTasks(projectId ?? '', { enabled: projectId !== undefined }).data);
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
    run: () => void navigate(placeOfHit(type, hit, projectId), { state: { words, within: withinOf(type, hit) } }),
  });
  const groups = kinds.map(([type, list, name, Icon]) => ({
    name,
    items: soFar<Hit>(data[list]).map((hit) => {
      const known = status.get(hit.id);
      return item(type, hit, known ? <StatusIcon status={known} size={size} /> : <Icon size={size} aria-hidden />);
    }),
  }));
  return { isSearching, groups };
}

/** Returns whether a text may be the end of an id, or one with its type. */
const idLike = /^(?:[a-z]{3}_)?[0-9a-z]{4,}$/;

/**
 * The line of the record that has an id, or a short one. A typed text is looked up if it is no word of letters only; a
 * pasted one always.
 */
export function useFoundById(text: string, isPasted: boolean, projectId: string | undefined): CommandItem | undefined {
  const navigate = useNavigate();
  const enabled = idLike.test(text) && (isPasted || /[\d_]/.test(text));
  const scope = projectId === undefined ? {} : { current_project_id: projectId };
  const { data: record } = useResponse('find_record', { text, ...scope }, { enabled, everyMs: false });
  if (!enabled || record === undefined || !record.id.endsWith(text)) return undefined;
  const { kind, id, name, project_id } = record;
  const hit = { id, project_id };
  return {
    id: `id ${id}`,
    name: name ?? id,
    icon: iconOf(kind),
    beside: text,
    run: () => void navigate(placeOfHit(kind, hit, project_id === projectId ? projectId : undefined)),
  };
}

function iconOf(type: string): ReactElement {
  const [, , , Icon = FileText] = kinds.find(([kind]) => kind === type) ?? [];
  return <Icon size={size} aria-hidden />;
}

/** The records that were opened last, but for those that are open. */
export function useRecent(projectId: string | undefined): CommandGroup {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  if (projectId === undefined) return { name: 'Recent', items: [] };
  return {
    name: 'Recent',
    items: recentOf(projectId)
      .filter(({ id }) => !`${pathname}${search}`.includes(id))
      .slice(0, recentShown)
      .map(({ type, id, name }) => ({
        id: `recent ${id}`,
        name,
        icon: iconOf(type),
        run: () => void navigate(placeOfHit(type, { id, project_id: projectId }, projectId)),
      })),
  };
}

/** The address of a record; a task opens next to the view, a comment with its target, a screen with its prototype. */
function placeOfHit(type: string, hit: Hit, projectId: string | undefined): string | { readonly search: string } {
  if (type === 'task' && projectId !== undefined) return { search: searchWith(hit.id) };
  const place = placeOf({ projectId: hit.project_id, type, id: hit.id });
  if (type === 'submission') return hit.status === 'pending' ? place : `${place}&tab=decided`;
  if (hit.target_type !== undefined && hit.target_id !== undefined)
    return placeOfHit(hit.target_type, { id: hit.target_id, project_id: hit.project_id }, projectId);
  return place;
}

/** An excerpt in which the words that begin like one of the query are marked. */
function marked(excerpt: string, words: readonly string[]): ReactElement {
  const parts = partsOf(excerpt, words);
  return <>{parts.map(([part, word], at) => (word === undefined ? part : <mark key={at}>{part}</mark>))}</>;
}

/** Where the page shows the text of a hit. */
function withinOf(type: string, { id }: Hit): string {
  if (type === 'comment' || type === 'run') return `[data-${type}="${id}"]`;
  return type === 'task' ? '[role="dialog"][data-task]' : '#view';
}

interface Hit {
  readonly id: string;
  readonly project_id: string;
  readonly label?: string;
  readonly title?: string;
  readonly excerpt?: string;
  readonly status?: string;
  readonly target_type?: string;
  readonly target_id?: string;
}
