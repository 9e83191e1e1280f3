import { PlannerError } from '../errors.ts';
import type { ServiceAddress } from './connection.ts';
import type { ServiceLocator } from './session.ts';

/** A service at one URL, wherever it is. */
export class FixedLocator implements ServiceLocator {
  readonly #address: ServiceAddress;

  constructor(address: ServiceAddress) {
    this.#address = address;
  }

  locate(): Promise<ServiceAddress> {
    return Promise.resolve(this.#address);
  }

  invalidate(): void {
    // It is found at the same URL again, or nowhere.
  }
}

/** The URL of a service and the key for it. Throws `invalid_argument` naming what is wrong with either. */
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
      `${names.url} is ${JSON.stringify(url)}; it is the http:// or https:// URL of a service, as in https://plan.example.org.`,
      { field: names.url },
    );
  }
  // Of its value nothing is said: it is a secret, whatever is wrong with it.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new PlannerError('invalid_argument', `${names.token} is no key: a key is one word of visible characters.`, {
      field: names.token,
    });
  return {
    url: parsed.href.replace(/(?<!\/)\/+$/, '').replace(/\/mcp$/, ''),
    authorization: token === undefined ? undefined : `Bearer ${token}`,
  };
}
