import type { Client, QueryArrayConfig } from 'pg';
import type { Clock, Timer } from '../../../base/clock.ts';
import { clientOf, destroyClient, endClient } from './pg-client.ts';
import { ClosedError, NoServerError } from './pg-errors.ts';

export interface FoundServer {
  readonly client: Client;
  /** True if it is configured to take no writes. */
  readonly isReadOnly: boolean;
  /** Counts promotions: of two servers that take writes, the one with the lower timeline was replaced. */
  readonly timeline: number;
}

interface ServersOptions {
  readonly clock: Clock;
  /** How long connecting to one server may take, and its first answer. */
  readonly connectMs: number;
}

/** How long other servers may take to answer once one was found that takes writes. */
const othersMs = 250;

/** The servers of a database: a primary, and standbys which may take its place at any time. */
export class PgServers {
  readonly #urls: readonly string[];
  readonly #options: ServersOptions;

  /** The URL may name several hosts: `postgres://user@host1:5432,host2:5432/database`. */
  constructor(url: string, options: ServersOptions) {
    this.#urls = urlsOf(url);
    this.#options = options;
  }

  /**
   * Connects to the server that takes writes. Throws `NoServerError` if no server does, `ClosedError` once `signal`
   * aborts.
   */
  async find(signal: AbortSignal): Promise<FoundServer> {
    const found: FoundServer[] = [];
    const reasons: string[] = [];
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    let isOver = false;
    let timer: Timer | undefined;
    const probes = this.#urls.map(async (url) => {
      try {
        const server = await this.#probe(url, signal);
        if (isOver) return void endClient(server.client, this.#options.clock);
        found.push(server);
        timer ??= this.#options.clock.after(othersMs, end);
      } catch (error) {
        reasons.push((error as Error).message);
      }
    });
    await Promise.race([Promise.all(probes), over]);
    timer?.cancel();
    isOver = true;
    const best = found.reduce<FoundServer | undefined>((a, b) => (a && a.timeline >= b.timeline ? a : b), undefined);
    for (const server of found)
      if (server !== best || signal.aborted) void endClient(server.client, this.#options.clock);
    if (signal.aborted) throw new ClosedError();
    if (best === undefined) throw new NoServerError(reasons);
    return best;
  }

  async #probe(url: string, signal: AbortSignal): Promise<FoundServer> {
    const { clock, connectMs } = this.#options;
    const client = clientOf(url, connectMs);
    const end = (): void => destroyClient(client);
    signal.addEventListener('abort', end);
    const place = `${client.host}:${client.port}`;
    let timer: Timer | undefined;
    try {
      await client.connect();
      timer = clock.after(connectMs, end);
      const text = this.#urls.length === 1 ? probeOfOne : probeOfMany;
      const probe: QueryArrayConfig = { text, rowMode: 'array' };
      const { rows } = await client.query<[boolean, boolean, number]>(probe);
      const [isStandby, isReadOnly, timeline] = rows[0]!;
      if (!isStandby) return { client, isReadOnly, timeline };
    } catch (error) {
      void endClient(client, clock);
      throw new Error(`${place} does not answer: ${(error as Error).message}.`, { cause: error });
    } finally {
      signal.removeEventListener('abort', end);
      timer?.cancel();
    }
    void endClient(client, clock);
    throw new Error(`${place} is a standby (pg_is_in_recovery): name its primary in the URL, or promote it.`);
  }
}

const probeOfOne = `SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on' AND NOT pg_is_in_recovery(), 0`;
/** The timeline is the beginning of the name of the file that the server writes its log to. */
const probeOfMany = `SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
  CASE WHEN pg_is_in_recovery() THEN 0
  ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int END`;

/** One URL for each host of a URL. */
export function urlsOf(url: string): readonly string[] {
  const [, before, hosts, rest] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? [];
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${before}${host}${rest}`);
}
