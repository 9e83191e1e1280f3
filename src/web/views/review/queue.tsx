import { BadgeCheck } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Queue, useQueue, useQueueShortcuts } from '../../shell/queue.tsx';
import { Empty } from '../../ui/states.tsx';
import { useReviewActions } from './actions.tsx';
import { Detail } from './detail.tsx';
import type { Entry, Tab } from './entries.ts';
import { Facts } from './facts.tsx';

const empty: Readonly<Record<Tab, { readonly title: string; readonly about: string }>> = {
  all: { title: 'Nothing to review', about: 'Finished tasks that are not verified, and agents that ask, wait here.' },
  questions: {
    title: 'No questions',
    about: 'A run whose newest message ends with a question mark waits here for an answer.',
  },
  approval: { title: 'Nothing to approve', about: 'Finished tasks in the lanes Approve and Full wait here.' },
  finished: {
    title: 'Nothing to verify',
    about: 'Finished tasks without a verification wait here, except in lane Auto.',
  },
};

/** The queue with the selected entry next to it. j and k select, a approves, r sends back. */
export function ReviewQueue({
  projectId,
  tab,
  entries,
}: {
  readonly projectId: string;
  readonly tab: Tab;
  readonly entries: readonly Entry[];
}): ReactElement {
  const queue = useQueue(entries);
  const { chosen } = queue;
  const { actions, windows, notice } = useReviewActions(projectId, chosen, queue.goOn);
  useQueueShortcuts('Review', queue, actions);
  if (chosen === undefined)
    return (
      <>
        {notice}
        <Empty icon={BadgeCheck} title={empty[tab].title}>
          {empty[tab].about}
        </Empty>
        {windows}
      </>
    );
  return (
    <>
      {notice}
      <Queue of={queue} {...{ chosen, actions }} label="To review" facts={(entry) => <Facts entry={entry} />}>
        <Detail projectId={projectId} entry={chosen} />
        {windows}
      </Queue>
    </>
  );
}
