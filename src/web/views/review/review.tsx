import { BadgeCheck } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useBulkChange } from '../../api/bulk.ts';
import { approvedNow } from '../../api/review.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useQueryValue } from '../../shell/query-state.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useReview } from './entries.ts';
import type { Entry, Tab } from './entries.ts';
import { ReviewQueue } from './queue.tsx';

const tabs: readonly { readonly value: Tab; readonly label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'questions', label: 'Questions' },
  { value: 'approval', label: 'Needs approval' },
  { value: 'finished', label: 'Finished' },
];

/** The review queue: finished tasks that are not verified, and runs that ask. */
export function ReviewView(): ReactElement {
  const projectId = useProjectId();
  const [tab, setTab] = useQueryValue<Tab>('tab', 'all');
  const [, setItem] = useQueryValue<string>('item', '');
  useTitle('Review');
  const { of, lists } = useReview(projectId, tab);
  return (
    <Page title="Review" actions={of.data && <ApproveAll projectId={projectId} entries={of.data} />}>
      <Segments
        label="What to review"
        value={tab}
        onChange={(next) => {
          setItem('');
          setTab(next);
        }}
        choices={tabs.map(({ value, label }) => ({ value, label, count: lists?.[value].length }))}
      />
      <Loaded of={of} view="split">
        {(entries) => <ReviewQueue key={tab} projectId={projectId} tab={tab} entries={entries} />}
      </Loaded>
    </Page>
  );
}

/** Approves every finished task of the tab, for a plan whose finished work was never verified. */
function ApproveAll({
  projectId,
  entries,
}: {
  readonly projectId: string;
  readonly entries: readonly Entry[];
}): ReactElement | null {
  const [isConfirming, setConfirming] = useState(false);
  const { update } = useBulkChange(projectId);
  const tasks = entries.flatMap((entry) => (entry.kind === 'task' ? [entry.task] : []));
  if (tasks.length < 2) return null;
  return (
    <>
      <Button onClick={() => setConfirming(true)}>
        <BadgeCheck size={15} aria-hidden /> Approve all {tasks.length}…
      </Button>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        danger={false}
        title={`Approve ${tasks.length} tasks?`}
        about="Each of them is marked as verified now. This can be undone."
        action="Approve all"
        onConfirm={() => void update(tasks, approvedNow)}
      />
    </>
  );
}
