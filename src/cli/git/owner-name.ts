import { git } from './git.ts';

/**
 * The user.name of git in a directory: the author of changes by the owner of a loopback service. `owner` if git has no
 * name or is not installed.
 */
export async function ownerName(directory: string): Promise<string> {
  const { ok, output } = await git(directory, ['config', '--get', 'user.name'], { msMax: 10_000 });
  const name = ok ? output.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim() : '';
  return name === '' ? 'owner' : name;
}
