import { CloudDownload } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { toast } from 'sonner';
import { useSyncPull } from '../../api/submissions.ts';
import { useQueryValue } from '../../shell/query-state.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useEntries } from './entries.ts';
import type { Tab } from './entries.ts';
import { Triage } from './triage.tsx';

const tabs: readonly { readonly value: Tab; readonly label: string }[] = [
  { value: 'submissions', label: 'Submissions' },
  { value: 'proposals', label: 'Proposals' },
  { value: 'backlog', label: 'Backlog' },
  { value: 'decided', label: 'Decided' },
];

/** Everything that awaits a decision: submissions, proposals, the backlog. */
export function InboxView(): ReactElement {
  const projectId = useProjectId();
  const [tab, setTab] = useQueryValue<Tab>('tab', 'submissions');
  const [, setItem] = useQueryValue<string>('item', '');
  useTitle('Inbox');
  const { of, counts } = useEntries(projectId, tab);
  return (
    <Page title="Inbox" actions={<FetchButton projectId={projectId} />}>
      <Segments
        label="What to triage"
        value={tab}
        onChange={(next) => {
          setItem('');
          setTab(next);
        }}
        choices={tabs.map(({ value, label }) => ({ value, label, count: counts[value] }))}
      />
      <Loaded of={of} view="split">
        {(entries) => <Triage key={tab} projectId={projectId} tab={tab} entries={entries} />}
      </Loaded>
    </Page>
  );
}

/** Fetches submissions from the project's hosted remote. */
function FetchButton({ projectId }: { readonly projectId: string }): ReactElement {
  const pull = useSyncPull();
  const fetchNew = async (): Promise<void> => {
    const answer = await pull.mutateAsync({ project_id: projectId }).catch(() => undefined);
    if (answer !== undefined)
      toast.success(
        answer.pulled === 0
          ? 'Nothing new.'
          : `${answer.pulled} new ${answer.pulled === 1 ? 'submission' : 'submissions'}.`,
      );
  };
  return (
    <Button onClick={() => void fetchNew()} disabled={pull.isPending} aria-busy={pull.isPending}>
      <CloudDownload size={15} aria-hidden /> {pull.isPending ? 'Fetching…' : 'Fetch from remote'}
    </Button>
  );
}
