import { PlannerError } from './errors.ts';
import { limits } from './limits.ts';
import { LikeNames } from './named.ts';

/** From least to most verbose. Each level includes those before it. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logLevelDefault: LogLevel = 'info';

export const portDefault = 4747;
const databaseSchemaDefault = 'planner';
/** Balancers ask every few seconds whether a node is ready. */
const drainSecondsDefault = 5;
/** The failures that an acknowledged change survives. */
const durabilities = ['replicated', 'asserted', 'disk'] as const;
/** The state that a read sees: the primary's, or only the replicated one. */
const readLevels = ['primary', 'barrier'] as const;
export const hostDefault = '127.0.0.1';

/** Each variable of the service and its effect; docs/reference/configuration.md has the same table. */
export const variables = {
  PLANNER_PORT: `The port of a service (default: the one of the last time, at first ${portDefault}; 0 lets the system choose). If it is in use, the next free one, unless the service is hosted.`,
  PLANNER_ROOT: 'The directory that contains `.planner`, if `--root` is absent.',
  PLANNER_URL: 'The address of the service for the bridge, the client and commands.',
  PLANNER_MCP_TOKEN: 'The key for the service at `PLANNER_URL`.',
  PLANNER_SLOT:
    'Set by `planner run` for agents and gates: the slot that they work in, by which the next run finds and ends those that outlive their runner.',
  PLANNER_LOG: `The log level: ${logLevels.map((level) => `\`${level}\``).join(', ')} (default \`${logLevelDefault}\`).`,
  PLANNER_BASE_URL:
    'The public address of a hosted service; see [serving others](../how-to/serve-others.md#hosted-services).',
  PLANNER_TRUST_PROXY: 'The number of proxies in front that append to `X-Forwarded-For` (default 0).',
  PLANNER_AUTH_PASSWORD: "The owner's password for HTTP basic.",
  PLANNER_OIDC_ISSUER:
    'The URL of the identity provider at which people sign in; see [signing in](../how-to/serve-others.md#signing-in).',
  PLANNER_OIDC_CLIENT_ID: 'The client id at the provider.',
  PLANNER_OIDC_CLIENT_SECRET: 'The client secret; none for a public client.',
  PLANNER_OIDC_STATE_SECRET:
    'At least 32 characters that seal the state of a sign-in while the person is at the provider, so that it survives a restart; default: random at each start.',
  PLANNER_OWNERS: 'E-mail addresses that may sign in there, separated by commas.',
  PLANNER_OWNER_GROUPS:
    'Groups whose members may sign in there, separated by commas: the issuer, a blank and the name or id of the group.',
  PLANNER_OIDC_TRUSTED_TENANTS:
    'Issuers and tenant ids whose addresses count though they never say that they are verified, separated by commas (default: none).',
  PLANNER_DATABASE:
    'The database of a [service with several nodes](../how-to/several-nodes.md), in place of files: `postgres://user:password@host:5432,standby:5432/name`.',
  PLANNER_DATABASE_SCHEMA: `The schema of the tables of a workspace in it (default \`${databaseSchemaDefault}\`).`,
  PLANNER_DURABILITY:
    'What a change survives before it is acknowledged: `replicated` (default: a synchronous standby has it), `asserted` (the same, by a managed database that does not show its standbys), `disk`.',
  PLANNER_READS:
    '`primary` (default), or `barrier`: a read also waits until what it shows is replicated, so that no fail-over takes it back.',
  PLANNER_PREPARE: '`off`: statements are not prepared, for a pooler that cannot (default `on`).',
  PLANNER_MEMORY_MB:
    'How much memory, in MiB, a node over a database uses for projects: those that were used last (default: half of the heap, which `NODE_OPTIONS=--max-old-space-size=<MiB>` sets).',
  PLANNER_DRAIN_SECONDS: `How long a node over a database still serves after SIGTERM, while \`/api/v1/ready\` answers 503: its balancer sends it no more requests then (default ${drainSecondsDefault}).`,
  PLANNER_BLOBS:
    'Of earlier versions: a start with it is refused, and [files of a bucket](../how-to/several-nodes.md#files-of-a-bucket) have to be copied.',
  PLANNER_AGENT_SHARE_LINKS: '`off`: agents cannot create share links (default `on`).',
  PLANNER_WEBHOOK_HOSTS:
    'Hosts that [webhooks](../how-to/webhooks.md) may call though their addresses are not public, separated by commas: `host` or `host:port`.',
  PLANNER_AGENT_BYTES_PER_DAY: `How many bytes one agent key may write in 24 hours (default ${limits.agentBytesPerDayMax}).`,
  PLANNER_PROJECT_BYTES: `How many bytes a project may grow to by agents and guests, history and files included (default ${limits.projectBytesMax}).`,
  PAGER:
    'What shows lists and logs that are longer than the terminal (default `less`, if it is installed); `cat`: nothing.',
  NO_COLOR: 'Set: no colours at a terminal, as with `--no-color`.',
  FORCE_COLOR: '`1`: colours also where no terminal reads; `0`: none.',
} as const;

