import { restPrefix } from '../base/addresses.ts';
import type { Problem } from '../domain/records/collections.ts';
import { suspendedKind } from '../domain/feed/fatal-work.ts';
import { pausedKind } from '../domain/feed/webhooks.ts';
import type { Problem as StoredProblem, Remedy } from '../store/index.ts';

/** Sentences for remedies that are a command or a request. */
const sentences: Readonly<Record<Exclude<Remedy['code'], 'restore_revision' | 'restore_project'>, string>> = {
  restore_project_file:
    'Restore the file: check it out from git, or copy it from a backup, or run planner doctor --fix, which rebuilds it.',
  rebuild_project_file:
    'Repair the file in an editor, or check it out again, or run planner doctor --fix, which rebuilds it and keeps a copy of it.',
  set_project: "Put the project's id there, or run planner connect.",
  bind_project:
    'If its directory was removed, git checkout -- .planner/projects brings back what was committed; else run planner connect --project with one that does.',
  add_lines: 'Add it, or run planner doctor --fix.',
  replace_token: 'Remove it and run planner connect.',
  close_token: 'chmod 600 it, or run planner doctor --fix.',
  renew_token: 'Run planner connect, which creates a key; or remove the file.',
  resolve_merge: 'Run planner resolve, which settles what both sides of the merge moved, then finish the merge.',
  separate_project: 'Remove one of the two directories, or run planner doctor --fix to assign new ids to the copy.',
  separate_copy:
    'Run planner doctor --fix, which makes the copy a record of its own, or remove the file that you do not need.',
};

/** The remedies of problems that do not belong to files. */
const byKind: ReadonlyMap<string, string> = new Map([
  [
    pausedKind,
    'Correct the receiver, then run planner webhooks resume with its id. If it is no longer needed, delete the webhook.',
  ],
  [suspendedKind, 'Report what the log of the service says of it. Another version of Planner tries it again.'],
]);

/** A problem for callers: its remedy is a sentence. */
export function showProblem(problem: StoredProblem): Problem {
  const { kind, remedy = byKind.get(kind) } = problem;
  if (remedy === undefined) return problem as Problem;
  return { ...problem, remedy: typeof remedy === 'object' ? worded(remedy) : remedy };
}

function worded(remedy: Remedy): string {
  if (remedy.code === 'restore_project')
    return `Run planner restore ${remedy.project}, which brings it back from .planner/local/trash, then planner connect; or planner connect --project with another one.`;
  if (remedy.code !== 'restore_revision') return sentences[remedy.code];
  return `POST ${restPrefix}/revisions/${remedy.revision}/restore restores the other value.`;
}
