import type { DirectoryDepths } from '../../record/directory-depths.ts';
import type { StoreOptions } from '../project/options.ts';
import { ThreadWatch, type WatchListener, type WatchPort } from './watch-port.ts';

/** Opens the watch of `projects/`: in a worker thread, or in this thread for tests with another disk. */
export async function openWatch(
  { writer, disk, clock }: Required<Pick<StoreOptions, 'writer' | 'disk' | 'clock'>>,
  directory: string,
  depths: DirectoryDepths,
  listener: WatchListener,
): Promise<WatchPort> {
  if (writer === 'thread') return new ThreadWatch({ directory, depths }, clock, listener);
  // Loads chokidar, which only the thread needs otherwise.
  const { DirectoryWatch } = await import('./directory-watch.ts');
  return new DirectoryWatch({ directory, depths, disk, clock, ...listener });
}
