import type { Clock } from '../base/clock.ts';
import type { AccessSettings, HostedSettings } from '../base/config.ts';
import { Cookies } from '../http/cookies.ts';
import { Metrics } from '../http/metrics.ts';
import type { StoreMetrics } from '../http/metrics.ts';
import type { Guard } from '../http/guard.ts';
import { HostedGuard } from '../http/hosted.ts';
import { httpApp } from '../http/http-app.ts';
import type { SignInPages } from '../http/express-app.ts';
import { HttpServer } from '../http/http-server.ts';
import type { ServerTimeouts } from '../http/http-server.ts';
import { LoopbackGuard } from '../http/loopback.ts';
import { metricsRoute } from '../http/metrics-route.ts';
import { withRequestLog } from '../http/request-log.ts';
import type { RequestLogEntry } from '../http/request-log.ts';
import { randomToken } from '../base/ids.ts';
import { mcpTransport } from '../mcp/mcp-transport.ts';
import { toolList, withOutputs } from '../mcp/tool-list.ts';
import type { Tool, ToolSchemaOf } from '../mcp/tool-list.ts';
import { authentication } from '../operations/access/authentication.ts';
import type { Authentication } from '../operations/access/authentication.ts';
import type { RenderPort } from '../operations/pipeline/call-renderings.ts';
import { Dispatcher } from '../operations/pipeline/dispatch.ts';
import type { DispatcherOptions, Outcome } from '../operations/pipeline/dispatch.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { AnyOperation } from '../operations/declaration/operation.ts';
import type { Transactions } from '../operations/declaration/transactions.ts';
import { Endings } from '../operations/access/endings.ts';
import { Sessions } from '../operations/access/sessions.ts';
import { signInScheme } from '../operations/access/schemes.ts';
import type { SignInSchemeOptions } from '../operations/access/schemes.ts';
import { SignInDesk } from '../operations/access/sign-in-desk.ts';
import type { Validator } from '../operations/pipeline/validate.ts';
import { appPage } from '../pages/app-page.ts';
import type { BuiltFiles } from '../pages/app-page.ts';
import { isOwner } from '../domain/people/identities.ts';
import { sameIssuer } from '../domain/people/claims.ts';
import { guestPages } from '../pages/guest-pages.ts';
import type { Remotes } from '../remote/remote.ts';
import type { Event, EventListAnswer } from '../schema/types.ts';
import { callRoute } from '../rest/call-route.ts';
import { restTransport } from '../rest/rest-transport.ts';
import type { ServiceRoute } from '../rest/rest-transport.ts';
import { OpenId } from '../sign-in/openid.ts';
import { signInPages } from '../sign-in/sign-in.ts';
import { onSlowSlice } from '../base/slices.ts';
import type { Collections, LocalFiles } from '../store/index.ts';

/** The schemas by the names of their definitions. */
export interface SchemaSet {
  readonly validator: (definition: string) => Validator;
  /** Self-contained: without references to other files. */
  readonly schema: (definition: string) => Readonly<Record<string, unknown>>;
  /** The schema of a tool, in the form that every provider of models takes. */
  readonly toolSchema: ToolSchemaOf;
}

