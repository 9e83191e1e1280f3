import { conflict } from '../../../base/errors.ts';
import type { PgConnection } from './pg-connection.ts';
import { type Durability, otherDurability, type PgRequirements, unsafe } from './pg-requirements.ts';

/** Throws `conflict` if the database could lose acknowledged changes. The message names the setting and the remedy. */
export async function checkDatabase(
  connection: PgConnection,
  requirements: PgRequirements,
  durability: Durability,
): Promise<void> {
  const [row] = await connection.query({
    name: 'planner_check',
    text: `SELECT ${requirements.unmetByServer}, current_setting('synchronous_standby_names')`,
    values: [],
  });
  const [unmet, names] = row as readonly [string | null, string];
  if (unmet !== null) throw requirements.refusal(unmet);
  // Without one, a commit waits: that needs no look later.
  if (durability === 'replicated') await requireStandby(connection, names);
}

/** Standbys are never connected to. */
async function requireStandby(connection: PgConnection, names: string): Promise<void> {
  const isThere = await hasStandby(connection);
  if (isThere === true) return;
  const [setting, value, remedy] =
    isThere === undefined
      ? ['pg_stat_replication', 'hidden', 'Grant pg_monitor to the user.']
      : ['synchronous_standby_names', names, 'No standby of these names is connected: start one.'];
  throw conflict(unsafe(setting, value, `${remedy} ${otherDurability}`), { setting, value });
}

/** Returns whether a synchronous standby is connected now; undefined if the user may not see it. */
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
