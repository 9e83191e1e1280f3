import {
  Bot,
  Columns3,
  FileText,
  Goal,
  History,
  Inbox,
  LayoutDashboard,
  ListTodo,
  MonitorSmartphone,
  NotebookPen,
  Package,
  Settings,
  Trash2,
  TriangleAlert,
  Workflow,
} from './ui/icons.ts';
import type { Icon } from './ui/icon.tsx';
import type { ComponentType } from 'react';

/** A view of a project. */
export interface ProjectView {
  /** Below `/projects/<id>/`; the rest of the address belongs to the view. */
  readonly path: string;
  readonly name: string;
  readonly icon: Icon;
  /** The group in the sidebar. */
  readonly group: 'plan' | 'knowledge' | 'work' | 'project';
  /** The second key of the shortcut `g …`. */
  readonly key: string;
  readonly load: () => Promise<{ readonly Component: ComponentType }>;
}

/** Every view of a project, in the order of the sidebar. A new one is a line here and a folder in views/. */
export const projectViews: readonly ProjectView[] = [
  {
    path: '',
    name: 'Overview',
    icon: LayoutDashboard,
    group: 'plan',
    key: 'o',
    load: async () => ({ Component: (await import('./views/overview/overview.tsx')).Overview }),
  },
  {
    path: 'board',
    name: 'Board',
    icon: Columns3,
    group: 'plan',
    key: 'b',
    load: async () => ({ Component: (await import('./views/board/board.tsx')).Board }),
  },
  {
    path: 'list',
    name: 'List',
    icon: ListTodo,
    group: 'plan',
    key: 'l',
    load: async () => ({ Component: (await import('./views/list/list.tsx')).List }),
  },
  {
    path: 'canvas',
    name: 'Canvas',
    icon: Workflow,
    group: 'plan',
    key: 'c',
    load: async () => ({ Component: (await import('./views/canvas/canvas.tsx')).Canvas }),
  },
  {
    path: 'goals',
    name: 'Goals',
    icon: Goal,
    group: 'plan',
    key: 'g',
    load: async () => ({ Component: (await import('./views/goals/goals.tsx')).Goals }),
  },
  {
    path: 'inbox',
    name: 'Inbox',
    icon: Inbox,
    group: 'work',
    key: 'i',
    load: async () => ({ Component: (await import('./views/inbox/inbox.tsx')).InboxView }),
  },
  {
    path: 'agents',
    name: 'Agents',
    icon: Bot,
    group: 'work',
    key: 'r',
    load: async () => ({ Component: (await import('./views/agents/agents.tsx')).Agents }),
  },
  {
    path: 'history',
    name: 'History',
    icon: History,
    group: 'project',
    key: 'h',
    load: async () => ({ Component: (await import('./views/history/history.tsx')).HistoryView }),
  },
  {
    path: 'trash',
    name: 'Trash',
    icon: Trash2,
    group: 'project',
    key: 't',
    load: async () => ({ Component: (await import('./views/trash/trash.tsx')).TrashView }),
  },
  {
    path: 'problems',
    name: 'Problems',
    icon: TriangleAlert,
    group: 'project',
    key: 'p',
    load: async () => ({ Component: (await import('./views/problems/problems.tsx')).Problems }),
  },
  {
    path: 'settings',
    name: 'Settings',
    icon: Settings,
    group: 'project',
    key: 's',
    load: async () => ({ Component: (await import('./views/settings/settings.tsx')).SettingsView }),
  },
  {
    path: 'documents',
    name: 'Documents',
    icon: FileText,
    group: 'knowledge',
    key: 'd',
    load: async () => ({ Component: (await import('./views/documents/documents.tsx')).Documents }),
  },
  {
    path: 'notes',
    name: 'Notes',
    icon: NotebookPen,
    group: 'knowledge',
    key: 'n',
    load: async () => ({ Component: (await import('./views/notes/notes.tsx')).Notes }),
  },
  {
    path: 'artifacts',
    name: 'Artifacts',
    icon: Package,
    group: 'knowledge',
    key: 'a',
    load: async () => ({ Component: (await import('./views/artifacts/artifacts.tsx')).Artifacts }),
  },
  {
    path: 'prototypes',
    name: 'Prototypes',
    icon: MonitorSmartphone,
    group: 'knowledge',
    key: 'y',
    load: async () => ({ Component: (await import('./views/prototypes/prototypes.tsx')).Prototypes }),
  },
];
