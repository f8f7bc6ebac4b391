import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { OperatorError, systemCode, unwritable } from "./operator-error.ts";

export type Lock = { release(): void };

const sqliteBusy = 5;
const sqliteNotADatabase = 26;

/**
 * At most one process owns a data directory. The lock is SQLite's, so the operating system holds it and releases it
 * when the process ends in any way: no lock is left behind, and a process id is never confused with that of a later
 * process. Undefined: another process has the lock.
 */
export function tryLock(file: string): Lock | undefined {
  const database = openDatabase(file);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    const code: unknown = error instanceof Error ? Reflect.get(error, "errcode") : undefined;
    if (code === sqliteBusy) return undefined;
    if (code === sqliteNotADatabase) throw new OperatorError(`${file} is not our lock file; remove it.`);
    requireWritable(file);
    throw error;
  }
  return { release: () => database.close() };
}

function openDatabase(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    requireWritable(file);
    throw error;
  }
}

/**
 * SQLite's own errors do not say why it cannot open a file. Only after an error: closing any descriptor of a file
 * releases every lock that this process has on it.
 */
function requireWritable(file: string): void {
  try {
    closeSync(openSync(file, "a"));
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : unwritable(file, code);
  }
}

/** True if a running process has the lock. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  const lock = tryLock(file);
  lock?.release();
  return lock === undefined;
}
