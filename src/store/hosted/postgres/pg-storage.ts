import { snapshotFormat } from '../node/log-snapshot.ts';
import { PgAnswers } from './pg-answers.ts';
import { PgBlobs } from './pg-blobs.ts';
import { hasStandby } from './pg-check.ts';
import { PgRequirements } from './pg-requirements.ts';
import { PgConnection } from './pg-connection.ts';
import { PgDeletedLogs } from './pg-deleted-logs.ts';
import { PgLog, type PgLogOptions, settledOptions } from './pg-log.ts';
import { PgPool } from './pg-pool.ts';
import { PgTables } from './pg-schema.ts';
import { PgRateLimiters } from './pg-rate-limiters.ts';
import { RetryLimit } from './pg-retry.ts';
import { PgRevisions } from './pg-revisions.ts';
import { PgServers } from './pg-servers.ts';
import { PgSnapshots } from './pg-snapshots.ts';
import { PgTexts } from './pg-texts.ts';
import { PgTitles } from './pg-titles.ts';
import type { SharedStorage } from '../storage/shared-storage.ts';

/** Connections for the bytes of files, for snapshots, for revisions, for texts, for repeats of calls, and for limits. */
const bulkConnections = 2;
/** The time for which a closing node looks for a database that is away. */
const hastenedMs = 2_000;
/** Programs that know this version of the tables know references to texts, in entries and in snapshots. */
const referencesVersion = 2;
/** Programs that know this version store titles with their entries. */
const titlesVersion = 4;
/** The format of snapshots for programs that do not know this version. */
const earlierFormat = 2;

/**
 * Everything that nodes share, in one database. Throws as `PgLog.open` does, and `BytesElsewhereError` if bytes of
 * files are not there.
 */
export async function openPgStorage(options: PgLogOptions): Promise<SharedStorage> {
  const settled = settledOptions(options);
  const { url, schema, durability } = settled;
  const retries = new RetryLimit(settled);
  let log: PgLog | undefined;
  let pool: PgPool | undefined;
  const close = async (): Promise<void> => {
    await log?.close();
    await pool?.close();
  };
  try {
    const opened = (log = await PgLog.open(options, retries));
    const servers = new PgServers(url, settled);
    const bulk = (pool = new PgPool(Array.from({ length: bulkConnections }, () => new PgConnection(servers, settled))));
    const hasEarlierNodes = opened.programs < referencesVersion;
    const tables = new PgTables(schema);
    const requirements = new PgRequirements(durability, tables);
    const deps = { pool: bulk, tables, retries };
    const blobs = new PgBlobs(deps);
    await blobs.requireAll();
    return {
      log,
      answers: new PgAnswers({ ...deps, requirements, isAnswered: (id) => opened.isAnswered(id) }),
      blobs,
      snapshots: new PgSnapshots({ ...deps, format: hasEarlierNodes ? earlierFormat : snapshotFormat }),
      revisions: new PgRevisions(deps),
      texts: new PgTexts(deps),
      titles: new PgTitles(deps, opened.programs < titlesVersion),
      hasEarlierNodes,
      limiters: new PgRateLimiters(deps),
      deletedLogs: new PgDeletedLogs(deps),
      hasten: () => {
        retries.shorten(hastenedMs);
        opened.hasten(hastenedMs);
        bulk.hasten(hastenedMs);
      },
      connections: () => bulk.load,
      ...(durability === 'replicated' && { hasStandby: () => hasStandby(bulk) }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
