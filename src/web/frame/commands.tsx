import { Keyboard, Plus, Search } from '../ui/icons.ts';
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { IconButton } from '../ui/button.tsx';
import { projectViews } from './views.tsx';
import type { CreatedKind } from './command-create.ts';
import { subjectNow } from '../picker/picking.ts';
import type { Subject } from '../picker/picking.ts';
import { CommandMenu } from './command-menu.tsx';
import styles from '../shell/commands.module.css';
import { ShortcutList } from './shortcut-list.tsx';
import { isMac, useShortcutKeys, useShortcuts } from '../shell/shortcuts.tsx';
import type { Shortcut } from '../shell/shortcuts.tsx';

type Open =
  | { readonly what: 'menu'; readonly create?: CreatedKind; readonly subject?: Subject | undefined }
  | { readonly what: 'shortcuts' }
  | undefined;

/**
 * The command menu and the shortcuts, with their buttons in the bar. Their code is in the first load: the menu takes
 * the keys that follow Ctrl-K immediately.
 */
export function Commands({ projectId }: { readonly projectId: string | undefined }): ReactElement {
  const [open, setOpen] = useState<Open>(undefined);
  useShortcutKeys();
  useGlobalShortcuts(projectId, setOpen);
  useMenuKey(() => setOpen((now) => (now?.what === 'menu' ? undefined : menuNow())));
  const close = (): void => setOpen(undefined);
  const searchKeys = isMac ? '⌘ K' : 'Ctrl K';
  return (
    <>
      <button type="button" className={styles['search']} aria-label="Search or do" onClick={() => setOpen(menuNow())}>
        <Search size={15} aria-hidden />
        <span aria-hidden>Search or do…</span>
        <kbd aria-hidden>{searchKeys}</kbd>
      </button>
      {projectId === undefined ? null : (
        <IconButton
          label="Create a task"
          keys="c"
          icon={<Plus size={17} />}
          onClick={() => setOpen({ what: 'menu', create: 'task' })}
        />
      )}
      <IconButton
        className={styles['help']}
        label="Keyboard shortcuts"
        keys="?"
        icon={<Keyboard size={16} />}
        onClick={() => setOpen({ what: 'shortcuts' })}
      />
      {open?.what === 'menu' ? (
        <CommandMenu
          projectId={projectId}
          create={open.create}
          subject={open.subject}
          onClose={close}
          onShortcuts={() => setOpen({ what: 'shortcuts' })}
        />
      ) : null}
      {open?.what === 'shortcuts' ? <ShortcutList onClose={close} /> : null}
    </>
  );
}

/** The menu, for the tasks that are focused or selected. */
function menuNow(): Open {
  return { what: 'menu', subject: subjectNow() };
}

/** Ctrl-K or Cmd-K opens the menu everywhere, also while a text is being edited. */
function useMenuKey(toggle: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      if (event.defaultPrevented) return;
      event.preventDefault();
      toggle();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

/** The shortcuts of every view. */
function useGlobalShortcuts(projectId: string | undefined, setOpen: (open: Open) => void): void {
  const navigate = useNavigate();
  const everywhere = useMemo((): readonly Shortcut[] => {
    const search = { keys: '/', name: 'Search', run: () => setOpen(menuNow()) };
    const list = { keys: '?', name: 'Show the shortcuts', run: () => setOpen({ what: 'shortcuts' }) };
    const home = { keys: 'g 0', name: 'Go to all projects', run: () => void navigate('/') };
    if (projectId === undefined) return [search, home, list];
    const create = { keys: 'c', name: 'New task', run: () => setOpen({ what: 'menu', create: 'task' }) };
    return [search, create, home, list];
  }, [projectId, setOpen, navigate]);
  const views = useMemo(
    (): readonly Shortcut[] =>
      projectId === undefined
        ? []
        : projectViews.map(({ key, name, path }) => ({
            keys: `g ${key}`,
            name: `Go to ${name}`,
            run: () => void navigate(`/projects/${projectId}${path === '' ? '' : `/${path}`}`),
          })),
    [projectId, navigate],
  );
  useShortcuts('Everywhere', everywhere);
  useShortcuts('Views', views);
}
