import type { AccessSettings, AccessVariables, HostedSettings, OpenIdSettings } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import { loopbackHosts } from '../../http/loopback.ts';
import { adminPrefix } from '../../operations/access/schemes.ts';
import { randomToken } from '../../base/ids.ts';

/** The access options of `planner serve`. */
export interface AccessOptions {
  /** The address to listen on. */
  readonly host: string;
  /** --hosted. */
  readonly hosted?: boolean | undefined;
  /** --base-url. */
  readonly baseUrl?: string | undefined;
}

const adminBytes = 32;
const proxiesMax = 10;

/**
 * The access settings of a service. It is hosted if it listens on another address than loopback or if `--hosted` is given. Includes a new
 * credential for `local/admin`. Throws `invalid_argument` with the missing or invalid option or variable.
 */
export function accessOf(variables: AccessVariables, options: AccessOptions): AccessSettings {
  const hosted = options.hosted === true || !loopbackHosts.has(options.host);
  return {
    admin: `${adminPrefix}${randomToken(adminBytes)}`,
    ...(variables.password === undefined ? {} : { password: variables.password }),
    ...(hosted ? { hosted: hostedSettings(variables, options) } : {}),
  };
}

function hostedSettings(variables: AccessVariables, { host, baseUrl }: AccessOptions): HostedSettings {
  const base = baseUrl ?? variables.baseUrl;
  if (base === undefined) {
    const why = loopbackHosts.has(host) ? '--hosted' : `--host ${host}`;
    throw invalid(
      '--base-url',
      `${why} needs the public URL of the service: set --base-url (or PLANNER_BASE_URL), as in https://plan.example.org.`,
    );
  }
  const openId = openIdSettings(variables);
  return {
    baseUrl: originOf(base, baseUrl === undefined ? 'PLANNER_BASE_URL' : '--base-url'),
    trustedProxies: proxiesOf(variables.trustProxy),
    ...(openId === undefined ? {} : { openId }),
  };
}

const stateSecretCharactersMin = 32;

function openIdSettings(variables: AccessVariables): OpenIdSettings | undefined {
  const { issuer, clientId, clientSecret, stateSecret, owners } = variables;
  if (issuer === undefined) return undefined;
  urlOf(issuer, 'PLANNER_OIDC_ISSUER');
  if (clientId === undefined)
    throw invalid(
      'PLANNER_OIDC_CLIENT_ID',
      'PLANNER_OIDC_ISSUER needs PLANNER_OIDC_CLIENT_ID: the client id registered at the issuer.',
    );
  const addresses = (owners ?? '')
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((address) => address !== '');
  const wrong = addresses.find((address) => !/^[^@]+@[^@]+$/.test(address));
  const ownerGroups = groupsOf(variables.ownerGroups);
  if ((addresses.length === 0 && ownerGroups.length === 0) || wrong !== undefined) {
    throw invalid(
      'PLANNER_OWNERS',
      `PLANNER_OWNERS ${wrong === undefined ? 'is missing' : `contains ${JSON.stringify(wrong)}`}: it lists the e-mail addresses of the people who may sign in at PLANNER_OIDC_ISSUER, separated by commas.`,
    );
  }
  if (stateSecret !== undefined && stateSecret.length < stateSecretCharactersMin)
    throw invalid(
      'PLANNER_OIDC_STATE_SECRET',
      `PLANNER_OIDC_STATE_SECRET has ${stateSecret.length} characters; it needs at least ${stateSecretCharactersMin} random ones, as from openssl rand -base64 32.`,
    );
  const sealed = stateSecret === undefined ? {} : { stateSecret };
  const trustedTenants = new Set(entriesOf(variables.trustedTenants));
  return {
    ...{ issuer, clientId, clientSecret, ...sealed, owners: new Set(addresses) },
    ...(ownerGroups.length === 0 ? {} : { ownerGroups }),
    ...(trustedTenants.size === 0 ? {} : { trustedTenants }),
  };
}

/** A group says nothing without who says it: each is named with its issuer. */
function groupsOf(text: string | undefined): { readonly issuer: string; readonly group: string }[] {
  return entriesOf(text).map((entry) => {
    const [, issuer = '', group = ''] = /^(\S+)\s+(.+)$/.exec(entry) ?? [];
    if (URL.canParse(issuer)) return { issuer, group };
    throw invalid(
      'PLANNER_OWNER_GROUPS',
      `PLANNER_OWNER_GROUPS contains ${JSON.stringify(entry)}; each entry is an issuer, a blank and a group, as in https://id.example.org planner-owners.`,
    );
  });
}

function entriesOf(text = ''): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function proxiesOf(text = '0'): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= proxiesMax) return Number(text);
  throw invalid(
    'PLANNER_TRUST_PROXY',
    `PLANNER_TRUST_PROXY is ${JSON.stringify(text)}; it is the number of proxies in front, from 0 to ${proxiesMax}.`,
  );
}

/** Validates a base URL and returns its origin. */
function originOf(text: string, where: string): string {
  const url = urlOf(text, where);
  if (url.pathname === '/' && `${url.username}${url.password}${url.search}${url.hash}` === '') return url.origin;
  throw invalid(
    where,
    `${where} is ${JSON.stringify(text)}; it must be a scheme and a host only, as in https://plan.example.org.`,
  );
}

/** Secrets are sent to this URL: it must be https, except on loopback. */
function urlOf(text: string, where: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.has(url.hostname))) return url;
  throw invalid(
    where,
    `${where} is ${JSON.stringify(text)}; it must be an https:// URL (http:// only on loopback), since keys and cookies are sent to it.`,
  );
}

function invalid(field: string, message: string): PlannerError {
  return new PlannerError('invalid_argument', message, { field });
}
