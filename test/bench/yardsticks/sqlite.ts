/** Yardstick of durable creates: the same app over SQLite, each task synced in the write-ahead log before the response. `node sqlite.ts <port> <file> <driver>` */
import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { createApp } from './express-app.ts';

interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): { run(...values: string[]): unknown };
}

const [, , port, file, driver] = process.argv;
const database = open(file!, driver!);
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE task (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO task VALUES (?, ?)');

createApp((id, task) => void insert.run(id, task)).listen(Number(port), '127.0.0.1');

/** `driver`: `node:sqlite` or the path of better-sqlite3, which is not a dependency of the project. */
function open(path: string, module: string): Database {
  if (module === 'node:sqlite') return new DatabaseSync(path);
  const BetterSqlite = createRequire(import.meta.url)(module) as new (path: string) => Database;
  return new BetterSqlite(path);
}
