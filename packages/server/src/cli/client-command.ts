import { consentPurposes, counted, type Json, organizationTypes } from "@fieldroll/core";
import type { Command } from "commander";
import { scryptSecrets } from "../node/scrypt.ts";
import type { Client } from "../oauth/clients.ts";
import { createStoredClients, type StoredClients } from "../oauth/stored-clients.ts";
import {
  defaultLegalBasis,
  isFieldList,
  isScopeList,
  legalBases,
  oneOf,
  type Rule,
  writesUnseen,
} from "./client-rules.ts";
import { secretFileOption, secretFor } from "./client-secret.ts";
import { demoClients } from "./demo.ts";
import { CommandRefusal } from "./refusal.ts";
import { databaseChoice, type Terminal, withStore } from "./terminal.ts";

/** Options of `fieldroll client add`, as commander hands them over. */
interface RawClient {
  readonly database: string;
  readonly scopes: string;
  readonly organization?: string;
  readonly organizationType?: string;
  readonly legalBasis?: string;
  readonly fields?: string;
  readonly purpose?: string;
  readonly secretFile?: string;
  readonly create?: boolean;
}

/** Options of `fieldroll client secret`. */
type RawSecret = Pick<RawClient, "database" | "secretFile">;

/** Adds `fieldroll client add|list|disable|enable|secret`: docs/command-line.md. */
export function addClientCommand(program: Command, terminal: Terminal): void {
  const client = program.command("client").description("Who may ask for tokens, as the database knows them");
  addAdd(client, terminal);
  client
    .command("list")
    .description("Print the clients of the database, a JSON object a line, without their secrets")
    .option(...databaseChoice)
    .action(({ database }: { database: string }) =>
      withStore({ database }, async ({ store, place }) => {
        const clients = await createStoredClients(store).list();
        for (const { secretHash: _, legalBasis = defaultLegalBasis, ...shown } of clients) {
          await terminal.out(`${JSON.stringify({ ...shown, legalBasis })}\n`);
        }
        terminal.err(
          `${countOf(clients.length)} in ${place}. Those of --clients and --demo are not kept there.\n`,
        );
      }),
    );
  addSwitches(client, terminal);
  client
    .command("secret")
    .description("Give a client another secret, and print it once; the former one and its tokens end")
    .argument("<id>")
    .option(...secretFileOption)
    .option(...databaseChoice)
    .action((id: string, raw: RawSecret) => changeSecret(id, raw, terminal));
}

function addAdd(client: Command, terminal: Terminal): void {
  client
    .command("add")
    .description("Add a client, and print its secret once")
    .usage("<id> --scopes registry:read,registry:write [options]")
    .argument("<id>", "its id: letters, digits and . _ -")
    .requiredOption("--scopes <list>", "scopes, separated by commas")
    .option("--organization <name>", "the organization it acts for")
    .option("--organization-type <type>", organizationTypes.join(", "))
    .option("--legal-basis <basis>", `${legalBases.join(", ")}; default: ${defaultLegalBasis}`)
    .option("--fields <list>", "the only fields it may ever see, separated by commas")
    .option("--purpose <purpose>", `${consentPurposes.join(", ")}; default: what each request says`)
    .option(...secretFileOption)
    .option(...databaseChoice)
    .option("--create", "make the database file, and its folder, where they are not there yet")
    .action(async (id: string, raw: RawClient) => {
      // The options first: for a client that can't be added no database is made.
      const client = await newClient(id, raw);
      const opening = { database: raw.database, ...(raw.create && { make: true, makeFolders: true }) };
      await withStore(opening, async ({ store, place }) => {
        const added = await addClient(createStoredClients(store), client);
        await terminal.out(`${JSON.stringify(added)}\n`);
        const warnings = [writesUnseen(added), demoGoesBefore(id)].filter((each) => each !== undefined);
        terminal.err(
          `Added to ${place}. Where a server has a client ${id} in its --clients file, that one counts.\n` +
            warnings.map((warning) => `Warning: ${warning}\n`).join(""),
        );
      });
    });
}

function addSwitches(client: Command, terminal: Terminal): void {
  for (const [name, active] of [["disable", false] as const, ["enable", true] as const]) {
    client
      .command(name)
      .description(active ? "Let a client in again" : "Keep a client out, its tokens included, from now on")
      .argument("<id>")
      .option(...databaseChoice)
      .action((id: string, { database }: { database: string }) =>
        withStore({ database }, async ({ store, place }) => {
          if (!(await createStoredClients(store).setActive(id, active))) {
            throw new CommandRefusal(`The database ${place} has no client ${id}. ${whereElse(id)}`);
          }
          terminal.err(
            active
              ? `Enabled ${id} in ${place}: it may ask for new tokens.\n`
              : `Disabled ${id} in ${place}, its tokens included.\n`,
          );
        }),
      );
  }
}

