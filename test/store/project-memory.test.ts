import { expect } from 'chai';
import { memoryBytesOf } from '../../src/store/hosted/node/project-memory.ts';

const mebibyte = 1024 * 1024;

describe('The memory of projects, by default', () => {
  it('is half of the heap without the part for new objects [A.nodes.memory]', () => {
    // The heaps of `--max-old-space-size=4096`, 1024 and 512.
    for (const [heap, projects] of [
      [4288, 2048],
      [1216, 512],
      [704, 256],
    ] as const)
      expect(memoryBytesOf(heap * mebibyte)).to.equal(projects * mebibyte);
  });

  it('leaves room for calls in a small heap [A.nodes.memory]', () => {
    // The heap of `--max-old-space-size=160`.
    expect(memoryBytesOf(352 * mebibyte)).to.equal(88 * mebibyte);
    expect(memoryBytesOf(128 * mebibyte)).to.equal(32 * mebibyte);
  });
});
