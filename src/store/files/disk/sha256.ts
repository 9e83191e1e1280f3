import { hash } from 'node:crypto';

/** The hash of a file's content, as lower-case hexadecimal. */
export function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
