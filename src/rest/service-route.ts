import type { Caller } from '../operations/declaration/operation.ts';
import type { ServicePlace } from './service-paths.ts';

/** A route of the service itself, outside the catalogue: health, the interface's description. `servicePaths` has its path. */
export type ServiceRoute = ServicePlace & ServiceResponse;

interface ServiceResponse {
  /** Requires no credential, but a credential that is sent is checked, unless `isBlind`: the answer does not wait for that. */
  readonly open?: true;
  readonly isBlind?: true;
  /** Forbidden for agent keys. */
  readonly ownerOnly?: boolean;
  /** Forbidden without a credential, on loopback too. */
  readonly needsCredential?: true;
  /** The response is a `RawResponse` whose content is no stream, sent unchanged. */
  readonly raw?: true;
  /** Returns the body. */
  readonly answer: (request: ServiceRequest) => unknown;
}

/** A request to a route of the service itself. */
export interface ServiceRequest {
  readonly caller: Caller;
  /** True if it has an Authorization header. */
  readonly hasCredential: boolean;
  /** The parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Scheme, host and port of the service's URL for the caller, without a trailing slash. */
  readonly baseUrl: string;
  /** The JSON body, or undefined. */
  readonly body: () => Promise<unknown>;
  readonly idempotencyKey: string | undefined;
}
