import { conflict, invalid, PlannerError } from '../errors.ts';
import { idPattern } from '../ids.ts';
import { UnreadableFileError, openJson } from '../store/index.ts';
import type { Disk } from '../store/index.ts';
import { RemoteClient } from './remote-client.ts';

/** The keys that `planner login` has kept for this user. */
export interface KeyLookup {
  /** The key for the service at a URL, undefined where this user did not log in there. */
  find(url: string): Promise<string | undefined>;
}

export interface RemotesOptions {
  readonly disk: Disk;
  /** Absolute path of the `.planner` directory. */
  readonly root: string;
  readonly keys: KeyLookup;
}

/** A project at a hosted service, and the means to ask for it. */
export interface RemoteProject {
  readonly url: string;
  readonly projectId: string;
  readonly client: RemoteClient;
}

const remedy =
  'Set one in .planner/config.json: "remote": {"url": "https://plan.example.org", "project_id": "prj_…"}, and log in there with planner login.';

/** The hosted services that this root's projects have as their remotes. config.json is read whenever one is asked for. */
export class Remotes {
  readonly #options: RemotesOptions;

  constructor(options: RemotesOptions) {
    this.#options = options;
  }

  /**
   * The remote of a project. Throws `invalid_argument` where config.json names none, or another project's, and `forbidden` for a service
   * that this user did not log in to: config.json came with the repository, and nobody's key goes where a repository says.
   */
  async of(project: string): Promise<RemoteProject> {
    const { url, projectId } = await this.#configured(project);
    const key = await readable(this.#options.keys.find(url), "credentials.json in this user's configuration");
    if (key !== undefined) return { url, projectId, client: new RemoteClient({ url, key }) };
    throw new PlannerError(
      'forbidden',
      `You did not log in to ${url}, the remote in .planner/config.json: run planner login ${url} if you trust it.`,
    );
  }

  async #configured(project: string): Promise<{ readonly url: string; readonly projectId: string }> {
    const { disk, root } = this.#options;
    const { data } = await readable(openJson<unknown>(disk, `${root}/config.json`, {}), '.planner/config.json');
    const { remote, project_id: bound } = membersOf(data);
    if (remote === undefined || remote === null) throw invalid('remote', `This root has no remote. ${remedy}`);
    const { url, project_id: projectId } = membersOf(remote);
    if (typeof projectId !== 'string' || !idPattern.test(projectId))
      throw invalid('remote.project_id', `remote.project_id in .planner/config.json is no project's id. ${remedy}`);
    if (typeof bound === 'string' && bound !== project)
      throw invalid(
        'project_id',
        `The remote in .planner/config.json is that of ${bound}, the project bound there: pull for that one.`,
      );
    return { url: serviceUrl(url), projectId };
  }
}

/** What a file holds. Throws `conflict` where it holds no JSON, naming it without saying where on this machine it lies. */
async function readable<T>(reading: Promise<T>, name: string): Promise<T> {
  try {
    return await reading;
  } catch (thrown) {
    if (!(thrown instanceof UnreadableFileError)) throw thrown;
    throw conflict(`${name} is not JSON. Correct it first.`);
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}

/** A service's URL without its final slash. Throws `invalid_argument`. */
function serviceUrl(text: unknown): string {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '')
    return url.href.replace(/(?<!\/)\/+$/, '');
  throw invalid('remote.url', `remote.url in .planner/config.json is no http or https address of a service. ${remedy}`);
}
