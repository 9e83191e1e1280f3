import { join } from 'node:path';
import { startService } from '../../src/main/service.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';

/*
 * The service on a disk whose journal is slow: `node late-service.ts <directory> <port> <milliseconds>`. A change is in the index that
 * long before its first byte is written, so that a kill falls in between nearly every time.
 */
const [directory = '.', port = '0', late = '0'] = process.argv.slice(2);

const journal = new Set<number>();
const disk: Disk = {
  ...nodeDisk,
  open: (path, flags, mode) => {
    const fd = nodeDisk.open(path, flags, mode);
    if (path.includes('/local/journal/')) journal.add(fd);
    return fd;
  },
  close: (fd) => {
    journal.delete(fd);
    nodeDisk.close(fd);
  },
  writeAtAsync: async (fd, data, position) => {
    if (journal.has(fd)) await new Promise((resolve) => setTimeout(resolve, Number(late)));
    await nodeDisk.writeAtAsync(fd, data, position);
  },
};

await startService({
  root: join(directory, '.planner'),
  host: '127.0.0.1',
  port: Number(port),
  owner: 'Ada',
  defaultProject: undefined,
  log: () => undefined,
  disk,
});
