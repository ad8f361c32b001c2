export { backupSqliteStore, type SqliteBackup, type SqliteBackupMade } from "./backup.ts";
export type { SqliteClient, SqliteStatement, SqliteValue } from "./client.ts";
export { loadSqliteStore, type SqliteLoad, type SqliteLoaded } from "./load.ts";
export type { SqliteLoadConflict } from "./load-tables.ts";
export { openSqliteStore, type SqliteByClient, type SqliteByPath, type SqliteDurability } from "./open.ts";
