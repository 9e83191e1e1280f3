import { conflict, invalid, PlannerError } from '../base/errors.ts';
import { idPattern } from '../base/ids.ts';
import { isObject } from '../base/is-object.ts';
import { UnreadableFileError, openJson } from '../store/index.ts';
import type { Disk } from '../store/index.ts';
import { RemoteClient } from './remote-client.ts';

/** The keys that `planner login` saved for this user. */
export interface KeyLookup {
  /** The key for the service at a URL; undefined if the user has not logged in to it, or has not confirmed it for this root. */
  find(url: string): Promise<string | undefined>;
}

export interface RemotesOptions {
  readonly disk: Disk;
  /** Absolute path of the `.planner` directory. */
  readonly root: string;
  readonly keys: KeyLookup;
}

/** A project at a hosted service, with a client for it. */
export interface RemoteProject {
  readonly url: string;
  readonly projectId: string;
  readonly client: RemoteClient;
}

const remedy =
  'Set one in .planner/config.json: "remote": {"url": "https://plan.example.org", "project_id": "prj_…"}, and log in there with planner login.';

/** The remotes of this root's projects. config.json is read at each call. */
export class Remotes {
  readonly #options: RemotesOptions;

  constructor(options: RemotesOptions) {
    this.#options = options;
  }

  /**
   * The remote of a project. Rejects with `invalid_argument` if config.json has no remote, or one for another project, and with `forbidden`
   * if the user has not logged in to the service: config.json comes with the repository, so its URL is untrusted.
   */
  async of(project: string): Promise<RemoteProject> {
    const { url, projectId } = await this.#configured(project);
    const key = await readable(this.#options.keys.find(url), "credentials.json in this user's configuration");
    if (key !== undefined) return { url, projectId, client: new RemoteClient({ url, key }) };
    throw new PlannerError(
      'forbidden',
      `You have not logged in to ${url}, the remote in .planner/config.json, for this directory: run planner login ${url} in it if you trust it.`,
    );
  }

  async #configured(project: string): Promise<{ readonly url: string; readonly projectId: string }> {
    const { disk, root } = this.#options;
    const { data } = await readable(openJson<unknown>(disk, `${root}/config.json`, {}), '.planner/config.json');
    const { remote, project_id: bound } = membersOf(data);
    if (remote === undefined || remote === null) throw invalid('remote', `This root has no remote. ${remedy}`);
    const { url, project_id: projectId } = membersOf(remote);
    if (typeof projectId !== 'string' || !idPattern.test(projectId))
      throw invalid('remote.project_id', `remote.project_id in .planner/config.json is not a project id. ${remedy}`);
    if (typeof bound === 'string' && bound !== project)
      throw invalid(
        'project_id',
        `The remote in .planner/config.json belongs to ${bound}, the project bound there: pull for that project.`,
      );
    return { url: serviceUrl(url), projectId };
  }
}

/** Rejects with `conflict` if a file is not JSON. The message has the file's name, but not its path on this machine. */
async function readable<T>(reading: Promise<T>, name: string): Promise<T> {
  try {
    return await reading;
  } catch (thrown) {
    if (!(thrown instanceof UnreadableFileError)) throw thrown;
    throw conflict(`${name} is not JSON. Correct it first.`);
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Validates the URL of a service and removes its trailing slash. Throws `invalid_argument`. */
function serviceUrl(text: unknown): string {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '')
    return url.href.replace(/(?<!\/)\/+$/, '');
  throw invalid(
    'remote.url',
    `remote.url in .planner/config.json is not the http or https URL of a service. ${remedy}`,
  );
}
