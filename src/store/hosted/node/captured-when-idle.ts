import { slice } from '../../../base/slices.ts';
import type { DurabilityTracker } from '../../commit/durability-tracker.ts';
import type { Feed } from '../../replica/feed.ts';
import type { HostedProject } from './hosted-project.ts';
import { type CapturedLog, capturedProject } from './log-snapshot.ts';

/** How often it is waited for until no change of a log is in progress. */
export const capturesMax = 50;

/** A project in memory when no change of it is in progress; undefined if it is not present any more. */
export async function capturedWhenIdle(
  project: HostedProject,
  {
    now,
    durability,
    feed,
    isPresent,
  }: {
    readonly now: string;
    readonly durability: DurabilityTracker;
    readonly feed: Feed | undefined;
    readonly isPresent: (project: HostedProject) => boolean;
  },
): Promise<CapturedLog | undefined> {
  const { id: name } = project;
  const isIdle = (): boolean => project.exclusive.held === undefined && !project.replica.tail.isSpeculative;
  const capture = (): CapturedLog | undefined =>
    isPresent(project)
      ? slice('snapshot', () => capturedProject(project, { now, ...(feed && { feed }) }), name)
      : undefined;
  for (let tries = 0; !isIdle() && tries < capturesMax; tries++)
    await (project.exclusive.held ?? durability.whenDecided(name));
  if (isIdle()) return capture();
  // It is never idle: changes wait once for the changes in progress.
  return project.exclusive.run(async () => {
    while (project.replica.tail.isSpeculative) await durability.whenDecided(name);
    return capture();
  });
}
