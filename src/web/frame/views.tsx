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
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/states.tsx';
import type { View } from '../ui/states.tsx';
import { later } from '../loading/later.tsx';
import type { Later } from '../loading/later.tsx';
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
  readonly View: Later<object>;
}

type Row = readonly [
  path: string,
  name: string,
  icon: Icon,
  key: string,
  skeleton: View,
  load: () => Promise<ComponentType>,
];

/** The views of a group. A view whose skeleton fills the window has no head. */
function views(group: ProjectView['group'], ...rows: readonly Row[]): readonly ProjectView[] {
  return rows.map(([path, name, icon, key, skeleton, load]) => ({
    ...{ path, name, icon, group, key },
    View: later(load, () =>
      fillsWindow.has(path) ? (
        <Skeleton view={skeleton} />
      ) : (
        <Page title={path === '' ? undefined : name}>
          <Skeleton view={skeleton} />
        </Page>
      ),
    ),
  }));
}

const fillsWindow: ReadonlySet<string> = new Set([
  'board',
  'list',
  'canvas',
  'documents',
  'notes',
  'artifacts',
  'prototypes',
]);

/** Every view of a project, in the order of the sidebar. A new one is a line here and a folder in views/. */
export const projectViews: readonly ProjectView[] = [
  ...views(
    'plan',
    [
      '',
      'Overview',
      LayoutDashboard,
      'o',
      'cards',
      async () => (await import('../views/overview/overview.tsx')).Overview,
    ],
    ['board', 'Board', Columns3, 'b', 'columns', async () => (await import('../views/board/board.tsx')).Board],
    ['list', 'List', ListTodo, 'l', 'rows', async () => (await import('../views/list/list.tsx')).List],
    ['canvas', 'Canvas', Workflow, 'c', 'panel', async () => (await import('../views/canvas/canvas.tsx')).Canvas],
    ['goals', 'Goals', Goal, 'g', 'cards', async () => (await import('../views/goals/goals.tsx')).Goals],
  ),
  ...views(
    'knowledge',
    [
      'documents',
      'Documents',
      FileText,
      'd',
      'split',
      async () => (await import('../views/documents/documents.tsx')).Documents,
    ],
    ['notes', 'Notes', NotebookPen, 'n', 'split', async () => (await import('../views/notes/notes.tsx')).Notes],
    [
      'artifacts',
      'Artifacts',
      Package,
      'a',
      'split',
      async () => (await import('../views/artifacts/artifacts.tsx')).Artifacts,
    ],
    [
      'prototypes',
      'Prototypes',
      MonitorSmartphone,
      'y',
      'split',
      async () => (await import('../views/prototypes/prototypes.tsx')).Prototypes,
    ],
  ),
  ...views(
    'work',
    ['review', 'Review', BadgeCheck, 'v', 'split', async () => (await import('../views/review/review.tsx')).ReviewView],
    ['inbox', 'Inbox', Inbox, 'i', 'split', async () => (await import('../views/inbox/inbox.tsx')).InboxView],
    ['agents', 'Agents', Bot, 'r', 'cards', async () => (await import('../views/agents/agents.tsx')).Agents],
  ),
  ...views(
    'project',
    [
      'history',
      'History',
      History,
      'h',
      'rows',
      async () => (await import('../views/history/history.tsx')).HistoryView,
    ],
    ['trash', 'Trash', Trash2, 't', 'rows', async () => (await import('../views/trash/trash.tsx')).TrashView],
    [
      'problems',
      'Problems',
      TriangleAlert,
      'p',
      'rows',
      async () => (await import('../views/problems/problems.tsx')).Problems,
    ],
    [
      'settings',
      'Settings',
      Settings,
      's',
      'cards',
      async () => (await import('../views/settings/settings.tsx')).SettingsView,
    ],
  ),
];
