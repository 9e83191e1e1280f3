import { parentPort } from 'node:worker_threads';
import { render } from '../domain/text/renderers.ts';
import type { RenderReply, RenderRequest } from './render-thread.ts';

/** The thread that `RenderThread` starts renders one text after the other. */

parentPort!.postMessage('ready' satisfies RenderReply);
parentPort!.on('message', (request: RenderRequest) => parentPort!.postMessage(reply(request)));

function reply({ job, plain }: RenderRequest): RenderReply {
  try {
    return { output: render(job, plain) };
  } catch (thrown) {
    return { failure: String(thrown) };
  }
}
