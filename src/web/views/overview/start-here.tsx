import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Card } from '../../ui/card.tsx';
import styles from './overview.module.css';

/** The first steps in an empty project. */
export function StartHere({ projectId }: { readonly projectId: string }): ReactElement {
  const at = `/projects/${projectId}`;
  const steps = [
    {
      to: `${at}/settings/agents`,
      name: 'Connect an agent',
      text: 'It reads and writes this plan, and can make it for you.',
    },
    {
      to: `${at}/goals?new=goal`,
      name: 'Write the first goal',
      text: 'What is to be reached, and how that is verified.',
    },
    { to: `${at}/board`, name: 'Add a task', text: 'On the board, below the name of a column.' },
    { to: '/?import=plan', name: 'Import a plan', text: 'Of another tool, or an export of this one.' },
  ];
  return (
    <div className={styles['first']}>
      <Card title="Start here">
        <ul className={styles['start']}>
          {steps.map(({ to, name, text }) => (
            <li key={name}>
              <Link to={to} className={styles['step']}>
                <strong>{name}</strong>
                <span>{text}</span>
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}
