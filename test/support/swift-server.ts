import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryDirectory } from './memory.ts';
import { freePort } from './server-process.ts';

/** Debian's, for which its packages are. */
const python = '/usr/bin/python3';
const kinds = ['proxy', 'account', 'container', 'object'] as const;
const startMsMax = 120_000;
const pipeline = [
  'catch_errors',
  'gatekeeper',
  'memcache',
  'listing_formats',
  's3api',
  'tempauth',
  'copy',
  'dlo',
  'slo',
];

/**
 * All servers of Swift in one process, which is much less work than four. Accounts, containers and objects are on one
 * device each. It ends with its standard input.
 */
const program = `
import sys
import eventlet
eventlet.monkey_patch()
from eventlet import wsgi
from swift.common import utils
from swift.common.ring import RingBuilder
from swift.common.wsgi import SwiftHttpProtocol, loadapp
directory, *ports = sys.argv[1:]
utils.set_swift_dir(directory)
kinds = ('proxy', 'account', 'container', 'object')
for kind, port in list(zip(kinds, ports))[1:]:
    builder = RingBuilder(2, 1, 0)
    builder.add_dev(dict(id=0, region=1, zone=1, weight=1, ip='127.0.0.1', port=int(port), device='disk', meta='',
                         replication_ip='127.0.0.1', replication_port=int(port)))
    builder.rebalance()
    builder.get_ring().save(f'{directory}/{kind}.ring.gz')
for kind, port in zip(kinds, ports):
    app = loadapp(f'{directory}/{kind}-server.conf', global_conf=dict(log_name=kind))
    socket = eventlet.listen(('127.0.0.1', int(port)))
    eventlet.spawn(wsgi.server, socket, app, protocol=SwiftHttpProtocol, log_output=False)
print('ready', flush=True)
eventlet.hubs.trampoline(0, read=True)
`;

/** Why Swift cannot be started here; undefined if it can. */
export function whyNoSwift(): string | undefined {
  if (process.platform !== 'linux') return 'its packages are those of Debian';
  const modules = 'import swift.common.middleware.s3api.s3api, swift.obj.server';
  return spawnSync(python, ['-c', modules]).status === 0 ? undefined : 'Swift is not installed';
}

/** A real store with the interface of S3: OpenStack Swift with one copy of each object, on ports of 127.0.0.1. */
export class SwiftServer {
  static readonly accessKey = 'planner:tests';
  static readonly secretKey = 'secret-of-the-tests';
  readonly #directory = mkdtempSync(join(memoryDirectory(), 'planner-swift-'));
  #ports: readonly number[] = [];
  #process: ChildProcess | undefined;

  static async start(): Promise<SwiftServer> {
    const server = new SwiftServer();
    try {
      await server.#prepare();
      await server.resume();
      return server;
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  /** Ends it as the loss of its machine does. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
  }

  /** Starts it, also after it was stopped. Resolves when it answers. */
  async resume(): Promise<void> {
    const child = spawn(python, ['-c', program, this.#directory, ...this.#ports.map(String)]);
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      let output = '';
      const fail = (): void => reject(new Error(`Swift does not start:\n${output}`));
      setTimeout(fail, startMsMax).unref();
      const note = (chunk: Buffer): void => {
        output = (output + chunk.toString()).slice(-20_000);
        if (/^ready$/m.test(output)) resolve();
      };
      child.stdout.on('data', note);
      child.stderr.on('data', note);
      child.once('close', fail);
    });
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 10 });
  }

  async #prepare(): Promise<void> {
    const directory = this.#directory;
    mkdirSync(join(directory, 'devices', 'disk'), { recursive: true });
    writeFileSync(join(directory, 'swift.conf'), '[swift-hash]\nswift_hash_path_suffix = tests\n');
    const ports = [];
    for (const kind of kinds) {
      ports.push(await freePort());
      writeFileSync(join(directory, `${kind}-server.conf`), kind === 'proxy' ? this.#proxy() : this.#storage(kind));
    }
    this.#ports = ports;
  }

  #storage(kind: string): string {
    return `[DEFAULT]
swift_dir = ${this.#directory}
devices = ${this.#directory}/devices
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;
  }

  #proxy(): string {
    const [account, user] = SwiftServer.accessKey.split(':');
    const more: Readonly<Record<string, string>> = {
      // There is none: what would be cached is read each time.
      memcache: 'memcache_servers = 127.0.0.1:1\n',
      tempauth: `user_${account}_${user} = ${SwiftServer.secretKey} .admin\n`,
      s3api: 'location = us-east-1\n',
    };
    const filters = pipeline.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n${more[name] ?? ''}`);
    return `[DEFAULT]
swift_dir = ${this.#directory}
[pipeline:main]
pipeline = ${pipeline.join(' ')} proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
${filters.join('')}`;
  }
}
