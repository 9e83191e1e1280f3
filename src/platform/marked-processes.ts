import { delay, systemClock } from '../base/clock.ts';
import { execProgramSync } from './programs.ts';

/** The part of a disk that shows processes, where the system has them as files. */
interface Files {
  list(path: string): readonly { readonly name: string }[];
  read(path: string): Uint8Array;
}

/** A variable that marks the environment of a process, and of all that it starts. */
export interface Mark {
  readonly name: string;
  readonly value: string;
}

/** From SIGTERM to SIGKILL. */
const graceMs = 5_000;
/** A killed process that is still there after that runs no code of its own any more. */
const waitMs = 10_000;
const pollMs = 50;

/** Ends the processes of this machine that have a mark. Resolves once they have ended. */
export async function endMarked(files: Files, mark: Mark, environment: NodeJS.ProcessEnv): Promise<void> {
  for (let ms = 0; ms <= waitMs; ms += pollMs) {
    const found = markedProcesses(files, mark, environment);
    if (found.length === 0) return;
    if (ms === 0) for (const pid of found) signal(pid, 'SIGTERM');
    else if (ms >= graceMs) for (const pid of found) signal(pid, 'SIGKILL');
    await delay(systemClock, pollMs);
  }
}

/**
 * The other processes of this user that have a mark: unlike a process id, it belongs to them alone. None on a system that does not show
 * environments.
 */
export function markedProcesses(
  files: Files,
  mark: Mark,
  environment: NodeJS.ProcessEnv,
  platform = process.platform,
): readonly number[] {
  const text = `${mark.name}=${mark.value}`;
  const found =
    platform === 'linux' ? inProc(files, `\0${text}\0`) : platform === 'darwin' ? inList(` ${text} `, environment) : [];
  return found.filter((pid) => pid !== process.pid);
}

function inProc(files: Files, text: string): readonly number[] {
  const pids = files.list('/proc').flatMap(({ name }) => (/^\d+$/.test(name) ? Number(name) : []));
  return pids.filter((pid) => {
    try {
      return `\0${Buffer.from(files.read(`/proc/${pid}/environ`)).toString('latin1')}`.includes(text);
    } catch {
      // It has ended, or is another user's.
      return false;
    }
  });
}

/** `ps` shows the environment after the command line. */
function inList(text: string, env: NodeJS.ProcessEnv): readonly number[] {
  const { stdout } = execProgramSync('ps', ['-xwwE', '-o', 'pid=,command='], { env, maxBuffer: 64 * 1024 * 1024 });
  const lines = String(stdout).split('\n');
  return lines.filter((line) => `${line} `.includes(text)).map((line) => Number.parseInt(line, 10));
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
