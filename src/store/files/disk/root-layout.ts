/** Names below a root (`.planner`). Everything but `local/`, the token and what config.json calls private is meant for git. */
export class RootLayout {
  /** Absolute path of the `.planner` directory. */
  readonly root: string;

  /** This machine's own directory; `local` in the root, unless the root is only read. */
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
  /** What an upgrade of the format has laid ready, while one is under way. */
  get upgrade(): string {
    return `${this.local}/upgrade`;
  }
  get trash(): string {
    return `${this.local}/trash`;
  }
  get serviceSnapshot(): string {
    return `${this.local}/service`;
  }
  /** What changed of the service's own records since that snapshot. */
  get serviceChanges(): string {
    return `${this.local}/service-changes`;
  }
  get indexCache(): string {
    return `${this.local}/index-cache`;
  }
  /** History of edits on disk: git keeps the record, this machine remembers what it was. */
  localHistory(code: string): string {
    return `${this.local}/history/${code}`;
  }
}
