import { systemClock } from '../../src/base/clock.ts';
import { startHostedService, type HostedNode } from '../../src/main/hosted-service.ts';
import { SimulatedLog, SimulatedLogServer } from '../store/log/simulated-log.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';

/** A node of a hosted service in this process, over a log in memory. */
export function startSimulatedNode(server = new SimulatedLogServer()): Promise<HostedNode> {
  const log = new SimulatedLog(server, { now: () => systemClock.now() });
  return startHostedService({
    ...{ owner: 'Ada', defaultProject: undefined, port: 0, host: '127.0.0.1', log: () => undefined },
    storage: {
      ...{
        log,
        answers: log.answers,
        revisions: server.revisions,
        texts: server.texts,
        snapshots: new MemorySnapshots(),
      },
      blobs: new MemoryBlobs((sha) => server.blobs.add(sha)),
      close: () => log.close(),
    },
  });
}
