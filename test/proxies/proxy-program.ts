import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '../docs/blocks.ts';
import { environmentWith } from '../support/child-environment.ts';
import { unprivileged } from '../support/postgres.ts';

export const nginx = '/usr/sbin/nginx';

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** The part of Debian's nginx.conf around its servers, with all types that it names, and paths that need no rights. */
export const nginxAround = (servers: string): string => `daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr notice;
events { worker_connections 768; }
http {
  sendfile on;
  tcp_nopush on;
  types_hash_max_size 2048;
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${name};`).join('\n  ')}
  gzip on;
  gzip_vary on;
  gzip_proxied any;
  gzip_comp_level 6;
  gzip_types text/plain text/css application/json application/javascript text/xml application/xml application/xml+rss text/javascript;
${servers}
}
`;

/** The page of the documentation that says how proxies are configured. */
const proxyGuide = 'docs/how-to/serve-others.md';

/**
 * The configuration that the documentation recommends, by a part of its text, with these texts in place of the parts
 * that an operator adapts.
 */
export function documentedConfiguration(
  part: string,
  replacements: readonly (readonly [string, string])[],
  guide = proxyGuide,
): string {
  const [block, ...more] = blocksOf(guide).filter(({ text }) => text.includes(part));
  if (block === undefined || more.length > 0) throw new Error(`${guide} has no block, or several, with ${part}.`);
  return replacements.reduce((text, [from, to]) => {
    if (!text.includes(from))
      throw new Error(`The block of ${guide} with ${part} has no ${from}: the test replaces it.`);
    return text.replaceAll(from, to);
  }, block.text);
}

export interface ProxyProgram {
  readonly program: string;
  readonly argv: readonly string[];
  /** Its files, by their names in the directory that it starts in, which is its own. */
  readonly files: Readonly<Record<string, string>>;
  /** The log line that it writes once it listens. */
  readonly ready: RegExp;
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends it. Default: SIGTERM. */
  readonly signal?: NodeJS.Signals;
}

export interface RunningProxy {
  /** Ends it, and resolves when it is gone. */
  readonly stop: () => Promise<void>;
}

/** Starts a proxy without the rights of root. Resolves when it listens; rejects with its log if it ends. */
export async function startProxy({ program, argv, files, ready, ...more }: ProxyProgram): Promise<RunningProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'planner-proxy-'));
  const user = unprivileged();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  for (const path of [directory, ...Object.keys(files).map((name) => join(directory, name))])
    if (user !== undefined) chownSync(path, user.uid, user.gid);
  const child = spawn(program, argv, {
    cwd: directory,
    env: environmentWith({
      HOME: directory,
      XDG_CONFIG_HOME: directory,
      XDG_DATA_HOME: directory,
      ...more.environment,
    }),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  });
  const end = (): void => void child.kill(more.signal);
  process.once('exit', end);
  const gone = once(child, 'exit');
  let log = '';
  const { promise: listens, resolve } = Promise.withResolvers<void>();
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
    if (ready.test(log)) resolve();
  });
  const ended = gone.then(() => {
    throw new Error(`${program} ended:\n${log}`);
  });
  ended.catch(() => undefined);
  await Promise.race([listens, ended]);
  return {
    stop: async () => {
      process.off('exit', end);
      end();
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Tests through a proxy that Debian has. Without its program they are skipped and reported. */
export function proxyTests(title: string, program: string, define: () => void): void {
  describe(title, () => {
    before(function () {
      if (existsSync(program)) return;
      console.log(`      SKIPPED: ${title}. There is no ${program}.`);
      this.skip();
    });
    define();
  });
}
