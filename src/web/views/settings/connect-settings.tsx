import type { ReactElement } from 'react';
import { Link } from 'react-router';
import type { ProjectDetail } from '../../api/projects.ts';
import { useQueryValue } from '../../shell/query-state.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Segments } from '../../ui/segments.tsx';
import { connectCommand, mcpClients } from './mcp-clients.ts';
import { Section } from './section.tsx';
import styles from './settings.module.css';

const loopback = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/** How to connect an agent to this project. */
export function ConnectSettings({ project }: { readonly project: ProjectDetail }): ReactElement {
  const [chosen, setChosen] = useQueryValue<string>('client', 'claude');
  const client = mcpClients.find(({ id }) => id === chosen) ?? mcpClients[0]!;
  const { origin, hostname } = window.location;
  const hosted = !loopback.test(hostname);
  return (
    <div className={styles['sections']}>
      <Section
        title="Connect a repository"
        about="Run this in the repository that the agent works in. It binds the repository to this project, stores an agent key in .planner/token, which git ignores, adds the server to the client, and writes a guide for agents."
      >
        <Segments
          label="Client"
          value={client.id}
          onChange={setChosen}
          choices={mcpClients.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Snippet
          label={`Connect ${client.name}`}
          text={connectCommand(project.id, client.id, hosted ? origin : undefined)}
        />
        {hosted ? <p className={styles['about']}>Before it, once: planner login {origin}</p> : null}
        <h3>Or write it by hand</h3>
        <p className={styles['about']}>
          In <code>{client.file}</code>, beside its other entries. It contains no secret.
        </p>
        <Snippet label={`Entry for ${client.name}`} text={client.entry} />
      </Section>
      <Section
        title="Over HTTP"
        about="Any client that speaks MCP over Streamable HTTP reaches the service at this address, with an agent key as its credential."
      >
        <Snippet label="Address" text={`${origin}/mcp`} />
        <Snippet label="Header" text="Authorization: Bearer <key>" />
        <p className={styles['about']}>
          <Link to={`/projects/${project.id}/settings/keys`}>Keys</Link> creates one. Keep it in a variable of the
          environment and out of every file that is committed.
          {hosted ? '' : ' On this computer a client without a key is you and may do everything.'}
        </p>
      </Section>
    </div>
  );
}

function Snippet({ label, text }: { readonly label: string; readonly text: string }): ReactElement {
  return (
    <div className={styles['snippet']}>
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}