function changeSecret(id: string, { database, secretFile }: RawSecret, terminal: Terminal): Promise<void> {
  return withStore({ database }, async ({ store, place }) => {
    const clients = createStoredClients(store);
    if (!(await clients.find(id))) {
      throw new CommandRefusal(`The database ${place} has no client ${id}. ${whereItsSecretIs(id)}`);
    }
    const secret = await secretFor(secretFile, { so: "the client has the secret that it had" });
    // Told only once it is kept: it is good for nothing else.
    if (!(await clients.setSecret(id, await scryptSecrets().hash(secret)))) {
      throw new CommandRefusal(`The database ${place} has no client ${id} any more; nothing was changed.`);
    }
    await terminal.out(`${JSON.stringify({ id, secret })}\n`);
    const isOut = !(await clients.find(id))?.active;
    terminal.err(
      `${id} in ${place} has another secret. The former one is good no more, nor are its tokens: it signs in anew.\n` +
        (isOut ? `It is still disabled: fieldroll client enable ${id} lets it in.\n` : ""),
    );
  });
}

function countOf(clients: number): string {
  return counted(clients, "client");
}

/** What an operator should know of an id that the demonstration has too. */
function demoGoesBefore(id: string): string | undefined {
  if (!demoClients.some((demo) => demo.id === id)) return undefined;
  return `${id} is a demo sign-in, too: a server that runs with --demo, as npm start does, knows that one and refuses this secret. For such a server add a client of another id.`;
}

/** Where a client that the database does not have may come from, and how it is switched there. */
function whereElse(id: string): string {
  const next =
    "fieldroll client list shows those it has; those of a --clients file are switched in that file.";
  if (!demoClients.some((demo) => demo.id === id)) return next;
  return `${id} is a demo sign-in, which a server has only while it runs with --demo, as npm start does. To keep it out, start the server without --demo, or with a --clients file that has a client ${id} with "active": false.`;
}

/** Where the secret of a client stands that the database does not have. */
function whereItsSecretIs(id: string): string {
  if (demoClients.some((demo) => demo.id === id)) {
    return `${id} is a demo sign-in, whose secret is always the one that serve --demo and npm start print. For a secret of your own, add a client of another id: fieldroll client add.`;
  }
  return "fieldroll client list shows those it has; of one in a --clients file, change the secret in that file, and start its server anew.";
}

/** A client that may be added, with its secret in the clear. */
interface NewClient {
  readonly rest: ReturnType<typeof clientOf>;
  readonly secret: string;
}

async function newClient(id: string, raw: RawClient): Promise<NewClient> {
  const { secretFile } = raw;
  const rest = clientOf(id, raw);
  const secret = await secretFor(secretFile, { so: "no client was added" });
  return { rest, secret };
}

/** @returns the client with its legal basis, and its secret in the clear, which is kept nowhere */
async function addClient(clients: StoredClients, { rest, secret }: NewClient) {
  const client = { ...rest, active: true, secretHash: await scryptSecrets().hash(secret) };
  if (await clients.add(client)) return { ...rest, legalBasis: rest.legalBasis ?? defaultLegalBasis, secret };
  throw new CommandRefusal(
    `There is a client ${rest.id} already, and what a client may do is not changed afterwards. Choose another id.`,
  );
}

function clientOf(id: string, raw: RawClient): Omit<Client, "secretHash" | "active"> {
  // It stands in URNs, in logs and in HTTP Basic credentials, where : would end it.
  if (!/^[A-Za-z0-9][\w.-]{0,127}$/.test(id)) {
    throw new CommandRefusal(`${id}: an id is up to 128 letters, digits, dots, underscores and hyphens.`);
  }
  const { organization, organizationType, legalBasis, purpose } = raw;
  const scopes = checked("--scopes", listOf(raw.scopes), isScopeList);
  const fields = raw.fields === undefined ? undefined : checked("--fields", listOf(raw.fields), isFieldList);
  if (organizationType !== undefined)
    checked("--organization-type", organizationType, oneOf(organizationTypes));
  if (legalBasis !== undefined) checked("--legal-basis", legalBasis, oneOf(legalBases));
  if (purpose !== undefined) checked("--purpose", purpose, oneOf(consentPurposes));
  return {
    id,
    scopes,
    ...(organization === undefined ? {} : { organization }),
    ...(organizationType === undefined ? {} : { organizationType }),
    ...(legalBasis === undefined ? {} : { legalBasis }),
    ...(fields === undefined ? {} : { fields }),
    ...(purpose === undefined ? {} : { purpose }),
  };
}

function listOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((item) => item !== "");
}

function checked<T extends Json>(option: string, value: T, rule: Rule): T {
  const fault = Array.isArray(value) && value.length === 0 ? "names nothing" : rule(value);
  if (fault === undefined) return value;
  throw new CommandRefusal(`${option}: ${fault}.`);
}
