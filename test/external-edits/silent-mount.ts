import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../support/build.ts';
import { firstLineOf } from '../support/first-line.ts';
import { RestClient } from '../support/rest-client.ts';

const mountAndRun = `
  mount -t overlay overlay -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work" "$1/mount" || exit 99
  shift
  exec "$@"`;

/** The words before a command that runs it with an overlay of the directories in `scratch`, which no other process sees. */
function inMount(scratch: string): readonly string[] {
  for (const name of ['lower', 'upper', 'work', 'mount']) mkdirSync(join(scratch, name), { recursive: true });
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mountAndRun, 'sh', scratch];
}

/** Why this machine cannot mount an overlay; undefined if it can. */
export function mountsRefused(scratch: string): string | undefined {
  if (process.platform !== 'linux') return `overlays are mounted on Linux, and this is ${process.platform}`;
  const [program = '', ...words] = inMount(scratch);
  const { status, stderr, error } = spawnSync(program, [...words, 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

export interface MountedService {
  readonly rest: RestClient;
  /** The `.planner` as the service sees it. */
  readonly inside: string;
  readonly errors: () => string;
  stop(): Promise<void>;
}

/** An overlay whose upper directory is edited from outside: edits there arrive in the mount without an event. */
export class SilentMount {
  readonly #scratch: string;

  /** The test removes `scratch`. */
  constructor(scratch: string) {
    this.#scratch = scratch;
  }

  /** The `.planner` in the upper directory. */
  get outside(): string {
    return join(this.#scratch, 'upper/.planner');
  }

  /** Serves the mount, in a process that alone sees it. */
  async serve(watch: 'events' | 'poll'): Promise<MountedService> {
    mkdirSync(this.outside, { recursive: true });
    writeFileSync(join(this.outside, 'config.json'), JSON.stringify({ format: 1, watch }));
    const mounted = join(this.#scratch, 'mount');
    const serve = [builtProgram(), 'serve', '--root', mounted, '--port', '0'];
    const [program = '', ...words] = inMount(this.#scratch);
    const child = spawn(program, [...words, process.execPath, ...serve], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const line = await firstLineOf({
      printed: () => printed,
      stream: child.stdout,
      ended: gone.then(() => errors),
    });
    return {
      rest: new RestClient(/http:\/\/[^\s)]+/.exec(line)![0]),
      inside: join(`/proc/${child.pid}/root`, mounted, '.planner'),
      errors: () => errors,
      stop: async () => {
        child.kill('SIGTERM');
        await gone;
      },
    };
  }

  /** The directory of the tasks of the only project below a `.planner`. */
  tasksIn(root: string): string {
    const [project = ''] = readdirSync(join(root, 'projects'));
    return join(root, 'projects', project, 'tasks');
  }

  has(root: string, text: string): boolean {
    return this.#files(root).some((path) => readFileSync(path, 'utf8').includes(text));
  }

  /** Edits, in place, the only task in which `before` is found. */
  edit(root: string, before: RegExp, after: string): void {
    for (const path of this.#files(root)) {
      const text = readFileSync(path, 'utf8');
      if (before.test(text)) return writeFileSync(path, text.replace(before, after));
    }
    throw new Error(`No task in ${root} has ${before}.`);
  }

  #files(root: string): readonly string[] {
    const directory = this.tasksIn(root);
    return readdirSync(directory).map((name) => join(directory, name));
  }
}
