import { parseCookie } from 'cookie';

/** The value of a cookie in a Cookie header as it was sent; undefined if it is absent. Of several with one name the first counts. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  return parseCookie(header ?? '', { decode: (value) => value })[name];
}
