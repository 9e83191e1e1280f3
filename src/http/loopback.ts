import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PlannerError } from '../errors.ts';
import type { Guard } from './guard.ts';

/** Addresses that no other machine can reach. */
export const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

/** What proxies and tunnels say of whom they call for, beside X-Forwarded-*: one of these is enough to tell that somebody stands between. */
const proxyHeaders: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-original-forwarded-for',
  'x-original-host',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-ray',
  'cdn-loop',
  'fastly-client-ip',
  'fly-client-ip',
  'tailscale-user-login',
]);

/**
 * Guards a service that listens on loopback, where a caller without credentials is the owner: any web page can send requests to a loopback
 * port, by its own name (DNS rebinding) or across origins, and a proxy in front would make the whole world the owner.
 * Decided by the bound port alone.
 */
export class LoopbackGuard implements Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor(port: number) {
    const names = ['127.0.0.1', 'localhost', '[::1]'];
    this.#hosts = new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
    this.#origins = new Set(names.map((name) => (port === 80 ? `http://${name}` : `http://${name}:${port}`)));
  }

  /** The service's address as this caller sees it, without a final slash. Throws `forbidden` for a request that is not from here. */
  check(headers: IncomingHttpHeaders): string {
    const { host = '', origin } = headers;
    if (!this.#hosts.has(host) && !this.#hosts.has(host.toLowerCase())) {
      throw forbidden(
        `The Host ${JSON.stringify(host)} does not name this loopback service: call it as 127.0.0.1, localhost or [::1], with its port.`,
      );
    }
    if (origin !== undefined && !this.#origins.has(origin)) {
      throw forbidden(`A page of ${JSON.stringify(origin)} may not call this service: only its own pages may.`);
    }
    for (const name in headers) {
      if (name.startsWith('x-forwarded-') || proxyHeaders.has(name)) {
        throw forbidden(
          `The request came through a proxy (${name}), behind which everybody would be the owner. A service for others is started with --hosted.`,
        );
      }
    }
    return `http://${host}`;
  }

  addressOf({ socket }: Pick<IncomingMessage, 'socket'>): string | undefined {
    return socket.remoteAddress;
  }
}

function forbidden(message: string): PlannerError {
  return new PlannerError('forbidden', message);
}
