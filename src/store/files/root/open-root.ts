import { IdSource } from '../../../base/ids.ts';
import { requireKnownFormat } from '../disk/format.ts';
import { makeRoot, removeTemporaryFiles } from '../disk/root-files.ts';
import { RootLayout } from '../disk/root-layout.ts';
import { Journal, type OpenedJournal } from '../journal/journal.ts';
import { defaultOptions, type StoreOptions } from '../project/options.ts';
import { RootLock } from '../lock/lock.ts';
import { openReplay, type Replayed } from './replay.ts';
import { upgradeRoot } from './upgrade.ts';

/** A root that this process has locked, in the current format, with its journal replayed. */
export interface OpenedRoot {
  readonly options: Required<StoreOptions>;
  readonly layout: RootLayout;
  readonly lock: RootLock;
  readonly replayed: Replayed;
  readonly opened: OpenedJournal;
}

/** Throws `conflict` if another service holds the root. */
export function openRoot(given: StoreOptions): OpenedRoot {
  const clock = given.clock ?? defaultOptions.clock;
  const options: Required<StoreOptions> = { ...defaultOptions, derived: {}, ids: new IdSource(clock), ...given };
  const { disk, segmentBytes, migrations, signLocal, log } = options;
  const layout = new RootLayout(options.root, options.local);
  requireKnownFormat(disk, layout, migrations);
  makeRoot(disk, layout, { known: migrations, signLocal });
  const lock = RootLock.acquire({ disk, directory: layout.local, clock });
  try {
    const { takenOverFrom: former } = lock;
    if (former !== undefined)
      log(
        `The root was taken over from process ${former.pid} on ${former.host}, whose last heartbeat was ${former.beat}.`,
      );
    removeTemporaryFiles(disk, layout);
    upgradeRoot({ ...options, layout });
    const replayed = openReplay(options, layout);
    const opened = Journal.open({ disk, directory: layout.journal, segmentBytes, keep: replayed.keep });
    return { options, layout, lock, replayed, opened };
  } catch (error) {
    lock.release();
    throw error;
  }
}
