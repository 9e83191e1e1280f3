import { execBesideSync } from './run-beside.ts';

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_EDITOR: 'true',
};

/** Runs git in a directory and returns its output. Throws if git fails. */
export function git(directory: string, ...args: readonly string[]): string {
  const { error, stdout, stderr } = run(directory, args, environment);
  if (error !== undefined) throw Object.assign(new Error(), error, { stderr: Buffer.from(stderr).toString() });
  return Buffer.from(stdout).toString();
}

/** Runs a command that is meant to fail (a merge that conflicts); returns its exit status. */
export function gitStatus(directory: string, ...args: readonly string[]): number {
  return gitStatusWith({}, directory, ...args);
}

/** Runs a command with variables of its own. */
export function gitStatusWith(
  variables: Readonly<Record<string, string>>,
  directory: string,
  ...args: readonly string[]
): number {
  const { error } = run(directory, args, { ...environment, ...variables });
  if (error === undefined) return 0;
  return typeof error.code === 'number' ? error.code : -1;
}

function run(directory: string, args: readonly string[], env: NodeJS.ProcessEnv): ReturnType<typeof execBesideSync> {
  const options = { cwd: directory, env, encoding: 'buffer', maxBuffer: 1 << 30 } as const;
  return execBesideSync({ file: 'git', argv: [...identity, ...args], options, input: '' });
}

/** A new repository with the branch `main`. */
export function initRepository(directory: string): void {
  git(directory, 'init', '--quiet', '--initial-branch=main');
}
