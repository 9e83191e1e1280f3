import { PlannerError } from '../base/errors.ts';
import type { ServiceAddress } from './connection.ts';
import type { ServiceLocator } from './session.ts';

/** Locates a service that always has the same URL. */
export class FixedLocator implements ServiceLocator {
  readonly #address: ServiceAddress;

  constructor(address: ServiceAddress) {
    this.#address = address;
  }

  locate(): Promise<ServiceAddress> {
    return Promise.resolve(this.#address);
  }

  invalidate(): void {
    // There is no other URL to try.
  }
}

/** Validates the URL and the key of a service. Throws `invalid_argument` with the name of the invalid one. */
export function serviceAddress(
  url: string,
  token: string | undefined,
  names: { readonly url: string; readonly token: string },
): ServiceAddress {
  const parsed = URL.parse(url);
  const plain = parsed !== null && `${parsed.username}${parsed.password}${parsed.search}${parsed.hash}` === '';
  if (!plain || !/^https?:$/.test(parsed.protocol)) {
    throw new PlannerError(
      'invalid_argument',
      `${names.url} is ${JSON.stringify(url)}; it must be the http:// or https:// URL of a service, as in https://plan.example.org.`,
      { field: names.url },
    );
  }
  // The message does not include the value, which is a secret even if it is invalid.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new PlannerError(
      'invalid_argument',
      `${names.token} is not a valid key: a key is one word of visible characters.`,
      {
        field: names.token,
      },
    );
  return {
    url: parsed.href.replace(/(?<!\/)\/+$/, '').replace(/\/mcp$/, ''),
    authorization: token === undefined ? undefined : `Bearer ${token}`,
  };
}
