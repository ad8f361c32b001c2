import type { Command } from "commander";
import { serve } from "./serve.ts";
import { parseServeOptions, type RawServeOptions } from "./serve-options.ts";
import { defaultDatabase, type Terminal, withoutStack } from "./terminal.ts";
import { welcome } from "./welcome.ts";

/** Adds `fieldroll serve`: docs/command-line.md. */
export function addServeCommand(program: Command, terminal: Terminal): void {
  program
    .command("serve")
    .description("Serve the registry's API, and the field app beside it")
    .option("--port <number>", "port to listen on; 0 picks a free one", "8080")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option(
      "--database <url>",
      "sqlite:<path>, postgres://<user>@<host>/<database>, or memory: to keep nothing",
      defaultDatabase,
    )
    .option("--create", "make the folder of the database file if it is not there yet")
    .option("--clients <file>", "JSON file of clients that may ask for tokens, besides the database's")
    .option("--app <folder>", "folder of a built field app, served at /")
    .option("--load <file>", "NDJSON file of records to load first; not ready until they are there")
    .option(
      "--public-url <origin>",
      "origin that callers reach it by, for links; default: what each calls it",
    )
    .option(
      "--allow-origin <origin...>",
      "let pages of other origins call the API, such as a field app of your own",
    )
    .option("--no-programs", "leave out programs and enrollments")
    .option("--v1 <mode>", "V1 endpoints: warn, gone or off; default: gone")
    .option(
      "--migration-url <url>",
      "guide from V1 to V2, for their Link header; default: this server's /docs",
    )
    .option(
      "--without-consent <policy>",
      "where no consent shows a record: hide or identifiers; default: hide",
    )
    .option(
      "--restricted-writes <member...>",
      "what callers that see a part only may change as well: identifier, active; default: neither",
    )
    .option("--one-household", "refuse a second household of a person; on with --demo")
    .option("--trust-issuer <url...>", "accept tokens of another authorization server, for known clients")
    .option("--audience <aud>", "what its tokens must name this registry as")
    .option("--client-claim <name>", "claim of its tokens that names the client; default: client_id")
    .option("--issuer-keys <url...>", "where its keys are; default: as its metadata says, at its own origin")
    .option("--trusted-proxy <network...>", "proxy whose X-Forwarded-For or Forwarded tells who calls")
    .option(
      "--rate-limit <limit>",
      "requests a second of each client, and at once, or off; default: 100/1000",
    )
    .option("--compress <mode>", "br and gzip for answers and the app's files: on or off; default: on")
    .option("--keep-reads <days>", "how long the audit trail tells of reads; default: for good")
    .option("--keep-changes <days>", "how long it tells of changes, at least 180; default: for good")
    .option("--demo", "fill an empty database with made-up households, and let the demo clients in")
    .allowExcessArguments(false)
    .action((raw: RawServeOptions) => withoutStack(runServe(raw, terminal)));
}

/** Whether other machines reach the server there. */
function isReachable(host: string): boolean {
  return !/^(localhost|127(\.\d+){3}|::1)$/i.test(host);
}

const unnamed =
  "Other machines can reach this server, and --public-url is missing: links, and the issuer in access tokens, are what the Host header of each request says. Name the origin that callers use, such as --public-url https://registry.example.";

async function runServe(raw: RawServeOptions, terminal: Terminal): Promise<void> {
  const options = parseServeOptions(raw);
  const log = terminal.createLog();
  if (isReachable(options.host) && options.publicUrl === undefined) log.warn(unnamed);
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
  await terminal.out(`${JSON.stringify(serving.addresses)}\n`);
  log.info({ url: serving.addresses.url }, "listening");
  if (options.demo) terminal.err(welcome(serving.addresses, options.database));
}
