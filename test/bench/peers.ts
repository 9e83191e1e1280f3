import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Packages that are measured beside the product and are not part of it, each in a directory below `.bench/peers`. */
export class Peers {
  readonly #directory: string;
  readonly #say: (text: string) => void;

  constructor(directory: string, say: (text: string) => void) {
    this.#directory = directory;
    this.#say = say;
  }

  /** The directory whose node_modules has the package; it is installed from the registry unless it exists already. */
  async install(name: string, version: string): Promise<string> {
    const directory = join(this.#directory, `${name}-${version}`);
    if (existsSync(join(directory, 'node_modules', name, 'package.json'))) return directory;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'peer', private: true }));
    this.#say(`installing ${name} ${version} from the npm registry`);
    const npm = join(dirname(process.execPath), 'npm');
    await run(existsSync(npm) ? npm : 'npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], {
      cwd: directory,
    });
    return directory;
  }

  /** The SQLite driver: better-sqlite3, or Node's own if that cannot be installed or loaded. */
  async sqlite(): Promise<{ readonly driver: string; readonly module: string }> {
    try {
      const directory = await this.install('better-sqlite3', '13.2.0');
      const require = createRequire(join(directory, 'package.json'));
      const Database = require('better-sqlite3') as new (path: string) => { close(): void };
      new Database(':memory:').close();
      return { driver: 'better-sqlite3 13.2.0', module: require.resolve('better-sqlite3') };
    } catch (error) {
      this.#say(`better-sqlite3 cannot be used here (${String(error).split('\n')[0]}): node:sqlite replaces it`);
      return { driver: 'node:sqlite', module: 'node:sqlite' };
    }
  }
}
