export { backupSqliteStore, type SqliteBackup, type SqliteBackupMade } from "./backup.ts";
export type { SqliteClient, SqliteStatement, SqliteValue } from "./client.ts";
export { openSqliteStore, type SqliteByClient, type SqliteByPath, type SqliteDurability } from "./open.ts";
