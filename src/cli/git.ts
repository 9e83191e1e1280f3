import { execFile } from 'node:child_process';

export interface Ran {
  readonly ok: boolean;
  /** The exit status, or node's error code where git could not be started. */
  readonly code: number | string | null;
  /** What it answered. */
  readonly bytes: Buffer;
  /** The same as text, without the white space around; what it said on its error output where it failed. */
  readonly output: string;
}

/** Arguments in front: nothing that the repository's own settings name is run, and paths are no patterns. */
export const quietly: readonly string[] = ['-c', 'core.fsmonitor=false', '--literal-pathspecs'];

export interface GitOptions {
  /** What it reads. */
  readonly input?: string;
  /** It is ended after this time. Default 10 s. */
  readonly msMax?: number;
}

const answerBytesMax = 256 * 1024 * 1024;

/** Runs git in a directory. Never throws: where git is not there, that is what it answers. */
export function git(
  directory: string,
  args: readonly string[],
  { input = '', msMax = 10_000 }: GitOptions = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: directory, timeout: msMax, windowsHide: true, maxBuffer: answerBytesMax } as const;
    const child = execFile('git', args, { ...options, encoding: 'buffer' }, (error, bytes, errors) => {
      const said = error === null ? bytes.toString() : errors.toString() || error.message;
      resolve({ ok: error === null, code: error === null ? 0 : (error.code ?? null), bytes, output: said.trim() });
    });
    // Where git ends before it has read all, its answer says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** The names in an answer of `-z`. */
export function namesIn(bytes: Buffer): string[] {
  return bytes
    .toString()
    .split('\0')
    .filter((name) => name !== '');
}
