import type { Store } from "@fieldroll/core";
import type { Logger } from "pino";
import { scryptSecrets } from "../node/scrypt.ts";
import { type ClientDirectory, type ClientRegistration, createClientDirectory } from "../oauth/clients.ts";
import { createStoredClients, joinDirectories } from "../oauth/stored-clients.ts";
import { shortestSecret } from "./client-rules.ts";
import { readClientsFile } from "./clients-file.ts";
import { type Database, databaseOption } from "./database.ts";
import { demoClients } from "./demo.ts";
import type { ServeOptions } from "./serve-options.ts";

/** The clients that are given to `fieldroll serve`: those of the file, and the demonstration's. */
export async function clientsOf({
  clientsFile,
  demo,
}: Pick<ServeOptions, "clientsFile" | "demo">): Promise<readonly ClientRegistration[]> {
  const registered = clientsFile === undefined ? [] : await readClientsFile(clientsFile);
  if (!demo) return registered;
  const ids = new Set(registered.map(({ id }) => id));
  return [...registered, ...demoClients.filter(({ id }) => !ids.has(id))];
}

function nobody(database: Database): string {
  const add = `Add one with: fieldroll client add <id> --scopes registry:read,registry:write --legal-basis <basis> --database ${databaseOption(database)}. Or name`;
  const next = database.kind === "memory" ? "Name" : add;
  return `NOBODY CAN CALL: there is no client yet. ${next} a file of clients with --clients, or try --demo.`;
}

/** The given clients and the database's. Of clients with the same id, the given one counts. */
export async function directoryOf(
  clients: readonly ClientRegistration[],
  { store, database }: { readonly store: Store; readonly database: Database },
  log: Logger,
): Promise<ClientDirectory> {
  const stored = createStoredClients(store);
  const given = await createClientDirectory(clients, scryptSecrets());
  warnOfShortSecrets(clients, log);
  const kept = await stored.list();
  for (const { id } of kept) {
    if (await given.find(id)) {
      log.warn(
        { client: id },
        "a client of this id is in the database, and another comes with --clients or --demo; that one counts",
      );
    }
  }
  // A registry that nobody can call looks like a broken one.
  if (clients.length + kept.length === 0) log.warn(nobody(database));
  return joinDirectories(given, stored);
}

function warnOfShortSecrets(clients: readonly ClientRegistration[], log: Logger): void {
  const demo = new Set(demoClients.map(({ id }) => id));
  for (const { id, secret } of clients) {
    if (secret.length >= shortestSecret || demo.has(id)) continue;
    const text = `the secret of a client in --clients has fewer than ${shortestSecret} characters and can be guessed`;
    log.warn({ client: id }, text);
  }
}
