import { conflict, type PlannerError } from '../../errors.ts';
import type { PgConnection } from './pg-connection.ts';

/**
 * What a commit survives. `disk`: the loss of power. `replicated`: the loss of the server, too; a synchronous standby
 * is required. `asserted`: the same, but the database does not show its replication, as managed ones.
 */
export type Durability = 'disk' | 'replicated' | 'asserted';

/** The settings of a server that durability depends on. */
interface ServerState {
  readonly version: number;
  readonly encoding: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly standbyNames: string;
  /** Of the connected standbys: `sync`, `quorum`, `potential` or `async`; null if the user may not see it. */
  readonly standbys: readonly (string | null)[];
}

const versionMin = 140_000;

/** Throws `conflict` if the database could lose what was acknowledged. The message names the setting and the remedy. Standbys are never connected to. */
export async function checkDatabase(connection: PgConnection, durability: Durability): Promise<void> {
  const unsuitable = unsuitability(await stateOf(connection), durability);
  if (unsuitable !== undefined) throw unsuitable;
}

async function stateOf(connection: PgConnection): Promise<ServerState> {
  const [row] = await connection.query({
    name: 'planner_check',
    text: `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
      current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
      current_setting('synchronous_standby_names'),
      (SELECT coalesce(json_agg(sync_state), '[]')::text FROM pg_stat_replication)`,
    values: [],
  });
  const [version, encoding, fsync, fullPageWrites, synchronousCommit, standbyNames, standbys] = row as readonly [
    number,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    ...{ version, encoding, fsync, fullPageWrites, synchronousCommit, standbyNames },
    standbys: JSON.parse(standbys) as (string | null)[],
  };
}

/** Whether a synchronous standby is connected now; undefined if the user may not see it. */
export async function hasStandby(connection: Pick<PgConnection, 'query'>): Promise<boolean | undefined> {
  const [row] = await connection.query({
    name: 'planner_standby',
    text: `SELECT coalesce(bool_or(sync_state IN ('sync', 'quorum')), false), coalesce(bool_or(sync_state IS NULL), false)
      FROM pg_stat_replication`,
    values: [],
  });
  const [isThere, isHidden] = row as readonly [boolean, boolean];
  return isThere || !isHidden ? isThere : undefined;
}

function unsuitability(state: ServerState, durability: Durability): PlannerError | undefined {
  const { version, encoding, fsync, fullPageWrites, synchronousCommit } = state;
  if (version < versionMin)
    return refusal('server_version', String(version), 'PostgreSQL 14 or newer is required: upgrade the server.');
  if (encoding !== 'UTF8')
    return refusal('server_encoding', encoding, "Texts are UTF-8: create the database with ENCODING 'UTF8'.");
  if (fsync !== 'on') return refusal('fsync', fsync, lossOfPower);
  if (fullPageWrites !== 'on') return refusal('full_page_writes', fullPageWrites, lossOfPower);
  if (synchronousCommit === 'off') return refusal('synchronous_commit', 'off', lossOfPower);
  return durability === 'replicated' ? unreplicated(state) : undefined;
}

const lossOfPower = 'Acknowledged changes could be lost: set it to on and reload the server.';

function unreplicated({ synchronousCommit, standbyNames, standbys }: ServerState): PlannerError | undefined {
  if (synchronousCommit === 'local') return refusal('synchronous_commit', 'local', `${lossOfPower} ${otherDurability}`);
  if (standbyNames === '')
    return refusal('synchronous_standby_names', '', `Name a standby there and reload the server. ${otherDurability}`);
  if (standbys.some((state) => state === 'sync' || state === 'quorum')) return undefined;
  if (standbys.includes(null))
    return refusal('pg_stat_replication', 'hidden', `Grant pg_monitor to the user. ${otherDurability}`);
  return refusal(
    'synchronous_standby_names',
    standbyNames,
    `No standby of these names is connected: start one. ${otherDurability}`,
  );
}

const otherDurability =
  'If the loss of the server may lose changes, choose durability on its disk; if a managed database replicates without showing it, assert that it does.';

function refusal(setting: string, value: string, remedy: string): PlannerError {
  return conflict(`The database is not safe for plans: ${setting} is ${value === '' ? 'empty' : value}. ${remedy}`, {
    setting,
    value,
  });
}
