import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import { errorCode, nodeDisk } from '../disk/disk.ts';
import { DirectoryWatch } from './directory-watch.ts';
import type { WatchMessage, WatchRequest, WatchThreadOptions } from './watch-port.ts';

/** The worker thread of `ThreadWatch`. */

const post = (message: WatchMessage): void => parentPort!.postMessage(message);
let onMore: () => void = () => undefined;

const watch = new DirectoryWatch({
  ...(workerData as WatchThreadOptions),
  disk: nodeDisk,
  clock: systemClock,
  onEvents: (events) => {
    post({ events });
    return new Promise((resolve) => (onMore = resolve));
  },
  onOverflow: () => post({ overflow: true }),
  onWatchLost: () => post({ lost: true }),
  onWatchFailed: (error) => post({ failed: error, code: errorCode(error) }),
});

parentPort!.on('message', (request: WatchRequest) => {
  if ('more' in request) return onMore();
  const { number } = request;
  void watch[request.call]().then(() => post({ number }));
});
