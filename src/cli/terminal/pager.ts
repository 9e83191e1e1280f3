import { readProgramEnvironment } from '../../base/config.ts';
import { findProgram, startProgram, startShell } from '../../platform/programs.ts';
import type { ProcessEvents } from './process-events.ts';

export interface PagerOptions {
  /** PAGER: a command line of the user. Default: `less`, if it is installed. */
  readonly pager: string | undefined;
  readonly directory: string;
  readonly events: Pick<ProcessEvents, 'ignoreInterrupts'>;
}

/** `less` ends immediately if the text fits, passes colours on, and leaves the text on the screen. */
const lessOptions = '-FRX';
/** The exit code of shells for an unknown program. */
const notFound = 127;

/**
 * Shows a text in the user's pager, and waits until that ends. Resolves with false without a pager: the caller then
 * prints the text.
 */
export async function showPaged(text: string, { pager, directory, events }: PagerOptions): Promise<boolean> {
  const env = readProgramEnvironment();
  // As git does: a pager that the user names without options passes colours on, too.
  const stdio: ('pipe' | 'inherit')[] = ['pipe', 'inherit', 'inherit'];
  const options = { env: { LESS: 'FRX', LV: '-c', ...env }, cwd: directory, stdio };
  if (pager === 'cat' || (pager === undefined && findProgram('less', env) === undefined)) return false;
  // The key that interrupts a search of the pager reaches this process, too.
  const listen = events.ignoreInterrupts();
  try {
    return await new Promise((resolve) => {
      const child =
        pager === undefined
          ? startProgram('less', [lessOptions], options)
          : process.platform === 'win32'
            ? startShell(pager, options)
            : startProgram('/bin/sh', ['-c', pager], options);
      child.once('error', () => resolve(false));
      child.once('close', (code) => resolve(code !== notFound));
      // The pager may end before it has read everything.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(text);
    });
  } finally {
    listen();
  }
}
