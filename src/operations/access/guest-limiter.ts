import { isIPv6 } from 'node:net';
import { PlannerError } from '../../base/errors.ts';
import type { RateLimiters } from '../../base/rate-limiters.ts';
import { MinuteCounter } from './minute-counter.ts';

/** Counts calls of guests, by link and address. A minute begins with the first call. */
export class GuestLimiter {
  readonly #counters = new Map<number, MinuteCounter>();
  readonly #limiters: RateLimiters | undefined;

  /** `limiters`: where calls are counted; default: in this process. */
  constructor(limiters?: RateLimiters) {
    this.#limiters = limiters;
  }

  /** Counts one call. Throws `rate_limited`, with the seconds to wait, if it exceeds `perMinuteMax`. */
  async take(link: string, address: string | undefined, perMinuteMax: number): Promise<void> {
    let counter = this.#counters.get(perMinuteMax);
    if (counter === undefined) {
      counter = new MinuteCounter(`guests ${perMinuteMax}`, perMinuteMax, this.#limiters);
      this.#counters.set(perMinuteMax, counter);
    }
    const seconds = await counter.take(`${link} ${address === undefined ? '' : subscriber(address)}`);
    if (seconds === undefined) return;
    throw new PlannerError(
      'rate_limited',
      `This link takes ${perMinuteMax} submissions per minute from one address. Try again in ${seconds} s.`,
      { retry_after: seconds },
    );
  }
}

/** The key of an address: the IPv4 address, or the /64 prefix of an IPv6 address, which one subscriber has. */
export function subscriber(address: string): string {
  const [mapped] = /\d+\.\d+\.\d+\.\d+$/.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - behind.length;
  const whole = [...groups, ...Array.from({ length: zeros }, () => '0'), ...behind];
  return whole
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