/** How an operator brings bytes of files from a bucket of an earlier version into the database. */
export const copyFromBucket =
  'To copy them into the database, start the build of Planner 0.1.0 that used the bucket (commit 0718d875 is the last one that can), but without PLANNER_BLOBS, and upload each object of the bucket to it as a file of any project: curl --form file=@OBJECT URL/api/v1/projects/ID/files (docs/how-to/several-nodes.md, "Files of a bucket").';

type VariableName = keyof typeof variables | 'XDG_CONFIG_HOME' | 'PATH' | 'BROWSER' | 'VISUAL' | 'EDITOR' | 'TERM';

/** Settings of sign-in by OpenID Connect. */
export interface OpenIdSettings {
  /** PLANNER_OIDC_ISSUER. */
  readonly issuer: string;
  /** PLANNER_OIDC_CLIENT_ID. */
  readonly clientId: string;
  /** PLANNER_OIDC_CLIENT_SECRET; absent for a public client. */
  readonly clientSecret: string | undefined;
  /** PLANNER_OIDC_STATE_SECRET; absent: random at each start. */
  readonly stateSecret?: string;
  /** PLANNER_OWNERS: e-mail addresses in lower case. */
  readonly owners: ReadonlySet<string>;
  /** PLANNER_OWNER_GROUPS. */
  readonly ownerGroups?: readonly { readonly issuer: string; readonly group: string }[];
  /** PLANNER_OIDC_TRUSTED_TENANTS. */
  readonly trustedTenants?: ReadonlySet<string>;
}

/** The database of a service with several nodes. */
export interface DatabaseSettings {
  readonly url: string;
  /** PLANNER_DATABASE_SCHEMA. */
  readonly schema: string;
  /** PLANNER_DURABILITY. */
  readonly durability: (typeof durabilities)[number];
  /** PLANNER_READS. */
  readonly reads: (typeof readLevels)[number];
  /** PLANNER_PREPARE. */
  readonly prepare: boolean;
  /** PLANNER_MEMORY_MB, in bytes. */
  readonly memoryBytes: number | undefined;
  /** PLANNER_DRAIN_SECONDS, in milliseconds. */
  readonly drainMs?: number | undefined;
}

/** Settings of a hosted service. */
export interface HostedSettings {
  /** The public URL: scheme and host, with the port if it is not the scheme's default, without a trailing slash. */
  readonly baseUrl: string;
  /** Number of proxies in front whose X-Forwarded-For is trusted. */
  readonly trustedProxies: number;
  /** Absent: people sign in with an owner key. */
  readonly openId?: OpenIdSettings;
}

/** Settings of authentication. */
export interface AccessSettings {
  /** Absent: on loopback a caller without a credential is the owner. */
  readonly hosted?: HostedSettings;
  /** PLANNER_AUTH_PASSWORD: the owner's password for HTTP Basic, on every bind address. */
  readonly password?: string;
  /** The owner credential that `serve` writes to `local/admin`, for callers that can read the root. */
  readonly admin?: string;
}

