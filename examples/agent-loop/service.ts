import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface RunningService {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a Planner on a directory, on a free port. Resolves when it prints its address. */
export async function startService(root: string): Promise<RunningService> {
  const child = spawn(process.execPath, ['dist/main.js', 'serve', '--root', root, '--port', '0'], {
    cwd: repository,
    // The example prints its own story: of the service only errors. Slow machines cause warnings.
    env: { ...process.env, PLANNER_LOG: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const address = /http:\/\/[^\s/]+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) =>
      reject(new Error(`The service exited with ${code} without printing its address: ${said}`)),
    );
  });
  const stop = async (): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = (await gone) as [number | null];
    if (code !== 0) throw new Error(`The service exited with ${code}.`);
  };
  return { url, stop };
}
