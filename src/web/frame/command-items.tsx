import { FileText, FolderKanban, Goal, Keyboard, ListPlus, Monitor, Moon, StickyNote, Sun } from '../ui/icons.ts';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { soFar } from '../api/cache.ts';
import { useChangeTasks } from '../api/bulk.ts';
import { useProjects } from '../api/projects.ts';
import { statuses, statusNames, useTasks } from '../api/tasks.ts';
import type { TaskStatus } from '../rest/types.ts';
import { StatusIcon } from '../ui/status-icon.tsx';
import type { TaskRow } from '../api/tasks.ts';
import { hasWordsOf } from '../api/words.ts';
import { fieldIcons } from '../picker/field-icons.tsx';
import { fieldNames, pickedFields } from '../picker/fields.ts';
import { openPicker } from '../picker/picking.ts';
import type { Subject } from '../picker/picking.ts';
import { projectViews } from './views.tsx';
import { createdNames } from './command-create.ts';
import type { CreatedKind } from './command-create.ts';
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
  readonly subject: Subject | undefined;
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
export function useCommands({
  projectId,
  subject,
  typed,
  onShortcuts,
  ...making
}: CommandsOptions): readonly CommandGroup[] {
  const navigate = useNavigate();
  const projects = soFar(useProjects().data);
  const fits = fitting(typed);
  const tasks = soFar(useTasks(projectId ?? '', { enabled: projectId !== undefined }).data);
  const changeTasks = useChangeTasks(projectId ?? '');
  const setStatus = (status: TaskStatus): void =>
    void changeTasks(
      tasks.filter(({ id }) => subject?.ids.includes(id)),
      () => ({ status }),
    );
  const taskCommands = subject === undefined ? [] : [...fieldCommands(subject), ...statusCommands(typed, setStatus)];
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
    { name: subject === undefined ? '' : nameOf(subject, tasks), items: taskCommands.filter(fits) },
    // The typed text is the name of the new record: every kind is offered.
    { name: 'Create', items: projectId === undefined ? [] : creations(typed, making, fits) },
    { name: 'Go to', items: views.filter(fits) },
    // Without a query only a few projects are shown.
    {
      name: 'Tasks of',
      items:
        typed === '' || projectId === undefined
          ? []
          : tasksOf(tasks, (query) => void navigate(`/projects/${projectId}/list?${query}`))
              .filter(fits)
              .slice(0, 8),
    },
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

/** The task that commands change, or the number of them. */
function nameOf({ ids }: Subject, tasks: readonly TaskRow[]): string {
  return ids.length > 1 ? `${ids.length} tasks` : (tasks.find(({ id }) => id === ids[0])?.label ?? 'The task');
}

/** The commands of the tasks that were focused or selected: the picker for each field. */
function fieldCommands(subject: Subject): CommandItem[] {
  return fieldNames.map((field) => {
    const { name, keys } = pickedFields[field];
    return {
      id: `field ${field}`,
      name: `Set ${name.toLowerCase()}`,
      icon: fieldIcons[field],
      ...(keys === undefined ? {} : { keys }),
      run: () => openPicker({ ...subject, field }),
    };
  });
}

/** The lists of the tasks of each assignee, and of each tag. */
function tasksOf(tasks: readonly TaskRow[], show: (query: string) => void): CommandItem[] {
  const items = (member: 'assignee' | 'tag', names: readonly (string | null)[], icon: ReactElement): CommandItem[] =>
    [...new Set(names)]
      .filter((name) => name !== null)
      .map((name) => ({
        id: `${member} ${name}`,
        name,
        icon,
        beside: member === 'tag' ? 'Tag' : 'Assignee',
        run: () => show(new URLSearchParams({ [member]: name }).toString()),
      }));
  return [
    ...items(
      'assignee',
      tasks.map(({ assignee }) => assignee),
      fieldIcons.assignee,
    ),
    ...items(
      'tag',
      tasks.flatMap(({ tags }) => tags.map(({ name }) => name)),
      fieldIcons.tags,
    ),
  ];
}

/** The statuses, once a word of one may be typed: the list of all commands has none of them. */
function statusCommands(typed: string, set: (status: TaskStatus) => void): CommandItem[] {
  if (typed === '') return [];
  return statuses.map((status) => ({
    id: `status ${status}`,
    name: `Set to ${statusNames[status]}`,
    icon: <StatusIcon status={status} size={size} />,
    run: () => set(status),
  }));
}

function fitting(typed: string): (item: CommandItem) => boolean {
  const hasWords = hasWordsOf(typed);
  return ({ name }) => hasWords(name);
}
