import { join } from 'node:path';

/** The directory of compiled code, which processes of the tests share. */
export const compiledCode = join(import.meta.dirname, '../../node_modules/.cache/compiled');
