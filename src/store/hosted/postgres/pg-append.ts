import type { Statement, Rows } from './pg-connection.ts';
import type { PgRequirements } from './pg-requirements.ts';
import type { PgTables } from './pg-schema.ts';
import { insertWords, joinedWords, vectorOf, vocabularyOf } from './pg-titles.ts';
import type { StoredTitle } from '../../record/title-search.ts';
import type { Call, WaitingAppend } from '../storage/append-queue.ts';

/**
 * The highest version of bodies that this program reads. 2: with references to texts that are stored with the entry.
 */
export const bodyVersion = 2;

/** The parts of a statement besides the first entries of each project. */
interface Shape {
  /** True if the entries are appended all or not at all. */
  readonly isTogether: boolean;
  /** True if there are entries after the first of a project. */
  readonly hasRest: boolean;
  readonly hasAnswers: boolean;
  readonly hasBlobs: boolean;
  readonly hasTexts: boolean;
  readonly hasRevisions: boolean;
  readonly hasTitles: boolean;
  /** Titles of a project, all of which go. */
  readonly hasNone: boolean;
}

/**
 * The statement that appends the entries of these calls: one call with entries that are appended together, or calls
 * with an entry each, chained for each project. It returns the projects whose entries were appended; another is in
 * conflict. At a server that does not meet the requirements nothing is inserted.
 *
 * The primary key decides: an entry is inserted if the one before it is there and its own place is free. The rest of a
 * chain follows the first entry of it that was inserted by the same statement. Rows are inserted in the order of their
 * projects, so that the statements of two nodes do not wait for each other. Throws if the entries of a project are not
 * a chain.
 */
export function appendStatement(
  { tables, requirements }: { readonly tables: PgTables; readonly requirements: PgRequirements },
  calls: readonly Call[],
): Statement {
  const appends = calls.flatMap(({ appends: one }) => one);
  const isTogether = calls.some(({ appends: one }) => one.length > 1);
  const [first, rest] = chained(appends);
  const answers = appends.flatMap(({ project, beside }) =>
    (beside?.answers ?? []).map(({ id, kept }) => ({ project, id, kept })),
  );
  const blobs = appends.flatMap(({ project, beside: { blobs: ofFiles = [], texts = [] } = {} }) =>
    [...ofFiles, ...texts.map(({ sha256 }) => sha256)].map((sha256) => ({ project, sha256 })),
  );
  const shape = {
    isTogether,
    hasRest: rest.length > 0,
    hasAnswers: answers.length > 0,
    hasBlobs: blobs.length > 0,
    hasTexts: appends.some(({ textBytes }) => textBytes.length > 0),
    hasRevisions: appends.some(({ revisionBytes }) => revisionBytes.length > 0),
    hasTitles: appends.some(({ beside }) => typeof beside?.titles === 'object'),
    hasNone: appends.some(({ beside }) => beside?.titles === 'none'),
  };
  return {
    name: nameOf(shape),
    text: textOf(tables, requirements, shape),
    values: [
      ...entryValues(first),
      ...(shape.hasRest ? entryValues(rest) : []),
      ...(shape.hasAnswers
        ? [answers.map(({ project }) => project), answers.map(({ id }) => id), answers.map(({ kept }) => kept)]
        : []),
      ...(shape.hasTexts ? textValues(appends) : []),
      ...(shape.hasBlobs ? [blobs.map(({ project }) => project), blobs.map(({ sha256 }) => sha256)] : []),
      ...(shape.hasRevisions ? revisionValues(appends) : []),
      ...(shape.hasTitles ? titleValues(appends) : []),
      ...(shape.hasNone
        ? [appends.filter(({ beside }) => beside?.titles === 'none').map(({ project }) => project)]
        : []),
    ],
  };
}

