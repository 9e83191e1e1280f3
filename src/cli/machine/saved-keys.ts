import { join } from 'node:path';
import { PlannerError } from '../../base/errors.ts';
import type { openJson, Disk } from '../../store/index.ts';
import { userDirectory } from './user-directory.ts';
import type { UserDirectoryOptions } from './user-directory.ts';
import { openUserJson } from './user-json.ts';

/** `{origin: key}`: the owner keys that `planner login` saved. */
type KeysByOrigin = Record<string, string>;

/** Location of a user's keys. */
export interface SavedKeysOptions extends UserDirectoryOptions {
  readonly disk: Disk;
}

const name = 'credentials.json';

/** The user's keys by service: `credentials.json` in the user's configuration directory, mode 0600. */
export class SavedKeys {
  readonly path: string;
  readonly #options: SavedKeysOptions;

  constructor(options: SavedKeysOptions) {
    this.#options = options;
    this.path = join(userDirectory(options), name);
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

  #open(): ReturnType<typeof openJson<KeysByOrigin>> {
    return openUserJson({
      ...{ disk: this.#options.disk, place: this.#options, name },
      isMember: (key) => typeof key === 'string',
      contents: 'of keys by origin',
    });
  }
}

/** Scheme, host and port of a service. Throws like `serviceUrl`. */
export function originOf(url: string): string {
  return serviceUrl(url).origin;
}

/** The URL of a service without its trailing slash. Throws like `serviceUrl`. */
export function plainUrl(text: string): string {
  return serviceUrl(text).href.replace(/(?<!\/)\/+$/, '');
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