export interface TransportsOptions<C extends Collections> {
  readonly store: Transactions<C>;
  /** True if other nodes change the store's data. */
  readonly isShared?: boolean | undefined;
  /** The state of the store at a scrape of the metrics. */
  readonly storeMetrics: () => Promise<StoreMetrics>;
  readonly catalogue: readonly AnyOperation<C>[];
  readonly schemas: SchemaSet;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Name of the owner of a loopback service. */
  readonly owner: string;
  /** The project that the root's config.json binds. */
  readonly defaultProject: string | undefined;
  /** The hosted services that sync_pull reads from. */
  readonly remotes?: Pick<Remotes, 'of'> | undefined;
  /** Files outside the root, which callers of a loopback service may name by path. */
  readonly localFiles?: Pick<LocalFiles, 'open'> | undefined;
  /** The hosts that webhooks may call though their addresses are not public. */
  readonly webhookHosts?: DispatcherOptions<C>['webhookHosts'];
  /** True if agents may create share links. Default: true. */
  readonly agentShareLinks?: boolean | undefined;
  /** Free and total space of the root's disk. */
  readonly space?: DispatcherOptions<C>['space'];
  /** Bytes that one agent key may write in 24 hours. */
  readonly agentBytesPerDay?: number | undefined;
  /** Size to which agents and guests may grow a project. */
  readonly projectBytes?: number | undefined;
  /** Where attempts, calls of guests and bytes of agents are counted. Default: in this process. */
  readonly limiters?: DispatcherOptions<C>['limiters'];
  /** Seals questions to persons, for all nodes. Default: a random one, so that a restart of the service asks again. */
  readonly questionSecret?: string | undefined;
  /** The claims of the repository's worktrees, if the root is in one. */
  readonly claims?: DispatcherOptions<C>['claims'];
  /** Renders texts. Default: in the main thread. */
  readonly rendering?: RenderPort | undefined;
  readonly host: string;
  readonly port: number | readonly number[];
  readonly serviceRoutes: readonly ServiceRoute[];
  /** Reads the built web page. Absent: it is not served. */
  readonly page?: (() => BuiltFiles) | undefined;
  /** Default: a loopback service without a password. */
  readonly access?: AccessSettings | undefined;
  /** Defaults are the server's. */
  readonly timeouts?: Partial<ServerTimeouts> | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** The service for the process that runs it: calls as its owner, without a transport. */
export interface OwnPort {
  call(operation: string, input: Members): Promise<Members>;
  /** Passes on the events of all projects from now on, some at a time, until the signal aborts. */
  follow(onEvents: (events: readonly Event[]) => void, signal: AbortSignal): Promise<void>;
}

/** The open transports of a store. */
export interface Transports {
  readonly own: OwnPort;
  /** URL for callers on this machine: scheme, host and port, without a trailing slash. */
  readonly url: string;
  /** Lets requests in progress finish. */
  close(): Promise<void>;
}

/** Starts REST, MCP and the web page over a store and a catalogue. Resolves when requests are served. */
export async function openTransports<C extends Collections>(options: TransportsOptions<C>): Promise<Transports> {
  const { store, catalogue, schemas, clock, log, version, host, access = {} } = options;
  const { hosted } = access;
  const dispatcher = new Dispatcher({
    ...options,
    validator: schemas.validator,
    // Callers from other machines cannot name files of this machine.
    localFiles: hosted === undefined ? options.localFiles : undefined,
  });
  const bound: { guard?: Guard; cookies?: Cookies } = {};
  const known = authenticationOf(options, () => bound.cookies!.session);
  const { authenticator } = known;
  const sessions = await openSessions(options, dispatcher);
  const endings = new Endings(store);
  const metrics = new Metrics({ version, store: options.storeMetrics });
  const tools = (): readonly Tool[] => toolList(catalogue, schemas.toolSchema);
  const common = { dispatcher, authenticator, endOf: endings.of, schemaOf: schemas.schema, log };
  const app = httpApp({
    bound,
    secure: hosted !== undefined && new URL(hosted.baseUrl).protocol === 'https:',
    rest: restTransport({
      ...common,
      serviceRoutes: [...options.serviceRoutes, callRoute(dispatcher)],
    }),
    mcp: mcpTransport({
      ...common,
      sessions,
      clock,
      tools,
      stateSecret: options.questionSecret ?? randomToken(32),
      modernTools: () => withOutputs(tools(), catalogue, schemas.schema),
      version,
      describeProject: (id) => describeProject(store, id),
    }),
    guestPages: guestPages({ dispatcher, authenticator, log }),
    ...(hosted === undefined ? {} : { signIn: signInOf(options, hosted, known) }),
    metrics: metricsRoute({ metrics, authenticator }),
    ...appPage({ authenticator, read: options.page }),
    log,
  });
  // `onListening` runs before the first request can arrive: requests are handled in later turns of the event loop.
  const server = await HttpServer.listen({
    host,
    port: options.port,
    handler: withRequestLog(app, { clock, onFinished: requestObserver(metrics, log) }),
    timeouts: options.timeouts,
    onListening: (port) => {
      bound.guard = hosted === undefined ? new LoopbackGuard(port) : hostedGuard(hosted, log);
      bound.cookies = new Cookies(hosted?.baseUrl ?? localUrl(host, port));
    },
  });
  const unsubscribe = onSlowSlice((slice) => log({ level: 'warn', message: 'slow slice', ...slice }));
  const close = (): Promise<void> => {
    endings.close();
    return server
      .close()
      .finally(unsubscribe)
      .finally(() => metrics.close());
  };
  const url = localUrl(host, server.port);
  return { url, own: ownPort(dispatcher, options.owner, url), close };
}

/** Events that are passed on together. */
const followedAtOnce = 1000;
/** Nothing has to be sent at the pauses of a follower in this process. */
const followerPauseMs = 3_600_000;

function ownPort<C extends Collections>(dispatcher: Dispatcher<C>, owner: string, baseUrl: string): OwnPort {
  const call = { caller: { kind: 'owner', id: 'own', author: `human:${owner}` }, transport: 'cli', baseUrl } as const;
  return {
    call: async (name, input) =>
      ((await dispatcher.dispatch(dispatcher.operations.get(name)!, input, call)).value ?? {}) as Members,
    follow: (onEvents, signal) => {
      const send = ({ value }: Outcome): boolean => {
        onEvents((value as EventListAnswer).events);
        return true;
      };
      const sink = { send, drained: () => Promise.resolve(), pause: () => Promise.resolve() };
      const feed = dispatcher.operations.get('list_all_events');
      if (feed?.effect !== 'read') throw new Error('The catalogue has no feed.');
      const input = { since: 'now', limit: followedAtOnce };
      return dispatcher.stream(feed, input, { ...call, signal }, { sink, pauseMs: followerPauseMs });
    },
  };
}

/** The sessions of MCP, which count towards the allowance of agents. */
function openSessions<C extends Collections>(
  { store, clock, isShared }: TransportsOptions<C>,
  { allowance }: Dispatcher<C>,
): Promise<Sessions> {
  const charge = (credential: string, bytes: number): Promise<void> => allowance.chargeTo(credential, bytes);
  return Sessions.open({ store, clock, isShared, charge });
}

/** Returns a listener that counts and logs each finished request. */
function requestObserver(metrics: Metrics, log: Log): (entry: RequestLogEntry) => void {
  return (entry) => {
    metrics.count(entry);
    log(entry as unknown as Parameters<Log>[0]);
  };
}

function hostedGuard(settings: HostedSettings, log: Log): Guard {
  return new HostedGuard({
    ...settings,
    onUntrustedProxy: () =>
      log({
        level: 'warn',
        message:
          'A request has X-Forwarded-For, but no proxy is trusted: all callers behind the proxy count as one address, so a few wrong keys from one of them lock out all. Behind a proxy, set PLANNER_TRUST_PROXY to the number of proxies; without a proxy the header is ignored.',
      }),
  });
}

/** The URL for callers on this machine. An unspecified address (0.0.0.0, ::) includes loopback. */
function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function authenticationOf<C extends Collections>(
  { store, clock, owner, defaultProject, limiters, access = {} }: TransportsOptions<C>,
  cookie: () => string,
): Authentication {
  const { hosted, password, admin } = access;
  return authentication({
    store,
    clock,
    owner,
    defaultProject,
    hosted: hosted !== undefined,
    password,
    admin,
    cookie,
    admits: admitting(hosted),
    limiters,
  });
}

/** Returns whether an identity may (still) sign in. */
function admitting(hosted: HostedSettings | undefined): SignInSchemeOptions['admits'] {
  const openId = hosted?.openId;
  return (identity) => openId !== undefined && sameIssuer(openId.issuer, identity.issuer) && isOwner(identity, openId);
}

/** The sign-in pages of a hosted service. */
function signInOf<C extends Collections>(
  { store, clock, log, access, limiters }: TransportsOptions<C>,
  hosted: HostedSettings,
  { failures }: Authentication,
): SignInPages {
  const { baseUrl, openId } = hosted;
  const provider = openId && new OpenId({ ...openId, redirectUri: `${baseUrl}/sign-in/callback` });
  const cookies = new Cookies(baseUrl);
  const scheme = signInScheme({ store, clock, cookie: () => cookies.session, admits: admitting(hosted) });
  return signInPages({
    baseUrl,
    desk: new SignInDesk({ store, clock, admits: admitting(hosted), ...(openId ?? { owners: new Set() }) }),
    cookies,
    signedIn: async (cookie) =>
      scheme.matches({ cookie }) ? scheme.callerOf({ cookie }, { transport: 'rest' }) : undefined,
    openId: provider && { provider, host: new URL(openId.issuer).host, stateSecret: openId.stateSecret },
    failures,
    limiters,
    // With a password, the browser asks for it itself (HTTP Basic).
    redirectBrowsers: access?.password === undefined,
    clock,
    log,
  });
}

/** A project's id and name; undefined if it does not exist: config.json may name a deleted project. */
async function describeProject<C extends Collections>(
  store: Transactions<C>,
  id: string,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  return store
    .read(id, (view) => {
      const record = view.find(id)?.record as { readonly name?: unknown } | undefined;
      return typeof record?.name === 'string' ? { id, name: record.name } : undefined;
    })
    .catch(() => undefined);
}
