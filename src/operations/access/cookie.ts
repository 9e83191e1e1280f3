import { parseCookie } from 'cookie';

/**
 * The undecoded value of a cookie in a Cookie header; undefined if it is absent. If the name occurs several times, the first one counts.
 */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  return parseCookie(header ?? '', { decode: (value) => value })[name];
}
