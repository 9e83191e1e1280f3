import { extname } from 'node:path';
import type { CheckpointPort } from './checkpoint-job.ts';
import { InlineCheckpoints, ThreadCheckpoints } from './checkpoint-port.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import type { StoreOptions } from '../project/options.ts';
import { createRenderer } from './render.ts';
import type { RootLayout } from '../disk/root-layout.ts';

/** Opens the writer: in a worker thread, or in this thread for tests with another disk. */
export function openPort(options: Required<StoreOptions>, layout: RootLayout): CheckpointPort {
  const shapes = Object.fromEntries(options.collections.map(({ name, shape }) => [name, shape]));
  const { clock } = options;
  if (options.writer === 'inline') {
    const { disk } = options;
    return new InlineCheckpoints(
      new CheckpointWriter({ disk, root: layout.root, clock, renderer: createRenderer(shapes) }),
    );
  }
  const module = new URL(`./render${extname(import.meta.filename)}`, import.meta.url).href;
  return new ThreadCheckpoints({ root: layout.root, renderer: { module, data: shapes } }, clock);
}
