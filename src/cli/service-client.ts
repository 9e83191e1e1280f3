import { PlannerError } from '../errors.ts';
import type { ErrorBody } from '../errors.ts';

/** Where a service listens, and what is shown to it. */
export interface Address {
  /** Scheme, host and port, and the path under which it is mounted if there is one; without a final slash. */
  readonly url: string;
  /** The Authorization header; absent at a loopback service that asks for none. */
  readonly authorization?: string | undefined;
}

type Body = NonNullable<RequestInit['body']>;

/** Calls a running service over REST. Paths are below /api/v1. */
export class ServiceClient {
  readonly address: Address;

  constructor(address: Address) {
    this.address = address;
  }

  /** The answer's JSON, undefined where it has none. Throws what the service answers as an error, `unavailable` where none answers. */
  async request(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await this.send(method, path, body === undefined ? undefined : JSON.stringify(body), {
      'Content-Type': 'application/json',
    });
    return response.status === 204 ? undefined : ((await this.#json(response)) ?? undefined);
  }

  /** The answer as it comes, once it is known to be none of refusal. */
  async send(
    method: string,
    path: string,
    body?: Body,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { url, authorization } = this.address;
    let response: Response;
    try {
      response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : headers),
          ...credentialHeaders(url, authorization),
        },
        // A service that sends elsewhere would get the key sent there.
        redirect: 'error',
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      });
    } catch (error) {
      throw unreachable(url, error);
    }
    if (response.ok) return response;
    throw await this.#errorOf(response);
  }

  async #errorOf(response: Response): Promise<PlannerError> {
    const body = (await this.#json(response)) as Partial<ErrorBody> | undefined;
    const { error, message, ...details } = body ?? {};
    if (error !== undefined && message !== undefined) {
      const remedy = error === 'unauthorized' ? ` planner login ${this.address.url} makes a key and keeps it.` : '';
      return new PlannerError(error, message + remedy, details);
    }
    return new PlannerError(
      'unavailable',
      `${this.address.url} answered ${response.status} without saying why: it may be no Planner service.`,
    );
  }

  async #json(response: Response): Promise<unknown> {
    const text = await response.text();
    try {
      return text === '' ? undefined : JSON.parse(text);
    } catch {
      throw new PlannerError('unavailable', `${this.address.url} answered no JSON: it may be no Planner service.`);
    }
  }
}

/**
 * Runs what reads the answers of a service. Commands take an answer for what its operation promises: a member that is missing is found when it
 * is used, and means that something else answers at that address.
 */
export async function checkingResponsesOf<T>(url: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const message = `${url} answered something else than what it was asked for: it may be no Planner service, or one of another version.`;
    throw Object.assign(new PlannerError('unavailable', message), { cause: thrown });
  }
}

/** A password is sent by browsers for any page that asks them to: what changes something proves with the Origin that it is none. */
function credentialHeaders(url: string, authorization: string | undefined): Readonly<Record<string, string>> {
  if (authorization === undefined) return {};
  return authorization.startsWith('Basic ')
    ? { Authorization: authorization, Origin: new URL(url).origin }
    : { Authorization: authorization };
}

function unreachable(url: string, error: unknown): PlannerError {
  const cause = (error as { cause?: { code?: unknown; message?: unknown } }).cause;
  const reason = [cause?.code, cause?.message, (error as Error).message].find((text) => typeof text === 'string');
  return new PlannerError(
    'unavailable',
    `No service answers at ${url} (${reason}). Is it running, and is the URL right?`,
  );
}
