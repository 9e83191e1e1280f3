import type { ForkOptions } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './server-process.ts';

/**
 * Gives the options of a process in which one source file of the repository has another text. The working tree does not
 * change: `planted-source-hook.ts` loads the text instead of the file.
 */
export async function withPlantedSource<T>(
  { file, text }: { readonly file: string; readonly text: string },
  run: (options: Pick<ForkOptions, 'execArgv' | 'env'>) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'planted-'));
  try {
    const planted = join(scratch, 'planted.ts');
    await writeFile(planted, text);
    return await run({
      execArgv: ['--import', new URL('planted-source-hook.ts', import.meta.url).href],
      env: { ...process.env, PLANTED_FILE: join(repository, file), PLANTED_TEXT: planted },
    });
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
