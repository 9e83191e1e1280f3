import { type ExecFileException, type ExecFileOptionsWithBufferEncoding, execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { serialize } from 'node:v8';

/** A program to run, whose answer is sent, or written to a named pipe that the sender reads. */
export interface Started {
  readonly id: number;
  readonly file: string;
  readonly argv: readonly string[];
  readonly options: ExecFileOptionsWithBufferEncoding;
  readonly input: string;
  readonly pipe: string | undefined;
}

export interface Ended {
  readonly id: number;
  /** The members of the error; undefined if the program succeeded. */
  readonly error: Partial<ExecFileException> | undefined;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

function answer({ id, pipe }: Started, thrown: unknown, stdout: Uint8Array, stderr: Uint8Array): void {
  const error = thrown instanceof Error ? { ...thrown, message: thrown.message } : undefined;
  const ended: Ended = { id, error, stdout, stderr };
  if (pipe === undefined) return void process.send!(ended);
  const bytes = serialize(ended);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  const all = Buffer.concat([length, bytes]);
  const to = openSync(pipe, 'w');
  for (let at = 0; at < all.length;) at += writeSync(to, all, at);
  closeSync(to);
}

/** Runs programs for a process of tests (`run-beside.ts`) until that ends. */
process.on('message', (started: Started) => {
  const { file, argv, options, input } = started;
  try {
    const child = execFile(file, argv, options, (error, stdout, stderr) => answer(started, error, stdout, stderr));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  } catch (error) {
    answer(started, error, Buffer.alloc(0), Buffer.alloc(0));
  }
});
