import { type Database, databaseOption } from "./database.ts";
import { demoClients, demoUses } from "./demo.ts";
import type { Serving } from "./serve.ts";

/** A database in memory has no clients of its own: nothing else can open it. */
function addingClients(database: Database): readonly string[] {
  if (database.kind === "memory") return [];
  const command = `npm run --silent fieldroll -- client add office --scopes registry:read --legal-basis public_task --database ${databaseOption(database)}`;
  return [
    "",
    "  A client of your own is added, while this runs, from another terminal by",
    `    ${command}`,
    "",
  ];
}

/** Tells whoever started the demonstration where everything is, and what to do with it. */
export function welcome({ url, authUrl, appUrl }: Serving["addresses"], database: Database): string {
  const signIns = demoClients.map(
    ({ id, secret }) => `    ${id.padEnd(13)}${secret.padEnd(22)}${demoUses[id]}`,
  );
  return [
    "",
    "  Fieldroll is running with made-up households. Nothing in it is real.",
    "",
    ...(appUrl === null ? [] : [`  Field app   ${appUrl}`]),
    `  API         ${url}`,
    `  How to use  ${authUrl}/docs`,
    `  Database    ${databaseOption(database)}`,
    "",
    "  Sign in with",
    ...signIns,
    ...addingClients(database),
    "  Ctrl-C ends it; the next start finds the records as they were left.",
    "",
    "",
  ].join("\n");
}
