import { Bot } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useRuns } from '../../api/runs.ts';
import { Card } from '../../ui/card.tsx';
import { LazyMarkdownView } from '../../ui/markdown/lazy.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from './overview.module.css';

/** Running runs, with their question or their last message. */
export function RunningAgents({ projectId }: { readonly projectId: string }): ReactElement {
  const runs = useRuns(projectId);
  return (
    <Card title="Agents at work">
      <Loaded of={runs}>
        {(rows) => {
          const running = rows.filter(({ status }) => status === 'running').toReversed();
          if (running.length === 0) return <None>None at the moment.</None>;
          return (
            <ul className={styles['runs']}>
              {running.slice(0, 6).map((run) => (
                <li key={run.id}>
                  <Bot size={15} aria-hidden />
                  <div>
                    <Link to={`/projects/${projectId}/agents?run=${run.id}`}>
                      {run.label ?? run.agent_ref ?? 'A run'}
                    </Link>
                    <LazyMarkdownView
                      text={run.awaiting?.question ?? run.events.at(-1)?.message ?? 'No message yet.'}
                      projectId={projectId}
                    />
                  </div>
                  <Ago time={run.events.at(-1)?.created_at ?? run.started_at} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}
