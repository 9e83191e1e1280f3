import autocannon, { type Request } from 'autocannon';

/** What came of a load: only answers of the 2xx kind are counted. */
export interface Load {
  readonly perSecond: number;
  readonly answered: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends requests over `connections` connections for `seconds`, each connection one after the other. Throws when one was refused. */
export async function load(
  url: string,
  requests: readonly Request[],
  options: { readonly connections?: number; readonly seconds: number },
): Promise<Load> {
  const { connections = 64, seconds } = options;
  const result = await autocannon({ url, connections, duration: seconds, requests });
  const { '2xx': answered, non2xx, errors, timeouts, latency } = result;
  if (non2xx + errors + timeouts > 0) {
    throw new Error(
      `Of the requests to ${url}, ${answered} were answered well, ${non2xx} with another status, ${errors} failed, ${timeouts} timed out.`,
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
