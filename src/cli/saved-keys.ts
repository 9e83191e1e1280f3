import { join } from 'node:path';
import { PlannerError } from '../errors.ts';
import { openJson } from '../store/index.ts';
import type { Disk } from '../store/index.ts';
import { userDirectory } from './user-directory.ts';
import type { UserDirectoryOptions } from './user-directory.ts';

/** `{origin: key}`: the owner keys that `planner login` saved. */
type KeysByOrigin = Record<string, string>;

/** Location of a user's keys. */
export interface SavedKeysOptions extends UserDirectoryOptions {
  readonly disk: Disk;
}

/** The user's keys by service: `credentials.json` in the user's configuration directory, mode 0600. */
export class SavedKeys {
  readonly path: string;
  readonly #disk: Disk;

  constructor({ disk, homeDirectory, configHome }: SavedKeysOptions) {
    this.#disk = disk;
    this.path = join(userDirectory({ homeDirectory, configHome }), 'credentials.json');
  }

  /** The key for a service; undefined if the user has not logged in to it. */
  async find(url: string): Promise<string | undefined> {
    const { data } = await this.#open();
    return Object.hasOwn(data, originOf(url)) ? data[originOf(url)] : undefined;
  }

  async save(url: string, key: string): Promise<void> {
    const file = await this.#open();
    await file.update((keys) => void (keys[originOf(url)] = key));
  }

  async #open(): ReturnType<typeof openJson<KeysByOrigin>> {
    const file = await openJson<KeysByOrigin>(this.#disk, this.path, {}, { mode: 0o600 });
    const { data } = file as { data: unknown };
    const isValid =
      typeof data === 'object' &&
      data !== null &&
      !Array.isArray(data) &&
      Object.values(data).every((key) => typeof key === 'string');
    if (isValid) return file;
    throw new PlannerError(
      'invalid_argument',
      `${this.path} must contain a JSON object of keys by origin. Correct or remove it.`,
    );
  }
}

/** Scheme, host and port of a service. Throws like `serviceUrl`. */
export function originOf(url: string): string {
  return serviceUrl(url).origin;
}

/** Parses the URL of a service: http or https, without credentials, query or fragment. Throws `invalid_argument` otherwise. */
export function serviceUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '')
    return url;
  throw new PlannerError(
    'invalid_argument',
    `${JSON.stringify(text)} is not the URL of a service: it must be http:// or https://, host and port, as in https://plan.example.org.`,
    { field: 'url' },
  );
}
