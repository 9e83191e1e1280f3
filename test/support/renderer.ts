import type { Renderer } from '../../src/store/files/checkpoint/checkpoint-job.ts';

/** A renderer for the writer's tests: keeps the first line of the file that is there. */
export function createRenderer(data: unknown): Renderer {
  return ({ id, fields }, present) => {
    const first = present === null ? String(data) : Buffer.from(present).toString().split('\n')[0];
    return `${first}\n${id}: ${JSON.stringify(fields)}\n`;
  };
}
