import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../base/errors.ts';
import type { Guard } from './guard.ts';

/** Addresses that no other machine can reach. */
export const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

/** Headers that proxies and tunnels add, besides X-Forwarded-*: one of these shows that the request was forwarded. */
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
 * Guards a service that listens on loopback, where a caller without credentials is the owner. Any web page can send
 * requests to a loopback port, by DNS rebinding or cross-origin, and with a proxy every client would be the owner. So
 * the host must be loopback with the bound port.
 */
export class LoopbackGuard implements Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor(port: number) {
    const names = ['127.0.0.1', 'localhost', '[::1]'];
    this.#hosts = new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
    this.#origins = new Set(names.map((name) => (port === 80 ? `http://${name}` : `http://${name}:${port}`)));
  }

  /** Throws `forbidden` for requests that are not local. */
  check({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): ReturnType<Guard['check']> {
    const { host = '', origin } = headers;
    if (!this.#hosts.has(host) && !this.#hosts.has(host.toLowerCase())) {
      throw forbidden(
        `The Host ${JSON.stringify(host)} does not name this loopback service: call it as 127.0.0.1, localhost or [::1], with its port.`,
      );
    }
    if (origin !== undefined && !this.#origins.has(origin)) {
      throw forbidden(
        `Requests from the origin ${JSON.stringify(origin)} are rejected: only the service's own pages may call it.`,
      );
    }
    for (const name in headers) {
      if (name.startsWith('x-forwarded-') || proxyHeaders.has(name)) {
        throw forbidden(
          `The request was forwarded by a proxy (${name}), where every client would be the owner. Start a service for others with --hosted.`,
        );
      }
    }
    return { baseUrl: `http://${host}`, address: socket.remoteAddress };
  }
}

function forbidden(message: string): PlannerError {
  return new PlannerError('forbidden', message);
}