/** The first entry of each project, and the others, which are inserted without a look at the one before them. */
function chained(appends: readonly WaitingAppend[]): readonly [first: WaitingAppend[], rest: WaitingAppend[]] {
  const tips = new Map<string, WaitingAppend>();
  const [first, rest] = [[], []] as [WaitingAppend[], WaitingAppend[]];
  for (const append of appends) {
    const { project, after, id } = append;
    const tip = tips.get(project);
    if (tip !== undefined && (after.id !== tip.id || after.seq !== tip.after.seq + 1))
      throw new Error(`The entry ${id} of ${project} does not continue ${tip.id}, behind which it would be appended.`);
    (tip === undefined ? first : rest).push(append);
    tips.set(project, append);
  }
  return [first, rest];
}

/** The projects whose entries were appended. Throws `UnsafeLogError` if the server did not meet the requirements. */
export function appendedProjects(rows: Rows, requirements: PgRequirements): ReadonlySet<string> {
  for (const [, unmet] of rows) requirements.require(unmet);
  return new Set(rows.map(([project]) => project as string));
}

function entryValues(appends: readonly WaitingAppend[]): readonly unknown[] {
  return [
    appends.map(({ project }) => project),
    appends.map(({ after }) => after.seq + 1),
    appends.map(({ id }) => id),
    appends.map(({ after }) => after.id),
    appends.map(({ version = 1 }) => version),
    ...partsOf(appends.map(({ bytes }) => bytes!)),
  ];
}

/** Values of bytes as one, of which each row has a part, from its start on: that needs no escapes. */
function partsOf(
  values: readonly Uint8Array[],
): [starts: readonly number[], lengths: readonly number[], bytes: Uint8Array] {
  const starts: number[] = [];
  let length = 0;
  for (const bytes of values) {
    starts.push(length + 1);
    length += bytes.length;
  }
  return [starts, values.map((bytes) => bytes.length), values.length === 1 ? values[0]! : Buffer.concat(values)];
}

function textValues(appends: readonly WaitingAppend[]): readonly unknown[] {
  const rows = appends.flatMap(({ project, beside, textBytes }) =>
    (beside?.texts ?? []).map(({ sha256 }, at) => ({ project, sha256, bytes: textBytes[at]! })),
  );
  return [
    rows.map(({ project }) => project),
    rows.map(({ sha256 }) => sha256),
    ...partsOf(rows.map(({ bytes }) => bytes)),
  ];
}

function revisionValues(appends: readonly WaitingAppend[]): readonly unknown[] {
  const rows = appends.flatMap(({ project, beside, revisionBytes }) =>
    (beside?.revisions ?? []).map((revision, at) => ({ project, revision, bytes: revisionBytes[at]! })),
  );
  return [
    rows.map(({ project }) => project),
    rows.map(({ revision }) => revision.id),
    rows.map(({ revision }) => timeOf(revision.at)),
    rows.map(({ revision }) => revision.target),
    rows.map(({ revision }) => revision.target_type),
    rows.map(({ revision }) => revision.author.replaceAll('\0', '')),
    ...partsOf(rows.map(({ bytes }) => bytes)),
  ];
}

/** The titles that an entry changes. */
export function changedTitles({ beside }: Pick<WaitingAppend, 'beside'>): readonly StoredTitle[] {
  const { titles } = beside ?? {};
  return typeof titles === 'object' ? titles.changed : [];
}

/** Of several titles of one record the last one counts. */
function titleValues(appends: readonly WaitingAppend[]): readonly unknown[] {
  const rows = new Map<string, readonly [project: string, id: string, type: string, at: string, words: string]>();
  for (const append of appends) {
    const { project, beside, titleWords } = append;
    const at = typeof beside?.titles === 'object' ? beside.titles.project_at : '';
    for (const [nth, { id, collection }] of changedTitles(append).entries())
      rows.set(`${project} ${id}`, [project, id, collection, at, joinedWords(titleWords[nth]!)]);
  }
  const values = [...rows.values()];
  const begun = appends.filter(({ beside }) => typeof beside?.titles === 'object' && beside.titles.isAll === true);
  return [
    ...[0, 1, 2, 3, 4].map((column) => values.map((row) => row[column]!)),
    vocabularyOf(values.map(([, , , , words]) => words)),
    begun.map(({ project }) => project),
  ];
}

