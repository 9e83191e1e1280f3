import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { RootLock } from '../../src/store/files/lock/lock.ts';

/** A process of its own that takes the lock of the directory named, says so (or why not) in one line, and keeps it until it is ended. */
const [directory = '', address] = process.argv.slice(2);
try {
  RootLock.acquire({ disk: nodeDisk, directory, ...(address === undefined ? {} : { address }) });
  process.stdout.write('held\n');
  setInterval(() => undefined, 1000);
} catch (error) {
  process.stdout.write(`${JSON.stringify(error)}\n`);
}
