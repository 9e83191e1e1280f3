import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { PlannerError } from '../errors.ts';
import type { Guard } from './guard.ts';

export interface HostedGuardOptions {
  /** Where everybody finds the service: scheme and host, with the port where it is not the scheme's own. */
  readonly baseUrl: string;
  /** Proxies in front, each of which appends to X-Forwarded-For what it was called from. */
  readonly trustedProxies: number;
  /** Called once, when a request names whom a proxy forwards it for and no proxy is trusted. */
  readonly onUntrustedProxy?: () => void;
}

/**
 * Guards a service that others reach. Every call bears a credential there, so that a name which was bent to its address (DNS rebinding)
 * wins nothing; foreign hosts and origins are refused nevertheless, since none of them is meant.
 */
export class HostedGuard implements Guard {
  readonly #baseUrl: string;
  readonly #host: string;
  readonly #proxies: number;
  #onUntrustedProxy: (() => void) | undefined;

  constructor({ baseUrl, trustedProxies, onUntrustedProxy }: HostedGuardOptions) {
    this.#onUntrustedProxy = trustedProxies === 0 ? onUntrustedProxy : undefined;
    this.#baseUrl = baseUrl;
    this.#host = new URL(baseUrl).host;
    this.#proxies = trustedProxies;
  }

  check(headers: IncomingHttpHeaders): string {
    const { host = '', origin } = headers;
    if (host.toLowerCase() !== this.#host && !this.#isForwarded(headers) && !isAddress(host)) {
      throw forbidden(
        `The Host ${JSON.stringify(host)} is not this service's: call it at ${this.#baseUrl}, and let a proxy in front pass the Host on.`,
      );
    }
    if (origin !== undefined && origin !== this.#baseUrl)
      throw forbidden(`A page of ${JSON.stringify(origin)} may not call this service: only its own pages may.`);
    return this.#baseUrl;
  }

  /** The last address that a trusted proxy vouches for; what callers wrote into the header themselves stands before it. */
  addressOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined {
    const forwarded = headers['x-forwarded-for'];
    if (forwarded !== undefined && this.#onUntrustedProxy !== undefined) {
      this.#onUntrustedProxy();
      this.#onUntrustedProxy = undefined;
    }
    if (this.#proxies === 0 || forwarded === undefined) return socket.remoteAddress;
    const hops = String(forwarded).split(',');
    const address = withoutPort(hops[Math.max(0, hops.length - this.#proxies)]!.trim());
    return isIP(address) === 0 ? socket.remoteAddress : address;
  }

  /** A trusted proxy may put its own name into Host and tell the caller's beside it. */
  #isForwarded(headers: IncomingHttpHeaders): boolean {
    const name = headers['x-forwarded-host'];
    return this.#proxies > 0 && typeof name === 'string' && name.toLowerCase() === this.#host;
  }
}

/** Monitors and this machine's own programs call by address, or as localhost: no name that anybody could bend. */
function isAddress(host: string): boolean {
  const [, name = ''] = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  return name.toLowerCase() === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** Some proxies write the port behind the address. */
function withoutPort(text: string): string {
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text;
}

function forbidden(message: string): PlannerError {
  return new PlannerError('forbidden', message);
}
