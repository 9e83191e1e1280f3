import type { SyncPullAnswer, SyncPullInput } from '../domain/records/collections.ts';
import { pullCollection, type PullRecord } from '../domain/plan/pulls.ts';
import { pullSubmissions } from '../domain/content/submissions.ts';
import { fetchInbox, type RemoteInbox } from '../remote/remote-submissions.ts';
import { groups } from './groups.ts';
import type { PlannerOperation, Write } from './declaration/planner-operation.ts';

/** The result of the request before the transaction, for `run`. */
interface Fetched extends SyncPullInput {
  readonly inbox: RemoteInbox;
  /** The remote that the inbox was read from. */
  readonly remote: string;
}

const pull: Write<SyncPullInput, SyncPullAnswer, never, Fetched> = {
  name: 'sync_pull',
  summary: "Fetch what participants submitted at the project's hosted remote",
  group: groups.participants,
  input: 'SyncPullInput',
  output: 'SyncPullAnswer',
  scope: 'project',
  effect: 'write',
  rest: { method: 'POST', path: '/projects/:project_id/sync-pull', status: 200 },
  mcp: {
    title: 'Pull submissions',
    description:
      'Fetches what participants submitted at the hosted remote since the last pull. Returns {pulled}; list_submissions lists them; guests wrote them.',
    idempotent: true,
  },
  prepare: async (input, _, bench) => {
    const { project, last } = await bench.view((view) => ({
      project: view.project,
      last: view.service.get<PullRecord>(pullCollection.name, view.project),
    }));
    const remoteProject = await bench.remotes.of(project);
    const remote = `${remoteProject.url} ${remoteProject.projectId}`;
    const inbox = await fetchInbox(remoteProject, last?.remote === remote ? last.etag : undefined);
    return { ...input, inbox, remote };
  },
  run: (tx, { inbox, remote }) => {
    const pulled = pullSubmissions(tx, inbox.submissions);
    const last = tx.service.get<PullRecord>(pullCollection.name, tx.project);
    if (inbox.etag !== undefined && (last?.etag !== inbox.etag || last.remote !== remote)) {
      tx.service.put<PullRecord>(pullCollection.name, {
        id: tx.project,
        created_at: last?.created_at ?? tx.now,
        updated_at: tx.now,
        project: tx.project,
        remote,
        etag: inbox.etag,
      });
    }
    return { pulled };
  },
};

export const syncOperations: readonly PlannerOperation[] = [pull];
