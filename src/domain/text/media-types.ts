import { lookup } from 'mime-types';
import { posix } from 'node:path';

/** The media type of a file name, by its extension. */
export function mediaTypeOf(filename: string): string {
  return lookup(posix.extname(`a${filename}`)) || 'application/octet-stream';
}