/** A time that the database can store, since imported times may be in any year. The body has the given time. */
function timeOf(at: string): string {
  if (!/^\d{4}-/.test(at)) return at.startsWith('-') ? '-infinity' : 'infinity';
  return at.startsWith('0000') ? '-infinity' : at;
}

function nameOf({
  isTogether,
  hasRest,
  hasAnswers,
  hasBlobs,
  hasTexts,
  hasRevisions,
  hasTitles,
  hasNone,
}: Shape): string {
  const parts = [
    ...[isTogether && 'together', hasRest && 'rest', hasAnswers && 'answers'],
    ...[hasBlobs && 'blobs', hasTexts && 'texts', hasRevisions && 'revisions'],
    ...[hasTitles && 'titles', hasNone && 'none'],
  ];
  return ['planner_append', ...parts.filter((part) => part !== false)].join('_');
}

const columns = '(project, seq, id, prev_id, v, body)';

function textOf(
  tables: PgTables,
  { unmet }: PgRequirements,
  { isTogether, hasRest, hasAnswers, hasBlobs, hasTexts, hasRevisions, hasTitles, hasNone }: Shape,
): string {
  let parameters = 0;
  const next = (type: string): string => `$${++parameters}::${type}`;
  const entries = (): { readonly from: string; readonly values: string } => {
    const arrays = ['text[]', 'bigint[]', 'text[]', 'text[]', 'int[]', 'int[]', 'int[]'].map(next).join(', ');
    return {
      from: `unnest(${arrays}) AS x (project, seq, id, prev_id, v, start, length)`,
      values: `x.project, x.seq, x.id, x.prev_id, x.v, substr(${next('bytea')}, x.start, x.length) AS body`,
    };
  };
  const log = tables.of('log');
  // Scalar subqueries, since the planner may not turn them into a scan of the whole log.
  const isFree = `CASE WHEN x.seq = 1
    THEN (SELECT l.seq FROM ${log} l WHERE l.project = x.project ORDER BY l.seq DESC LIMIT 1) IS NULL
    ELSE coalesce((SELECT l.id FROM ${log} l WHERE l.project = x.project AND l.seq = x.seq - 1) = x.prev_id, false) END`;
  // The statement itself asks, because a server that replaced another may have other settings.
  const isSafe = `${unmet} IS NULL`;
  const { from, values } = entries();
  const parts = isTogether
    ? [
        `sent AS MATERIALIZED (SELECT ${values}, ${isFree} AS is_free FROM ${from})`,
        `first AS (INSERT INTO ${log} ${columns} SELECT project, seq, id, prev_id, v, body
          FROM sent WHERE ${isSafe} AND (SELECT bool_and(is_free) FROM sent) ORDER BY project RETURNING project)`,
      ]
    : [
        `first AS (INSERT INTO ${log} ${columns} SELECT ${values} FROM ${from} WHERE ${isSafe} AND ${isFree}
          ORDER BY x.project ON CONFLICT (project, seq) DO NOTHING RETURNING project)`,
      ];
  if (hasRest) {
    const more = entries();
    parts.push(
      `rest AS (INSERT INTO ${log} ${columns} SELECT ${more.values} FROM ${more.from} JOIN first USING (project)
        ORDER BY x.project, x.seq)`,
    );
  }
  if (hasAnswers)
    parts.push(
      `kept AS (INSERT INTO ${tables.of('answer')} (id, project, kept) SELECT x.id, project, x.kept
        FROM unnest(${['text[]', 'text[]', 'text[]'].map(next).join(', ')}) AS x (project, id, kept)
        JOIN first USING (project) ORDER BY x.id)`,
    );
  if (hasTexts) parts.push(...textParts(tables, next));
  if (hasBlobs)
    parts.push(
      `used AS (INSERT INTO ${tables.of('blob_use')} (project, sha256) SELECT DISTINCT project, x.sha256
        FROM unnest(${['text[]', 'text[]'].map(next).join(', ')}) AS x (project, sha256)
        JOIN first USING (project) ORDER BY project, x.sha256 ON CONFLICT DO NOTHING)`,
    );
  if (hasRevisions) parts.push(revisionPart(tables, next));
  if (hasTitles) parts.push(...titleParts(tables, next));
  if (hasNone) parts.push(...noTitleParts(tables, next));
  return `WITH ${parts.join(', ')} SELECT project, NULL::text FROM first
    UNION ALL SELECT NULL, unmet FROM (SELECT ${unmet} AS unmet) server WHERE unmet IS NOT NULL`;
}

