import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtProgram } from './build.ts';
import { childEnvironment } from './child-environment.ts';
import { Random } from './random.ts';
import { reached } from './reached.ts';

/** A service that is started to be ended. */
export interface ServiceToEnd {
  /** The words of `planner`. */
  readonly argv: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * The calls once it listens at this URL: they make the service begin its work on demand. Their failures do not count.
   */
  readonly use: (url: string) => Promise<unknown>;
  /** Examines its remains. `code` 0: it had begun to serve, or was about to. */
  readonly ended?: (code: number | null) => Promise<void> | void;
}

export interface Ends {
  /** The title of the ended service, for the figures. */
  readonly title: string;
  readonly rounds: number;
  /** How long it serves after SIGTERM. */
  readonly drainMs: number;
  /** A service like the others. */
  readonly make: (round: number) => Promise<ServiceToEnd> | ServiceToEnd;
  /** A file of the test, which need not exist. */
  readonly turnsFile: string;
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly ms: number;
  readonly output: string;
}

/** A service is gone this long after it has drained. */
const goneMsMax = 5000;
const preload = fileURLToPath(new URL('end-at-turn.ts', import.meta.url));

/**
 * Ends a service by SIGTERM in a turn of its event loop that a seed chooses, from the first one to the end of its
 * callers' work, as often as `rounds` says. Throws unless each process is gone within its drain time and 5 s, plus the
 * time of the whole life of an undisturbed one, from the signal on; with code 0, or by the signal before it took signals.
 */
export async function endAtEachTurn({ title, rounds, drainMs, make, turnsFile }: Ends): Promise<void> {
  const random = Random.announced(title);
  const msMax = drainMs + goneMsMax;
  const whole = await run(await make(0), { TURNS: turnsFile });
  if (whole.code !== 0)
    throw new Error(`Ended at leisure, it ended with ${whole.code ?? whole.signal}:\n${whole.output}`);
  const turns = Number(readFileSync(turnsFile, 'utf8'));
  for (let round = 1; round <= rounds; round++) {
    const at = random.integer(1, turns);
    const service = await make(round);
    const options = { END_AT_TURN: String(at), STILL_AFTER_MS: String(Math.round(whole.ms + msMax)) };
    const { code, signal, ms, output } = await run(service, options);
    if (code !== 0 && signal !== 'SIGTERM')
      throw new Error(
        `Asked to end in turn ${at} of ${turns}, it ended with ${code ?? signal} after ${Math.round(ms)} ms:\n${output}`,
      );
    await service.ended?.(code);
  }
  reached(`${title}: turns at which it was ended`, `${rounds} of ${turns}`);
}

/**
 * Runs a service until it is gone. It is asked to end after its callers' work, if that has not happened before, and
 * killed once it says that it is still there.
 */
async function run(
  { argv, environment = {}, use }: ServiceToEnd,
  options: Readonly<Record<string, string>>,
): Promise<Ended> {
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', preload, builtProgram(), ...argv], {
    env: { ...childEnvironment(), ...environment, ...options },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, output] = ['', ''];
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes('still there: ')) kill();
  });
  child.stdout.on('data', (chunk: Buffer) => {
    const isListening = printed.includes('\n');
    printed += chunk.toString();
    const url = isListening ? undefined : /http:\/\/[^\s)]+(?=[^\n]*\n)/.exec(printed)?.[0];
    if (url === undefined) return;
    const end = (): boolean => child.kill('SIGUSR2');
    use(url).then(end, end);
  });
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.once('close', (code, signal) =>
    resolve({ code, signal, ms: performance.now() - began, output: output.slice(-4000) }),
  );
  const ended = await promise;
  process.off('exit', kill);
  return ended;
}