/** The variables of access, unparsed: only `serve` validates them. */
export interface AccessVariables {
  /** PLANNER_BASE_URL. */
  readonly baseUrl: string | undefined;
  /** PLANNER_TRUST_PROXY. */
  readonly trustProxy: string | undefined;
  /** PLANNER_AUTH_PASSWORD. */
  readonly password: string | undefined;
  /** PLANNER_OIDC_ISSUER. */
  readonly issuer: string | undefined;
  /** PLANNER_OIDC_CLIENT_ID. */
  readonly clientId: string | undefined;
  /** PLANNER_OIDC_CLIENT_SECRET. */
  readonly clientSecret: string | undefined;
  /** PLANNER_OIDC_STATE_SECRET. */
  readonly stateSecret: string | undefined;
  /** PLANNER_OWNERS. */
  readonly owners: string | undefined;
  /** PLANNER_OWNER_GROUPS. */
  readonly ownerGroups: string | undefined;
  /** PLANNER_OIDC_TRUSTED_TENANTS. */
  readonly trustedTenants: string | undefined;
}

/** The service that commands and clients call. */
export interface ServiceVariables {
  /** PLANNER_URL. */
  readonly url: string | undefined;
  /** PLANNER_MCP_TOKEN: the key that is sent to PLANNER_URL. */
  readonly token: string | undefined;
}

/** A variable with Planner's prefix that Planner does not know, and the known variable with the most similar name. */
export interface UnknownVariable {
  readonly name: string;
  readonly like?: string;
}

/** The environment variables. This file is the only reader of `process.env`. */
export interface Environment extends ServiceVariables {
  /** PLANNER_PORT. */
  readonly port: number | undefined;
  /** PLANNER_ROOT: the directory that holds `.planner`. */
  readonly root: string | undefined;
  /** PLANNER_LOG: the log level; undefined if not set. */
  readonly logLevel: LogLevel | undefined;
  readonly access: AccessVariables;
  /** PLANNER_DATABASE and its related variables; its URL is undefined if it is not set. */
  readonly database: Omit<DatabaseSettings, 'url'> & { readonly url: string | undefined };
  /** XDG_CONFIG_HOME: the user's configuration directory. */
  readonly configHome: string | undefined;
  /** PLANNER_AGENT_SHARE_LINKS: `off` forbids agents to create share links. A root's config.json can forbid it too; neither can override the other. */
  readonly agentShareLinks: boolean;
  /** PLANNER_WEBHOOK_HOSTS: `host` or `host:port` in lower case. */
  readonly webhookHosts: ReadonlySet<string>;
  /** PLANNER_AGENT_BYTES_PER_DAY: bytes that one agent key may write in 24 hours; undefined if not set. */
  readonly agentBytesPerDay: number | undefined;
  /** PLANNER_PROJECT_BYTES: size to which agents and guests may grow a project; undefined if not set. */
  readonly projectBytes: number | undefined;
  /** Variables that are set and mean nothing. */
  readonly unknown: readonly UnknownVariable[];
  /** PATH: the search path for programs. */
  readonly path: string | undefined;
  /** BROWSER: the program that opens addresses. */
  readonly browser: string | undefined;
  /** VISUAL, else EDITOR: the user's editor. */
  readonly editor: string | undefined;
  /** PAGER: the user's pager. */
  readonly pager: string | undefined;
  /** FORCE_COLOR, else NO_COLOR and TERM: whether there are colours; undefined if a terminal decides. */
  readonly colours: boolean | undefined;
}

