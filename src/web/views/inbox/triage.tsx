import { Inbox as InboxIcon } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Queue, useQueue, useQueueShortcuts } from '../../shell/queue.tsx';
import { Empty } from '../../ui/states.tsx';
import { useActions } from './actions.tsx';
import { Detail } from './detail.tsx';
import type { Entry, Tab } from './entries.ts';
import { Facts } from './facts.tsx';

const empty: Readonly<Record<Tab, { readonly title: string; readonly about: string }>> = {
  submissions: {
    title: 'Nothing to triage',
    about: 'Submissions of participants wait here. Create participant links in Settings.',
  },
  proposals: {
    title: 'No proposals',
    about: 'Tasks in Scope wait here for release: accepted submissions, remediation tasks, ideas.',
  },
  backlog: { title: 'The backlog is empty', about: 'Tasks that are not scheduled yet wait here.' },
  decided: { title: 'Nothing decided yet', about: 'Submissions that were accepted or rejected stay here.' },
};

/** A list with the selected entry next to it. j and k select, one key per action decides. */
export function Triage({
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
  const { actions, windows } = useActions({ projectId, tab, entry: chosen, goOn: queue.goOn });
  useQueueShortcuts('Inbox', queue, actions);
  if (chosen === undefined)
    return (
      <Empty icon={InboxIcon} title={empty[tab].title}>
        {empty[tab].about}
      </Empty>
    );
  return (
    <Queue of={queue} {...{ chosen, actions }} label="To triage" facts={(entry) => <Facts entry={entry} />}>
      <Detail projectId={projectId} entry={chosen} />
      {windows}
    </Queue>
  );
}
