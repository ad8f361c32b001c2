import { resolve } from "node:path";
import { counted, forgetEpoch, type Store } from "@fieldroll/core";
import { backupSqliteStore } from "@fieldroll/storage/sqlite";
import type { Command } from "commander";
import { absent, isMissing, parseDatabase, placeOf } from "./database.ts";
import { CommandRefusal } from "./refusal.ts";
import { defaultDatabase, type Terminal, withoutStack } from "./terminal.ts";

/** Looked for by whoever has a backup, and not there. */
export const absentCommand = "restore";

const howToRestore =
  "there is no command that restores a backup, for it is a database as it stands. Stop the servers, move the database away with the " +
  "files beside it (-wal, -shm), copy the backup into its place, start, and run fieldroll verify. Of PostgreSQL: pg_restore, then " +
  "fieldroll reindex --restored before servers start.";

/** Adds `fieldroll backup`: docs/command-line.md. */
export function addBackupCommand(program: Command, terminal: Terminal): void {
  program
    .command("backup")
    .description("Copy a SQLite database into a new file, also while servers run on it")
    .argument("<file>", "the copy, a name that is free")
    .option("--database <url>", "sqlite:<path>", defaultDatabase)
    .action((target: string, { database }: { database: string }) =>
      withoutStack(backup(database, target, terminal)),
    );
  program
    .command(absentCommand, { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new CommandRefusal(`${absentCommand}: ${howToRestore}`);
    });
}

async function backup(text: string, target: string, terminal: Terminal): Promise<void> {
  if (/^postgres(ql)?:/.test(text)) {
    throw new CommandRefusal(
      "--database: a PostgreSQL database is copied by its own tools, such as pg_dump --format=custom. After pg_restore run " +
        "fieldroll reindex --restored on what came of it, before servers start, so that devices read everything anew.",
    );
  }
  const database = parseDatabase(text);
  if (database.kind !== "sqlite") {
    throw new CommandRefusal("--database memory: ends with this command, so there is nothing to copy.");
  }
  if (await isMissing(database)) throw new CommandRefusal(absent(database));
  const to = resolve(target);
  // Each server that starts on a copy makes an epoch of its own, also when the same copy is put in place twice.
  const prepare = (copy: Store) => forgetEpoch(copy);
  const { documents, size } = await backupSqliteStore({ path: resolve(database.path), to, prepare });
  const megabytes = (size / 1_000_000).toFixed(1);
  terminal.err(`Copied ${placeOf(database)} to ${to}: ${counted(documents, "document")}, ${megabytes} MB.\n`);
}
