import { execFile, spawn, spawnSync } from 'node:child_process';
import type {
  ChildProcess,
  ExecFileException,
  SpawnOptions,
  SpawnSyncOptions,
  SpawnSyncReturns,
} from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/**
 * The only code that starts other programs. A child's directory may be an untrusted repository, and systems look up a program that is given by
 * name there: Windows first of all, others for an entry of PATH that is empty or relative. So a name is resolved here, in the absolute entries
 * of PATH, and the program is started by its absolute path.
 */

/** The rules by which a program is looked up. The defaults are this system's. */
export interface ProgramSearch {
  readonly platform?: NodeJS.Platform;
  /** Returns whether a file at an absolute path can be started. */
  readonly isProgram?: (path: string) => boolean;
}

/** A program that was started. */
export type StartedProgram = ChildProcess;

interface WithEnvironment {
  /** The environment of the program. Its PATH is searched. */
  readonly env: NodeJS.ProcessEnv;
}

/** Where the C library searches if there is no PATH. */
const defaultPath = '/usr/bin:/bin';
/** The extensions in PATHEXT that Windows can start without a shell. */
const windowsExtensions: readonly string[] = ['.com', '.exe'];

/**
 * The absolute path of a program in the absolute entries of PATH, or undefined. An absolute path is returned if it is a
 * program; any other path is relative, and never used.
 */
export function findProgram(
  name: string,
  env: NodeJS.ProcessEnv,
  { platform = process.platform, isProgram = isExecutable }: ProgramSearch = {},
): string | undefined {
  const isWindows = platform === 'win32';
  const path = isWindows ? win32 : posix;
  const isName = path.basename(name) === name;
  const files = (isName ? searchPath(env, isWindows).split(path.delimiter) : [name])
    .filter((entry) => isFixed(entry, isWindows))
    .map((entry) => (isName ? path.join(entry, name) : entry));
  const endings = isWindows ? [...(path.extname(name) === '' ? [] : ['']), ...windowsExtensions] : [''];
  return files.flatMap((file) => endings.map((ending) => file + ending)).find(isProgram);
}

function searchPath(env: NodeJS.ProcessEnv, isWindows: boolean): string {
  // Windows permits quotes around entries.
  return isWindows ? (windowsVariable(env, 'PATH') ?? '').replaceAll('"', '') : (env['PATH'] ?? defaultPath);
}

/** Windows compares names of variables without case, and a copy of the environment does not. */
function windowsVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return Object.entries(env).find(([one]) => one.toUpperCase() === name)?.[1];
}

/**
 * Returns whether a path is the same in every directory. On Windows `\tools` and `C:tools` depend on the current ones.
 */
function isFixed(path: string, isWindows: boolean): boolean {
  return isWindows ? win32.isAbsolute(path) && win32.parse(path).root.length > 1 : posix.isAbsolute(path);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The program's path. Throws with the code ENOENT, as Node does. */
function requireProgram(name: string, env: NodeJS.ProcessEnv): string {
  const program = findProgram(name, env);
  if (program !== undefined) return program;
  const message = `${name} was not found in the absolute directories of PATH`;
  throw Object.assign(new Error(message), { code: 'ENOENT', syscall: 'spawn' });
}

/** On Windows, programs that look up others skip their directory with this variable. */
export function programEnvironment(env: NodeJS.ProcessEnv, platform = process.platform): NodeJS.ProcessEnv {
  return platform === 'win32' ? { ...env, NoDefaultCurrentDirectoryInExePath: '1' } : env;
}

export interface ExecOptions extends WithEnvironment {
  readonly cwd: string;
  /** Standard input. */
  readonly input: string;
  /** Milliseconds after which it is killed. */
  readonly timeout: number;
  /** Bytes of output. */
  readonly maxBuffer: number;
}

export interface ExecResult {
  readonly error: ExecFileException | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Runs a program to its end. Never rejects: one that is missing is reported in the result, with the code ENOENT. */
export function execProgram(name: string, args: readonly string[], options: ExecOptions): Promise<ExecResult> {
  const { input, env, ...rest } = options;
  return new Promise((resolve) => {
    const settings = { ...rest, env: programEnvironment(env), encoding: 'buffer', windowsHide: true } as const;
    try {
      const child = execFile(requireProgram(name, env), args, settings, (error, stdout, stderr) =>
        resolve({ error, stdout, stderr }),
      );
      // A program that ends before it has read all input says in its exit status why.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    } catch (error) {
      resolve({ error: error as ExecFileException, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) });
    }
  });
}

/** Runs a program to its end, synchronously. Throws if it is missing. */
export function execProgramSync(
  name: string,
  args: readonly string[],
  { env, ...options }: SpawnSyncOptions & WithEnvironment,
): SpawnSyncReturns<string | Buffer> {
  return spawnSync(requireProgram(name, env), args, { ...options, env: programEnvironment(env), windowsHide: true });
}

/** Starts a program. Throws if it is missing. */
export function startProgram(
  name: string,
  args: readonly string[],
  { env, ...options }: Omit<SpawnOptions, 'shell'> & WithEnvironment,
): ChildProcess {
  return spawn(requireProgram(name, env), args, { ...options, env: programEnvironment(env) });
}

/**
 * Starts a command line of the user in the shell: `/bin/sh`; on Windows the one in ComSpec. The shell looks up the
 * programs in the command line, as the user wrote it.
 */
export function startShell(
  command: string,
  { env, ...options }: Omit<SpawnOptions, 'shell'> & WithEnvironment,
): ChildProcess {
  const shell =
    process.platform === 'win32' ? requireProgram(windowsVariable(env, 'COMSPEC') ?? 'cmd', env) : '/bin/sh';
  return spawn(command, { ...options, env: programEnvironment(env), shell });
}

/** Ends a program that was started with `detached`, and all that it started in its group; on Windows, all that it started. */
export function endGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL', env: NodeJS.ProcessEnv): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    startProgram('taskkill', ['/pid', String(pid), '/t', '/f'], { env, stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
