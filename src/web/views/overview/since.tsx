import { Fragment } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { soFar, useResponse } from '../../api/cache.ts';
import { authorOf } from '../../rest/author.ts';
import type { Event } from '../../rest/types.ts';
import { lastVisitOf } from '../../api/visit.ts';
import styles from '../../ui/activity.module.css';
import { AuthorIcon } from '../../ui/activity.tsx';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/states.tsx';
import { placeOf, TargetLink } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';

const types =
  'task.created,task.updated,task.deleted,task.claimed,task.done,goal.created,goal.updated,goal.completed,goal.blocked,document,note,artifact,prototype,submission.created,comment.created,run.asks,run.answered';
const verbs: Readonly<Record<string, string>> = {
  ...{ created: 'added', updated: 'changed', deleted: 'deleted', claimed: 'took', done: 'finished' },
  ...{ completed: 'completed', blocked: 'blocked', asks: 'asks in', answered: 'answered in' },
};

const eventsRead = 100;
const groupsShown = 8;
const namesShown = 3;

/**
 * The changes since this browser's last visit, of a project or of the named ones, by author and kind; if there are none,
 * the latest ones.
 */
export function Since({
  projectId,
  names,
}: {
  readonly projectId?: string;
  readonly names?: ReadonlyMap<string, string>;
}): ReactElement {
  const input = { before: 'now', limit: eventsRead, types };
  const of = useResponse(
    'list_events',
    { ...input, project_id: projectId ?? '' },
    { enabled: projectId !== undefined },
  );
  const all = useResponse('list_all_events', input, { enabled: projectId === undefined });
  const events = projectId === undefined ? all : of;
  // The feed still has the events of projects that were deleted.
  const isListed = ({ project_id: id }: Event): boolean => names?.has(id) !== false;
  const listed = soFar(events.data?.events).filter(isListed);
  const projects = new Set(listed.map(({ project_id: id }) => id));
  const lastVisits = new Map([...projects].map((id) => [id, lastVisitOf(id)]));
  const isNew = ({ at, project_id: id }: Event): boolean => Date.parse(at) > (lastVisits.get(id) ?? Infinity);
  const recent = listed.filter(isNew);
  return (
    <Card title={recent.length > 0 ? 'Since your last visit' : 'Recent changes'}>
      <Loaded of={events}>
        {() => (
          <ul className={styles['list']}>
            {listed.length === 0 ? <li className={styles['line']}>Nothing has been changed yet.</li> : null}
            {groupsOf(recent.length > 0 ? recent : listed).map(([last, ...others]) => (
              <li key={last.cursor} className={styles['line']}>
                <AuthorIcon author={last.author} />
                <p>
                  <strong>{authorOf(last.author).name}</strong> {verbOf(last)}{' '}
                  {[last, ...others].slice(0, namesShown).map((event, at) => (
                    <Fragment key={event.cursor}>
                      {at === 0 ? null : ', '}
                      <Changed event={event} />
                    </Fragment>
                  ))}
                  {others.length < namesShown ? null : ` and ${others.length + 1 - namesShown} more`}
                  {names === undefined ? null : (
                    <>
                      {' '}
                      in <Link to={`/projects/${last.project_id}`}>{names.get(last.project_id)}</Link>
                    </>
                  )}
                </p>
                <span className={styles['when']}>
                  <Ago time={last.at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function verbOf({ type }: Event): string {
  return type === 'comment.created' ? 'commented on' : verbs[type.split('.')[1]!]!;
}

/** The last change of each record, without smaller ones before it, by project, author and kind; the newest first. */
function groupsOf(events: readonly Event[]): readonly (readonly [Event, ...Event[]])[] {
  const last = new Map<string, Event>();
  for (const event of events) {
    const id = event.type === 'comment.created' ? `on ${valueOf(event, 'target_id')}` : event.resource.id;
    if (event.type.endsWith('.updated') && last.has(id)) continue;
    last.delete(id);
    last.set(id, event);
  }
  const groups = Map.groupBy([...last.values()].reverse(), (event) =>
    [event.project_id, event.author, verbOf(event)].join(' '),
  );
  return [...groups.values()].slice(0, groupsShown) as [Event, ...Event[]][];
}

function valueOf({ changes }: Event, name: string): string {
  const to = changes.find(({ field }) => field === name)?.to;
  return typeof to === 'string' ? to : '';
}

/** The record of an event, or the target of a comment. */
function Changed({ event }: { readonly event: Event }): ReactElement {
  const { type, resource, project_id: projectId } = event;
  if (type === 'comment.created')
    return <TargetLink projectId={projectId} type={valueOf(event, 'target_type')} id={valueOf(event, 'target_id')} />;
  const name = resource.label ?? `a ${resource.type}`;
  if (type.endsWith('.deleted')) return <>{`the ${resource.type} “${name}”`}</>;
  return (
    <Link dir="auto" to={placeOf({ projectId, type: resource.type, id: resource.id })}>
      {name}
    </Link>
  );
}
