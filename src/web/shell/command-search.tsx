import { FileText, StickyNote } from '../ui/icons.ts';
import { useNavigate } from 'react-router';
import { useResponse } from '../api/cache.ts';
import { useProjects } from '../api/projects.ts';
import { useTasks } from '../api/tasks.ts';
import { StatusIcon } from '../ui/status-icon.tsx';
import { placeOf } from '../ui/target.tsx';
import type { CommandGroup, CommandItem } from './command-items.tsx';

const size = 16;
const found = 8;

/** The service's search results for the typed text, in this project or in all. */
export function useFound(
  query: string,
  projectId: string | undefined,
): { readonly groups: readonly CommandGroup[]; readonly isSearching: boolean } {
  const navigate = useNavigate();
  const enabled = query !== '';
  const input = { q: query, limit: found, ...(projectId === undefined ? {} : { project_id: projectId }) };
  const { data, isFetching } = useResponse('search', input, { enabled, everyMs: false });
  const { data: projects = [] } = useProjects();
  const { data: tasks = [] } = useTasks(projectId ?? '', { enabled: projectId !== undefined });
  if (!enabled || data === undefined) return { groups: [], isSearching: isFetching };
  const status = new Map(tasks.map((task) => [task.id, task.status]));
  const nameOf = new Map(projects.map(({ id, name }) => [id, name]));
  const item = (type: string, hit: Hit, icon: CommandItem['icon']): CommandItem => ({
    id: `${type} ${hit.id}`,
    name: hit.label ?? hit.title ?? hit.id,
    icon,
    ...(projectId === undefined ? { beside: nameOf.get(hit.project_id) ?? '' } : {}),
    run: () =>
      // A task opens beside the view; any other record has its own address.
      void navigate(
        type === 'task' && projectId !== undefined
          ? { search: withTask(hit.id) }
          : placeOf({ projectId: hit.project_id, type, id: hit.id }),
      ),
  });
  return {
    isSearching: isFetching,
    groups: [
      {
        name: 'Tasks',
        items: data.tasks.map((hit) =>
          item('task', hit, <StatusIcon status={status.get(hit.id) ?? 'todo'} size={size} />),
        ),
      },
      {
        name: 'Documents',
        items: data.documents.map((hit) => item('document', hit, <FileText size={size} aria-hidden />)),
      },
      { name: 'Notes', items: data.notes.map((hit) => item('note', hit, <StickyNote size={size} aria-hidden />)) },
    ],
  };
}

interface Hit {
  readonly id: string;
  readonly project_id: string;
  readonly label?: string;
  readonly title?: string;
}

function withTask(id: string): string {
  const query = new URLSearchParams(window.location.search);
  query.set('task', id);
  return query.toString();
}
