import { stringifySetCookie } from 'cookie';

/** The names of the service's cookies for a base URL, and their Set-Cookie headers. */
export class Cookies {
  /** Contains the secret of a sign-in. */
  readonly session: string;
  /** Contains the values that the callback of the identity provider must match. */
  readonly pending: string;
  readonly #secure: boolean;

  /**
   * Over https their names begin with `__Host-`, which browsers accept only from this host and only over https. Over http on loopback,
   * where that is impossible, they contain the port: browsers separate cookies by host, not by port, and another service may run on this
   * machine.
   */
  constructor(baseUrl: string) {
    const { protocol, port } = new URL(baseUrl);
    const secure = protocol === 'https:';
    this.session = secure ? '__Host-planner' : `planner_${port || '80'}`;
    this.pending = secure ? '__Host-planner-pending' : `planner_pending_${port || '80'}`;
    this.#secure = secure;
  }

  /** A Set-Cookie header. Without `maxAgeSeconds` the browser deletes the cookie when it exits. */
  set(name: string, value: string, maxAgeSeconds?: number): string {
    const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: this.#secure } as const;
    const age = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds };
    return stringifySetCookie({ name, value, ...attributes, ...age });
  }

  clear(name: string): string {
    return this.set(name, '', 0);
  }
}
