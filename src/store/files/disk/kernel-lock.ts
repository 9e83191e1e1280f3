import type { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/** Returns the locked database, or undefined if another process has locked it. Nothing is ever written to it. */
export function lockKernel(path: string): DatabaseSync | undefined {
  const database = new (loadSqlite().DatabaseSync)(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

/** Older versions of Node emit an experimental warning once when node:sqlite is loaded; every other warning passes. */
function loadSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const former = Object.getOwnPropertyDescriptor(process, 'emitWarning')!;
  process.emitWarning = (...args: unknown[]) => {
    const experimental = args[1] === 'ExperimentalWarning' && String(args[0]).includes('SQLite');
    if (!experimental) emitWarning(...args);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    Object.defineProperty(process, 'emitWarning', former);
  }
}
