import { join } from 'node:path';
import { PlannerError } from '../errors.ts';
import { openJson } from '../store/index.ts';
import type { Disk } from '../store/index.ts';
import { userDirectory } from './user-directory.ts';
import type { UserDirectoryOptions } from './user-directory.ts';

/** `{origin: key}`: the owner keys that `planner login` has kept. */
type KeysByOrigin = Record<string, string>;

/** Where the keys of one user lie. */
export interface SavedKeysOptions extends UserDirectoryOptions {
  readonly disk: Disk;
}

/** The keys of this user for the services that they logged in to: `credentials.json` in their own configuration directory, 0600. */
export class SavedKeys {
  readonly path: string;
  readonly #disk: Disk;

  constructor({ disk, homeDirectory, configHome }: SavedKeysOptions) {
    this.#disk = disk;
    this.path = join(userDirectory({ homeDirectory, configHome }), 'credentials.json');
  }

  /** The key for a service, undefined where this user did not log in there. */
  async find(url: string): Promise<string | undefined> {
    const { data } = await this.#open();
    return Object.hasOwn(data, originOf(url)) ? data[originOf(url)] : undefined;
  }

  async save(url: string, key: string): Promise<void> {
    const low = await this.#open();
    await low.update((keys) => void (keys[originOf(url)] = key));
  }

  async #open(): ReturnType<typeof openJson<KeysByOrigin>> {
    const low = await openJson<KeysByOrigin>(this.#disk, this.path, {}, { mode: 0o600 });
    const { data } = low as { data: unknown };
    const right =
      typeof data === 'object' &&
      data !== null &&
      !Array.isArray(data) &&
      Object.values(data).every((key) => typeof key === 'string');
    if (right) return low;
    throw new PlannerError(
      'invalid_argument',
      `${this.path} must hold a JSON object of keys by origin. Correct or remove it.`,
    );
  }
}

/** Scheme, host and port. Throws `invalid_argument` for what is no address of a service. */
export function originOf(url: string): string {
  return serviceUrl(url).origin;
}

/** The URL of a service: http or https, without credentials, query or fragment. Throws `invalid_argument` otherwise. */
export function serviceUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '')
    return url;
  throw new PlannerError(
    'invalid_argument',
    `${JSON.stringify(text)} is no address of a service: it is http:// or https://, host and port, as in https://plan.example.org.`,
    { field: 'url' },
  );
}
