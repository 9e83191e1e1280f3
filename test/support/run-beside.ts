import childProcess, {
  type ChildProcess,
  execFile,
  execFileSync,
  type ExecFileException,
  fork,
} from 'node:child_process';
import { mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { deserialize } from 'node:v8';
import type { Ended, Started } from './small-process.ts';

/**
 * To be imported before the sources that run git: a small process starts it for this one. The system copies the tables of a process's memory
 * when that starts a program, and this one has hundreds of megabytes: starting git took more processor time than git.
 */
let small: ChildProcess | undefined;
let started = 0;
const waiting = new Map<number, (ended: Ended) => void>();

function smallProcess(): ChildProcess {
  if (small?.connected === true) return small;
  small = fork(join(import.meta.dirname, 'small-process.ts'), { execArgv: [], serialization: 'advanced' });
  small.on('message', (ended: Ended) => {
    waiting.get(ended.id)!(ended);
    waiting.delete(ended.id);
    if (waiting.size === 0) small!.channel?.unref();
  });
  small.once('exit', () => {
    if (waiting.size > 0) throw new Error('The process that runs git for the tests has ended.');
  });
  small.unref();
  small.channel?.unref();
  return small;
}

type Exec = Pick<Started, 'file' | 'argv' | 'options' | 'input'>;

const isOfSources = (file: string, options: object | undefined): boolean =>
  basename(file) === 'git' && options !== undefined && 'encoding' in options && options.encoding === 'buffer';

/** As much of `execFile` as the sources use. */
function execBeside(
  file: string,
  argv: readonly string[],
  options: Started['options'],
  callback: (error: ExecFileException | null, stdout: Buffer, stderr: Buffer) => void,
): unknown {
  const end = (input: string): void => {
    const id = ++started;
    const process = smallProcess();
    process.channel?.ref();
    waiting.set(id, ({ error, stdout, stderr }) =>
      callback(
        error === undefined ? null : Object.assign(new Error(), error),
        Buffer.from(stdout),
        Buffer.from(stderr),
      ),
    );
    process.send({ id, file, argv, options, input, pipe: undefined } satisfies Started);
  };
  return { stdin: { on: () => undefined, end } };
}

let answers: { readonly pipe: string; readonly from: number } | undefined;

function answersPipe(): { readonly pipe: string; readonly from: number } {
  if (answers !== undefined) return answers;
  const directory = mkdtempSync(join(tmpdir(), 'planner-answers-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  return (answers = { pipe, from: openSync(pipe, 'r+') });
}

function read(from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) at += readSync(from, bytes, at, length - at, null);
  return bytes;
}

/** Runs a program to its end, synchronously, in the same way. */
export function execBesideSync(exec: Exec): Ended {
  const { pipe, from } = answersPipe();
  smallProcess().send({ ...exec, id: ++started, pipe } satisfies Started);
  return deserialize(read(from, read(from, 4).readUInt32LE())) as Ended;
}

childProcess.execFile = new Proxy(execFile, {
  apply: (direct, self, args: Parameters<typeof execBeside>) =>
    isOfSources(args[0], args[2]) ? execBeside(...args) : (Reflect.apply(direct, self, args) as unknown),
});
syncBuiltinESMExports();
