import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import { workInBackground } from '../../../platform/background-thread.ts';
import type { Renderer } from './checkpoint-job.ts';
import type { CheckpointReply, CheckpointRequest, CheckpointThreadOptions } from './checkpoint-port.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import { nodeDisk } from '../disk/disk.ts';

/** The worker thread of `ThreadCheckpoints`: a writer on the real disk, which handles requests as messages. */

workInBackground(nodeDisk);
const { root, renderer: from } = workerData as CheckpointThreadOptions;
const renderer =
  from && ((await import(from.module)) as { createRenderer(data: unknown): Renderer }).createRenderer(from.data);
const writer = new CheckpointWriter({ disk: nodeDisk, root, clock: systemClock, ...(renderer ? { renderer } : {}) });

parentPort!.on('message', (request: CheckpointRequest) => parentPort!.postMessage(reply(request)));

function reply(request: CheckpointRequest): CheckpointReply {
  const { number } = request;
  try {
    return { number, answer: 'run' in request ? writer.run(request.run) : writer.sync(request.sync) };
  } catch (error) {
    return { number, error: error as Error };
  }
}
