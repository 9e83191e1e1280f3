import { join } from 'node:path';
import { PlannerError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { openJson } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import { userDirectory } from './user-directory.ts';
import type { UserDirectoryOptions } from './user-directory.ts';

export interface UserJsonOptions<V> {
  readonly disk: Disk;
  readonly place: UserDirectoryOptions;
  readonly name: string;
  readonly isMember: (value: unknown) => value is V;
  /** The contents as the error names them: `keys by origin`. */
  readonly contents: string;
}

/** A JSON object in the user's configuration directory, mode 0600. Throws `invalid_argument` if it is another value, or has other members. */
export async function openUserJson<V>({
  disk,
  place,
  name,
  isMember,
  contents,
}: UserJsonOptions<V>): ReturnType<typeof openJson<Record<string, V>>> {
  const path = join(userDirectory(place), name);
  const file = await openJson<Record<string, V>>(disk, path, {}, { mode: 0o600 });
  const { data } = file as { data: unknown };
  if (isObject(data) && Object.values(data).every(isMember)) return file;
  throw new PlannerError('invalid_argument', `${path} must contain a JSON object ${contents}. Correct or remove it.`);
}
