import type { Command } from "commander";
import { rotateSigningKeys } from "../oauth/signing-keys.ts";
import { databaseChoice, type Terminal, withStore } from "./terminal.ts";

/** Adds `fieldroll keys rotate`: docs/command-line.md. */
export function addKeysCommand(program: Command, terminal: Terminal): void {
  program
    .command("keys")
    .description("The keys that sign access tokens")
    .command("rotate")
    .description("Make a new signing key now; the present one verifies until its tokens have expired")
    .option(...databaseChoice)
    .action(({ database }: { database: string }) =>
      withStore({ database }, async ({ store }) => {
        await rotateSigningKeys(store, () => new Date());
        terminal.err("A new key signs from now on; servers that run take it within five minutes.\n");
      }),
    );
}
