import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { PlannerError } from '../base/errors.ts';
import type { Guard } from './guard.ts';

export interface HostedGuardOptions {
  /** The public URL of the service: scheme and host, with the port if it is not the scheme's default. */
  readonly baseUrl: string;
  /** Number of proxies in front, each of which appends its client's address to X-Forwarded-For. */
  readonly trustedProxies: number;
  /** Called once, for the first request with X-Forwarded-For if no proxy is trusted. */
  readonly onUntrustedProxy?: () => void;
}

/**
 * Guards a service on a public address. Every call needs a credential there, so DNS rebinding gains an attacker nothing. Foreign hosts and
 * origins are rejected as a second line of defence.
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

  check(request: Pick<IncomingMessage, 'headers' | 'socket'>): ReturnType<Guard['check']> {
    const { headers } = request;
    const { host = '', origin } = headers;
    if (host.toLowerCase() !== this.#host && !this.#isForwarded(headers) && !isAddress(host)) {
      throw forbidden(
        `The Host ${JSON.stringify(host)} is not this service: call it at ${this.#baseUrl}, and configure a proxy in front to forward the Host header.`,
      );
    }
    if (origin !== undefined && origin !== this.#baseUrl)
      throw forbidden(
        `Requests from the origin ${JSON.stringify(origin)} are rejected: only the service's own pages may call it.`,
      );
    return { baseUrl: this.#baseUrl, address: this.#addressOf(request) };
  }

  /** The last address added by a trusted proxy. Entries to the left of it may be forged by the client. */
  #addressOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined {
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

  /** A trusted proxy may send its own name as Host and the client's Host as X-Forwarded-Host. */
  #isForwarded(headers: IncomingHttpHeaders): boolean {
    const name = headers['x-forwarded-host'];
    return this.#proxies > 0 && typeof name === 'string' && name.toLowerCase() === this.#host;
  }
}

/** Monitors and local programs call by IP address or as localhost, which DNS rebinding cannot forge. */
function isAddress(host: string): boolean {
  const [, name = ''] = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  return name.toLowerCase() === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** Some proxies append the port to the address. */
function withoutPort(text: string): string {
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text;
}

function forbidden(message: string): PlannerError {
  return new PlannerError('forbidden', message);
}
