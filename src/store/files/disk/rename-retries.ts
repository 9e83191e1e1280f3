/** Half a second in all: readers hold a file for milliseconds. */
const pausesMs = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export interface RenameRetriesOptions {
  readonly rename: (from: string, to: string) => void;
  /** As `process.platform`. */
  readonly platform: string;
  /** Blocks the calling thread. */
  readonly pause: (ms: number) => void;
}

/**
 * Renames with retries on Windows: a file that another program has open (an editor, an indexer, a virus scanner) can
 * be neither renamed nor replaced there. Elsewhere the same codes are final: they are about permissions.
 */
export function renameWithRetries({
  rename,
  platform,
  pause,
}: RenameRetriesOptions): (from: string, to: string) => void {
  if (platform !== 'win32') return rename;
  return (from, to) => {
    for (const ms of pausesMs) {
      try {
        return rename(from, to);
      } catch (error) {
        if (!['EPERM', 'EBUSY', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
        pause(ms);
      }
    }
    rename(from, to);
  };
}
