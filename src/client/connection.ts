import { PlannerError } from '../base/errors.ts';
import { httpRequest, textOf } from './http-request.ts';
import { InvalidResponse, messagesOf, readResponse, ResponseTruncated } from './response.ts';
import type { StreamedMessage } from './response.ts';
import { errorOf } from './message.ts';
import type { RpcMessage } from './message.ts';

/** The URL of a service, the credential and the default project. */
export interface ServiceAddress {
  /** Scheme, host and port, with the path if it is mounted under one; without a trailing slash. */
  readonly url: string;
  /** The Authorization header; absent for a loopback service that requires no credential. */
  readonly authorization?: string | undefined;
  /** The default project of calls. The project of a key takes precedence. */
  readonly project?: string | undefined;
}

/** The headers that identify an MCP session. */
export interface SessionHeaders {
  /** Mcp-Session-Id. */
  readonly id?: string | undefined;
  /** The version negotiated by initialize. */
  readonly protocolVersion?: string | undefined;
}

/** The result of sending one message. */
export interface PostResult {
  /** The response to a request; undefined for a notification. */
  readonly answer: RpcMessage | undefined;
  /** The id of the session that an initialize created. */
  readonly session: string | undefined;
}

export interface PostOptions {
  /**
   * The headers of a request of a revision without sessions. An error response to it may have any status; it is resolved like every
   * response with the id of the request.
   */
  readonly envelope?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with notifications that precede the response: progress. */
  readonly notify?: ((message: RpcMessage) => void) | undefined;
}

/** The connection failed, before or after the service received the message. Retrying is safe: changes have an idempotency key. */
export class ConnectionLost extends Error {
  /** The service may have received the message. */
  readonly sent: boolean;

  constructor(url: string, reason: string) {
    super(`${url} does not respond (${reason})`);
    this.sent = !connectFailures.has(reason);
  }
}

/** The session does not exist any more, or belongs to another credential. */
export class SessionExpired extends Error {}

const projectHeader = 'Planner-Project';
/** Responses of gateways while their service restarts. */
const transientStatuses: ReadonlySet<number> = new Set([502, 503, 504]);
/** Failures before a connection was established: the message was not sent. */
const connectFailures: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);
/** Failures that a retry does not resolve. */
const permanentFailures = /^(?:CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_|HOSTNAME|ENOTFOUND|EPROTO)/;

/**
 * Sends one message to the MCP endpoint of a service. Resolves with the response. Rejects with `ConnectionLost`, `SessionExpired`, the
 * signal's reason, or `PlannerError` if the service rejects the whole request or is not a Planner service.
 */
export async function postMessage(
  address: ServiceAddress,
  message: RpcMessage,
  session: SessionHeaders,
  { envelope, signal, notify = () => undefined }: PostOptions = {},
): Promise<PostResult> {
  const { url } = address;
  try {
    const headers = { ...headersOf(address, session), ...envelope };
    const response = await httpRequest(`${url}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      signal,
    });
    if (response.status >= 300) {
      const text = await textOf(response);
      const answer = envelope === undefined ? undefined : errorAnswer(text, message);
      if (answer !== undefined) return { answer, session: undefined };
      throw errorOfResponse(url, response.status, text, session);
    }
    const began = response.headers['mcp-session-id'] as string | undefined;
    // The response to a request of the service has no id.
    const id = message.method === undefined ? undefined : message.id;
    return { answer: await readResponse(response, id, notify), session: began };
  } catch (thrown) {
    signal?.throwIfAborted();
    throw asFailure(url, thrown);
  }
}

/**
 * The messages of a session that belong to no request, after the one with `lastEventId`. Ends when the service ends the stream. Rejects like
 * `postMessage`.
 */
export async function* sessionMessages(
  address: ServiceAddress,
  session: SessionHeaders,
  lastEventId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamedMessage, void> {
  const { url } = address;
  try {
    const headers: Record<string, string> = { ...headersOf(address, session), Accept: 'text/event-stream' };
    if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId;
    const response = await httpRequest(`${url}/mcp`, { headers, signal });
    if (response.status >= 300) throw errorOfResponse(url, response.status, await textOf(response), session);
    yield* messagesOf(response.body);
  } catch (thrown) {
    signal.throwIfAborted();
    throw asFailure(url, thrown);
  }
}

/** Ends a session. Errors are ignored. */
export async function endSession(address: ServiceAddress, session: SessionHeaders, withinMs: number): Promise<void> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    const headers = headersOf(address, session);
    await textOf(await httpRequest(`${address.url}/mcp`, { method: 'DELETE', headers, signal }));
  } catch {
    // The service expires idle sessions.
  }
}

function headersOf({ url, authorization, project }: ServiceAddress, session: SessionHeaders): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    // Browsers attach a password to requests of any page, so the service requires an Origin with it: send the service's own.
    ...(authorization?.startsWith('Basic ') === true ? { Origin: new URL(url).origin } : {}),
    ...(project === undefined ? {} : { [projectHeader]: project }),
    ...(session.id === undefined ? {} : { 'Mcp-Session-Id': session.id }),
    ...(session.protocolVersion === undefined ? {} : { 'MCP-Protocol-Version': session.protocolVersion }),
  };
}

/** The response to a request in the body of an error; undefined if the body is another. */
function errorAnswer(text: string, { id }: RpcMessage): RpcMessage | undefined {
  const answer = parsed(text) as Partial<RpcMessage> | null | undefined;
  return answer?.error !== undefined && answer.id === id ? (answer as RpcMessage) : undefined;
}

function errorOfResponse(url: string, status: number, text: string, session: SessionHeaders): Error {
  const error = errorOf(parsed(text));
  if (error === undefined) {
    if (transientStatuses.has(status)) return new ConnectionLost(url, `HTTP ${status}`);
    return new PlannerError(
      'unavailable',
      `${url} responds with ${status} without an error body: it may not be a Planner service, or have another URL.`,
    );
  }
  const expired = session.id !== undefined && status === 404 && error.details['resource'] === 'session';
  return expired ? new SessionExpired(error.message) : error;
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
  const { message, code } = thrown as NodeJS.ErrnoException;
  if (code !== undefined && !permanentFailures.test(code)) return new ConnectionLost(url, code);
  const reason = thrown instanceof InvalidResponse ? message : (code ?? message);
  return new PlannerError(
    'unavailable',
    `No Planner service can be reached at ${url} (${reason}). Is it running, and is the URL correct?`,
  );
}
