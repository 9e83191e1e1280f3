import { PlannerError } from './errors.ts';

/** From the quietest on: each takes the lines of those before it too. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logLevelDefault: LogLevel = 'info';

/** How a person signs in at an identity provider by OpenID Connect. */
export interface OpenIdSettings {
  /** PLANNER_OIDC_ISSUER. */
  readonly issuer: string;
  /** PLANNER_OIDC_CLIENT_ID. */
  readonly clientId: string;
  /** PLANNER_OIDC_CLIENT_SECRET; absent for a public client. */
  readonly clientSecret: string | undefined;
  /** PLANNER_OWNERS: e-mail addresses in lower case. */
  readonly owners: ReadonlySet<string>;
}

/** What a service that others reach must know. */
export interface HostedSettings {
  /** Where everybody finds it: scheme and host, with the port where it is not the scheme's own, without a final slash. */
  readonly baseUrl: string;
  /** Proxies in front whose X-Forwarded-For counts. */
  readonly trustedProxies: number;
  /** Absent: a person signs in with an owner key. */
  readonly openId?: OpenIdSettings;
}

/** Who may call a service, and with what. */
export interface AccessSettings {
  /** Absent: on loopback a caller without a credential is the owner. */
  readonly hosted?: HostedSettings;
  /** PLANNER_AUTH_PASSWORD: the owner's credential by HTTP basic, on every bind. */
  readonly password?: string;
  /** What `serve` writes to `local/admin`: who can read the root acts with it as the owner. */
  readonly admin?: string;
}

/** The settings of access as the environment says them, not yet checked: they concern who serves alone. */
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
  /** PLANNER_OWNERS. */
  readonly owners: string | undefined;
}

/** The service that commands and clients talk to, wherever they stand. */
export interface ServiceVariables {
  /** PLANNER_URL. */
  readonly url: string | undefined;
  /** PLANNER_MCP_TOKEN: the key that is sent to PLANNER_URL. */
  readonly token: string | undefined;
}

/** What the environment says. This file is the only reader of `process.env`. */
export interface Environment extends ServiceVariables {
  /** PLANNER_PORT. */
  readonly port: number | undefined;
  /** PLANNER_ROOT: the directory that holds `.planner`. */
  readonly root: string | undefined;
  /** PLANNER_LOG: how much is logged; undefined where it says nothing. */
  readonly logLevel: LogLevel | undefined;
  readonly access: AccessVariables;
  /** XDG_CONFIG_HOME: where this user's programs keep their configuration. */
  readonly configHome: string | undefined;
  /** PLANNER_AGENT_SHARE_LINKS: `off` keeps share links to people; a root's config.json may turn them off too, and nothing turns them on again. */
  readonly agentShareLinks: boolean;
  /** PLANNER_AGENT_BYTES_PER_DAY: what one agent key may write in 24 hours; undefined where it says nothing. */
  readonly agentBytesPerDay: number | undefined;
  /** PLANNER_PROJECT_BYTES: what a project may grow to by agents and guests; undefined where it says nothing. */
  readonly projectBytes: number | undefined;
  /** PATH: where programs are looked for. */
  readonly path: string | undefined;
}

export const portDefault = 4747;
export const hostDefault = '127.0.0.1';

/** Throws `invalid_argument` for a PLANNER_PORT that is no port. An empty variable counts as absent. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const text = (name: string): string | undefined => variables[name] || undefined;
  const port = text('PLANNER_PORT');
  return {
    port: port === undefined ? undefined : parsePort(port, 'PLANNER_PORT'),
    root: text('PLANNER_ROOT'),
    logLevel: parseLogLevel(text('PLANNER_LOG')),
    ...readServiceVariables(variables),
    access: {
      baseUrl: text('PLANNER_BASE_URL'),
      trustProxy: text('PLANNER_TRUST_PROXY'),
      password: text('PLANNER_AUTH_PASSWORD'),
      issuer: text('PLANNER_OIDC_ISSUER'),
      clientId: text('PLANNER_OIDC_CLIENT_ID'),
      clientSecret: text('PLANNER_OIDC_CLIENT_SECRET'),
      owners: text('PLANNER_OWNERS'),
    },
    agentShareLinks: parseSwitch(text('PLANNER_AGENT_SHARE_LINKS'), 'PLANNER_AGENT_SHARE_LINKS'),
    agentBytesPerDay: parseBytes(text('PLANNER_AGENT_BYTES_PER_DAY'), 'PLANNER_AGENT_BYTES_PER_DAY'),
    projectBytes: parseBytes(text('PLANNER_PROJECT_BYTES'), 'PLANNER_PROJECT_BYTES'),
    configHome: text('XDG_CONFIG_HOME'),
    path: text('PATH'),
  };
}

/** An empty variable counts as absent. */
export function readServiceVariables(variables: NodeJS.ProcessEnv = process.env): ServiceVariables {
  return { url: variables['PLANNER_URL'] || undefined, token: variables['PLANNER_MCP_TOKEN'] || undefined };
}

/** On where nothing is said. What is neither is refused: a switch that was misspelt must not stay on. */
function parseSwitch(text: string | undefined, where: string): boolean {
  if (text === undefined || text === 'on') return true;
  if (text === 'off') return false;
  throw new PlannerError('invalid_argument', `${where} is ${JSON.stringify(text)}; it is on or off.`, { field: where });
}

function parseBytes(text: string | undefined, where: string): number | undefined {
  if (text === undefined || /^[1-9]\d{0,14}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new PlannerError('invalid_argument', `${where} is ${JSON.stringify(text)}; it is a number of bytes.`, {
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

/** Of git's own variables only those that say where this user's settings and git's programs are. */
const gitVariablesKept = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_EXEC_PATH']);

/**
 * The environment for git as a child process. If git itself has started this process (a hook, a merge driver, `rebase --exec`), it has set
 * GIT_DIR, GIT_INDEX_FILE and others, which would make every question go to that repository instead of the one of the directory asked in.
 */
export function readGitEnvironment(variables: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean => !/^GIT_/i.test(name) || gitVariablesKept.has(name);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => isKept(name)));
}
