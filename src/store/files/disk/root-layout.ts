/**
 * The paths below a root (`.planner`). Everything except `local/`, the token and what config.json declares private is
 * intended for git.
 */
export class RootLayout {
  /** Absolute path of the `.planner` directory. */
  readonly root: string;

  /** This machine's own directory; `local` in the root, unless the root is read-only. */
  readonly local: string;

  constructor(root: string, local = '') {
    this.root = root;
    this.local = local === '' ? `${root}/local` : local;
  }

  get projects(): string {
    return `${this.root}/projects`;
  }
  get journal(): string {
    return `${this.local}/journal`;
  }
  get temporary(): string {
    return `${this.local}/tmp`;
  }
  /** The staged files of an upgrade in progress. */
  get upgrade(): string {
    return `${this.local}/upgrade`;
  }
  get trash(): string {
    return `${this.local}/trash`;
  }
  get serviceSnapshot(): string {
    return `${this.local}/service`;
  }
  /** Changes of the service's own records since that snapshot. */
  get serviceChanges(): string {
    return `${this.local}/service-changes`;
  }
  get indexCache(): string {
    return `${this.local}/index-cache`;
  }
  /** The events of the projects' feeds. */
  get events(): string {
    return `${this.local}/events`;
  }
  /** The index of a project's history, derived from its segments. */
  historyIndex(code: string): string {
    return `${this.local}/history-index/${code}`;
  }
  /** The history of external edits: git tracks the files, this machine keeps their former values. */
  localHistory(code: string): string {
    return `${this.local}/history/${code}`;
  }
}
