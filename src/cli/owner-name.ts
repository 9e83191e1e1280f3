import { execFile } from 'node:child_process';

/**
 * The name that git knows the person by in a directory: what they write as owner of a loopback service bears it. `owner` where git has
 * none or is not there.
 */
export function ownerName(directory: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      'git',
      ['config', '--get', 'user.name'],
      { cwd: directory, timeout: 2_000, windowsHide: true },
      (error, output) => {
        const name = error === null ? output.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim() : '';
        resolve(name === '' ? 'owner' : name);
      },
    );
  });
}