function revisionPart(tables: PgTables, next: (type: string) => string): string {
  const arrays = [...Array<string>(6).fill('text[]'), 'int[]', 'int[]'].map(next).join(', ');
  return `past AS (INSERT INTO ${tables.of('revision')} (project, id, at, target, type, author, body)
    SELECT project, x.id, x.at::timestamptz, x.target, x.type, x.author, substr(${next('bytea')}, x.start, x.length)
    FROM unnest(${arrays}) AS x (project, id, at, target, type, author, start, length)
    JOIN first USING (project) ORDER BY project, x.id ON CONFLICT DO NOTHING)`;
}

function titleParts(tables: PgTables, next: (type: string) => string): readonly string[] {
  const arrays = Array<string>(5).fill('text[]').map(next).join(', ');
  return [
    `sent_title AS MATERIALIZED (SELECT project, x.id, x.type, x.project_at, x.words
      FROM unnest(${arrays}) AS x (project, id, type, project_at, words) JOIN first USING (project))`,
    `untitled AS (DELETE FROM ${tables.of('title')} t USING sent_title s WHERE t.project = s.project AND t.id = s.id AND s.words = '')`,
    `title AS (INSERT INTO ${tables.of('title')} (project, id, type, project_at, words)
      SELECT project, id, type, project_at, ${vectorOf('words')} FROM sent_title WHERE words <> '' ORDER BY project, id
      ON CONFLICT (project, id) DO UPDATE SET type = excluded.type, words = excluded.words)`,
    `word AS (${insertWords(tables, next('text[]'), 'EXISTS (SELECT FROM first)')})`,
    `begun AS (INSERT INTO ${tables.of('titled')} (project) SELECT project FROM unnest(${next('text[]')}) AS x (project)
      JOIN first USING (project) ORDER BY project ON CONFLICT DO NOTHING)`,
  ];
}

/** A project is deleted. */
function noTitleParts(tables: PgTables, next: (type: string) => string): readonly string[] {
  const gone = `project IN (SELECT project FROM first) AND project = ANY (${next('text[]')})`;
  return [
    `no_title AS (DELETE FROM ${tables.of('title')} WHERE ${gone})`,
    `no_titled AS (DELETE FROM ${tables.of('titled')} WHERE ${gone})`,
  ];
}

/** The bytes of a text are in parts, like the bytes of files. */
export const partBytes = 1024 * 1024;

/**
 * Stores texts as blobs; one that is there counts as stored now, so that it is not swept before this entry uses it. If an
 * earlier program has stored its bytes in a bucket, they are stored here, too.
 */
