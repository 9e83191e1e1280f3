import { lookup as systemLookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { hostOf, isAllowedHost, isPublicAddress } from '../domain/feed/webhook-addresses.ts';
import type { WebhookHosts } from '../domain/feed/webhook-addresses.ts';
import type { DeliveryOutcome } from '../domain/feed/webhooks.ts';
import { limits } from '../base/limits.ts';
import { version } from '../base/version.ts';
import type { Message } from './message.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

const systemResolve: Resolve = (host) => systemLookup(host, { all: true, order: 'verbatim' });

export interface PostOptions {
  readonly clock: Clock;
  readonly hosts: WebhookHosts;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
}

/**
 * Sends a message to a URL and resolves with the answer, or with the reason if there is no answer; never rejects. The
 * host is resolved once and the connection is made to the address that was checked. Redirects are not followed.
 * `signal` ends it.
 */
export async function post(
  url: URL,
  message: Message,
  { clock, hosts, resolve = systemResolve }: PostOptions,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const begin = clock.monotonic();
  const ended = (rest: Omit<DeliveryOutcome, 'duration_ms'>): DeliveryOutcome => ({
    ...rest,
    duration_ms: Math.round(clock.monotonic() - begin),
  });
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  const timer = clock.after(limits.webhookTimeoutMs, stop).unref();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    const address = await unlessAborted(limit.signal, addressOf(url, hosts, resolve));
    const answer = await unlessAborted(limit.signal, send(url, address, message, limit.signal));
    return ended({ ...answer, error: null });
  } catch (error) {
    const reason = limit.signal.aborted ? `No answer within ${limits.webhookTimeoutMs} ms.` : reasonOf(error);
    return ended({ status: null, error: reason, answer: null });
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', stop);
  }
}

/** The system's resolver cannot be stopped: its result is then ignored. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('Aborted'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Throws if one of the host's addresses is not public and the host is not allowed: any of them could be meant. */
async function addressOf(url: URL, hosts: WebhookHosts, resolve: Resolve): Promise<Address> {
  const host = hostOf(url);
  const family = isIP(host);
  const all = family === 0 ? await resolve(host) : [{ address: host, family }];
  const refused = isAllowedHost(hosts, url) ? undefined : all.find(({ address }) => !isPublicAddress(address));
  if (refused !== undefined) throw new Error(`${url.host} has the address ${refused.address}, which is not public.`);
  const [first] = all;
  if (first === undefined) throw new Error(`${url.host} has no address.`);
  return first;
}

type Answer = Pick<DeliveryOutcome, 'status' | 'answer'>;

/**
 * No look-up is handed to the request: a look-up that answers immediately lets a connection fail before anybody
 * listens.
 */
function send(url: URL, { address }: Address, { body, headers }: Message, signal: AbortSignal): Promise<Answer> {
  const host = hostOf(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        hostname: address,
        // The certificate is checked for the host's name. An address has no name, and is itself in the certificate.
        servername: isIP(host) === 0 ? host : '',
        headers: {
          Host: url.host,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': `Planner/${version}`,
          ...headers,
        },
        // A kept connection would be to an address of an earlier delivery.
        agent: false,
        signal,
      },
      (response) =>
        void excerptOf(response).then((answer) => resolve({ status: response.statusCode!, answer }), reject),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The beginning of the body. The connection is closed when it is long enough. */
async function excerptOf(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    text += String(piece);
    if (text.length >= limits.webhookAnswerCharactersMax) break;
  }
  return text.slice(0, limits.webhookAnswerCharactersMax);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  return typeof code === 'string' && !message.includes(code) ? `${code}: ${message}` : message;
}
