import type { Random } from './random.ts';

/**
 * The loss of unsynced changes in a power cut. Data: all is lost and the file as long as it was, the first half of them
 * is kept, zeros are in their place, each block is kept or not, or each file has its own of these. Names (made, moved,
 * removed): all are kept, all are lost, or the changes after some moment are.
 */
export interface Loss {
  readonly data: 'lost' | 'half' | 'zeros' | 'blocks' | 'mixed';
  readonly names: 'kept' | 'lost' | 'some';
}

const blockBytes = 512;

/** The remaining content of a file. */
export function left(bytes: Buffer, synced: Buffer, data: Loss['data'], random: Random): Buffer {
  switch (data) {
    case 'lost':
      return synced;
    case 'zeros':
      return blockwise(bytes, synced, () => false);
    case 'blocks':
      return blockwise(bytes, synced, () => random.chance(0.5));
    case 'half': {
      const kept = bytes.subarray(0, Math.ceil((synced.length + bytes.length) / 2));
      return synced.length <= kept.length ? kept : synced;
    }
    case 'mixed':
      return left(bytes, synced, random.pick(['lost', 'half', 'zeros', 'blocks'] as const), random);
  }
}

/**
 * As long as it was made; of each block that was not synced the new content or the old one, zeros where there was no
 * old one.
 */
function blockwise(bytes: Buffer, synced: Buffer, keeps: () => boolean): Buffer {
  const result = Buffer.alloc(bytes.length);
  synced.copy(result);
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    if (!block.equals(synced.subarray(at, at + block.length)) && keeps()) block.copy(result, at);
  }
  return result;
}
