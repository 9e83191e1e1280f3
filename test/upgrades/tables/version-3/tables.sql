CREATE SCHEMA IF NOT EXISTS planner;
CREATE TABLE IF NOT EXISTS planner.meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL);
CREATE TABLE IF NOT EXISTS planner.log (project text COLLATE "C", seq bigint CHECK (seq > 0), id text COLLATE "C" NOT NULL, prev_id text COLLATE "C", v integer NOT NULL, body bytea NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(), xact xid8 DEFAULT pg_current_xact_id(), PRIMARY KEY (project, seq));
CREATE INDEX IF NOT EXISTS log_xact ON planner.log (xact) WHERE xact IS NOT NULL;
CREATE TABLE IF NOT EXISTS planner.answer (id text COLLATE "C" PRIMARY KEY, project text COLLATE "C" NOT NULL, kept text NOT NULL, expires_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '24 hours');
CREATE INDEX IF NOT EXISTS answer_expires ON planner.answer (expires_at);
CREATE TABLE IF NOT EXISTS planner.revision (project text COLLATE "C", id text COLLATE "C", at timestamptz NOT NULL, target text COLLATE "C" NOT NULL, type text COLLATE "C" NOT NULL, author text NOT NULL, body bytea NOT NULL, PRIMARY KEY (project, id));
CREATE TABLE IF NOT EXISTS planner.snapshot (project text COLLATE "C", seq bigint, part integer, entry_id text COLLATE "C" NOT NULL, format integer NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (project, seq, part));
CREATE TABLE IF NOT EXISTS planner.blob (sha256 text COLLATE "C" PRIMARY KEY, size bigint NOT NULL, staged_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE IF NOT EXISTS planner.blob_part (sha256 text COLLATE "C" REFERENCES planner.blob ON DELETE CASCADE, part integer, bytes bytea NOT NULL, PRIMARY KEY (sha256, part));
CREATE TABLE IF NOT EXISTS planner.blob_use (project text COLLATE "C", sha256 text COLLATE "C" REFERENCES planner.blob, PRIMARY KEY (project, sha256));
CREATE INDEX IF NOT EXISTS blob_use_sha256 ON planner.blob_use (sha256);
CREATE TABLE IF NOT EXISTS planner.blob_object (object text COLLATE "C" PRIMARY KEY, sha256 text COLLATE "C" UNIQUE REFERENCES planner.blob ON DELETE SET NULL, digests bytea, announced_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE IF NOT EXISTS planner.foreign_id (id text COLLATE "C", project text COLLATE "C", PRIMARY KEY (id, project));
CREATE TABLE IF NOT EXISTS planner.session (id text COLLATE "C" PRIMARY KEY, credential text, client text, used_at timestamptz NOT NULL DEFAULT clock_timestamp(), ended boolean NOT NULL DEFAULT false);
CREATE TABLE IF NOT EXISTS planner.rate (key text COLLATE "C" PRIMARY KEY, points bigint NOT NULL DEFAULT 0, expire bigint);
CREATE INDEX IF NOT EXISTS rate_expire ON planner.rate (expire);
INSERT INTO planner.meta (key, value) VALUES ('schema_version', '3'), ('tables_version', '3')
      ON CONFLICT DO NOTHING;
