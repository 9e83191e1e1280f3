import type { CommitHooks } from '../../commit/commit.ts';
import { requireFits } from '../../files/checkpoint/fits-file.ts';
import type { Collection } from '../../record/collection.ts';
import { besideOf } from './beside-entry.ts';
import type { HostedProject } from './hosted-project.ts';
import { listProject } from './listed-projects.ts';
import type { NodeProjects } from './node-projects.ts';
import type { ProjectTitles } from './project-titles.ts';

export interface HostedHooksDeps extends Pick<CommitHooks<HostedProject>, 'lighten'> {
  readonly projects: NodeProjects;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly titles: ProjectTitles | undefined;
  readonly now: () => string;
  readonly onAdded: (project: HostedProject) => void;
  readonly onRemoved: (project: HostedProject) => void;
  /** Its records were changed, or a change of them was taken back. */
  readonly onChanged: (project: HostedProject) => void;
}

/** The steps of a node besides the index and the log. */
export function hostedHooks({
  projects,
  collections,
  titles,
  now,
  onAdded,
  onRemoved,
  onChanged,
  lighten,
}: HostedHooksDeps): CommitHooks<HostedProject> {
  return {
    requireStorable: ({ code }, { collection, to }) => {
      const spec = collections.get(collection);
      // A record that no file can hold could never be exported to files.
      if (spec !== undefined && to !== undefined) requireFits(spec, code, to);
    },
    onSubmitted: (project, _changes, revisions) => {
      for (const revision of revisions) project.replica.history.add(revision);
      onChanged(project);
    },
    onUndone: (project, revisions) => {
      for (const { id } of revisions) project.replica.history.undo(id);
      onChanged(project);
    },
    add: (project) => {
      projects.set(project);
      onAdded(project);
    },
    remove: (project) => {
      projects.delete(project.id);
      onRemoved(project);
    },
    list: ({ id, code, index }, directory, ofService) => {
      const { created_at = now() } = index.record(id) ?? {};
      listProject(ofService, { id, code, directory, created_at });
    },
    ...(lighten && { lighten }),
    beside: (project, changes, revisions, texts) =>
      besideOf(collections, { changes, revisions, texts, titles: titles?.changedBy(project, changes) }),
    ...(titles && { besideDeletion: { titles: 'none' } }),
    onDropped: () => Promise.resolve(),
  };
}