/** Throws `invalid_argument` for an invalid value. An empty variable counts as not set. */
export function readEnvironment(environment: NodeJS.ProcessEnv = process.env): Environment {
  const text = (name: VariableName): string | undefined => environment[name] || undefined;
  const port = text('PLANNER_PORT');
  // The program would miss the bytes of files.
  if (text('PLANNER_BLOBS') !== undefined)
    throw new PlannerError(
      'invalid_argument',
      `PLANNER_BLOBS is set, and no bucket takes the bytes of files any more. ${copyFromBucket} Then unset PLANNER_BLOBS.`,
      { field: 'PLANNER_BLOBS' },
    );
  return {
    port: port === undefined ? undefined : parsePort(port, 'PLANNER_PORT'),
    root: text('PLANNER_ROOT'),
    logLevel: parseLogLevel(text('PLANNER_LOG')),
    ...readServiceVariables(environment),
    unknown: unknownVariables(environment),
    access: {
      baseUrl: text('PLANNER_BASE_URL'),
      trustProxy: text('PLANNER_TRUST_PROXY'),
      password: text('PLANNER_AUTH_PASSWORD'),
      issuer: text('PLANNER_OIDC_ISSUER'),
      clientId: text('PLANNER_OIDC_CLIENT_ID'),
      clientSecret: text('PLANNER_OIDC_CLIENT_SECRET'),
      stateSecret: text('PLANNER_OIDC_STATE_SECRET'),
      owners: text('PLANNER_OWNERS'),
      ownerGroups: text('PLANNER_OWNER_GROUPS'),
      trustedTenants: text('PLANNER_OIDC_TRUSTED_TENANTS'),
    },
    database: {
      url: text('PLANNER_DATABASE'),
      schema: text('PLANNER_DATABASE_SCHEMA') ?? databaseSchemaDefault,
      durability: parseOneOf(text('PLANNER_DURABILITY'), durabilities, 'PLANNER_DURABILITY'),
      reads: parseOneOf(text('PLANNER_READS'), readLevels, 'PLANNER_READS'),
      prepare: parseSwitch(text('PLANNER_PREPARE'), 'PLANNER_PREPARE'),
      memoryBytes: parseMebibytes(text('PLANNER_MEMORY_MB'), 'PLANNER_MEMORY_MB'),
      drainMs: 1000 * parseDrainSeconds(text('PLANNER_DRAIN_SECONDS'), 'PLANNER_DRAIN_SECONDS'),
    },
    agentShareLinks: parseSwitch(text('PLANNER_AGENT_SHARE_LINKS'), 'PLANNER_AGENT_SHARE_LINKS'),
    webhookHosts: parseHosts(text('PLANNER_WEBHOOK_HOSTS'), 'PLANNER_WEBHOOK_HOSTS'),
    agentBytesPerDay: parseBytes(text('PLANNER_AGENT_BYTES_PER_DAY'), 'PLANNER_AGENT_BYTES_PER_DAY'),
    projectBytes: parseBytes(text('PLANNER_PROJECT_BYTES'), 'PLANNER_PROJECT_BYTES'),
    configHome: text('XDG_CONFIG_HOME'),
    path: text('PATH'),
    browser: text('BROWSER'),
    editor: text('VISUAL') ?? text('EDITOR'),
    pager: text('PAGER'),
    colours: coloursBy(text),
  };
}

function coloursBy(text: (name: VariableName) => string | undefined): boolean | undefined {
  const forced = text('FORCE_COLOR');
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return text('NO_COLOR') !== undefined || text('TERM') === 'dumb' ? false : undefined;
}

const ownPrefix = 'PLANNER_';

function unknownVariables(environment: NodeJS.ProcessEnv): readonly UnknownVariable[] {
  const unknown = Object.keys(environment).filter(
    (name) => /^PLANNER_(?!TEST_)/.test(name) && !Object.hasOwn(variables, name),
  );
  return unknown.map((name) => {
    const like = new LikeNames(name.slice(ownPrefix.length));
    for (const known of Object.keys(variables))
      if (known.startsWith(ownPrefix)) like.add(known.slice(ownPrefix.length));
    const [likest] = like.found;
    return { name, ...(likest === undefined ? {} : { like: ownPrefix + likest }) };
  });
}

/** An empty variable counts as not set. */
export function readServiceVariables(environment: NodeJS.ProcessEnv = process.env): ServiceVariables {
  const text = (name: VariableName): string | undefined => environment[name] || undefined;
  return { url: text('PLANNER_URL'), token: text('PLANNER_MCP_TOKEN') };
}