function textParts(tables: PgTables, next: (type: string) => string): readonly string[] {
  const arrays = ['text[]', 'text[]', 'int[]', 'int[]'].map(next).join(', ');
  const parts = tables.of('blob_part');
  return [
    `sent_text AS MATERIALIZED (SELECT DISTINCT ON (x.sha256) x.sha256, x.start, x.length
      FROM unnest(${arrays}) AS x (project, sha256, start, length) JOIN first USING (project) ORDER BY x.sha256)`,
    `stored AS (INSERT INTO ${tables.of('blob')} AS b (sha256, size) SELECT sha256, length FROM sent_text ORDER BY sha256
      ON CONFLICT (sha256) DO UPDATE SET staged_at = clock_timestamp() RETURNING b.sha256, (xmax = 0) AS is_new)`,
    `part AS (INSERT INTO ${parts} (sha256, part, bytes)
      SELECT t.sha256, n, substr(${next('bytea')}, t.start + n * ${partBytes}, least(t.length - n * ${partBytes}, ${partBytes}))
      FROM sent_text t JOIN stored USING (sha256) CROSS JOIN LATERAL generate_series(0, (t.length - 1) / ${partBytes}) n
      WHERE stored.is_new OR NOT EXISTS (SELECT FROM ${parts} p WHERE p.sha256 = t.sha256)
      ON CONFLICT DO NOTHING)`,
  ];
}

/**
 * A row whose selection makes the statement commit, after everything that it has seen. At a server with `unmet`
 * requirements the commit promises nothing.
 */
export function commitBarrier({ unmet }: PgRequirements): string {
  return `(SELECT pg_logical_emit_message(true, 'planner', '')::text AS lsn, ${unmet} AS unmet) barrier`;
}

/**
 * Asks for the ids at the places of these entries, in their order, null where there is no entry. The answer arrives
 * once everything that the statement has seen is replicated, because it commits afterwards.
 */
export function placesStatement(
  { tables, requirements }: { readonly tables: PgTables; readonly requirements: PgRequirements },
  appends: readonly WaitingAppend[],
): Statement {
  return {
    name: 'planner_places',
    text: `SELECT l.id, barrier.unmet, barrier.lsn FROM ${commitBarrier(requirements)}
      CROSS JOIN unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS x (project, seq, nth)
      LEFT JOIN ${tables.of('log')} l ON l.project = x.project AND l.seq = x.seq ORDER BY x.nth`,
    values: [appends.map(({ project }) => project), appends.map(({ after }) => after.seq + 1)],
  };
}

/**
 * Asks which answers of these entries are stored, except the answers that an entry itself has stored. Removes expired
 * answers, which are in the way until they are swept.
 */
export function repeatedStatement(tables: PgTables, appends: readonly WaitingAppend[]): Statement {
  const answers = appends.flatMap((append) => (append.beside?.answers ?? []).map(({ id }) => ({ append, answer: id })));
  return {
    name: 'planner_repeated',
    text: `WITH expired AS (
        DELETE FROM ${tables.of('answer')} WHERE id = ANY ($1::text[]) AND expires_at <= clock_timestamp() RETURNING id
      ) SELECT a.id FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS x (answer, project, seq, id)
      JOIN ${tables.of('answer')} a ON a.id = x.answer
      WHERE a.id NOT IN (SELECT id FROM expired)
        AND NOT EXISTS (SELECT FROM ${tables.of('log')} l WHERE l.project = x.project AND l.seq = x.seq AND l.id = x.id)`,
    values: [
      answers.map(({ answer }) => answer),
      answers.map(({ append }) => append.project),
      answers.map(({ append }) => append.after.seq + 1),
      answers.map(({ append }) => append.id),
    ],
  };
}

/** Asks which blobs of these entries are not stored. */
export function missingStatement(tables: PgTables, appends: readonly WaitingAppend[]): Statement {
  return {
    name: 'planner_missing',
    text: `SELECT x.sha256 FROM unnest($1::text[]) AS x (sha256)
      WHERE NOT EXISTS (SELECT FROM ${tables.of('blob')} b WHERE b.sha256 = x.sha256)`,
    values: [[...new Set(appends.flatMap(({ beside }) => beside?.blobs ?? []))]],
  };
}
