import { codeOfToken, gone, openLink } from '../../domain/sharing/shares.ts';
import type { Collections } from '../../store/index.ts';
import type { RateLimiters } from '../../base/rate-limiters.ts';
import { GuestLimiter } from './guest-limiter.ts';
import type { Caller, Context, LinkOptions } from '../declaration/operation.ts';
import type { Transactions } from '../declaration/transactions.ts';

/** Authorises guests by their link. */
export class Admission<C extends Collections> {
  readonly #store: Pick<Transactions<C>, 'readService' | 'locateDurably'>;
  readonly #guests: GuestLimiter;

  /** `limiters`: where calls of guests are counted. */
  constructor(store: Pick<Transactions<C>, 'readService' | 'locateDurably'>, limiters?: RateLimiters) {
    this.#store = store;
    this.#guests = new GuestLimiter(limiters);
  }

  /**
   * The caller that uses the link with this token, and the link; other credentials of the request are ignored. Throws
   * `not_found`, `gone`, and `rate_limited` if the address has sent too many requests. `now` (ISO): asked with the link, since a shared
   * log may say then what time it is.
   */
  async admit(
    { kind, perMinuteMax }: LinkOptions,
    token: unknown,
    address: string | undefined,
    now: () => string,
  ): Promise<Required<Pick<Context, 'link'>> & { readonly caller: Caller }> {
    const presented = typeof token === 'string' ? token : '';
    const link = await this.#store.readService(
      (service) => openLink(service, kind, presented, now()),
      codeOfToken(presented),
    );
    const { id, project } = link;
    await this.#store.locateDurably((locate) => {
      if (!locate(project).includes(project)) throw gone('The project of this link was deleted.');
    });
    if (perMinuteMax !== undefined) await this.#guests.take(id, address, perMinuteMax);
    return { link, caller: { kind: 'guest', id, author: `guest:${id}`, boundTo: project } };
  }
}
