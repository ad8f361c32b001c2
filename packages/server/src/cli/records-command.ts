import type { Command } from "commander";
import { importRecords } from "./load-records.ts";
import { CommandRefusal } from "./refusal.ts";
import { openRegistry } from "./registry.ts";
import { defaultDatabase, type Terminal, withStore } from "./terminal.ts";
import { writeExport } from "./write-export.ts";

/** Adds `fieldroll import` and `fieldroll export`: docs/command-line.md. */
export function addRecordsCommands(program: Command, terminal: Terminal): void {
  const database = ["--database <url>", "sqlite:<path>", defaultDatabase] as const;
  program
    .command("import")
    .description("Read records from an NDJSON file, one a line, into the registry")
    .argument("<file>", "the file, or - for standard input")
    .option(...database)
    .action((file: string, { database }: { database: string }) =>
      withStore({ database, make: true }, async ({ store, place }) => {
        const destination = { registry: openRegistry(store), store };
        const log = terminal.createLog();
        log.info({ database: place }, "importing into");
        const { refused } = await importRecords(destination, file, log);
        if (refused > 0)
          throw new CommandRefusal(
            `${refused} ${refused === 1 ? "line was" : "lines were"} refused, as told above; the rest is imported.`,
          );
      }),
    );
  program
    .command("export")
    .description("Write everything in the registry as NDJSON that import reads")
    .argument("[file]", "the file, or - for standard output", "-")
    .option(...database)
    .action((target: string, { database }: { database: string }) =>
      withStore({ database }, async ({ store }) => {
        const log = terminal.createLog();
        await writeExport({ registry: openRegistry(store), store }, { target, out: terminal.out, log });
      }),
    );
}
