import { Menu as MenuIcon, Monitor, Moon, Sun, WifiOff } from '../ui/icons.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { Link, Outlet, ScrollRestoration, useLocation, useParams } from 'react-router';
import { checkBuild } from '../loading/code.ts';
import { usePreloading } from '../loading/later.tsx';
import { useProjects } from '../api/projects.ts';
import { ServiceError } from '../rest/client.ts';
import { useLive } from '../live/use-live.ts';
import { useFoundWords } from '../shell/found-words.ts';
import { useVisit } from '../api/visit.ts';
import { UnsentDrafts } from '../drafts/unsent-drafts.tsx';
import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { useShortcuts } from '../shell/shortcuts.tsx';
import { useUndoKeys } from '../undo/use-undo-keys.ts';
import { CodeBar } from './code-bar.tsx';
import { Commands } from './commands.tsx';
import { applyTheme, keptTheme } from './theme.ts';
import type { Theme } from './theme.ts';
import { ProjectSwitch } from './project-switch.tsx';
import { Sidebar } from './sidebar.tsx';
import styles from './shell.module.css';

/** This browser has the sidebar folded if it keeps this. */
const foldedPlace = 'planner.sidebar-folded';
const narrow = window.matchMedia('(max-width: 860px)');

function onNarrow(notify: () => void): () => void {
  narrow.addEventListener('change', notify);
  return () => narrow.removeEventListener('change', notify);
}

/** The frame of every view: the bar, the sidebar, and the view itself. */
export function AppFrame(): ReactElement {
  const { projectId } = useParams();
  const { pathname } = useLocation();
  usePreloading();
  useLive(projectId);
  const [sidebarFor, setSidebarFor] = useState<string | undefined>(undefined);
  const [isFolded, setFolded] = useState(() => localStorage.getItem(foldedPlace) !== null);
  // On a narrow screen the sidebar covers the view, and closes on navigation.
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches);
  const open = isNarrow ? sidebarFor === pathname : !isFolded;
  const toggle = (): void => {
    if (isNarrow) return setSidebarFor(open ? undefined : pathname);
    if (open) localStorage.setItem(foldedPlace, '');
    else localStorage.removeItem(foldedPlace);
    setFolded(open);
  };
  useShortcuts('Everywhere', projectId === undefined ? [] : [{ keys: '[', name: 'Fold the sidebar', run: toggle }]);
  useUndoKeys(projectId);
  useFoundWords();
  useVisit(projectId);
  return (
    <div className={styles['frame']}>
      <a className="skip-link" href="#view">
        Skip to the content
      </a>
      <header className={styles['bar']}>
        {projectId === undefined ? null : (
          <IconButton
            label={open ? 'Close the navigation' : 'Open the navigation'}
            icon={<MenuIcon size={18} />}
            keys="["
            aria-expanded={open}
            onClick={toggle}
          />
        )}
        <Link to="/" className={styles['brand']} aria-label="Planner, all projects">
          <img src="/icon.svg" alt="" width={22} height={22} />
          <span>Planner</span>
        </Link>
        {projectId === undefined ? null : <ProjectSwitch projectId={projectId} />}
        <span className={styles['space']} />
        <Connection />
        <UnsentDrafts />
        <Commands projectId={projectId} />
        <ThemeMenu />
      </header>
      <CodeBar />
      <div className={styles['below']}>
        {projectId === undefined ? null : (
          <Sidebar projectId={projectId} open={open} onClose={() => setSidebarFor(undefined)} />
        )}
        <main id="view" tabIndex={-1} className={styles['view']}>
          <Outlet />
        </main>
      </div>
      <ScrollRestoration />
    </div>
  );
}

/** Shows when the service stops responding, and when it responds again. */
function Connection(): ReactElement | null {
  const client = useQueryClient();
  const { error } = useProjects();
  const offline = error instanceof ServiceError && error.code === 'offline';
  const wasOffline = useRef(false);
  useEffect(() => {
    const isBack = wasOffline.current && !offline;
    wasOffline.current = offline;
    if (!isBack) return;
    // Failed requests are retried once the service is back. It may be a newer one.
    void client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
    void checkBuild();
  }, [offline, client]);
  return (
    <div role="status" className={styles['connection']}>
      {offline ? (
        <span className={styles['offline']}>
          <WifiOff size={14} aria-hidden /> Offline
        </span>
      ) : null}
    </div>
  );
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;
const themeNames: Readonly<Record<Theme, string>> = { system: 'Like the system', light: 'Light', dark: 'Dark' };

function ThemeMenu(): ReactElement {
  const [theme, setTheme] = useState(keptTheme);
  const Icon = themeIcons[theme];
  return (
    <Menu
      align="end"
      trigger={<IconButton label="Light or dark" icon={<Icon size={16} />} />}
      items={(['system', 'light', 'dark'] as const).map((each) => ({
        label: themeNames[each],
        checked: theme === each,
        onSelect: () => {
          applyTheme(each);
          setTheme(each);
        },
      }))}
    />
  );
}