/** Default: on. Any other value is rejected, so that a misspelt `off` does not leave the switch on. */
function parseSwitch(text: string | undefined, where: string): boolean {
  if (text === undefined || text === 'on') return true;
  if (text === 'off') return false;
  throw new PlannerError('invalid_argument', `${where} is ${JSON.stringify(text)}; it is on or off.`, { field: where });
}

/** Default: the first. */
function parseOneOf<const T extends string>(text: string | undefined, values: readonly [T, ...T[]], where: string): T {
  const value = text === undefined ? values[0] : values.find((one) => one === text);
  if (value !== undefined) return value;
  throw new PlannerError(
    'invalid_argument',
    `${where} is ${JSON.stringify(text)}; it is one of ${values.join(', ')}.`,
    {
      field: where,
    },
  );
}

const hostPattern = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

function parseHosts(text: string | undefined, where: string): ReadonlySet<string> {
  const hosts = (text ?? '')
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');
  const wrong = hosts.find((host) => !hostPattern.test(host));
  if (wrong === undefined) return new Set(hosts);
  throw new PlannerError(
    'invalid_argument',
    `${where} contains ${JSON.stringify(wrong)}; it is a list of hosts, each with its port or without, separated by commas.`,
    { field: where },
  );
}

function parseDrainSeconds(text: string | undefined, where: string): number {
  if (text === undefined) return drainSecondsDefault;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new PlannerError(
    'invalid_argument',
    `${where} is ${JSON.stringify(text)}; it is a number of seconds from 0 to 999.`,
    { field: where },
  );
}

function parseBytes(text: string | undefined, where: string): number | undefined {
  if (text === undefined || /^[1-9]\d{0,14}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new PlannerError('invalid_argument', `${where} is ${JSON.stringify(text)}; it is a number of bytes.`, {
    field: where,
  });
}

function parseMebibytes(text: string | undefined, where: string): number | undefined {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text))
    return text === undefined ? undefined : Number(text) * 1024 * 1024;
  throw new PlannerError('invalid_argument', `${where} is ${JSON.stringify(text)}; it is a number of MiB.`, {
    field: where,
  });
}

function parseLogLevel(text: string | undefined): LogLevel | undefined {
  if (text === undefined) return undefined;
  const level = logLevels.find((one) => one === text);
  if (level !== undefined) return level;
  throw new PlannerError(
    'invalid_argument',
    `PLANNER_LOG is ${JSON.stringify(text)}; it is one of ${logLevels.join(', ')}.`,
    { field: 'PLANNER_LOG' },
  );
}

/** A port number; 0 lets the system choose. `where` names the option in the error. */
export function parsePort(text: string, where: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new PlannerError(
      'invalid_argument',
      `${where} is ${JSON.stringify(text)}; a port is a number from 0 to 65535.`,
      { field: where },
    );
  }
  return port;
}

/** The environment for programs that are started in the name of the user. */
export function readProgramEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...environment };
}

/** The variables that most programs need, none of which holds a secret. */
const plainVariables = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TMPDIR', 'TZ'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
] as const;

/**
 * The environment for a command that the plan contains: no key, token or setting of Planner, and no secret of the user but those that `names`
 * lists. Names of Windows are compared without case.
 */
export function readPlainEnvironment(
  names: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const chosen = new Set([...plainVariables, ...names].map((name) => name.toUpperCase()));
  const kept = Object.entries(environment).filter(
    ([name]) => chosen.has(name.toUpperCase()) && !name.toUpperCase().startsWith(ownPrefix),
  );
  return { ...Object.fromEntries(kept), CI: 'true' };
}

/** The git variables that locate the user's settings and git's programs. All others are removed. */
const gitVariablesKept = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_EXEC_PATH']);

/**
 * The environment for git child processes. If git itself started this process (as a hook, merge driver or `rebase --exec`), it set GIT_DIR,
 * GIT_INDEX_FILE and others, which would redirect every command to that repository instead of the one of the working directory.
 */
export function readGitEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean => !/^GIT_/i.test(name) || gitVariablesKept.has(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
}
