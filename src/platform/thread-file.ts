import { extname, join } from 'node:path';

/**
 * The file of a thread in the folder of a module, with the module's extension: sources start sources, the build starts
 * the build.
 */
export function threadFile({ dirname, filename }: Pick<ImportMeta, 'dirname' | 'filename'>, name: string): string {
  return join(dirname, `${name}${extname(filename)}`);
}
