import {
  BadgeCheck,
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
} from '../ui/icons.ts';
import type { Icon } from '../ui/icon.tsx';
import { later } from '../loading/later.tsx';
import type { Later } from '../loading/later.tsx';

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
  readonly View: Later<object>;
}

/** Every view of a project, in the order of the sidebar. A new one is a line here and a folder in views/. */
export const projectViews: readonly ProjectView[] = [
  {
    path: '',
    name: 'Overview',
    icon: LayoutDashboard,
    group: 'plan',
    key: 'o',
    View: later(async () => (await import('../views/overview/overview.tsx')).Overview),
  },
  {
    path: 'board',
    name: 'Board',
    icon: Columns3,
    group: 'plan',
    key: 'b',
    View: later(async () => (await import('../views/board/board.tsx')).Board),
  },
  {
    path: 'list',
    name: 'List',
    icon: ListTodo,
    group: 'plan',
    key: 'l',
    View: later(async () => (await import('../views/list/list.tsx')).List),
  },
  {
    path: 'canvas',
    name: 'Canvas',
    icon: Workflow,
    group: 'plan',
    key: 'c',
    View: later(async () => (await import('../views/canvas/canvas.tsx')).Canvas),
  },
  {
    path: 'goals',
    name: 'Goals',
    icon: Goal,
    group: 'plan',
    key: 'g',
    View: later(async () => (await import('../views/goals/goals.tsx')).Goals),
  },
  {
    path: 'review',
    name: 'Review',
    icon: BadgeCheck,
    group: 'work',
    key: 'v',
    View: later(async () => (await import('../views/review/review.tsx')).ReviewView),
  },
  {
    path: 'inbox',
    name: 'Inbox',
    icon: Inbox,
    group: 'work',
    key: 'i',
    View: later(async () => (await import('../views/inbox/inbox.tsx')).InboxView),
  },
  {
    path: 'agents',
    name: 'Agents',
    icon: Bot,
    group: 'work',
    key: 'r',
    View: later(async () => (await import('../views/agents/agents.tsx')).Agents),
  },
  {
    path: 'history',
    name: 'History',
    icon: History,
    group: 'project',
    key: 'h',
    View: later(async () => (await import('../views/history/history.tsx')).HistoryView),
  },
  {
    path: 'trash',
    name: 'Trash',
    icon: Trash2,
    group: 'project',
    key: 't',
    View: later(async () => (await import('../views/trash/trash.tsx')).TrashView),
  },
  {
    path: 'problems',
    name: 'Problems',
    icon: TriangleAlert,
    group: 'project',
    key: 'p',
    View: later(async () => (await import('../views/problems/problems.tsx')).Problems),
  },
  {
    path: 'settings',
    name: 'Settings',
    icon: Settings,
    group: 'project',
    key: 's',
    View: later(async () => (await import('../views/settings/settings.tsx')).SettingsView),
  },
  {
    path: 'documents',
    name: 'Documents',
    icon: FileText,
    group: 'knowledge',
    key: 'd',
    View: later(async () => (await import('../views/documents/documents.tsx')).Documents),
  },
  {
    path: 'notes',
    name: 'Notes',
    icon: NotebookPen,
    group: 'knowledge',
    key: 'n',
    View: later(async () => (await import('../views/notes/notes.tsx')).Notes),
  },
  {
    path: 'artifacts',
    name: 'Artifacts',
    icon: Package,
    group: 'knowledge',
    key: 'a',
    View: later(async () => (await import('../views/artifacts/artifacts.tsx')).Artifacts),
  },
  {
    path: 'prototypes',
    name: 'Prototypes',
    icon: MonitorSmartphone,
    group: 'knowledge',
    key: 'y',
    View: later(async () => (await import('../views/prototypes/prototypes.tsx')).Prototypes),
  },
];
