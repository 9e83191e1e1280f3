import { PgAnswers } from './pg-answers.ts';
import { PgBlobs } from './pg-blobs.ts';
import { PgConnection } from './pg-connection.ts';
import { PgLog, type PgLogOptions, settledOptions } from './pg-log.ts';
import { PgPool } from './pg-pool.ts';
import { PgTables } from './pg-schema.ts';
import { PgRevisions } from './pg-revisions.ts';
import { PgServers } from './pg-servers.ts';
import { PgSnapshots } from './pg-snapshots.ts';
import type { SharedStorage } from './shared-storage.ts';

/** Connections for the bytes of files, for snapshots, for revisions and for repeats of calls. */
const bulkConnections = 2;

/** Everything that nodes share, in one database. Throws as `PgLog.open` does. */
export async function openPgStorage(options: PgLogOptions): Promise<SharedStorage> {
  const log = await PgLog.open(options);
  const settled = settledOptions(options);
  const { url, schema, clock, resolveMs } = settled;
  const servers = new PgServers(url, settled);
  const pool = new PgPool(Array.from({ length: bulkConnections }, () => new PgConnection(servers, settled)));
  const tables = new PgTables(schema);
  return {
    log,
    answers: new PgAnswers({ isAnswered: (id) => log.isAnswered(id), pool, tables, clock, resolveMs }),
    blobs: new PgBlobs({ pool, tables, clock, resolveMs }),
    snapshots: new PgSnapshots({ pool, tables, clock, resolveMs }),
    revisions: new PgRevisions({ pool, tables, clock, resolveMs }),
    close: async () => {
      await log.close();
      await pool.close();
    },
  };
}
