import { httpRequest, textOf } from '../../client/http-request.ts';
import type { HttpRequest, HttpResponse } from '../../client/http-request.ts';
import { PlannerError } from '../../base/errors.ts';
import type { ErrorBody } from '../../base/errors.ts';

/** The URL of a service and the credential for it. */
export interface Address {
  /** Scheme, host and port, with the path if it is mounted under one; without a trailing slash. */
  readonly url: string;
  /** The Authorization header; absent for a loopback service that requires no credential. */
  readonly authorization?: string | undefined;
}

/** Calls a running service over REST. Paths are below /api/v1. */
export class ServiceClient {
  readonly address: Address;

  constructor(address: Address) {
    this.address = address;
  }

  /**
   * Resolves with the response's JSON, or undefined. Rejects with the service's error, or with `unavailable` if no
   * service responds.
   */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const response = await this.send(method, path, body === undefined ? undefined : JSON.stringify(body), {
      ...headers,
      'Content-Type': 'application/json',
    });
    return (await this.json(response)) ?? undefined;
  }

  /** Resolves with a successful response before its body is read. Rejects like `request`. */
  async send(
    method: string,
    path: string,
    body?: HttpRequest['body'],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse> {
    const { url, authorization } = this.address;
    const all = { ...(body === undefined ? {} : headers), ...credentialHeaders(url, authorization) };
    let response: HttpResponse;
    try {
      response = await httpRequest(`${url}/api/v1${path}`, { method, headers: all, body });
    } catch (error) {
      throw unreachable(url, error);
    }
    if (response.status < 300) return response;
    throw await this.#errorOf(response);
  }

  /** The JSON of a response, undefined for an empty body. */
  async json(response: HttpResponse): Promise<unknown> {
    let text: string;
    try {
      text = await textOf(response);
    } catch (error) {
      throw unreachable(this.address.url, error);
    }
    try {
      return text === '' ? undefined : JSON.parse(text);
    } catch {
      throw new PlannerError(
        'unavailable',
        `${this.address.url} did not respond with JSON: it may not be a Planner service.`,
      );
    }
  }

  async #errorOf(response: HttpResponse): Promise<PlannerError> {
    const body = (await this.json(response)) as Partial<ErrorBody> | undefined;
    const { error, message, ...details } = body ?? {};
    if (error !== undefined && message !== undefined) {
      const remedy = error === 'unauthorized' ? ` planner login ${this.address.url} creates a key and saves it.` : '';
      return new PlannerError(error, message + remedy, details);
    }
    return new PlannerError(
      'unavailable',
      `${this.address.url} responded with ${response.status} without an error body: it may not be a Planner service.`,
    );
  }
}

/**
 * Runs code that reads responses of a service. Commands assume that a response matches its operation: a missing member causes a TypeError
 * when it is used, which means that something else responds at that URL.
 */
export async function checkingResponsesOf<T>(url: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const message = `${url} sent an unexpected response: it may not be a Planner service, or one of another version.`;
    throw Object.assign(new PlannerError('unavailable', message), { cause: thrown });
  }
}

/** Browsers attach a password to requests of any page, so the service requires an Origin with it: send the service's own. */
function credentialHeaders(url: string, authorization: string | undefined): Readonly<Record<string, string>> {
  if (authorization === undefined) return {};
  return authorization.startsWith('Basic ')
    ? { Authorization: authorization, Origin: new URL(url).origin }
    : { Authorization: authorization };
}

function unreachable(url: string, error: unknown): PlannerError {
  const { code, message } = error as { code?: unknown; message: string };
  const reason = typeof code === 'string' ? code : message;
  return new PlannerError(
    'unavailable',
    `No service responds at ${url} (${reason}). Is it running, and is the URL correct?`,
  );
}
