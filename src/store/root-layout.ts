/** Names below a root (`.planner`). Everything but `local/`, the token and what config.json calls private is meant for git. */
export class RootLayout {
  /** Absolute path of the `.planner` directory. */
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  get projects(): string {
    return `${this.root}/projects`;
  }
  get local(): string {
    return `${this.root}/local`;
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
  get indexCache(): string {
    return `${this.local}/index-cache`;
  }
  /** History of edits on disk: git keeps the record, this machine remembers what it was. */
  localHistory(code: string): string {
    return `${this.local}/history/${code}`;
  }
}
