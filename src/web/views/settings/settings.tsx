import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { NavLink, useParams } from 'react-router';
import { useSignIns } from '../../api/keys.ts';
import { useProject } from '../../api/projects.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { classes } from '../../ui/class-names.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { ConnectSettings } from './connect-settings.tsx';
import { KeySettings } from './key-settings.tsx';
import { ProjectSettings } from './project-settings.tsx';
import { ShareSettings } from './share-settings.tsx';
import { SignInSettings } from './sign-in-settings.tsx';
import { TagSettings } from './tag-settings.tsx';
import { WebhookSettings } from './webhook-settings.tsx';
import styles from './settings.module.css';

const tabs = [
  { path: '', name: 'Project' },
  { path: 'agents', name: 'Connect agents' },
  { path: 'keys', name: 'Keys' },
  { path: 'sharing', name: 'Sharing' },
  { path: 'tags', name: 'Tags' },
  { path: 'webhooks', name: 'Webhooks' },
] as const;

/** The settings of a project: its fields, access, and agents. */
export function SettingsView(): ReactElement {
  const projectId = useProjectId();
  const { '*': rest = '' } = useParams();
  const project = useProject(projectId);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // If not all tabs fit, scroll to the open one.
    const open = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (open != null) nav.current!.scrollLeft = open.offsetLeft - nav.current!.offsetLeft - 16;
  }, [rest]);
  const { data: signIns } = useSignIns();
  // Without sign-ins the tab is hidden.
  const shown = signIns?.[0] === undefined ? tabs : [...tabs, { path: 'sign-ins', name: 'Sign-ins' }];
  useTitle(shown.find(({ path }) => path === rest)?.name, 'Settings');
  return (
    <Page title="Settings">
      <nav ref={nav} className={styles['tabs']} aria-label="Settings">
        {shown.map(({ path, name }) => (
          <NavLink
            key={path}
            end
            to={`/projects/${projectId}/settings${path === '' ? '' : `/${path}`}`}
            className={({ isActive }) => classes(styles['tab'], isActive && styles['here'])}
          >
            {name}
          </NavLink>
        ))}
      </nav>
      <Loaded of={project} view="cards">
        {(data) => {
          if (rest === 'keys') return <KeySettings project={data} />;
          if (rest === 'sharing') return <ShareSettings projectId={projectId} />;
          if (rest === 'agents') return <ConnectSettings project={data} />;
          if (rest === 'tags') return <TagSettings projectId={projectId} />;
          if (rest === 'webhooks') return <WebhookSettings projectId={projectId} />;
          if (rest === 'sign-ins') return <SignInSettings />;
          return <ProjectSettings key={projectId} project={data} />;
        }}
      </Loaded>
    </Page>
  );
}
