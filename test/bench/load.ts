import autocannon, { type Request } from 'autocannon';

/** The result of a load: only 2xx responses are counted. */
export interface Load {
  readonly perSecond: number;
  readonly answered: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends requests over `connections` connections for `seconds`, one at a time on each; by default as many as are answered. Throws if one was rejected. */
export async function load(
  url: string,
  requests: readonly Request[],
  options: { readonly connections?: number; readonly seconds: number; readonly perSecond?: number },
): Promise<Load> {
  const { connections = 64, seconds, perSecond } = options;
  const result = await autocannon({ url, connections, duration: seconds, requests, overallRate: perSecond });
  const { '2xx': answered, non2xx, errors, timeouts, latency, statusCodeStats } = result;
  if (non2xx + errors + timeouts > 0) {
    throw new Error(
      `Of the requests to ${url}, ${answered} were answered well, ${non2xx} with another status (${Object.keys(statusCodeStats).join(', ')}), ${errors} failed, ${timeouts} timed out.`,
    );
  }
  return {
    perSecond: answered / result.duration,
    answered,
    seconds: result.duration,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  };
}
