import { FileText, FolderKanban, Goal, Keyboard, ListPlus, Monitor, Moon, StickyNote, Sun } from '../ui/icons.ts';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useProjects } from '../api/projects.ts';
import { statuses, statusNames, useTask, useUpdateTask } from '../api/tasks.ts';
import { StatusIcon } from '../ui/status-icon.tsx';
import { projectViews } from './views.ts';
import { createdNames } from './command-create.ts';
import type { CreatedKind } from './command-create.ts';
import { useOpenTask } from '../shell/open-task.ts';
import { applyTheme } from './theme.ts';

export interface CommandItem {
  readonly id: string;
  readonly name: string;
  readonly icon: ReactElement;
  /** Distinguishes it from others with the same name. */
  readonly beside?: string;
  /** A second line. */
  readonly below?: ReactElement;
  readonly keys?: string;
  readonly run: () => void;
  /** The menu stays open: a name is requested, or an error may occur. */
  readonly stays?: boolean;
  /** A record is made by the typed name. */
  readonly creates?: boolean;
}

export interface CommandGroup {
  readonly name: string;
  readonly items: readonly CommandItem[];
}

interface CommandsOptions {
  readonly projectId: string | undefined;
  readonly typed: string;
  readonly onShortcuts: () => void;
  /** Asks for the name of a new record. */
  readonly prompt: (kind: CreatedKind) => void;
  /** Makes one with the typed text as its name. */
  readonly create: (kind: CreatedKind) => void;
}

const size = 16;
const themes = [
  ['light', 'Light', <Sun key="light" size={size} aria-hidden />],
  ['dark', 'Dark', <Moon key="dark" size={size} aria-hidden />],
  ['system', 'Light or dark like the system', <Monitor key="system" size={size} aria-hidden />],
] as const;

/** The available commands that contain every typed word. */
export function useCommands({ projectId, typed, onShortcuts, ...making }: CommandsOptions): readonly CommandGroup[] {
  const navigate = useNavigate();
  const { data: projects = [] } = useProjects();
  const fits = fitting(typed);
  const status = useStatusCommands(projectId);
  const views: CommandItem[] =
    projectId === undefined
      ? []
      : projectViews.map(({ path, name, icon: Icon, key }) => ({
          id: `view ${path}`,
          name,
          icon: <Icon size={size} aria-hidden />,
          keys: `g ${key}`,
          run: () => void navigate(`/projects/${projectId}${path === '' ? '' : `/${path}`}`),
        }));
  const elsewhere: CommandItem[] = projects
    .filter(({ id }) => id !== projectId)
    .map(({ id, name }) => ({
      id: `project ${id}`,
      name,
      icon: <FolderKanban size={size} aria-hidden />,
      beside: 'Project',
      run: () => void navigate(`/projects/${id}`),
    }));
  const settings: CommandItem[] = [
    {
      id: 'shortcuts',
      name: 'Keyboard shortcuts',
      icon: <Keyboard size={size} aria-hidden />,
      keys: '?',
      run: onShortcuts,
      stays: true,
    },
    ...themes.map(([theme, name, icon]) => ({ id: `theme ${theme}`, name, icon, run: () => applyTheme(theme) })),
  ];
  return [
    { name: 'Status of the open task', items: status.filter(fits) },
    // The typed text is the name of the new record: every kind is offered.
    { name: 'Create', items: projectId === undefined ? [] : creations(typed, making, fits) },
    { name: 'Go to', items: views.filter(fits) },
    // Without a query only a few projects are shown.
    { name: 'Projects', items: elsewhere.filter(fits).slice(0, typed === '' ? 5 : 20) },
    { name: 'Settings', items: settings.filter(fits) },
  ];
}

const creationIcons = { task: ListPlus, document: FileText, note: StickyNote, goal: Goal } as const;

function creations(
  typed: string,
  { prompt, create }: Pick<CommandsOptions, 'prompt' | 'create'>,
  fits: (item: CommandItem) => boolean,
): CommandItem[] {
  const kinds = (Object.keys(createdNames) as CreatedKind[]).map((kind) => {
    const Icon = creationIcons[kind];
    const item = {
      id: `create ${kind}`,
      name: createdNames[kind],
      icon: <Icon size={size} aria-hidden />,
      stays: true,
    };
    return { ...item, ...(kind === 'task' ? { keys: 'c' } : {}), kind };
  });
  const requested = kinds.filter((item) => fits({ ...item, run: () => undefined }));
  // `new note` prompts for a name, which these words are not; any other text is the name.
  return requested.length > 0
    ? requested.map(({ kind, ...item }) => ({ ...item, run: () => prompt(kind) }))
    : kinds.map(({ kind, ...item }) => ({
        ...item,
        name: `${item.name} “${typed}”`,
        creates: true,
        run: () => create(kind),
      }));
}

/** The status commands of the open task. */
function useStatusCommands(projectId: string | undefined): CommandItem[] {
  const { taskId } = useOpenTask();
  const update = useUpdateTask();
  const open = taskId !== undefined && projectId !== undefined;
  const { data: task } = useTask(projectId ?? '', taskId ?? '', { enabled: open });
  if (!open || task === undefined) return [];
  return statuses
    .filter((status) => status !== task.status)
    .map((status) => ({
      id: `status ${status}`,
      name: `Set to ${statusNames[status]}`,
      beside: task.label,
      icon: <StatusIcon status={status} size={size} />,
      run: () => update.mutate({ task_id: task.id, project_id: projectId, status }),
    }));
}

function fitting(typed: string): (item: CommandItem) => boolean {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ name }) => {
    const text = name.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
