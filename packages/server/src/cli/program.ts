import { StoreError } from "@fieldroll/core";
import { Command } from "commander";
import type { Logger } from "pino";
import { openDatabase, parseDatabase } from "./database.ts";
import { demoClients } from "./demo.ts";
import { importRecords } from "./load-records.ts";
import { CommandRefusal } from "./refusal.ts";
import { openRegistry } from "./registry.ts";
import { type Serving, serve } from "./serve.ts";
import { parseServeOptions, type RawServeOptions } from "./serve-options.ts";

/** What the command line touches of its process. */
export interface Terminal {
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
  readonly version: string;
  createLog(): Logger;
  /** Calls back once, at the first request to end. */
  onStop(stop: () => Promise<void>): void;
}

const defaultDatabase = "sqlite:./fieldroll.db";

/** The command `fieldroll`: docs/command-line.md. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command("fieldroll")
    .description("A social-protection registry over HTTP, made for work where there is no network.")
    .version(terminal.version)
    .showHelpAfterError("(fieldroll serve --help lists the options)");
  program
    .command("serve")
    .description("Serve the registry's API, and the field app beside it")
    .option("--port <number>", "port to listen on; 0 picks a free one", "8080")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--database <url>", "sqlite:<path>, or memory: to keep nothing", defaultDatabase)
    .option("--clients <file>", "JSON file of the clients that may ask for tokens")
    .option("--app <folder>", "folder of a built field app, served at /")
    .option("--load <file>", "NDJSON file of records to load first")
    .option(
      "--public-url <origin>",
      "origin that callers reach it by, for links; default: what each calls it",
    )
    .option("--no-programs", "leave out programs and enrollments")
    .option("--v1 <mode>", "warn, gone or off (not in this version)")
    .option("--without-consent <policy>", "hide or identifiers (not in this version)")
    .option("--demo", "fill an empty database with made-up households, and let the demo clients in")
    .allowExcessArguments(false)
    .action((raw: RawServeOptions) => withoutStack(runServe(raw, terminal)));
  program
    .command("import")
    .description("Read records from an NDJSON file, one a line, into the registry")
    .argument("<file>", "the file")
    .option("--database <url>", "sqlite:<path>", defaultDatabase)
    .action((file: string, { database }: { database: string }) =>
      withoutStack(runImport(file, database, terminal)),
    );
  return program;
}

/** A full disk or a damaged file is for the operator to mend: the store's message says how. */
async function withoutStack(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw error instanceof StoreError ? new CommandRefusal(error.message) : error;
  }
}

async function runImport(file: string, database: string, terminal: Terminal): Promise<void> {
  const log = terminal.createLog();
  const store = await openDatabase(parseDatabase(database));
  try {
    const { refused } = await importRecords(openRegistry(store, { programs: true }), file, log);
    if (refused > 0)
      throw new CommandRefusal(`${refused} lines were refused, as told above; the rest is imported.`);
  } finally {
    await store.close();
  }
}

async function runServe(raw: RawServeOptions, terminal: Terminal): Promise<void> {
  const options = parseServeOptions(raw);
  const log = terminal.createLog();
  const serving = await serve(options, { version: terminal.version, log });
  let stopping = false;
  terminal.onStop(async () => {
    stopping = true;
    log.info("finishing the running requests");
    await serving.close();
    log.info("closed");
  });
  try {
    await serving.loaded;
  } catch (error) {
    // The store was closed under the loading; the next start goes on with it.
    if (stopping) return;
    await serving.close();
    throw error;
  }
  if (stopping) return;
  terminal.out(`${JSON.stringify(serving.addresses)}\n`);
  log.info({ url: serving.addresses.url }, "listening");
  if (options.demo) terminal.err(welcome(serving.addresses));
}

function welcome({ url, appUrl }: Serving["addresses"]): string {
  const signIns = demoClients.map(({ id, secret }) => `    ${id.padEnd(12)}${secret}`);
  return [
    "",
    "  Fieldroll is running with made-up households. Nothing in it is real.",
    "",
    ...(appUrl === null ? [] : [`  Field app   ${appUrl}`]),
    `  API         ${url}   (what it can do: ${url}/metadata)`,
    "",
    "  Sign in with",
    ...signIns,
    "",
    "  Ctrl-C ends it; the next start finds the records as they were left.",
    "",
    "",
  ].join("\n");
}
