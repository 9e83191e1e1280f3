import { PlannerError } from '../errors.ts';
import { ResponseTruncated, InvalidResponse, readResponse } from './response.ts';
import { errorOf } from './message.ts';
import type { RpcMessage } from './message.ts';

/** Where a service is found, and as whom it is called. */
export interface ServiceAddress {
  /** Scheme, host and port, and the path under which it is mounted if there is one; without a final slash. */
  readonly url: string;
  /** The Authorization header; absent at a loopback service that asks for none. */
  readonly authorization?: string | undefined;
  /** The project that is meant by calls that name none. A key that is bound to one goes before. */
  readonly project?: string | undefined;
}

/** What one session of MCP says with each of its messages. */
export interface SessionHeaders {
  /** Mcp-Session-Id. */
  readonly id?: string | undefined;
  /** The version that initialize agreed on. */
  readonly protocolVersion?: string | undefined;
}

/** What came back for one message. */
export interface PostResult {
  /** The answer to a request, undefined for a notification. */
  readonly answer: RpcMessage | undefined;
  /** The session that an initialize began. */
  readonly session: string | undefined;
}

export interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gets what the service sends before its answer: progress. */
  readonly notify?: ((message: RpcMessage) => void) | undefined;
}

/** The way to the service broke, before or after the message arrived. It may be repeated: a change bears its key. */
export class ConnectionLost extends Error {
  /** The message may have arrived. */
  readonly sent: boolean;

  constructor(url: string, reason: string) {
    super(`${url} does not answer (${reason})`);
    this.sent = !connectFailures.has(reason);
  }
}

/** The session is over, or belongs to another credential. */
export class SessionExpired extends Error {}

const projectHeader = 'Planner-Project';
/** Gateways say so in place of a service that is being restarted. */
const transientStatuses: ReadonlySet<number> = new Set([502, 503, 504]);
/** There was no connection that a message could have gone through. */
const connectFailures: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Nothing of these mends itself within seconds. */
const permanentFailures = /^(?:CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_|HOSTNAME|ENOTFOUND|EPROTO)/;

/**
 * Sends one message to the MCP endpoint of a service and answers what comes back. Throws `ConnectionLost` and `SessionOver`, `PlannerError`
 * for what is refused as a whole and where no service is, and the signal's reason.
 */
export async function postMessage(
  address: ServiceAddress,
  message: RpcMessage,
  session: SessionHeaders,
  { signal, notify = () => undefined }: PostOptions = {},
): Promise<PostResult> {
  const { url } = address;
  try {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: headersOf(address, session),
      body: JSON.stringify(message),
      // A service that sends elsewhere would get the key sent there.
      redirect: 'error',
      signal: signal ?? null,
    });
    if (!response.ok) throw errorOfResponse(url, response.status, await response.text(), session);
    const began = response.headers.get('mcp-session-id') ?? undefined;
    return { answer: await readResponse(response, message.id, notify), session: began };
  } catch (thrown) {
    signal?.throwIfAborted();
    throw asFailure(url, thrown);
  }
}

/** Ends a session, as well as that can be done. */
export async function endSession(address: ServiceAddress, session: SessionHeaders, withinMs: number): Promise<void> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    const headers = headersOf(address, session);
    const response = await fetch(`${address.url}/mcp`, { method: 'DELETE', headers, redirect: 'error', signal });
    await response.body?.cancel();
  } catch {
    // A session that nobody ends is forgotten in its time.
  }
}

function headersOf({ url, authorization, project }: ServiceAddress, session: SessionHeaders): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    // A password is sent by browsers for any page that asks them to: what changes something proves with the Origin that it is none.
    ...(authorization?.startsWith('Basic ') === true ? { Origin: new URL(url).origin } : {}),
    ...(project === undefined ? {} : { [projectHeader]: project }),
    ...(session.id === undefined ? {} : { 'Mcp-Session-Id': session.id }),
    ...(session.protocolVersion === undefined ? {} : { 'MCP-Protocol-Version': session.protocolVersion }),
  };
}

function errorOfResponse(url: string, status: number, text: string, session: SessionHeaders): Error {
  const told = errorOf(parsed(text));
  if (told === undefined) {
    if (transientStatuses.has(status)) return new ConnectionLost(url, `HTTP ${status}`);
    return new PlannerError(
      'unavailable',
      `${url} answers ${status} without saying why: it may be no Planner service, or be found under another URL.`,
    );
  }
  const over = session.id !== undefined && status === 404 && told.details['resource'] === 'session';
  return over ? new SessionExpired(told.message) : told;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asFailure(url: string, thrown: unknown): Error {
  if (thrown instanceof PlannerError || thrown instanceof ConnectionLost || thrown instanceof SessionExpired)
    return thrown;
  if (thrown instanceof ResponseTruncated) return new ConnectionLost(url, thrown.message);
  const { message, cause } = thrown as { readonly message: string; readonly cause?: Partial<NodeJS.ErrnoException> };
  // fetch tells of a connection that broke by the code of what broke it.
  const code = typeof cause?.code === 'string' ? cause.code : undefined;
  if (code !== undefined && !permanentFailures.test(code)) return new ConnectionLost(url, code);
  const reason = thrown instanceof InvalidResponse ? message : (code ?? cause?.message ?? message);
  return new PlannerError(
    'unavailable',
    `No Planner service can be reached at ${url} (${reason}). Is it running, and is the URL right?`,
  );
}
