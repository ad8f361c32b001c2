import { counted } from "@fieldroll/core";
import type { Command } from "commander";
import { importInto, withRecords } from "./load-records.ts";
import { CommandRefusal } from "./refusal.ts";
import { openRegistry } from "./registry.ts";
import { databaseChoice, type Terminal, withoutStack, withStore } from "./terminal.ts";
import { writeExport } from "./write-export.ts";

interface RawImport {
  readonly database: string;
  readonly create?: boolean;
  readonly oneHousehold?: boolean;
}

/** Adds `fieldroll import` and `fieldroll export`: docs/command-line.md. */
export function addRecordsCommands(program: Command, terminal: Terminal): void {
  program
    .command("import")
    .description("Read records from an NDJSON file, one a line, into the registry")
    .argument("<file>", "the file, or - for standard input")
    .option(...databaseChoice)
    .option("--create", "make the folder of the database file if it is not there yet")
    .option("--one-household", "refuse a second household of a person, as serve --one-household does")
    .action((file: string, raw: RawImport) => withoutStack(importRecordsFrom(file, raw, terminal)));
  program
    .command("export")
    .description("Write everything in the registry as NDJSON that import reads")
    .argument("[file]", "the file, or - for standard output", "-")
    .option(...databaseChoice)
    .action((target: string, { database }: { database: string }) =>
      withStore({ database }, async ({ store }) => {
        const log = terminal.createLog();
        await writeExport({ registry: openRegistry(store), store }, { target, out: terminal.out, log });
      }),
    );
}

function importRecordsFrom(
  path: string,
  { database, create = false, oneHousehold = false }: RawImport,
  terminal: Terminal,
): Promise<void> {
  const log = terminal.createLog();
  // The file first: for one that can't be imported no database is made.
  return withRecords(path, log, (file) =>
    withStore({ database, make: true, makeFolders: create }, async ({ store, place }) => {
      log.info({ database: place }, "importing into");
      const { refused } = await importInto(
        { registry: openRegistry(store, { oneHousehold }), store },
        file,
        log,
      );
      if (refused === 0) return;
      const lines = counted(refused, "line was", "lines were");
      throw new CommandRefusal(`${lines} refused, as told above; the rest is imported.`);
    }),
  );
}
