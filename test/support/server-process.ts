import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { builtProgram } from './build.ts';
import { childEnvironment } from './child-environment.ts';
import { firstLineOf } from './first-line.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
const startMsMax = 120_000;
const stopMsMax = 60_000;

/** A server in a process of its own, listening on 127.0.0.1. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** From spawn until the port took a connection, in milliseconds. */
  readonly startedMs: number;
  /** The end of its output. */
  readonly output: () => string;
  /** Sends SIGTERM and resolves with the exit code when the process is gone. */
  readonly stop: () => Promise<number | null>;
  /** Sends SIGKILL and resolves when the process is gone. */
  readonly kill: () => Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the service on the directory that holds `.planner`. Resolves when it listens. */
export function startService(root: string): Promise<ServerProcess> {
  return startServe(root);
}

export interface ServeOptions {
  /** The flags of Node itself. */
  readonly flags?: readonly string[];
  readonly msMax?: number;
  /** The file that gets the log. Without it the log is read from a pipe, which costs this process time under load. */
  readonly log?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * `planner serve` on a port of the system's choice: between the search for a free port and the start, a server of
 * another test may take that port, and would be mistaken for the service.
 */
export function startServe(root: string, options: ServeOptions = {}): Promise<ServerProcess> {
  return startServing(['--root', root], options);
}

/** Starts a node over a database. */
export function startNode(
  { url, schema, reads = 'primary' }: { readonly url: string; readonly schema: string; readonly reads?: string },
  options: ServeOptions = {},
): Promise<ServerProcess> {
  const environment = {
    ...{ PLANNER_DATABASE: url, PLANNER_DATABASE_SCHEMA: schema, PLANNER_READS: reads },
    PLANNER_DURABILITY: 'replicated',
    PLANNER_DRAIN_SECONDS: '0',
  };
  return startServing([], { ...options, environment });
}

async function startServing(
  of: readonly string[],
  { flags = [], msMax = startMsMax, log, environment }: ServeOptions,
): Promise<ServerProcess> {
  const argv = [...flags, builtProgram(), 'serve', ...of, '--port', '0'];
  let printed = '';
  const child = start(argv, { log, environment });
  child.process.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const timer = setTimeout(() => child.process.kill('SIGKILL'), msMax);
  try {
    const ended = child.gone.then((code) => `${argv.join(' ')} ended with ${code}:\n${child.output()}`);
    const line = await firstLineOf({ printed: () => printed, stream: child.process.stdout, ended });
    return serverOf(child, /http:\/\/[^\s)]+/.exec(line)![0]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a program of this repository with Node until it takes connections on a port that is free now. */
export async function startServer(argumentsFor: (port: number) => readonly string[]): Promise<ServerProcess> {
  const port = await freePort();
  const argv = argumentsFor(port);
  const child = start(argv);
  const url = `http://127.0.0.1:${port}`;
  while (!(await listens(port)) || !(await answers(url))) {
    const { exitCode, signalCode } = child.process;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`${argv.join(' ')} ended with ${exitCode ?? signalCode}:\n${child.output()}`);
    if (performance.now() - child.began > startMsMax) {
      child.process.kill('SIGKILL');
      throw new Error(`${argv.join(' ')} did not listen within ${startMsMax} ms:\n${child.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return serverOf(child, url);
}

interface Started {
  readonly process: ChildProcess;
  readonly began: number;
  readonly gone: Promise<number | null>;
  readonly output: () => string;
}

function start(
  argv: readonly string[],
  { log, environment = {} }: Pick<ServeOptions, 'log' | 'environment'> = {},
): Started {
  const began = performance.now();
  const logFile = log === undefined ? undefined : openSync(log, 'a');
  const child = spawn(process.execPath, argv, {
    cwd: repository,
    env: { ...childEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', logFile ?? 'pipe'],
  });
  if (logFile !== undefined) closeSync(logFile);
  running.add(child);
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
  void gone.then(() => running.delete(child));
  return { process: child, began, gone, output: collect(child) };
}

function serverOf({ process: child, began, gone, output }: Started, url: string): ServerProcess {
  return {
    url,
    pid: child.pid!,
    startedMs: performance.now() - began,
    output,
    stop: () => end(child, 'SIGTERM', gone),
    kill: async () => void (await end(child, 'SIGKILL', gone)),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals, gone: Promise<number | null>): Promise<number | null> {
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  const code = await gone;
  clearTimeout(timer);
  return code;
}

/** A refused connection costs a seventh of the CPU time of a refused `fetch`, which counts: the connection is retried until the server has started. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(`${url}/api/v1/health`)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** The end of the output of a process, for the message when it fails. */
function collect(child: ChildProcess): () => string {
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-4000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => output;
}

/**
 * A port that is free now, and that the system does not choose: it takes ports above these, and each worker of mocha
 * has its own.
 */
export async function freePort(): Promise<number> {
  const first = firstPort + (Number(process.env['MOCHA_WORKER_ID'] ?? 0) % portSlices) * portsPerWorker;
  for (;;) {
    nextPort = (nextPort + 1) % portsPerWorker;
    if (await isFree(first + nextPort)) return first + nextPort;
  }
}

const firstPort = 10_240;
const portSlices = 11;
const portsPerWorker = 2000;
let nextPort = randomInt(portsPerWorker);

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
