import { execFileSync, spawnSync } from 'node:child_process';

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_EDITOR: 'true',
};

/** Runs git in a directory and returns its output. Throws if git fails. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', [...identity, ...args], {
    cwd: directory,
    env: environment,
    encoding: 'utf8',
    stdio: 'pipe',
  });
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
  const env = { ...environment, ...variables };
  return spawnSync('git', [...identity, ...args], { cwd: directory, env, stdio: 'pipe' }).status ?? -1;
}

/** A new repository with the branch `main`. */
export function initRepository(directory: string): void {
  git(directory, 'init', '--quiet', '--initial-branch=main');
}
