import { git } from './git.ts';

/**
 * The name that git knows the person by in a directory: what they write as owner of a loopback service bears it. `owner` where git has
 * none or is not there.
 */
export async function ownerName(directory: string): Promise<string> {
  const { ok, output } = await git(directory, ['config', '--get', 'user.name'], { msMax: 2_000 });
  const name = ok ? output.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim() : '';
  return name === '' ? 'owner' : name;
}
