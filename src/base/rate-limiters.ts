import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** So many points of one key within so many seconds, which begin with its first point. */
export interface RateLimit {
  /** Distinguishes its keys from the keys of other limits. */
  readonly name: string;
  readonly points: number;
  readonly seconds: number;
}

export type RateLimiter = Pick<RateLimiterAbstract, 'consume' | 'get' | 'penalty'>;

/** Where points are counted. */
export interface RateLimiters {
  /** Other nodes count in the same place, and each count costs a request to it. */
  readonly isShared: boolean;
  make(limit: RateLimit): Promise<RateLimiter>;
}

/** Counts in this process. The library is loaded for the first limiter. */
export const limitersInProcess: RateLimiters = {
  isShared: false,
  make: async ({ name, points, seconds }) => {
    const { RateLimiterMemory } = await import('rate-limiter-flexible');
    return new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });
  },
};
